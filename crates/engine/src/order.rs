//! Which record is next.

mod permutation;

use self::permutation::Permutation;
use crate::job::Pattern;

/// The records of one file in the order in which a task touches them: an iterator over record
/// numbers that needs no memory, however large the file.
#[derive(Clone, Debug)]
pub struct Order {
    records: u64,
    position: u64,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Sequential,
    Random(Permutation),
}

impl Order {
    /// The order of `records` records under `pattern`; `seed` decides where chance does.
    pub fn new(pattern: Pattern, records: u64, seed: u64) -> Self {
        let kind = match pattern {
            Pattern::Sequential => Kind::Sequential,
            Pattern::Random => Kind::Random(Permutation::new(records, seed)),
        };
        Self {
            records,
            position: 0,
            kind,
        }
    }
}

impl Iterator for Order {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.position >= self.records {
            return None;
        }
        let position = self.position;
        self.position += 1;
        Some(match &self.kind {
            Kind::Sequential => position,
            Kind::Random(permutation) => permutation.at(position),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asserts that the order touches each record exactly once.
    fn assert_each_once(order: Order, records: u64) -> Result<(), TestCaseError> {
        let mut touched = vec![0_u32; records as usize];
        for record in order {
            touched[record as usize] += 1;
        }
        prop_assert!(touched.iter().all(|&count| count == 1));
        Ok(())
    }

    proptest! {
        #[test]
        fn sequential_goes_from_first_to_last(records in 1_u64..2000, seed: u64) {
            let order = Order::new(Pattern::Sequential, records, seed);
            prop_assert!(order.eq(0..records));
        }

        #[test]
        fn random_touches_each_record_once(records in 1_u64..5000, seed: u64) {
            assert_each_once(Order::new(Pattern::Random, records, seed), records)?;
        }
    }
}
