//! Strided: every nth record; after the end again from the start, one further on, until each has
//! been touched once.

use serde::{Deserialize, Serialize};

use crate::order::kind::{Kind, Pass};

/// The pattern, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strided {
    /// Records between any two.
    skip_transfers: u64,
}

#[cfg(test)]
impl Strided {
    pub(crate) const EXAMPLE: Self = Self { skip_transfers: 2 };
}

/// Where a strided pass is.
#[derive(Clone, Debug)]
pub(crate) struct Strides {
    stride: u64,
    /// First record of the round at hand.
    first: u64,
    upcoming: u64,
}

impl Kind for Strided {
    type Pass = Strides;

    fn pass(&self, _records: u64, _seed: u64) -> Strides {
        Strides {
            stride: self.skip_transfers.saturating_add(1),
            first: 0,
            upcoming: 0,
        }
    }
}

impl Pass for Strides {
    #[inline]
    fn next(&mut self, records: u64, _position: u64) -> u64 {
        let record = self.upcoming;
        self.upcoming = self.upcoming.saturating_add(self.stride);
        if self.upcoming >= records {
            self.first += 1;
            self.upcoming = self.first;
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::order::kind::all_of;

    proptest! {
        #[test]
        fn it_skips_records_and_touches_each_once(
            records in 1_u64..2000, skip_transfers in 0_u64..300,
        ) {
            let order = all_of(&Strided { skip_transfers }, records, 0);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert!(sorted.into_iter().eq(0..records));
            for pair in order.windows(2) {
                let goes_on = pair[1] == pair[0] + skip_transfers + 1;
                let wraps = pair[0] + skip_transfers + 1 >= records && pair[1] <= skip_transfers;
                prop_assert!(goes_on || wraps, "{pair:?}");
            }
        }
    }
}
