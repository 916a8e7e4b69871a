//! One operation's claim to a part of a file.

use crate::source::SourceIndex;
use crate::span::Span;

/// States that an operation may have put its content into a part of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    /// First byte.
    pub(crate) start: u64,
    /// Byte after the last.
    pub(crate) end: u64,
    /// What was put there.
    pub(crate) source: SourceIndex,
    /// When.
    pub(crate) span: Span,
    /// Whether its content is durable: acknowledged, and then synced.
    pub(crate) is_durable: bool,
}
