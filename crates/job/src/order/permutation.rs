//! A random order without a table: a bijection of the numbers below `count` on themselves.

use seatrial_content::SplitMix64;

/// Rounds of mixing; each is a bijection, and three leave no pattern that a disk could notice.
const ROUNDS: usize = 3;

/// A random permutation of `0..count`.
///
/// Numbers are mixed within the next power of two. A result outside the range is mixed again
/// until it falls inside (cycle walking), which takes less than two rounds on average and keeps
/// the whole a bijection.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    count: u64,
    mask: u64,
    shift: u32,
    rounds: [(u64, u64); ROUNDS],
}

impl Permutation {
    /// The permutation of `0..count` that belongs to `seed`.
    pub(crate) fn new(count: u64, seed: u64) -> Self {
        let mut numbers = SplitMix64::new(seed);
        let mask = count.max(2).next_power_of_two() - 1;
        let shift = mask.count_ones().div_ceil(2);
        // Adding anything and multiplying by an odd number can be undone; so can the shift below.
        let rounds = [(); ROUNDS].map(|()| (numbers.next_u64(), numbers.next_u64() | 1));
        Self {
            count,
            mask,
            shift,
            rounds,
        }
    }

    /// The number at `position`, which is below `count`.
    pub(crate) fn at(&self, position: u64) -> u64 {
        let mut value = position;
        loop {
            for (summand, factor) in self.rounds {
                value = value.wrapping_add(summand).wrapping_mul(factor) & self.mask;
                value ^= value >> self.shift;
            }
            if value < self.count {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_far_apart_on_average() {
        // Of a fair shuffle, neighbours differ by a third of the range.
        let count = 10_000;
        let permutation = Permutation::new(count, 42);
        let sum: u64 = (1..count)
            .map(|at| permutation.at(at).abs_diff(permutation.at(at - 1)))
            .sum();
        let mean = sum as f64 / (count - 1) as f64;
        assert!((mean / count as f64 - 1.0 / 3.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn another_seed_is_another_order() {
        let order = |seed| {
            let permutation = Permutation::new(1000, seed);
            (0..1000).map(|at| permutation.at(at)).collect::<Vec<_>>()
        };
        assert_ne!(order(1), order(2));
        assert_eq!(order(1), order(1));
    }
}
