//! Where chance starts from.

use seatrial_content::{SplitMix64, Stamp};
use seatrial_job::Job;

/// Seeds that no other task of the run has, whatever the seeds of the clients' jobs.
pub(crate) fn task_seeds(job: &Job, task: u16) -> SplitMix64 {
    let writer = Stamp::writer_of(job.client_index, task);
    SplitMix64::new(job.seed ^ SplitMix64::new(u64::from(writer)).next_u64())
}
