//! Locks of byte ranges that belong to an open file, not to a process.

use std::fs::File;
use std::os::fd::AsRawFd;

use rustix::io::{Errno, Result};

/// Bytes of a range: what one lock covers, and one write.
pub(crate) const RANGE_BYTES: usize = 4096;

/// Errors that mean that another client holds the lock.
pub(crate) const HELD_BY_ANOTHER: [Errno; 2] = [Errno::AGAIN, Errno::ACCESS];

/// How a range is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Shared with other readers.
    Read,
    /// Alone.
    Write,
}

impl Mode {
    /// As in the history.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// Takes the lock of a range for writing, if it is free.
pub(crate) fn try_lock(file: &File, range: u16) -> Result<()> {
    set_pages(file, range, 1, Some(Mode::Write))
}

/// Gives it back.
pub(crate) fn unlock(file: &File, range: u16) -> Result<()> {
    set_pages(file, range, 1, None)
}

/// Locks `pages` adjacent ranges, as one, or unlocks them.
pub(crate) fn set_pages(file: &File, first: u16, pages: u16, mode: Option<Mode>) -> Result<()> {
    let kind = match mode {
        Some(Mode::Read) => libc::F_RDLCK,
        Some(Mode::Write) => libc::F_WRLCK,
        None => libc::F_UNLCK,
    };
    let range_bytes = RANGE_BYTES.cast_signed() as i64;
    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: i64::from(first) * range_bytes,
        l_len: i64::from(pages) * range_bytes,
        l_pid: 0,
    };
    // SAFETY: the descriptor is open as long as `file` lives, and the kernel only reads the lock.
    #[expect(unsafe_code, reason = "rustix locks whole files only")]
    let done = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if done == -1 {
        let error = std::io::Error::last_os_error();
        return Err(Errno::from_io_error(&error).unwrap_or(Errno::IO));
    }
    Ok(())
}
