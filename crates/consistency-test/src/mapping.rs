//! A file that is mapped into memory, shared.
//!
//! The kernel copies into and out of the mapping, through a file in memory: a page that the storage
//! cannot give is then an error (EFAULT), and no signal that ends the agent.

use std::ffi::c_void;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::ptr;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{Errno, Result};
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};

use crate::meter::errno_of;

/// A mapping, until it is dropped.
pub(crate) struct Mapping {
    start: *mut c_void,
    bytes: usize,
    memory: File,
}

impl Mapping {
    /// Maps the first bytes of a file, which must have as many.
    pub(crate) fn new(file: &File, bytes: usize, is_writable: bool) -> Result<Self> {
        let access = if is_writable {
            ProtFlags::READ | ProtFlags::WRITE
        } else {
            ProtFlags::READ
        };
        let memory = memfd_create(c"mapping", MemfdFlags::CLOEXEC)?;
        // SAFETY: the kernel chooses the place, so that no other memory is replaced.
        #[expect(unsafe_code, reason = "there is no safe wrapper")]
        let start = unsafe { mmap(ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0)? };
        Ok(Self {
            start,
            bytes,
            memory: memory.into(),
        })
    }

    /// Copies into the mapping.
    pub(crate) fn write(&mut self, offset: usize, content: &[u8]) -> Result<()> {
        self.require(offset, content.len())?;
        self.memory
            .write_all_at(content, 0)
            .map_err(|error| errno_of(&error))?;
        // SAFETY: the range lies in the mapping, which lives as long as `self`. Only the kernel
        // writes there: where it cannot, it says so.
        #[expect(unsafe_code, reason = "the kernel copies into mapped memory")]
        let read = unsafe {
            let to = self.start.byte_add(offset);
            libc::pread(self.descriptor(), to, content.len(), 0)
        };
        all_of(read, content.len())
    }

    /// Copies out of the mapping.
    pub(crate) fn read(&self, offset: usize, content: &mut [u8]) -> Result<()> {
        self.require(offset, content.len())?;
        // SAFETY: as above; the kernel reads the range.
        #[expect(unsafe_code, reason = "the kernel copies out of mapped memory")]
        let written = unsafe {
            let from = self.start.byte_add(offset);
            libc::pwrite(self.descriptor(), from, content.len(), 0)
        };
        all_of(written, content.len())?;
        self.memory
            .read_exact_at(content, 0)
            .map_err(|error| errno_of(&error))
    }

    /// Writes the whole mapping to the storage.
    pub(crate) fn sync(&self) -> Result<()> {
        // SAFETY: the whole mapping, which lives as long as `self`.
        #[expect(unsafe_code, reason = "there is no safe wrapper")]
        unsafe {
            msync(self.start, self.bytes, MsyncFlags::SYNC)
        }
    }

    fn descriptor(&self) -> libc::c_int {
        std::os::fd::AsRawFd::as_raw_fd(&self.memory)
    }

    fn require(&self, offset: usize, bytes: usize) -> Result<()> {
        if offset + bytes <= self.bytes {
            Ok(())
        } else {
            Err(Errno::INVAL)
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: nothing points into the mapping any more.
        #[expect(unsafe_code, reason = "there is no safe wrapper")]
        let _ = unsafe { munmap(self.start, self.bytes) };
    }
}

/// Whether a call transferred every byte.
fn all_of(moved: isize, bytes: usize) -> Result<()> {
    if moved < 0 {
        return Err(errno_of(&std::io::Error::last_os_error()));
    }
    if moved.cast_unsigned() == bytes {
        Ok(())
    } else {
        Err(Errno::IO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_into_a_mapping_is_in_the_file() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(8192).unwrap();
        let mut mapping = Mapping::new(&file, 8192, true).unwrap();
        mapping.write(5000, b"here").unwrap();
        mapping.sync().unwrap();
        let mut found = [0; 4];
        file.read_exact_at(&mut found, 5000).unwrap();
        assert_eq!(b"here", &found);
        file.write_all_at(b"seen", 100).unwrap();
        mapping.read(100, &mut found).unwrap();
        assert_eq!(b"seen", &found);
    }

    #[test]
    fn a_page_that_is_not_there_is_an_error_and_no_signal() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4096).unwrap();
        let mapping = Mapping::new(&file, 4096, false).unwrap();
        file.set_len(0).unwrap();
        let mut found = [0; 4];
        assert_eq!(Err(Errno::FAULT), mapping.read(0, &mut found));
        assert_eq!(Err(Errno::INVAL), mapping.read(4094, &mut found));
    }
}
