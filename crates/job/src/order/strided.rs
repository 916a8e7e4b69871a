//! Every nth transfer; after the end again from the start, one further on, until each has been
//! touched once.

/// Where a strided pass is.
#[derive(Clone, Debug)]
pub(crate) struct Strided {
    stride: u64,
    /// First record of the pass at hand.
    pass: u64,
    upcoming: u64,
}

impl Strided {
    /// Skips `skip_transfers` between any two.
    pub(crate) const fn new(skip_transfers: u64) -> Self {
        Self {
            stride: skip_transfers.saturating_add(1),
            pass: 0,
            upcoming: 0,
        }
    }

    /// The next of `records` records. After all have been returned, there is none to return.
    pub(crate) const fn next(&mut self, records: u64) -> u64 {
        let record = self.upcoming;
        self.upcoming = self.upcoming.saturating_add(self.stride);
        if self.upcoming >= records {
            self.pass += 1;
            self.upcoming = self.pass;
        }
        record
    }
}
