//! The system calls of the phases. Each is repeated when a signal interrupts it.

use std::mem::MaybeUninit;
use std::os::fd::IntoRawFd;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RawDir, Stat, Timespec, Timestamps, UTIME_NOW, fstat, mkdir,
    rename as renameat, rmdir, stat as stat_path, unlink, utimensat,
};
use rustix::io::Errno;
use seatrial_measure::Failure;

use crate::files::open_retrying;
use crate::storage::{FileStorage, Storage};

/// Bytes of directory entries that are fetched at a time, as the C library does.
const ENTRIES_BYTES: usize = 32 << 10;

/// The names of a directory, each with a slash after it, because no name contains one.
#[derive(Debug, Default)]
pub(super) struct Listing(Vec<u8>);

impl Listing {
    /// Removes all names.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds one.
    pub(super) fn push(&mut self, name: &[u8]) {
        self.0.extend_from_slice(name);
        self.0.push(b'/');
    }

    /// All but `.` and `..`.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.0
            .split(|&byte| byte == b'/')
            .filter(|name| ![&b""[..], b".", b".."].contains(name))
    }
}

/// Creates a file that must not exist, fills it with `write`, makes it durable if `syncs`, and
/// closes it. A failure after the creation is a part of the operation: the name stays.
pub(super) fn create(
    path: &str,
    syncs: bool,
    write: impl FnOnce(&FileStorage) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let descriptor = open_retrying(path.as_ref(), flags)?;
    let storage = FileStorage {
        descriptor,
        direct: false,
    };
    let partial = Failure::partial;
    write(&storage).map_err(|failure| partial(failure.errno))?;
    if syncs {
        storage.sync().map_err(partial)?;
    }
    close(storage).map_err(partial)
}

/// Opens a file for reading, asks for its attributes if `asks`, and closes it.
pub(super) fn open_and_close(path: &str, asks: bool) -> Result<Option<Stat>, Errno> {
    let descriptor = open_retrying(path.as_ref(), OFlags::RDONLY | OFlags::CLOEXEC)?;
    let found = asks.then(|| fstat(&descriptor)).transpose()?;
    close(FileStorage {
        descriptor,
        direct: false,
    })?;
    Ok(found)
}

/// Opens a file, reads it in steps of `step_bytes` until `buffer` is full or the file ends, and
/// closes it. Returns how many bytes it read, and the attributes if `asks`.
pub(super) fn read_file(
    path: &str,
    buffer: &mut [u8],
    step_bytes: usize,
    asks: bool,
) -> Result<(usize, Option<Stat>), Errno> {
    let descriptor = open_retrying(path.as_ref(), OFlags::RDONLY | OFlags::CLOEXEC)?;
    let found = asks.then(|| fstat(&descriptor)).transpose()?;
    let storage = FileStorage {
        descriptor,
        direct: false,
    };
    let mut count = 0;
    for step in buffer.chunks_mut(step_bytes) {
        let wanted_bytes = step.len();
        let read_bytes = storage.read(step, count as u64)?;
        count += read_bytes;
        if read_bytes < wanted_bytes {
            break;
        }
    }
    close(storage)?;
    Ok((count, found))
}

/// Closes a file. A network file system writes back, and reports errors, only now.
pub(crate) fn close(storage: FileStorage) -> Result<(), Errno> {
    let raw = storage.descriptor.into_raw_fd();
    // SAFETY: the descriptor was owned by `storage` alone and is given up here.
    #[expect(unsafe_code, reason = "the safe way to close a file hides the error")]
    unsafe {
        rustix::io::try_close(raw)
    }
}

/// Lists a directory, and keeps the names, `.` and `..` included, if there is a place for them.
pub(super) fn list(path: &str, mut listing: Option<&mut Listing>) -> Result<(), Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let descriptor = open_retrying(path.as_ref(), flags)?;
    let mut buffer = vec![MaybeUninit::uninit(); ENTRIES_BYTES];
    let mut entries = RawDir::new(&descriptor, &mut buffer);
    if let Some(listing) = &mut listing {
        listing.clear();
    }
    while let Some(entry) = entries.next() {
        let entry = entry?;
        if let Some(listing) = &mut listing {
            listing.push(entry.file_name().to_bytes());
        }
    }
    Ok(())
}

/// Asks for the attributes of a file.
pub(super) fn stat(path: &str) -> Result<Stat, Errno> {
    stat_path(path)
}

/// Sets the times of a file to now.
pub(super) fn set_times(path: &str) -> Result<(), Errno> {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    utimensat(CWD, path, &times, AtFlags::empty())
}

/// Gives a file another name.
pub(super) fn rename(from: &str, to: &str) -> Result<(), Errno> {
    renameat(from, to)
}

/// Makes a directory.
pub(super) fn make_directory(path: &str) -> Result<(), Errno> {
    mkdir(path, Mode::from_raw_mode(0o755))
}

/// Removes a file.
pub(super) fn remove(path: &str) -> Result<(), Errno> {
    unlink(path)
}

/// Removes an empty directory.
pub(super) fn remove_directory(path: &str) -> Result<(), Errno> {
    rmdir(path)
}
