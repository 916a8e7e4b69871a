//! The body of a block: a fixed random pad, combined with a key that only this block has.
//!
//! Filling costs only one load, one exclusive-or and one store per word, and comparing costs no
//! more. The pad makes a block incompressible, the key makes it unlike every other block. The key
//! is an invertible function of generation and writer. So any undamaged word of a body identifies
//! the write that it came from, which separates the parts of a torn block.

use crate::block_size::BLOCK_BYTES_MAX;
use crate::mix::{SplitMix64, mix, unmix};

/// Bytes in the words that bodies are made of.
pub(crate) const WORD_BYTES: usize = 8;

/// 4 KiB of fixed random words: part of the format, never to be changed.
pub(crate) static PAD: [u64; BLOCK_BYTES_MAX / WORD_BYTES] = make_pad();

const fn make_pad() -> [u64; BLOCK_BYTES_MAX / WORD_BYTES] {
    let mut stream = SplitMix64::new(0x5345_4154_5249_414c);
    let mut pad = [0; BLOCK_BYTES_MAX / WORD_BYTES];
    let mut index = 0;
    while index < pad.len() {
        pad[index] = stream.next_u64();
        index += 1;
    }
    pad
}

/// The part of a key for the run and the file: the same for all blocks of a file.
pub(crate) const fn file_key(run: u64, file: u64) -> u64 {
    mix(mix(run).wrapping_add(file))
}

/// The part of a key for the place in the file: `file_key` spread over the offsets.
pub(crate) const fn place_key(file_key: u64, offset: u64) -> u64 {
    mix(file_key.wrapping_add(offset))
}

/// The part of a key for the write: generation and writer.
pub(crate) const fn write_key(generation: u32, writer: u32) -> u64 {
    mix((generation as u64) << 32 | writer as u64)
}

/// Reads generation and writer back from a write key.
pub(crate) const fn write_of_key(key: u64) -> (u32, u32) {
    let plain = unmix(key);
    ((plain >> 32) as u32, plain as u32)
}

/// Fills `body`, which starts at word `first_word` of its block.
///
/// The last word is cut if the block ends within it.
pub(crate) fn fill(body: &mut [u8], first_word: usize, key: u64) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: this processor has AVX2, and the function needs nothing else.
        #[expect(unsafe_code, reason = "a call of code for a newer processor")]
        unsafe {
            fill_with_avx2(body, first_word, key);
        }
        return;
    }
    fill_words(body, first_word, key);
}

/// [`fill_words`], compiled for vectors of 32 bytes. The agent runs on any processor of its
/// architecture, so the compiler uses vectors of 16 bytes elsewhere.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_with_avx2(body: &mut [u8], first_word: usize, key: u64) {
    fill_words(body, first_word, key);
}

#[expect(
    clippy::inline_always,
    reason = "it is compiled for each kind of vectors"
)]
#[inline(always)]
fn fill_words(body: &mut [u8], first_word: usize, key: u64) {
    let (words, rest) = body.as_chunks_mut::<WORD_BYTES>();
    for (bytes, pad) in words.iter_mut().zip(&PAD[first_word..]) {
        *bytes = (pad ^ key).to_le_bytes();
    }
    if !rest.is_empty() {
        let last = (PAD[first_word + words.len()] ^ key).to_le_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// Whether `body`, which starts at word `first_word` of its block, is what [`fill`] would make.
///
/// One loop without a branch collects the differences of all words, so the compiler compares whole
/// vectors. With eight separate sums it compared word by word, which took two to three times as
/// long. A word that the end of the file cuts off is compared as well.
pub(crate) fn matches(body: &[u8], first_word: usize, key: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: this processor has AVX2, and the function needs nothing else.
        #[expect(unsafe_code, reason = "a call of code for a newer processor")]
        return unsafe { matches_with_avx2(body, first_word, key) };
    }
    words_match(body, first_word, key)
}

/// [`words_match`], compiled for vectors of 32 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn matches_with_avx2(body: &[u8], first_word: usize, key: u64) -> bool {
    words_match(body, first_word, key)
}

#[expect(
    clippy::inline_always,
    reason = "it is compiled for each kind of vectors"
)]
#[inline(always)]
fn words_match(body: &[u8], first_word: usize, key: u64) -> bool {
    let (words, rest) = body.as_chunks::<WORD_BYTES>();
    let mut differences = 0;
    for (bytes, pad) in words.iter().zip(&PAD[first_word..]) {
        differences |= u64::from_le_bytes(*bytes) ^ pad ^ key;
    }
    if differences != 0 {
        return false;
    }
    if rest.is_empty() {
        return true;
    }
    let last = (PAD[first_word + words.len()] ^ key).to_le_bytes();
    last[..rest.len()] == *rest
}

/// The little-endian word in the first eight of `bytes`.
pub(crate) fn read_word(bytes: &[u8]) -> u64 {
    let mut word = [0; WORD_BYTES];
    word.copy_from_slice(&bytes[..WORD_BYTES]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pad_never_changes() {
        // Files written by an older agent must stay readable: these values are the format.
        assert_eq!(0xdd08_da6a_558e_cb11, PAD[0]);
        assert_eq!(0x3354_21cd_0b26_9ed5, PAD[511]);
    }

    #[test]
    fn every_kind_of_vectors_makes_the_same_body() {
        for bytes in [0, 1, 7, 8, 61, 448, 500, 4032] {
            let mut chosen = vec![0; bytes];
            let mut plain = vec![0; bytes];
            fill(&mut chosen, 8, 77);
            fill_words(&mut plain, 8, 77);
            assert_eq!(chosen, plain);
            assert!(words_match(&chosen, 8, 77));
            for index in 0..bytes {
                chosen[index] ^= 1;
                assert_eq!(matches(&chosen, 8, 77), words_match(&chosen, 8, 77));
                assert!(!matches(&chosen, 8, 77), "byte {index} of {bytes}");
                chosen[index] ^= 1;
            }
        }
    }

    #[test]
    fn every_byte_of_a_body_counts() {
        let key = place_key(file_key(1, 2), 4096) ^ write_key(3, 4);
        let mut body = vec![0; 512 - 64];
        fill(&mut body, 8, key);
        assert!(matches(&body, 8, key));
        for index in 0..body.len() {
            body[index] ^= 1;
            assert!(!matches(&body, 8, key), "byte {index}");
            body[index] ^= 1;
        }
    }

    #[test]
    fn a_body_cut_off_in_a_word_is_compared_to_the_end() {
        let key = 77;
        let mut body = vec![0; 64];
        fill(&mut body, 8, key);
        body.truncate(61);
        assert!(matches(&body, 8, key));
        body[60] ^= 0x80;
        assert!(!matches(&body, 8, key));
    }

    #[test]
    fn the_write_can_be_read_back_from_the_key() {
        assert_eq!((7, 0x0003_0001), write_of_key(write_key(7, 0x0003_0001)));
    }
}
