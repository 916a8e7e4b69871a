//! What several kinds do with files.

use std::fs::File;
use std::os::fd::IntoRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, fsync, openat};
use rustix::io::Result;

use crate::meter::errno_of;

/// Opens a file for reading and writing, and makes it where it is not there.
pub(crate) fn open_or_make(path: &Path, more: OFlags) -> Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | more;
    Ok(File::from(openat(
        CWD,
        path,
        flags,
        Mode::from_raw_mode(0o666),
    )?))
}

/// Writes all of it at an offset.
pub(crate) fn write_at(file: &File, content: &[u8], offset: u64) -> Result<()> {
    file.write_all_at(content, offset)
        .map_err(|error| errno_of(&error))
}

/// Puts the names of a directory on stable storage.
pub(crate) fn sync_directory(path: &Path) -> Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    fsync(openat(CWD, path, flags, Mode::empty())?)
}

/// Closes a file, and says whether that went well.
#[expect(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn close(file: File) -> Result<()> {
    // SAFETY: nobody else has the descriptor, and it is not used again.
    unsafe { rustix::io::try_close(file.into_raw_fd()) }
}
