//! Backward: from the last to the first.

use crate::order::kind::{Kind, Pass};

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backward;

/// Each record precedes the one before it.
#[derive(Clone, Debug)]
pub(crate) struct Reversed;

impl Kind for Backward {
    type Pass = Reversed;

    fn pass(&self, _records: u64, _seed: u64) -> Reversed {
        Reversed
    }
}

impl Pass for Reversed {
    #[inline]
    fn next(&mut self, records: u64, position: u64) -> u64 {
        records - 1 - position
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::order::kind::all_of;

    proptest! {
        #[test]
        fn it_goes_from_last_to_first(records in 1_u64..2000, seed: u64) {
            prop_assert!(all_of(&Backward, records, seed).into_iter().eq((0..records).rev()));
        }
    }
}
