//! Locks of byte ranges that belong to an open file, not to a process.

use std::fs::File;
use std::os::fd::AsRawFd;

use rustix::io::{Errno, Result};

/// Bytes of a range: what one lock covers, and one write.
pub(crate) const RANGE_BYTES: usize = 4096;

/// Errors that say that somebody else holds the lock.
pub(crate) const HELD_BY_ANOTHER: [Errno; 2] = [Errno::AGAIN, Errno::ACCESS];

/// Takes the lock of a range for writing, if nobody has it.
pub(crate) fn try_lock(file: &File, range: u16) -> Result<()> {
    set(file, range, libc::F_WRLCK)
}

/// Gives it back.
pub(crate) fn unlock(file: &File, range: u16) -> Result<()> {
    set(file, range, libc::F_UNLCK)
}

fn set(file: &File, range: u16, kind: libc::c_int) -> Result<()> {
    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: i64::from(range) * RANGE_BYTES.cast_signed() as i64,
        l_len: RANGE_BYTES.cast_signed() as i64,
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
