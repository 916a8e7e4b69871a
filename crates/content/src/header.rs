//! The 64 bytes at the start of every block.
//!
//! Much of a header is the same in all blocks of a file. It is stored under a mask, another one for
//! each header, so that a store that compresses finds nothing in it.

use std::array;

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::block_size::is_block_size;
use crate::body::{WORD_BYTES, read_word};
use crate::mix::SplitMix64;

/// Bytes of a header.
pub const HEADER_BYTES: usize = 64;

/// Bytes of a header that its checksum covers, and that are masked: all before the checksum.
const CHECKED_BYTES: usize = HEADER_BYTES - WORD_BYTES;

/// The same in words.
const CHECKED_WORDS: usize = CHECKED_BYTES / WORD_BYTES;

/// The first word of every header, under the mask.
const MAGIC: u64 = u64::from_le_bytes(*b"SEATRIAL");

/// Version of the content format.
const FORMAT_VERSION: u16 = 2;

/// The identity of a block, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Bytes of this block, header included.
    pub block_bytes: u32,
    /// The run that wrote it.
    pub run: u64,
    /// The file that it was written to: [`crate::file_id`] of the name.
    pub file: u64,
    /// Where in the file it belongs, in bytes.
    pub offset: u64,
    /// How many times this part of the file had been written, this time included.
    pub generation: u32,
    /// Who wrote it: index of the client in the upper 16 bits, of its task in the lower.
    pub writer: u32,
    /// How long the file was to become, in bytes; 0 when the writer did not know.
    pub file_bytes: u64,
}

/// Why the first bytes of a block are not a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// The block has fewer bytes than a header.
    #[error("too short for a header")]
    Short,
    /// The first eight bytes, unmasked, are not `SEATRIAL`.
    #[error("not a block of Seatrial")]
    Magic,
    /// The header's checksum does not fit.
    #[error("damaged header")]
    Checksum,
    /// The header is undamaged, but of a format that this program does not know.
    #[error("unknown content format {0}")]
    Version(u16),
    /// The header is undamaged, but its block size is not one of this format.
    #[error("impossible block size {0}")]
    BlockBytes(u32),
}

impl Header {
    /// The header as it is stored: masked, with the checksum of the words under the mask.
    #[expect(clippy::inline_always, reason = "see `seal`")]
    #[inline(always)]
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        seal([
            MAGIC,
            // The 16 bits between are reserved and zero.
            u64::from(FORMAT_VERSION) | u64::from(self.block_bytes) << 32,
            self.run,
            self.file,
            self.offset,
            u64::from(self.generation) | u64::from(self.writer) << 32,
            self.file_bytes,
        ])
    }

    /// Reads a header from the start of `block`.
    ///
    /// # Errors
    /// The reason why these bytes are not a header. None of their content can be trusted then.
    pub fn from_bytes(block: &[u8]) -> Result<Self, HeaderError> {
        let bytes = block.get(..HEADER_BYTES).ok_or(HeaderError::Short)?;
        let mut words = array::from_fn(|word| read_word(&bytes[word * WORD_BYTES..]));
        let checksum = read_word(&bytes[CHECKED_BYTES..]);
        mask(&mut words, checksum);
        if words[0] != MAGIC {
            return Err(HeaderError::Magic);
        }
        if checksum != checksum_of(&words) {
            return Err(HeaderError::Checksum);
        }
        let version = words[1] as u16;
        if version != FORMAT_VERSION {
            return Err(HeaderError::Version(version));
        }
        let block_bytes = (words[1] >> 32) as u32;
        if !is_block_size(block_bytes as usize) {
            return Err(HeaderError::BlockBytes(block_bytes));
        }
        Ok(Self {
            block_bytes,
            run: words[2],
            file: words[3],
            offset: words[4],
            generation: words[5] as u32,
            writer: (words[5] >> 32) as u32,
            file_bytes: words[6],
        })
    }
}

/// Puts the mask over the words of a header, and the checksum after them.
///
/// A separate call would pass the bytes through memory. Words that have just been stored there
/// cannot be read as vectors at once, which halves the rate of blocks of 512 bytes.
#[expect(clippy::inline_always, reason = "this is in the path of every block")]
#[inline(always)]
fn seal(mut words: [u64; CHECKED_WORDS]) -> [u8; HEADER_BYTES] {
    let checksum = checksum_of(&words);
    mask(&mut words, checksum);
    let mut bytes = [0; HEADER_BYTES];
    for (target, word) in bytes.chunks_exact_mut(WORD_BYTES).zip(words) {
        target.copy_from_slice(&word.to_le_bytes());
    }
    bytes[CHECKED_BYTES..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Puts the mask on, or takes it off. The checksum is its seed: it differs from header to header,
/// looks random, and can be read before anything else is known.
fn mask(words: &mut [u64; CHECKED_WORDS], checksum: u64) {
    let mut stream = SplitMix64::new(checksum);
    for word in words {
        *word ^= stream.next_u64();
    }
}

fn checksum_of(words: &[u64; CHECKED_WORDS]) -> u64 {
    xxh3_64(words.map(u64::to_le_bytes).as_flattened())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_header_survives_the_round_trip(
            block_bytes in 512_u32..=4096, run: u64, file: u64, offset: u64,
            generation: u32, writer: u32, file_bytes: u64,
        ) {
            let header = Header { block_bytes, run, file, offset, generation, writer, file_bytes };
            prop_assert_eq!(Ok(header), Header::from_bytes(&header.to_bytes()));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            prop_assert!(Header::from_bytes(&bytes).is_err());
        }

        #[test]
        fn a_flipped_bit_anywhere_is_noticed(
            run: u64, file: u64, offset: u64, generation: u32, writer: u32, file_bytes: u64,
        ) {
            let header =
                Header { block_bytes: 4096, run, file, offset, generation, writer, file_bytes };
            let clean = header.to_bytes();
            for bit in 0..HEADER_BYTES * 8 {
                let mut bytes = clean;
                bytes[bit / 8] ^= 1 << (bit % 8);
                prop_assert!(Header::from_bytes(&bytes).is_err(), "bit {}", bit);
            }
        }

        #[test]
        fn any_change_is_noticed(changes: [u64; HEADER_BYTES / WORD_BYTES]) {
            // As good as random bytes, and yet no header.
            let mut bytes = some_header().to_bytes();
            for (word, change) in bytes.chunks_exact_mut(WORD_BYTES).zip(changes) {
                word.copy_from_slice(&(read_word(word) ^ change).to_le_bytes());
            }
            let is_unchanged = changes.iter().all(|&change| change == 0);
            prop_assert_eq!(is_unchanged, Header::from_bytes(&bytes).is_ok());
        }
    }

    fn some_header() -> Header {
        Header {
            block_bytes: 4096,
            run: 1,
            file: 2,
            offset: 3 << 12,
            generation: 4,
            writer: 5,
            file_bytes: 6,
        }
    }

    #[test]
    fn the_stored_form_never_changes() {
        // Files written by an older agent must stay readable: these words are the format.
        let stored = [
            0xc912_af0d_2f5b_b2fe,
            0xb630_9b6c_bc69_1923,
            0x5e4b_4f4e_8925_4af3,
            0x0d9e_040c_a288_4f44,
            0x06f1_1321_3d3c_51ab,
            0xf4cd_6e6b_8b48_1f6a,
            0xac45_58f2_bb13_e319,
            0x9e06_f981_1912_56f6,
        ];
        let bytes = some_header().to_bytes();
        let words = array::from_fn(|word| read_word(&bytes[word * WORD_BYTES..]));
        assert_eq!(stored, words);
    }

    #[test]
    fn a_later_format_is_named() {
        let bytes = seal([MAGIC, 9, 0, 0, 0, 0, 0]);
        assert_eq!(Err(HeaderError::Version(9)), Header::from_bytes(&bytes));
    }
}
