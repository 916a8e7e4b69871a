//! Which record is next.

mod kind;
mod kinds;
mod permutation;

pub use self::kind::PatternTraits;
pub use self::kinds::Pattern;

use self::kind::Pass;
use self::kinds::AnyPass;

/// The order of a task's transfers: an iterator over their numbers that needs no table, however
/// large the file.
#[derive(Clone, Debug)]
pub struct Order {
    /// Records of the task's share.
    records: u64,
    /// How many have been touched in the pass at hand.
    position: u64,
    pass: AnyPass,
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

impl Order {
    /// The order of `records` records under `pattern`; `seed` decides where chance does. The
    /// first `skipped` records are left out, which a pattern at the end of the file asks for.
    pub fn new(pattern: Pattern, records: u64, skipped: u64, seed: u64) -> Self {
        Self {
            records,
            position: skipped.min(records),
            pass: pattern.pass(records, seed),
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

impl Iterator for Order {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.position >= self.records {
            let again = self.again.as_mut().filter(|_| self.records > 0)?;
            again.seed = again.seed.wrapping_add(1);
            self.pass = again.pattern.pass(self.records, again.seed);
            self.passes += 1;
            self.position = 0;
        }
        let position = self.position;
        self.position += 1;
        Some(self.pass.next(self.records, position))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The patterns with a random order: another seed is another pass.
    fn random() -> Vec<Pattern> {
        let mut patterns = Pattern::examples();
        patterns.retain(|pattern| {
            let order = |seed| Order::new(*pattern, 1000, 0, seed);
            !order(1).eq(order(2))
        });
        patterns
    }

    #[test]
    fn a_pattern_has_the_name_of_its_file() {
        for pattern in Pattern::examples() {
            let word = serde_json::to_value(pattern).unwrap();
            let name = word.as_str().map(str::to_owned);
            let name = name.or_else(|| word.as_object()?.keys().next().cloned());
            assert_eq!(Some(pattern.name()), name);
            assert_eq!(pattern, serde_json::from_value(word).unwrap());
        }
    }

    #[test]
    fn these_are_random() {
        let names: Vec<_> = random().iter().map(Pattern::name).collect();
        for name in ["random", "random-with-replacement", "semi-random"] {
            assert!(names.iter().any(|other| other == name), "{names:?}");
        }
    }

    proptest! {
        #[test]
        fn append_goes_on_where_the_file_ends(records in 1_u64..2000, skipped in 0_u64..2500) {
            let order = Order::new(Pattern::Append, records, skipped, 0);
            prop_assert!(order.eq(skipped.min(records)..records));
        }

        #[test]
        fn each_pass_touches_each_record_once(
            records in 1_u64..500, passes in 1_u64..5, seed: u64,
        ) {
            for pattern in Pattern::examples() {
                let mut order = Order::new(pattern, records, 0, seed).endless(pattern, seed);
                let mut touched = vec![0; records as usize];
                for pass in 1..=passes {
                    prop_assert_eq!(pass > 1, order.is_through());
                    for record in order.by_ref().take(records as usize) {
                        touched[record as usize] += 1;
                    }
                    let is_even = touched.iter().all(|&count| count == pass);
                    prop_assert!(is_even || pattern.traits().repeats, "{pattern:?}");
                    prop_assert!(order.is_through());
                }
            }
        }

        #[test]
        fn a_random_pass_is_not_like_the_one_before(seed: u64) {
            for pattern in random() {
                let mut order = Order::new(pattern, 1000, 0, seed).endless(pattern, seed);
                let first: Vec<_> = order.by_ref().take(1000).collect();
                let second: Vec<_> = order.take(1000).collect();
                prop_assert_ne!(first, second);
            }
        }

        #[test]
        fn another_seed_is_another_order(seed: u64) {
            for pattern in random() {
                let order = |seed| Order::new(pattern, 1000, 0, seed).collect::<Vec<_>>();
                prop_assert_eq!(order(seed), order(seed));
                prop_assert_ne!(order(seed), order(!seed));
            }
        }
    }
}
