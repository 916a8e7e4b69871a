//! What several kinds do with files.

use std::fs::File;
use std::io;
use std::os::fd::IntoRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, fsync, openat, statx};
use rustix::io::Result;

use crate::meter::errno_of;

/// Opens a file for reading and writing, and creates it if it is missing.
pub(crate) fn open_or_make(path: &Path, more: OFlags) -> Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | more;
    Ok(File::from(openat(
        CWD,
        path,
        flags,
        Mode::from_raw_mode(0o666),
    )?))
}

/// Writes the whole content at an offset.
pub(crate) fn write_at(file: &File, content: &[u8], offset: u64) -> Result<()> {
    file.write_all_at(content, offset)
        .map_err(|error| errno_of(&error))
}

/// Puts the names of a directory on stable storage.
pub(crate) fn sync_directory(path: &Path) -> Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    fsync(openat(CWD, path, flags, Mode::empty())?)
}

/// Reads until the buffer is full or the file ends; how many bytes.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(errno_of(&error)),
        }
    }
    Ok(filled)
}

/// When the file was changed last, by the server; `None` where it cannot be asked.
pub(crate) fn mtime_at_server_ns(file: &File) -> Option<i64> {
    let forced = AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC;
    let told = statx(file, c"", forced, StatxFlags::MTIME).ok()?;
    let seconds_ns = told.stx_mtime.tv_sec.checked_mul(1_000_000_000)?;
    seconds_ns.checked_add(i64::from(told.stx_mtime.tv_nsec))
}

/// Closes a file, and returns whether that succeeded.
#[expect(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn close(file: File) -> Result<()> {
    // SAFETY: this function owns the descriptor, and nothing uses it again.
    unsafe { rustix::io::try_close(file.into_raw_fd()) }
}
