//! Rewrite: sequential, over the existing data.

use crate::order::kind::Kind;
use crate::order::kinds::sequential::InOrder;

/// The pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rewrite;

impl Kind for Rewrite {
    type Pass = InOrder;

    fn pass(&self, _records: u64, _seed: u64) -> InOrder {
        InOrder
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
            prop_assert!(all_of(&Rewrite, records, seed).into_iter().eq(0..records));
        }
    }
}
