//! Random with replacement: as many records as there are, each time any of them.

use seatrial_content::SplitMix64;

use crate::order::kind::{Kind, Pass, PatternTraits};

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomWithReplacement;

impl Kind for RandomWithReplacement {
    const TRAITS: PatternTraits = PatternTraits {
        repeats: true,
        ..PatternTraits::PLAIN
    };

    type Pass = SplitMix64;

    fn pass(&self, _records: u64, seed: u64) -> SplitMix64 {
        SplitMix64::new(seed)
    }
}

impl Pass for SplitMix64 {
    #[inline]
    fn next(&mut self, records: u64, _position: u64) -> u64 {
        self.below(records)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::order::kind::all_of;

    proptest! {
        #[test]
        fn it_touches_as_many_but_not_each(records in 100_u64..5000, seed: u64) {
            let all = all_of(&RandomWithReplacement, records, seed);
            prop_assert!(all.iter().all(|&record| record < records));
            // A share of 1/e is left out; that none is has a probability below 1e-40.
            prop_assert!((all.into_iter().collect::<HashSet<_>>().len() as u64) < records);
        }
    }
}
