//! Sequential: from the first to the last, in files that a write empties first.

use crate::order::kind::{Kind, Pass, PatternTraits};

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sequential;

/// Each record follows the one before it.
#[derive(Clone, Debug)]
pub(crate) struct InOrder;

impl Kind for Sequential {
    const TRAITS: PatternTraits = PatternTraits {
        empties_files: true,
        ..PatternTraits::PLAIN
    };

    type Pass = InOrder;

    fn pass(&self, _records: u64, _seed: u64) -> InOrder {
        InOrder
    }
}

impl Pass for InOrder {
    #[inline]
    fn next(&mut self, _records: u64, position: u64) -> u64 {
        position
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::order::kind::all_of;

    proptest! {
        #[test]
        fn it_goes_from_first_to_last(records in 1_u64..2000, seed: u64) {
            prop_assert!(all_of(&Sequential, records, seed).into_iter().eq(0..records));
        }
    }
}
