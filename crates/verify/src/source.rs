//! Where content comes from.

use std::fmt;

use seatrial_content::{BLOCK_BYTES_MAX, Header, Stamp};

use crate::span::Span;

/// A number of a [`Source`] within a history.
pub(crate) type SourceIndex = u32;

/// What one task of one log put into one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// The log with this source.
    pub(crate) log: u32,
    /// How many times the file had been written when the phase began.
    pub(crate) generation: u32,
    /// Possible generations, from the one of its stamp on: one, unless the pass is unknown.
    pub(crate) generations: u32,
    /// What it is.
    pub(crate) content: Content,
}

/// What a place may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Content {
    /// Nothing: the file was cut, and reads as zeros or ends before.
    Nothing,
    /// Blocks with this stamp.
    Blocks(Stamp),
}

impl Source {
    /// The stamp of the write; `None` when the file was cut.
    pub(crate) const fn stamp(&self) -> Option<&Stamp> {
        match &self.content {
            Content::Nothing => None,
            Content::Blocks(stamp) => Some(stamp),
        }
    }

    /// Whether `bytes`, from `offset` of the file, are what this wrote there.
    pub(crate) fn holds(&self, offset: u64, bytes: &[u8]) -> bool {
        self.stamp().is_some_and(|stamp| {
            holds(stamp, offset, bytes)
                || self
                    .stamp_of_pass(stamp, bytes)
                    .is_some_and(|stamp| holds(&stamp, offset, bytes))
        })
    }

    /// The stamp with the generation that a block claims to have, where it may have another one
    /// than the first.
    fn stamp_of_pass(&self, stamp: &Stamp, block: &[u8]) -> Option<Stamp> {
        if self.generations == 1 {
            return None;
        }
        let generation = Header::from_bytes(block).ok()?.generation;
        let pass = generation.checked_sub(stamp.generation)?;
        (pass < self.generations).then_some(Stamp {
            generation,
            ..*stamp
        })
    }

    /// Whether what this did, at `span`, was certainly over before what `later` did at its own.
    ///
    /// All agents cut their files before any of them gets the start. So a cut comes before every
    /// write of the same generation, by its job and by other clients. Only another job of the same
    /// client is judged by the clock.
    pub(crate) fn is_before(
        &self,
        span: &Span,
        later: &Self,
        later_span: &Span,
        clock_error_ns: u64,
    ) -> bool {
        let is_one_phase = self.generation == later.generation
            && (self.log == later.log || span.client != later_span.client);
        match (self.content, later.content) {
            (Content::Nothing, Content::Blocks(_)) if is_one_phase => true,
            (Content::Blocks(_), Content::Nothing) if is_one_phase => false,
            _ => span.is_before(later_span, clock_error_ns),
        }
    }
}

/// Whether `bytes`, from `offset` of the file, are the content of a write with `stamp`. They may
/// span several of its blocks, if another job wrote blocks of another size.
fn holds(stamp: &Stamp, offset: u64, bytes: &[u8]) -> bool {
    let block_bytes = stamp.block_bytes as u64;
    let mut start = offset;
    let mut rest = bytes;
    while !rest.is_empty() {
        let left_bytes = block_bytes - start % block_bytes;
        let piece_bytes = rest.len().min(left_bytes as usize);
        let (piece, behind) = rest.split_at(piece_bytes);
        if !holds_piece(stamp, start, piece) {
            return false;
        }
        start += piece_bytes as u64;
        rest = behind;
    }
    true
}

/// The same for bytes that are within one block.
fn holds_piece(stamp: &Stamp, offset: u64, bytes: &[u8]) -> bool {
    let position = (offset % stamp.block_bytes as u64) as usize;
    if position == 0 {
        return stamp.is_intact(offset, bytes);
    }
    let mut block = [0; BLOCK_BYTES_MAX];
    let block = &mut block[..stamp.block_bytes];
    stamp.fill(offset - position as u64, block);
    block[position..].starts_with(bytes)
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(stamp) = self.stamp() else {
            return formatter.write_str("nothing");
        };
        write!(
            formatter,
            "generation {}{} of client {} task {}",
            stamp.generation,
            if self.generations == 1 {
                ""
            } else {
                " or a later pass"
            },
            stamp.writer >> 16,
            stamp.writer & 0xffff
        )
    }
}
