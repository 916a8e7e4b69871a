//! Taking a damaged block apart: which bytes of it come from which write.
//!
//! A word of a body, combined with the pad, gives the key of the block that it was written for.
//! Words with the same key, in a row, are a piece; the key identifies the generation of the write.

use std::fmt;

use crate::body::{PAD, WORD_BYTES, read_word, write_of_key};
use crate::header::{HEADER_BYTES, Header};
use crate::stamp::Stamp;

/// Words that must agree before they count as a piece and not as chance.
const PIECE_WORDS_MIN: usize = 4;

/// How far beyond the expected generation a piece may be and still be valid.
const GENERATIONS_AHEAD_MAX: u32 = 1 << 16;

/// Where a piece of a block comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From nowhere: the bytes are zero.
    Zero,
    /// From a write of this very block.
    Write {
        /// Generation of that write.
        generation: u32,
    },
    /// From some other block of Seatrial.
    Elsewhere,
}

/// Part of a block that comes from one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte within the block.
    pub start: usize,
    /// Byte after the last, within the block.
    pub end: usize,
    /// Where these bytes come from.
    pub source: Source,
}

impl fmt::Display for Piece {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "bytes {}-{} ", self.start, self.end - 1)?;
        match self.source {
            Source::Zero => formatter.write_str("zero"),
            Source::Write { generation } => write!(formatter, "generation {generation}"),
            Source::Elsewhere => formatter.write_str("of another block"),
        }
    }
}

/// The origin of a single word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Zero,
    Key(u64),
    /// Part of a header that cannot be read.
    Unreadable,
}

/// Consecutive words of one origin.
struct Stretch {
    first_word: usize,
    words: usize,
    origin: Origin,
}

/// Takes `block` apart into undamaged pieces of at least two sources, or returns `None` when it
/// is something else: whole, or damaged in a way that no mixture of writes explains.
pub(crate) fn torn_pieces(expected: &Stamp, offset: u64, block: &[u8]) -> Option<Vec<Piece>> {
    let stretches = settle_boundaries(stretches_of(block))?;
    let mut pieces: Vec<Piece> = Vec::new();
    for stretch in &stretches {
        let source = source_of(expected, offset, stretch.origin)?;
        let start = stretch.first_word * WORD_BYTES;
        let end = start + stretch.words * WORD_BYTES;
        match pieces.last_mut() {
            Some(last) if last.source == source && source != Source::Elsewhere => last.end = end,
            _ => pieces.push(Piece { start, end, source }),
        }
    }
    // A block that the end of the file cuts off may end in part of a word.
    pieces.last_mut()?.end = block.len();
    (pieces.len() > 1).then_some(pieces)
}

/// Groups the words of a block by origin.
fn stretches_of(block: &[u8]) -> Vec<Stretch> {
    let header_origin = header_origin(block);
    let mut stretches: Vec<Stretch> = Vec::new();
    for (word, bytes) in block.chunks_exact(WORD_BYTES).enumerate() {
        let origin = if word < HEADER_BYTES / WORD_BYTES {
            header_origin
        } else {
            match read_word(bytes) {
                0 => Origin::Zero,
                value => Origin::Key(value ^ PAD[word]),
            }
        };
        match stretches.last_mut() {
            Some(last) if last.origin == origin => last.words += 1,
            _ => stretches.push(Stretch {
                first_word: word,
                words: 1,
                origin,
            }),
        }
    }
    stretches
}

/// The origin of the header, which has to be read as a whole.
fn header_origin(block: &[u8]) -> Origin {
    match Header::from_bytes(block) {
        Ok(header) => Origin::Key(Stamp::of_header(&header).key(header.offset)),
        Err(_) if block.iter().take(HEADER_BYTES).all(|&byte| byte == 0) => Origin::Zero,
        Err(_) => Origin::Unreadable,
    }
}

/// Gives single words in which one piece turns into another to the piece before. `None` when a
/// stretch is too short for a piece and no such word: that is damage, not a tear.
fn settle_boundaries(stretches: Vec<Stretch>) -> Option<Vec<Stretch>> {
    let count = stretches.len();
    let mut settled: Vec<Stretch> = Vec::new();
    let mut bridged = false;
    for (index, stretch) in stretches.into_iter().enumerate() {
        if stretch.words >= PIECE_WORDS_MIN {
            if bridged
                && settled
                    .last()
                    .is_some_and(|last| last.origin == stretch.origin)
            {
                return None; // The same write on both sides: the word between is damaged.
            }
            bridged = false;
            settled.push(stretch);
        } else if stretch.words == 1 && !bridged && index + 1 < count {
            settled.last_mut()?.words += 1;
            bridged = true;
        } else {
            return None;
        }
    }
    Some(settled)
}

/// What an origin means for a block that belongs at `offset`; `None` when it cannot be known.
fn source_of(expected: &Stamp, offset: u64, origin: Origin) -> Option<Source> {
    match origin {
        Origin::Unreadable => None,
        Origin::Zero => Some(Source::Zero),
        Origin::Key(key) => {
            let (generation, _) = write_of_key(key ^ expected.place_key(offset));
            let credible = expected.generation.saturating_add(GENERATIONS_AHEAD_MAX);
            Some(if generation <= credible {
                Source::Write { generation }
            } else {
                Source::Elsewhere
            })
        }
    }
}
