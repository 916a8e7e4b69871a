//! Append: sequential, from where the file ends now up to `file_bytes`.
//!
//! An order with this pattern leaves out the existing transfers ([`crate::Order::new`]).

use crate::order::kind::{Kind, PatternTraits};
use crate::order::kinds::sequential::InOrder;
use crate::words::{Layout, Phase};

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Append;

impl Kind for Append {
    const TRAITS: PatternTraits = PatternTraits {
        is_at_end: true,
        ..PatternTraits::PLAIN
    };

    type Pass = InOrder;

    fn problem(&self, phase: &Phase, layout: Layout) -> Option<&'static str> {
        if *phase != Phase::Write {
            return Some("`append` is for the phase `write`");
        }
        if !matches!(layout, Layout::NN | Layout::OneOne) {
            return Some("`append` is for files that are not shared");
        }
        None
    }

    fn pass(&self, _records: u64, _seed: u64) -> InOrder {
        InOrder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_writes_files_of_one_task() {
        let shared = Layout::Segmented {
            first_rank: 0,
            ranks: 2,
        };
        for (phase, layout, is_possible) in [
            (Phase::Write, Layout::NN, true),
            (Phase::Write, Layout::OneOne, true),
            (Phase::Write, shared, false),
            (Phase::Read, Layout::NN, false),
        ] {
            let problem = Append.problem(&phase, layout);
            assert_eq!(is_possible, problem.is_none(), "{phase:?} {layout:?}");
        }
    }
}
