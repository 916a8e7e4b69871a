//! Reading a file piece by piece, and the meaning of an error.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::history::Options;

/// Bytes that are read at a time, at least.
const WINDOW_BYTES: u64 = 1 << 20;

/// What is read again where some of it cannot be read.
const PAGE_BYTES: usize = 4096;

/// The part of a file that is in memory.
pub(crate) struct Window {
    /// `None` when there is no file.
    file: Option<File>,
    pub(crate) length: u64,
    start: u64,
    bytes: Vec<u8>,
    options: Options,
}

impl Window {
    /// Opens a file; a missing one is empty.
    pub(crate) fn open(path: &Path, options: Options) -> io::Result<Self> {
        let opened = File::open(path).and_then(|file| {
            let metadata = file.metadata()?;
            Ok((file, metadata))
        });
        let (file, length) = match opened {
            Ok((_, metadata)) if !metadata.is_file() => {
                return Err(io::Error::other("it is not a file"));
            }
            Ok((file, metadata)) => (Some(file), metadata.len()),
            Err(error) if options.is_gone(&error) => (None, 0),
            Err(error) => return Err(error),
        };
        Ok(Self {
            file,
            length,
            options,
            start: 0,
            bytes: Vec::new(),
        })
    }

    /// The bytes from `start` to `end`, which are before the end of the file.
    pub(crate) fn get(&mut self, start: u64, end: u64) -> io::Result<&[u8]> {
        if start < self.start || self.start + (self.bytes.len() as u64) < end {
            self.start = start - start % WINDOW_BYTES;
            // A block may begin before a multiple of the window and end after it.
            let wanted_bytes = WINDOW_BYTES.max(end - self.start);
            let length = wanted_bytes.min(self.length - self.start);
            self.bytes.resize(length as usize, 0);
            if let Some(file) = &self.file {
                match file.read_exact_at(&mut self.bytes, self.start) {
                    Err(error) if self.options.is_lost(&error) => {
                        read_around(file, &mut self.bytes, self.start, self.options)?;
                    }
                    done => done?,
                }
            }
        }
        let position = (start - self.start) as usize;
        Ok(&self.bytes[position..position + (end - start) as usize])
    }
}

/// Reads piece by piece, where some cannot be read; of those zeros are left.
fn read_around(file: &File, bytes: &mut [u8], start: u64, options: Options) -> io::Result<()> {
    for (piece, offset) in bytes
        .chunks_mut(PAGE_BYTES)
        .zip((start..).step_by(PAGE_BYTES))
    {
        match file.read_exact_at(piece, offset) {
            Err(error) if options.is_lost(&error) => piece.fill(0),
            done => done?,
        }
    }
    Ok(())
}

/// Whether the storage answered with an error of I/O.
pub fn is_unreadable(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    error.raw_os_error() == Some(EIO)
}

impl Options {
    /// Whether the path counts as missing.
    pub(crate) fn is_gone(self, error: &io::Error) -> bool {
        let is_absent = matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        );
        is_absent || self.is_lost(error)
    }

    /// Whether what could not be read counts as lost.
    fn is_lost(self, error: &io::Error) -> bool {
        self.unreadable_is_lost && is_unreadable(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address 0 is never mapped, and the kernel answers with an error of I/O.
    #[test]
    fn an_error_of_the_storage_is_a_loss_where_every_client_gets_it() {
        let unreadable = File::open("/proc/self/mem").unwrap();
        let strict = Options::default();
        let counting = Options {
            unreadable_is_lost: true,
            ..strict
        };
        let mut bytes = vec![7; 3 * PAGE_BYTES];
        let error = read_around(&unreadable, &mut bytes, 0, strict).unwrap_err();
        assert!(is_unreadable(&error) && !strict.is_gone(&error) && counting.is_gone(&error));
        read_around(&unreadable, &mut bytes, 0, counting).unwrap();
        assert!(bytes.iter().all(|&byte| byte == 0));
        let refused = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(!counting.is_gone(&refused));
    }
}
