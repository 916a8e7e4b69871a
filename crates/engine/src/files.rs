//! Creating and opening the files of a job.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Advice, FileType, Mode, OFlags, fadvise, fstat, ftruncate, open};
use rustix::io::Errno;
use seatrial_job::{Existing, Hint, Job};

use crate::storage::FileStorage;

/// Opens the file at `path` for the job's phase. A phase that writes creates it.
pub(crate) fn open_file(job: &Job, path: &Path) -> Result<FileStorage, Errno> {
    let flags = storage_flags(job);
    let descriptor = if job.phase.writes() {
        // Direct writes need reading, too, on file systems that fill up pages.
        let descriptor = open_retrying(path, flags | OFlags::RDWR | OFlags::CREATE)?;
        fit_length(job, &descriptor)?;
        descriptor
    } else {
        open_retrying(path, flags | OFlags::RDONLY)?
    };
    // What is needed is said when the clock runs: its reading is part of what is measured.
    let hints: Vec<Hint> = (job.hints.iter().copied())
        .filter(|&hint| hint != Hint::WillNeed)
        .collect();
    give_hints(&hints, &descriptor)?;
    Ok(FileStorage {
        descriptor,
        direct: job.direct,
    })
}

/// How all files on the storage are opened.
pub(crate) fn storage_flags(job: &Job) -> OFlags {
    let mut flags = OFlags::CLOEXEC | OFlags::NOCTTY;
    if job.direct {
        flags |= OFlags::DIRECT;
    }
    if job.o_sync {
        flags |= OFlags::SYNC;
    }
    flags
}

/// Opens a file, also when a signal comes in between.
pub(crate) fn open_retrying(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    loop {
        match open(path, flags, Mode::from_raw_mode(0o644)) {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}

/// Length of an open file; 0 for devices.
pub(crate) fn length_bytes(storage: &FileStorage) -> Result<u64, Errno> {
    Ok(u64::try_from(fstat(&storage.descriptor)?.st_size).unwrap_or(0))
}

/// Empties a file, or cuts the rest of an earlier job after its end. Devices have no length to
/// change.
fn fit_length(job: &Job, descriptor: &OwnedFd) -> Result<(), Errno> {
    let status = fstat(descriptor)?;
    if !FileType::from_raw_mode(status.st_mode).is_file() {
        return Ok(());
    }
    let length_bytes = u64::try_from(status.st_size).unwrap_or(0);
    match job.existing_files() {
        Existing::Truncate if length_bytes > 0 => ftruncate(descriptor, 0),
        Existing::Keep if length_bytes > job.file_bytes => ftruncate(descriptor, job.file_bytes),
        _ => Ok(()),
    }
}

/// Sends the kernel the hints for a file.
pub(crate) fn give_hints(hints: &[Hint], descriptor: &OwnedFd) -> Result<(), Errno> {
    hints.iter().try_for_each(|hint| {
        let advice = match hint {
            Hint::Sequential => Advice::Sequential,
            Hint::Random => Advice::Random,
            Hint::WillNeed => Advice::WillNeed,
            Hint::DontNeed => Advice::DontNeed,
            Hint::NoReuse => Advice::NoReuse,
        };
        // A length of `None` means to the end, however long the file becomes.
        fadvise(descriptor, 0, None, advice)
    })
}
