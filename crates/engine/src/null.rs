//! What the engine itself costs, measured against a target that does nothing.

use std::sync::Arc;

use seatrial_content::BLOCK_BYTES_MAX;

use crate::clock::{Instants, monotonic_ns};
use crate::control::Control;
use crate::job::{Job, Layout, Phase};
use crate::meter::{Meter, Setting};
use crate::progress::Progress;
use crate::storage::NullStorage;
use crate::transfer::Transfer;
use crate::window::{Stonewall, Window};

/// Length of a window of the measurement, in seconds.
const WINDOW_S: f64 = 0.001;

/// Windows after which the measurement ends in any case: nobody should have to wait for it.
const WINDOWS_MAX: usize = 20;

/// Operations in a window that make its rate one to rely on.
const OPERATIONS_MIN: u64 = 1000;

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
        time_limit_s: Some(WINDOW_S),
        arrivals_per_s: None,
        time_based: false,
        hint_ahead_records: 0,
        record_bytes,
        file_bytes: record_bytes * RECORDS,
        ..job.clone()
    });
    let progress = Progress::new(1);
    let setting = Setting {
        progress: progress.task(0),
        stonewall: &Stonewall::default(),
        outage_threshold_ns: job.outage_threshold_ns(),
        window: Window::of(&job, monotonic_ns()),
        keeps_seconds: job.seconds,
        instants: Instants::now(),
    };
    let mut meter = Meter::new(setting, None, monotonic_ns());
    let mut transfer = Transfer::new(job, 0, 0);
    let mut window = || {
        let operations_before = meter.result.operations;
        meter.result.started_ns = monotonic_ns();
        meter.result.ended_ns = meter.result.started_ns;
        // The null target never fails.
        let _ = transfer.run(&NullStorage, &Control::default(), &mut meter);
        let elapsed_ns = (meter.result.ended_ns - meter.result.started_ns).max(1);
        (meter.result.operations - operations_before, elapsed_ns)
    };
    // The first window touches all memory for the first time, which costs more than the work
    // itself where the kernel is slow at that.
    window();
    // The best window counts: in all others something else had the processor for a while.
    let mut best_per_s = 0.0_f64;
    for _ in 1..WINDOWS_MAX {
        let (operations, elapsed_ns) = window();
        best_per_s = best_per_s.max(operations as f64 * 1e9 / elapsed_ns as f64);
        if operations >= OPERATIONS_MIN {
            break;
        }
    }
    best_per_s
}
