//! Semi-random: the next m records come at random from a working set of w, which moves through
//! the file.
//!
//! The working set begins as the first w records. A batch of m is drawn from it, each record at
//! most once; then the next m records of the file take their places. With m = w the file is
//! shuffled window by window, with m = 1 the window moves with each record.

use seatrial_content::SplitMix64;

/// The working set and the rest of the batch.
#[derive(Clone, Debug)]
pub(crate) struct SemiRandom {
    next_transfers: u64,
    working_set_transfers: u64,
    numbers: SplitMix64,
    working_set: Vec<u64>,
    /// First record of the file that has not been in the working set.
    unseen: u64,
    batch_left: u64,
}

impl SemiRandom {
    /// Draws batches of `next_transfers` from a working set of `working_set_transfers`, at least 1.
    pub(crate) const fn new(next_transfers: u64, working_set_transfers: u64, seed: u64) -> Self {
        Self {
            next_transfers,
            working_set_transfers,
            numbers: SplitMix64::new(seed),
            working_set: Vec::new(),
            unseen: 0,
            batch_left: 0,
        }
    }

    /// The next of `records` records.
    pub(crate) fn next(&mut self, records: u64) -> u64 {
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
