//! Where content comes from.

use std::fmt;

use seatrial_content::Stamp;

use crate::span::Span;

/// A number of a [`Source`] within a history.
pub(crate) type SourceIndex = u32;

/// What one task of one log put into one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// The log that says so.
    pub(crate) log: u32,
    /// How many times the file had been written.
    pub(crate) generation: u32,
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
    /// The stamp of what was written; `None` when the file was cut.
    pub(crate) const fn stamp(&self) -> Option<&Stamp> {
        match &self.content {
            Content::Nothing => None,
            Content::Blocks(stamp) => Some(stamp),
        }
    }

    /// Whether what this did, at `span`, was certainly over before what `later` did at its own.
    ///
    /// All agents cut their files before any of them is told to start. So a cut comes before
    /// every write of the same generation: those of its own job, and those of other clients. Only
    /// another job of the same client is judged by the clock.
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

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(stamp) = self.stamp() else {
            return formatter.write_str("nothing");
        };
        write!(
            formatter,
            "generation {} of client {} task {}",
            stamp.generation,
            stamp.writer >> 16,
            stamp.writer & 0xffff
        )
    }
}
