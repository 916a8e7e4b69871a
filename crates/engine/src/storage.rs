//! What a task reads from and writes to: a file, or nothing at all.

use std::num::NonZeroU64;
use std::os::fd::OwnedFd;

use rustix::fs::{Advice, fadvise};
use rustix::io::Errno;
use seatrial_measure::Failure;

/// Direct reads and writes are multiples of this, on every file system.
pub(crate) const SECTOR_BYTES: usize = 512;

/// A place that takes and gives records. Methods are called by one thread only.
pub(crate) trait Storage {
    /// Reads into the whole `buffer` from `offset`; returns the number of bytes, which is smaller
    /// only at the end of the file.
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Errno>;

    /// Writes all of `buffer` at `offset`.
    fn write(&self, buffer: &[u8], offset: u64) -> Result<(), Failure>;

    /// Makes everything durable that was written.
    fn sync(&self) -> Result<(), Errno>;

    /// Announces a read of `length_bytes` from `offset`; 0 stands for all bytes up to the end.
    fn will_need(&self, offset: u64, length_bytes: u64);
}

/// A file, by plain system calls.
#[derive(Debug)]
pub(crate) struct FileStorage {
    pub(crate) descriptor: OwnedFd,
    /// Whether it was opened with `O_DIRECT`.
    pub(crate) direct: bool,
}

impl Storage for FileStorage {
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        let mut done = 0;
        while done < buffer.len() {
            match rustix::io::pread(&self.descriptor, &mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
            // Only the end of the file cuts a direct read within a sector, and asking for the
            // rest would be refused, because it is not aligned.
            if self.direct && !done.is_multiple_of(SECTOR_BYTES) {
                break;
            }
        }
        Ok(done)
    }

    fn write(&self, buffer: &[u8], offset: u64) -> Result<(), Failure> {
        let mut done = 0;
        let failure = |errno, done| Failure {
            errno,
            is_partial: done > 0,
        };
        while done < buffer.len() {
            match rustix::io::pwrite(&self.descriptor, &buffer[done..], offset + done as u64) {
                // POSIX allows it, no file system does it; better an error than an endless loop.
                Ok(0) => return Err(failure(Errno::NOSPC, done)),
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failure(errno, done)),
            }
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), Errno> {
        loop {
            match rustix::fs::fsync(&self.descriptor) {
                Err(Errno::INTR) => {}
                result => return result,
            }
        }
    }

    fn will_need(&self, offset: u64, length_bytes: u64) {
        // A hint that is not taken is no error.
        let length_bytes = NonZeroU64::new(length_bytes);
        let _ = fadvise(&self.descriptor, offset, length_bytes, Advice::WillNeed);
    }
}

/// Takes everything and gives nothing, at once: what remains is the cost of the engine itself.
#[derive(Debug)]
pub(crate) struct NullStorage;

impl Storage for NullStorage {
    fn read(&self, buffer: &mut [u8], _offset: u64) -> Result<usize, Errno> {
        Ok(buffer.len())
    }

    fn write(&self, _buffer: &[u8], _offset: u64) -> Result<(), Failure> {
        Ok(())
    }

    fn sync(&self) -> Result<(), Errno> {
        Ok(())
    }

    fn will_need(&self, _offset: u64, _length_bytes: u64) {}
}
