//! Filling and checking whole blocks: the path that every byte takes.

use xxhash_rust::xxh3::xxh3_64;

use crate::body::{self, WORD_BYTES};
use crate::header::{HEADER_BYTES, Header};

/// The number that stands for a file: a hash of its name, relative to the job's directory.
pub fn file_id(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// What all blocks of one write of one file have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The run that writes.
    pub run: u64,
    /// The file: [`file_id`] of its name.
    pub file: u64,
    /// How many times the file has been written, this time included.
    pub generation: u32,
    /// Who writes: index of the client in the upper 16 bits, of its task in the lower.
    pub writer: u32,
    /// How long the file is to become, in bytes; 0 when that is not known.
    pub file_bytes: u64,
    /// Bytes of a block, from [`BLOCK_BYTES_MIN`](crate::BLOCK_BYTES_MIN) to
    /// [`BLOCK_BYTES_MAX`](crate::BLOCK_BYTES_MAX).
    pub block_bytes: usize,
}

impl Stamp {
    /// The number of a writer: which client, which of its tasks.
    pub const fn writer_of(client_index: u16, task: u16) -> u32 {
        (client_index as u32) << 16 | task as u32
    }

    /// The stamp under which a block with this header was written.
    pub const fn of_header(header: &Header) -> Self {
        Self {
            run: header.run,
            file: header.file,
            generation: header.generation,
            writer: header.writer,
            file_bytes: header.file_bytes,
            block_bytes: header.block_bytes as usize,
        }
    }

    /// The header of the block at `offset`.
    pub const fn header(&self, offset: u64) -> Header {
        Header {
            block_bytes: self.block_bytes as u32,
            run: self.run,
            file: self.file,
            offset,
            generation: self.generation,
            writer: self.writer,
            file_bytes: self.file_bytes,
        }
    }

    /// The part of the key for the place of a block.
    pub(crate) const fn place_key(&self, offset: u64) -> u64 {
        body::place_key(body::file_key(self.run, self.file), offset)
    }

    /// The key of the block at `offset`.
    pub(crate) const fn key(&self, offset: u64) -> u64 {
        self.place_key(offset) ^ body::write_key(self.generation, self.writer)
    }

    /// Fills `buffer` with what belongs at `offset`.
    ///
    /// # Panics
    /// When offset or length are not multiples of the block size.
    pub fn fill(&self, offset: u64, buffer: &mut [u8]) {
        assert_eq!(0, offset % self.block_bytes as u64, "offset not on a block");
        assert_eq!(
            0,
            buffer.len() % self.block_bytes,
            "length not of whole blocks"
        );
        let mut block_offset = offset;
        for block in buffer.chunks_exact_mut(self.block_bytes) {
            let (head, tail) = block.split_at_mut(HEADER_BYTES);
            head.copy_from_slice(&self.header(block_offset).to_bytes());
            body::fill(tail, HEADER_BYTES / WORD_BYTES, self.key(block_offset));
            block_offset += self.block_bytes as u64;
        }
    }

    /// Whether `block` is, in every byte, what [`Stamp::fill`] would put at `offset`. A block that
    /// the end of the file cuts off is compared as far as it goes.
    pub fn is_intact(&self, offset: u64, block: &[u8]) -> bool {
        let header = self.header(offset).to_bytes();
        match block.split_at_checked(HEADER_BYTES) {
            Some((head, tail)) => {
                head == header && body::matches(tail, HEADER_BYTES / WORD_BYTES, self.key(offset))
            }
            None => *block == header[..block.len()],
        }
    }

    /// Offset, within `buffer`, of the first block that is not intact; `buffer` was read from
    /// `offset` of the file.
    pub fn first_damaged(&self, offset: u64, buffer: &[u8]) -> Option<usize> {
        buffer
            .chunks(self.block_bytes)
            .enumerate()
            .map(|(index, block)| (index * self.block_bytes, block))
            .find(|&(position, block)| !self.is_intact(offset + position as u64, block))
            .map(|(position, _)| position)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::block_size::{BLOCK_BYTES_MAX, BLOCK_BYTES_MIN};

    fn stamp(block_bytes: usize) -> Stamp {
        Stamp {
            run: 0xfeed,
            file: file_id("a/b"),
            generation: 3,
            writer: Stamp::writer_of(2, 1),
            file_bytes: 1 << 30,
            block_bytes,
        }
    }

    #[test]
    fn every_bit_of_a_block_counts() {
        let stamp = stamp(512);
        let mut block = vec![0; 512];
        stamp.fill(1024, &mut block);
        assert!(stamp.is_intact(1024, &block));
        for bit in 0..512 * 8 {
            block[bit / 8] ^= 1 << (bit % 8);
            assert!(!stamp.is_intact(1024, &block), "bit {bit}");
            block[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn every_byte_counts_in_a_block_that_ends_within_a_word() {
        let stamp = stamp(3901);
        let mut block = vec![0; 3901];
        stamp.fill(3901, &mut block);
        assert!(stamp.is_intact(3901, &block));
        for index in 0..block.len() {
            block[index] ^= 1 << (index % 8);
            assert!(!stamp.is_intact(3901, &block), "byte {index}");
            block[index] ^= 1 << (index % 8);
        }
    }

    #[test]
    fn no_part_of_a_block_occurs_in_another() {
        // What a deduplicating store would look for: equal pieces at any aligned place.
        let stamp = stamp(4096);
        let mut buffer = vec![0; 256 * 4096];
        stamp.fill(0, &mut buffer);
        let mut seen = HashSet::new();
        for piece in buffer.chunks(64) {
            assert!(seen.insert(piece), "a repeated piece");
        }
    }

    #[test]
    fn bytes_of_a_block_are_evenly_spread() {
        // Entropy of the byte values: 8 bits for random data, less when it can be compressed.
        for block_bytes in [BLOCK_BYTES_MIN, BLOCK_BYTES_MAX] {
            let mut buffer = vec![0; 1 << 20];
            stamp(block_bytes).fill(0, &mut buffer);
            let mut counts = [0_u32; 256];
            for &byte in &buffer {
                counts[byte as usize] += 1;
            }
            let total = buffer.len() as f64;
            let entropy: f64 = counts
                .iter()
                .map(|&count| f64::from(count) / total)
                .map(|share| -share * share.log2())
                .sum();
            assert!(entropy > 7.999, "{entropy} bits per byte");
        }
    }

    proptest! {
        #[test]
        fn what_was_filled_is_intact_and_only_there(
            run: u64, file: u64, generation: u32, writer: u32,
            block in 0_u64..1 << 40, block_bytes in BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX,
            blocks in 1_usize..5,
        ) {
            let stamp = Stamp { run, file, generation, writer, file_bytes: 0, block_bytes };
            let offset = block * block_bytes as u64;
            let mut buffer = vec![0; blocks * block_bytes];
            stamp.fill(offset, &mut buffer);
            prop_assert_eq!(None, stamp.first_damaged(offset, &buffer));
            prop_assert_eq!(Some(0), stamp.first_damaged(offset + block_bytes as u64, &buffer));
            let header = Header::from_bytes(&buffer).unwrap();
            prop_assert_eq!(stamp, Stamp::of_header(&header));
            let next = Stamp { generation: generation.wrapping_add(1), ..stamp };
            prop_assert_eq!(Some(0), next.first_damaged(offset, &buffer));
        }
    }
}
