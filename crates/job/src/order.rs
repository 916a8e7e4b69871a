//! Which record is next.

mod permutation;
mod semi_random;
mod strided;

use seatrial_content::SplitMix64;

use self::permutation::Permutation;
use self::semi_random::SemiRandom;
use self::strided::Strided;
use crate::words::Pattern;

/// The order of a task's transfers: an iterator over their numbers that needs no table, however
/// large the file.
#[derive(Clone, Debug)]
pub struct Order {
    /// Records of the task's share.
    records: u64,
    /// How many have been touched in the pass at hand.
    position: u64,
    kind: Kind,
    /// How the next pass goes; `None` when there is only one.
    again: Option<Again>,
    /// Completed passes.
    passes: u64,
}

/// What the passes to come are made from.
#[derive(Clone, Copy, Debug)]
struct Again {
    pattern: Pattern,
    seed: u64,
}

#[derive(Clone, Debug)]
enum Kind {
    Sequential,
    Backward,
    Random(Permutation),
    WithReplacement(SplitMix64),
    Strided(Strided),
    SemiRandom(SemiRandom),
}

impl Order {
    /// The order of `records` records under `pattern`; `seed` decides where chance does. The
    /// first `skipped` records are left out, which only [`Pattern::Append`] asks for.
    pub fn new(pattern: Pattern, records: u64, skipped: u64, seed: u64) -> Self {
        Self {
            records,
            position: skipped.min(records),
            kind: Kind::new(pattern, records, seed),
            again: None,
            passes: 0,
        }
    }

    /// The same, but without an end: after the last transfer it begins again, each time with the
    /// next seed.
    #[must_use]
    pub fn endless(self, pattern: Pattern, seed: u64) -> Self {
        Self {
            again: Some(Again { pattern, seed }),
            ..self
        }
    }

    /// How many records are still to be touched; without an end, all numbers there are.
    pub const fn left(&self) -> u64 {
        match self.again {
            Some(_) => u64::MAX,
            None => self.records - self.position,
        }
    }

    /// Completed passes when the last transfer was taken.
    pub const fn passes(&self) -> u64 {
        self.passes
    }

    /// Whether all records have been touched, once at least.
    pub const fn is_through(&self) -> bool {
        self.passes > 0 || self.position >= self.records
    }
}

impl Kind {
    fn new(pattern: Pattern, records: u64, seed: u64) -> Self {
        match pattern {
            Pattern::Sequential | Pattern::Rewrite | Pattern::Append => Self::Sequential,
            Pattern::Backward => Self::Backward,
            Pattern::Random => Self::Random(Permutation::new(records, seed)),
            Pattern::RandomWithReplacement => Self::WithReplacement(SplitMix64::new(seed)),
            Pattern::Strided { skip_transfers } => Self::Strided(Strided::new(skip_transfers)),
            Pattern::SemiRandom {
                next_transfers,
                working_set_transfers,
            } => Self::SemiRandom(SemiRandom::new(next_transfers, working_set_transfers, seed)),
        }
    }
}

impl Iterator for Order {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.position >= self.records {
            let again = self.again.as_mut().filter(|_| self.records > 0)?;
            again.seed = again.seed.wrapping_add(1);
            self.kind = Kind::new(again.pattern, self.records, again.seed);
            self.passes += 1;
            self.position = 0;
        }
        let position = self.position;
        self.position += 1;
        Some(match &mut self.kind {
            Kind::Sequential => position,
            Kind::Backward => self.records - 1 - position,
            Kind::Random(permutation) => permutation.at(position),
            Kind::WithReplacement(numbers) => numbers.below(self.records),
            Kind::Strided(strided) => strided.next(self.records),
            Kind::SemiRandom(semi_random) => semi_random.next(self.records),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How often each record is touched.
    fn touches(pattern: Pattern, records: u64, seed: u64) -> Vec<u32> {
        let mut touched = vec![0; records as usize];
        for record in Order::new(pattern, records, 0, seed) {
            touched[record as usize] += 1;
        }
        touched
    }

    proptest! {
        #[test]
        fn sequential_goes_from_first_to_last(records in 1_u64..2000, seed: u64) {
            for pattern in [Pattern::Sequential, Pattern::Rewrite] {
                prop_assert!(Order::new(pattern, records, 0, seed).eq(0..records));
            }
        }

        #[test]
        fn backward_goes_from_last_to_first(records in 1_u64..2000, seed: u64) {
            prop_assert!(Order::new(Pattern::Backward, records, 0, seed).eq((0..records).rev()));
        }

        #[test]
        fn append_goes_on_where_the_file_ends(records in 1_u64..2000, skipped in 0_u64..2500) {
            let order = Order::new(Pattern::Append, records, skipped, 0);
            prop_assert!(order.eq(skipped.min(records)..records));
        }

        #[test]
        fn random_touches_each_record_once(records in 1_u64..5000, seed: u64) {
            let touched = touches(Pattern::Random, records, seed);
            prop_assert!(touched.iter().all(|&count| count == 1));
        }

        #[test]
        fn with_replacement_touches_as_many_but_not_each(records in 100_u64..5000, seed: u64) {
            let touched = touches(Pattern::RandomWithReplacement, records, seed);
            prop_assert_eq!(records, touched.iter().map(|&count| u64::from(count)).sum::<u64>());
            // A share of 1/e is left out; that none is has a probability below 1e-40.
            prop_assert!(touched.contains(&0));
        }

        #[test]
        fn strided_skips_records_and_touches_each_once(
            records in 1_u64..2000, skip_transfers in 0_u64..300,
        ) {
            let pattern = Pattern::Strided { skip_transfers };
            let touched = touches(pattern, records, 0);
            prop_assert!(touched.iter().all(|&count| count == 1));
            let order: Vec<_> = Order::new(pattern, records, 0, 0).collect();
            for pair in order.windows(2) {
                let goes_on = pair[1] == pair[0] + skip_transfers + 1;
                let wraps = pair[0] + skip_transfers + 1 >= records && pair[1] <= skip_transfers;
                prop_assert!(goes_on || wraps, "{pair:?}");
            }
        }

        #[test]
        fn semi_random_touches_each_once_within_its_working_set(
            records in 1_u64..2000, next_transfers in 1_u64..40, more in 0_u64..40, seed: u64,
        ) {
            let working_set_transfers = next_transfers + more;
            let pattern = Pattern::SemiRandom { next_transfers, working_set_transfers };
            let touched = touches(pattern, records, seed);
            prop_assert!(touched.iter().all(|&count| count == 1));
            // Before a batch of m is drawn, w records beyond those touched are at hand.
            for (position, record) in Order::new(pattern, records, 0, seed).enumerate() {
                let batch_start = position as u64 / next_transfers * next_transfers;
                prop_assert!(record < batch_start + working_set_transfers);
            }
        }

        #[test]
        fn each_pass_touches_each_record_once(
            records in 1_u64..500, passes in 1_u64..5, skip_transfers in 0_u64..300, seed: u64,
        ) {
            let semi_random = Pattern::SemiRandom { next_transfers: 3, working_set_transfers: 9 };
            for pattern in [
                Pattern::Sequential, Pattern::Rewrite, Pattern::Backward, Pattern::Random,
                Pattern::Strided { skip_transfers }, semi_random,
            ] {
                let mut order = Order::new(pattern, records, 0, seed).endless(pattern, seed);
                let mut touched = vec![0; records as usize];
                for pass in 1..=passes {
                    prop_assert_eq!(pass > 1, order.is_through());
                    for record in order.by_ref().take(records as usize) {
                        touched[record as usize] += 1;
                    }
                    prop_assert!(touched.iter().all(|&count| count == pass), "{pattern:?}");
                    prop_assert!(order.is_through());
                }
            }
        }

        #[test]
        fn a_random_pass_is_not_like_the_one_before(seed: u64) {
            let semi_random = Pattern::SemiRandom { next_transfers: 4, working_set_transfers: 32 };
            for pattern in [Pattern::Random, Pattern::RandomWithReplacement, semi_random] {
                let mut order = Order::new(pattern, 1000, 0, seed).endless(pattern, seed);
                let first: Vec<_> = order.by_ref().take(1000).collect();
                let second: Vec<_> = order.take(1000).collect();
                prop_assert_ne!(first, second);
            }
        }

        #[test]
        fn another_seed_is_another_order(seed: u64) {
            let semi_random = Pattern::SemiRandom { next_transfers: 4, working_set_transfers: 32 };
            for pattern in [Pattern::Random, Pattern::RandomWithReplacement, semi_random] {
                let order = |seed| Order::new(pattern, 1000, 0, seed).collect::<Vec<_>>();
                prop_assert_eq!(order(seed), order(seed));
                prop_assert_ne!(order(seed), order(!seed));
            }
        }
    }
}
