//! Creating and opening the files of a job.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, ftruncate, open};
use rustix::io::Errno;

use crate::job::{Existing, Job, Phase};

/// Opens the file of a task, which is created when it is to be written.
pub(crate) fn open_file(job: &Job, file_index: usize) -> Result<OwnedFd, Errno> {
    let path = job.directory.join(&job.files[file_index]);
    let mut flags = OFlags::CLOEXEC | OFlags::NOCTTY;
    if job.direct {
        flags |= OFlags::DIRECT;
    }
    match job.phase {
        Phase::Read => open_retrying(&path, flags | OFlags::RDONLY),
        Phase::Write => {
            let descriptor = open_retrying(&path, flags | OFlags::WRONLY | OFlags::CREATE)?;
            fit_length(job, &descriptor)?;
            Ok(descriptor)
        }
    }
}

fn open_retrying(path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    loop {
        match open(path, flags, Mode::from_raw_mode(0o644)) {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}

/// Empties a file, or cuts off what an earlier job left behind its end. Devices have no length
/// to change.
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
