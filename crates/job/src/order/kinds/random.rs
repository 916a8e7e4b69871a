//! Random: each record once, in random order.

use crate::order::kind::{Kind, Pass};
use crate::order::permutation::Permutation;

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random;

impl Kind for Random {
    type Pass = Permutation;

    fn pass(&self, records: u64, seed: u64) -> Permutation {
        Permutation::new(records, seed)
    }
}

impl Pass for Permutation {
    #[inline]
    fn next(&mut self, _records: u64, position: u64) -> u64 {
        self.at(position)
    }
}
