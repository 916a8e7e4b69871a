//! The 64 bytes at the start of every block.

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::body::read_word;
use crate::stamp::is_block_size;

/// Bytes of a header.
pub const HEADER_BYTES: usize = 64;

/// Bytes of a header that its checksum covers: all before the checksum itself.
const CHECKED_BYTES: usize = HEADER_BYTES - 8;

/// The first bytes of every block; readable in a hex dump.
const MAGIC: [u8; 8] = *b"SEATRIAL";

/// Version of the content format.
const FORMAT_VERSION: u16 = 1;

/// What a block says about itself.
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
    /// The first eight bytes are not `SEATRIAL`.
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
    /// The header as bytes, with its checksum.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        // Bytes 10 and 11 are reserved and zero.
        bytes[12..16].copy_from_slice(&self.block_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.run.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.file.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.offset.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.generation.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.writer.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.file_bytes.to_le_bytes());
        let checksum = xxh3_64(&bytes[..CHECKED_BYTES]);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header from the start of `block`.
    ///
    /// # Errors
    /// Says why these bytes are not a header; none of their content can be trusted then.
    pub fn from_bytes(block: &[u8]) -> Result<Self, HeaderError> {
        let bytes = block.get(..HEADER_BYTES).ok_or(HeaderError::Short)?;
        if bytes[0..8] != MAGIC {
            return Err(HeaderError::Magic);
        }
        if read_word(&bytes[56..64]) != xxh3_64(&bytes[..CHECKED_BYTES]) {
            return Err(HeaderError::Checksum);
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version != FORMAT_VERSION {
            return Err(HeaderError::Version(version));
        }
        let block_bytes = (read_word(&bytes[8..16]) >> 32) as u32;
        if !is_block_size(block_bytes as usize) {
            return Err(HeaderError::BlockBytes(block_bytes));
        }
        Ok(Self {
            block_bytes,
            run: read_word(&bytes[16..24]),
            file: read_word(&bytes[24..32]),
            offset: read_word(&bytes[32..40]),
            generation: read_word(&bytes[40..48]) as u32,
            writer: (read_word(&bytes[40..48]) >> 32) as u32,
            file_bytes: read_word(&bytes[48..56]),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_header_survives_the_round_trip(
            size in 9_u32..=12, run: u64, file: u64, offset: u64,
            generation: u32, writer: u32, file_bytes: u64,
        ) {
            let block_bytes = 1 << size;
            let header = Header { block_bytes, run, file, offset, generation, writer, file_bytes };
            prop_assert_eq!(Ok(header), Header::from_bytes(&header.to_bytes()));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            prop_assert!(Header::from_bytes(&bytes).is_err());
        }

        #[test]
        fn one_flipped_bit_is_noticed(bit in 0..HEADER_BYTES * 8) {
            let header = Header {
                block_bytes: 4096, run: 1, file: 2, offset: 3,
                generation: 4, writer: 5, file_bytes: 6,
            };
            let mut bytes = header.to_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(Header::from_bytes(&bytes).is_err());
        }
    }

    #[test]
    fn a_later_format_is_named() {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8] = 9;
        let checksum = xxh3_64(&bytes[..CHECKED_BYTES]);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        assert_eq!(Err(HeaderError::Version(9)), Header::from_bytes(&bytes));
    }
}
