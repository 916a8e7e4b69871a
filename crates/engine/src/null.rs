//! What the engine itself costs, measured against a target that does nothing.

use std::sync::Arc;

use seatrial_content::BLOCK_BYTES_MAX;

use crate::clock::{Instants, monotonic_ns};
use crate::control::Control;
use crate::job::{Job, Layout, Phase};
use crate::meter::Meter;
use crate::progress::Progress;
use crate::storage::NullStorage;
use crate::transfer::Transfer;

/// How long the measurement may take, in seconds. Short enough that nobody waits for it, long
/// enough for some ten thousand operations.
const MEASURE_S: f64 = 0.002;

/// Records of the file that is not there: more than there is time for.
const RECORDS: u64 = 1 << 30;

/// Operations per second that one task of `job` could do if the storage took no time: the loop,
/// the order of records, the clock and the histogram, but not making or checking content.
pub fn measure_null_target(job: &Job) -> f64 {
    let record_bytes = if job.record_bytes == 0 {
        BLOCK_BYTES_MAX as u64
    } else {
        job.record_bytes
    };
    let job = Arc::new(Job {
        phase: Phase::Read,
        layout: Layout::NN,
        verify: false,
        time_limit_s: Some(MEASURE_S),
        arrivals_per_s: None,
        hint_ahead_records: 0,
        record_bytes,
        file_bytes: record_bytes * RECORDS,
        ..job.clone()
    });
    let progress = Progress::new(1);
    let started_ns = monotonic_ns();
    let mut meter = Meter::new(
        progress.task(0),
        job.seconds,
        None,
        Instants::now(),
        started_ns,
    );
    let mut transfer = Transfer::new(job, 0, 0);
    // The null target never fails.
    let _ = transfer.run(&NullStorage, &Control::default(), &mut meter);
    let result = meter.finish();
    let elapsed_ns = (result.ended_ns - result.started_ns).max(1);
    result.operations as f64 * 1e9 / elapsed_ns as f64
}
