//! Going through an input from its first byte to its last, also where it cannot be read.

use std::io;

use seatrial_content::{
    BLOCK_BYTES_MAX, Expectation, ExtentList, Finding, classify, classify_unknown,
};

use super::report::{EXTENTS_MAX, Report};
use crate::input::Input;

/// Bytes that are read at a time, at most.
const CHUNK_BYTES: usize = 1 << 20;

/// How far a scan is.
struct Scan<'a> {
    input: &'a mut Input,
    expected: Option<&'a Expectation>,
    block_bytes: usize,
    /// Expected bytes; 0 when their number is unknown.
    wanted_bytes: u64,
    offset: u64,
    list: ExtentList,
}

/// Checks the whole of `input`, and that it has `size` bytes, or the size that its blocks state.
pub(super) fn check(
    input: &mut Input,
    expected: Option<&Expectation>,
    size: Option<u64>,
) -> Report {
    let claimed_bytes = expected.map_or(0, |expected| expected.stamp.file_bytes);
    let mut scan = Scan {
        input,
        expected,
        block_bytes: expected.map_or(BLOCK_BYTES_MAX, |expected| expected.stamp.block_bytes),
        wanted_bytes: size.unwrap_or(claimed_bytes),
        offset: 0,
        list: ExtentList::new(EXTENTS_MAX),
    };
    scan.run();
    scan.report()
}

impl Scan<'_> {
    fn run(&mut self) {
        let limit_bytes = if self.input.may_be_longer && self.wanted_bytes > 0 {
            self.wanted_bytes
        } else {
            u64::MAX
        };
        // A chunk has whole blocks, of any size.
        let chunk_bytes = CHUNK_BYTES - CHUNK_BYTES % self.block_bytes;
        let mut chunk = vec![0; chunk_bytes];
        // Where a chunk cannot be read, its blocks are, one by one, until one can.
        let mut step_bytes = chunk_bytes;
        while self.offset < limit_bytes {
            let length = (limit_bytes - self.offset).min(step_bytes as u64) as usize;
            let (count, problem) = self.input.read_full(&mut chunk[..length], self.offset);
            let Some(error) = problem else {
                self.classify(&chunk[..count]);
                if count < length {
                    return;
                }
                step_bytes = chunk_bytes;
                continue;
            };
            let whole = count - count % self.block_bytes;
            self.classify(&chunk[..whole]);
            if !self.input.can_skip() {
                self.skip(&error);
                return;
            }
            if whole == 0 && step_bytes > self.block_bytes {
                step_bytes = self.block_bytes;
            } else if whole == 0 && !self.skip(&error) {
                return;
            }
        }
    }

    /// Classifies the next blocks.
    fn classify(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(self.block_bytes) {
            let finding = match self.expected {
                Some(expected) => classify(expected, self.offset, block),
                None => classify_unknown(self.offset, block),
            };
            self.list.push(self.offset, block.len() as u64, finding);
            self.offset += block.len() as u64;
        }
    }

    /// Leaves out a block that cannot be read, or, where nothing can be left out, all the rest;
    /// returns whether there is more.
    fn skip(&mut self, error: &io::Error) -> bool {
        let block_bytes = self.block_bytes as u64;
        let left_bytes = match self.input.length_bytes {
            Some(length_bytes) => length_bytes.saturating_sub(self.offset),
            None if self.wanted_bytes > self.offset => self.wanted_bytes - self.offset,
            None => block_bytes,
        };
        let skipped_bytes = if self.input.can_skip() {
            left_bytes.min(block_bytes)
        } else {
            left_bytes
        };
        let errno = error.raw_os_error().unwrap_or(0);
        let finding = Finding::Unreadable { errno };
        self.list.push(self.offset, skipped_bytes, finding);
        self.offset += skipped_bytes;
        skipped_bytes < left_bytes
    }

    fn report(mut self) -> Report {
        let blocks = self.offset.max(self.wanted_bytes);
        let blocks = blocks.div_ceil(self.block_bytes as u64);
        if self.offset < self.wanted_bytes || self.offset == 0 {
            let missing_bytes = self.wanted_bytes.saturating_sub(self.offset);
            self.list.push(self.offset, missing_bytes, Finding::Missing);
        }
        let (extents, extents_omitted) = self.list.finish();
        Report {
            blocks,
            extents,
            extents_omitted,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::ops::Range;

    use seatrial_content::Class;

    use super::*;
    use crate::identity::default_stamp;
    use crate::input::ReadAt;

    const LENGTH_BYTES: usize = 3 * CHUNK_BYTES + 1000;
    const EIO: i32 = 5;

    /// A disk with a part that cannot be read any more.
    struct Broken {
        bytes: Vec<u8>,
        unreadable: Range<usize>,
        position: usize,
    }

    impl Broken {
        fn new(broken: Range<usize>) -> Self {
            let mut bytes = vec![0; LENGTH_BYTES.next_multiple_of(4096)];
            default_stamp(7, LENGTH_BYTES as u64).fill(0, &mut bytes);
            bytes.truncate(LENGTH_BYTES);
            Self {
                bytes,
                unreadable: broken,
                position: 0,
            }
        }
    }

    impl ReadAt for Broken {
        /// Reads up to the broken part; after it only from its end on.
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let offset = (offset as usize).min(self.bytes.len());
            if self.unreadable.contains(&offset) {
                return Err(io::Error::from_raw_os_error(EIO));
            }
            let end = if offset < self.unreadable.start {
                self.unreadable.start
            } else {
                self.bytes.len()
            };
            let count = buffer.len().min(end - offset);
            buffer[..count].copy_from_slice(&self.bytes[offset..offset + count]);
            Ok(count)
        }
    }

    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.read_at(buffer, self.position as u64)?;
            self.position += count;
            Ok(count)
        }
    }

    /// Class, offset and length of all extents.
    fn found(input: &mut Input) -> Vec<(Class, u64, u64)> {
        let expected = Expectation {
            stamp: input.ballot.winner().expect("most blocks are good").stamp,
            any_writer: true,
        };
        let report = check(input, Some(&expected), None);
        assert_eq!(LENGTH_BYTES.div_ceil(4096) as u64, report.blocks);
        assert!(!report.is_valid());
        let unreadable = report
            .extents
            .iter()
            .filter(|extent| extent.finding.class() == Class::Missing);
        for extent in unreadable {
            let detail = "cannot be read: Input/output error (os error 5)";
            assert_eq!(detail, extent.finding.to_string());
        }
        let places = report.extents.iter();
        places
            .map(|extent| (extent.finding.class(), extent.offset, extent.length))
            .collect()
    }

    #[test]
    fn what_cannot_be_read_is_named_and_what_lies_behind_it_is_checked() {
        for broken in [4096..8192, 5000..5001, 4096..4097] {
            let disk = Box::new(Broken::new(broken));
            let mut input = Input::of_blocks(disk, LENGTH_BYTES as u64, false);
            let length = LENGTH_BYTES as u64;
            let expected = vec![
                (Class::Valid, 0, 4096),
                (Class::Missing, 4096, 4096),
                (Class::Valid, 8192, length - 8192),
            ];
            assert_eq!(expected, found(&mut input));
        }
    }

    #[test]
    fn the_beginning_the_end_and_several_chunks_may_be_unreadable() {
        let length = LENGTH_BYTES as u64;
        for (broken, first, end) in [
            (0..10_000, 0, 12_288),
            (
                LENGTH_BYTES - 1..LENGTH_BYTES,
                length - length % 4096,
                length,
            ),
            (1_000_000..2_500_000, 999_424, 2_502_656),
        ] {
            let disk = Box::new(Broken::new(broken));
            let mut input = Input::of_blocks(disk, length, true);
            let missing = (Class::Missing, first, end - first);
            let found = found(&mut input);
            assert!(found.contains(&missing), "{found:?}");
            let sum: u64 = found.iter().map(|(_, _, length)| length).sum();
            assert_eq!(length, sum, "{found:?}");
        }
    }

    #[test]
    fn a_stream_ends_where_it_cannot_be_read() {
        // Behind what is read ahead of it, and within.
        for broken in [3 * CHUNK_BYTES..3 * CHUNK_BYTES + 1, 1_000_000..1_000_001] {
            let first = (broken.start - broken.start % 4096) as u64;
            let stream = Box::new(Broken::new(broken));
            let expected = vec![
                (Class::Valid, 0, first),
                (Class::Missing, first, LENGTH_BYTES as u64 - first),
            ];
            assert_eq!(expected, found(&mut Input::of_stream(stream)));
        }
    }
}
