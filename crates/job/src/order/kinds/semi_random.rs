//! Semi-random: the next m records come at random from a working set of w, which moves through
//! the file.
//!
//! The working set begins as the first w records. A batch of m is drawn from it, each record at
//! most once; then the next m records of the file take their places. With m = w the file is
//! shuffled window by window, with m = 1 the window moves with each record.

use seatrial_content::SplitMix64;
use serde::{Deserialize, Serialize};

use crate::order::kind::{Kind, Pass};
use crate::words::{Layout, Phase};

/// Records of the largest working set; it is held in memory.
const WORKING_SET_RECORDS_MAX: u64 = 1 << 24;

/// The pattern, with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SemiRandom {
    /// m: records that are drawn before the working set moves.
    next_transfers: u64,
    /// w: records in the working set.
    working_set_transfers: u64,
}

#[cfg(test)]
impl SemiRandom {
    pub(crate) const EXAMPLE: Self = Self {
        next_transfers: 4,
        working_set_transfers: 32,
    };
}

/// The working set of a pass and the rest of the batch.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    next_transfers: u64,
    working_set_transfers: u64,
    numbers: SplitMix64,
    working_set: Vec<u64>,
    /// First record of the file that has not been in the working set.
    unseen: u64,
    batch_left: u64,
}

impl Kind for SemiRandom {
    type Pass = Draws;

    fn problem(&self, _phase: &Phase, _layout: Layout) -> Option<&'static str> {
        let is_possible = 1 <= self.next_transfers
            && self.next_transfers <= self.working_set_transfers
            && self.working_set_transfers <= WORKING_SET_RECORDS_MAX;
        (!is_possible).then_some("must draw at least 1 record, and from enough of them")
    }

    fn pass(&self, _records: u64, seed: u64) -> Draws {
        Draws {
            next_transfers: self.next_transfers,
            working_set_transfers: self.working_set_transfers,
            numbers: SplitMix64::new(seed),
            working_set: Vec::new(),
            unseen: 0,
            batch_left: 0,
        }
    }
}

impl Pass for Draws {
    fn next(&mut self, records: u64, _position: u64) -> u64 {
        if self.batch_left == 0 {
            self.batch_left = self.next_transfers;
            while (self.working_set.len() as u64) < self.working_set_transfers
                && self.unseen < records
            {
                self.working_set.push(self.unseen);
                self.unseen += 1;
            }
        }
        self.batch_left -= 1;
        let drawn = self.numbers.below(self.working_set.len() as u64);
        self.working_set.swap_remove(drawn as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::order::kind::all_of;

    proptest! {
        #[test]
        fn it_touches_each_once_within_its_working_set(
            records in 1_u64..2000, next_transfers in 1_u64..40, more in 0_u64..40, seed: u64,
        ) {
            let working_set_transfers = next_transfers + more;
            let pattern = SemiRandom { next_transfers, working_set_transfers };
            let order = all_of(&pattern, records, seed);
            // Before a batch of m is drawn, w records beyond those touched are at hand.
            for (position, &record) in order.iter().enumerate() {
                let batch_start = position as u64 / next_transfers * next_transfers;
                prop_assert!(record < batch_start + working_set_transfers);
            }
            let mut sorted = order;
            sorted.sort_unstable();
            prop_assert!(sorted.into_iter().eq(0..records));
        }
    }

    #[test]
    fn a_batch_comes_from_the_working_set_and_both_have_limits() {
        for (next_transfers, working_set_transfers, is_possible) in [
            (1, 1, true),
            (8, WORKING_SET_RECORDS_MAX, true),
            (8, WORKING_SET_RECORDS_MAX + 1, false),
            (9, 8, false),
            (0, 8, false),
        ] {
            let pattern = SemiRandom {
                next_transfers,
                working_set_transfers,
            };
            let problem = pattern.problem(&Phase::Write, Layout::NN);
            assert_eq!(is_possible, problem.is_none(), "{pattern:?}");
        }
    }
}
