//! What each file in `kinds` has: the numbers of a pattern, its properties, its limits and its
//! order.

use crate::words::{Layout, Phase};

/// The properties of a pattern on which the rules of a job decide. The controller has its own for a
/// study (`PatternTraits` in `src/seatrial/study/pattern_kinds.py`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternTraits {
    /// By default, a write empties existing files first.
    pub empties_files: bool,
    /// Each write is at the end of the file, so there is no second pass.
    pub is_at_end: bool,
    /// A transfer may come more than once, and another one never.
    pub repeats: bool,
}

impl PatternTraits {
    /// Each transfer once, over the existing data.
    pub const PLAIN: Self = Self {
        empties_files: false,
        is_at_end: false,
        repeats: false,
    };
}

/// A pattern: a struct with its numbers, as a job has them.
pub(crate) trait Kind {
    /// Its properties.
    const TRAITS: PatternTraits = PatternTraits::PLAIN;

    /// The state of one pass.
    type Pass: Pass;

    /// Why a job cannot have it; `None` when it can. The sentence begins after the field's name.
    fn problem(&self, _phase: &Phase, _layout: Layout) -> Option<&'static str> {
        None
    }

    /// A pass over `records` records; `seed` decides where chance does.
    fn pass(&self, records: u64, seed: u64) -> Self::Pass;
}

/// One pass over a task's share.
pub(crate) trait Pass {
    /// The next of `records` records, after `position` others in this pass. It is not called after
    /// the last one.
    fn next(&mut self, records: u64, position: u64) -> u64;
}

/// All records of one pass.
#[cfg(test)]
pub(crate) fn all_of(kind: &impl Kind, records: u64, seed: u64) -> Vec<u64> {
    let mut pass = kind.pass(records, seed);
    (0..records)
        .map(|position| pass.next(records, position))
        .collect()
}
