//! What the engine itself costs, measured against a target that does nothing.

use std::sync::Arc;

use seatrial_job::{Job, Layout, Phase};
use seatrial_measure::{
    Collector, Control, Meter, Nanoseconds, Progress, Setting, Stonewall, Window, boottime_ns,
};

use crate::engine::Engine;
use crate::storage::NullStorage;
use crate::transfer::Transfer;

/// Length of a window of the measurement, in seconds.
const WINDOW_S: f64 = 0.000_25;

/// Windows after which the measurement ends in any case: it must not delay a run.
const WINDOWS_MAX: usize = 20;

/// Operations in a window that make its rate one to rely on.
const OPERATIONS_MIN: u64 = 250;

/// Records of the absent file: more than there is time for.
const RECORDS: u64 = 1 << 30;

/// Operations per second that one task of `job` could do if the storage took no time: the loop,
/// the order of records, the clock, the histogram and the ring, if it uses one, but not making or
/// checking content. `None` for names and copies, which go through other loops. Asks the storage
/// what kind it is, which may take its time.
pub fn measure_null_target(job: &Job) -> Option<f64> {
    if !job.phase.is_transfer() {
        return None;
    }
    let mut ring = Engine::null(job);
    let job = Arc::new(Job {
        phase: Phase::Read,
        layout: Layout::NN,
        verify: false,
        time_limit_s: Some(WINDOW_S),
        arrivals_per_s: None,
        time_based: false,
        hint_ahead_transfers: 0,
        file_bytes: job.transfer_bytes * RECORDS,
        ..job.clone()
    });
    let progress = Progress::new(1);
    let setting = Setting {
        progress: progress.task(0),
        stonewall: &Stonewall::default(),
        collector: &Collector::new(job.seconds),
        outage_threshold_ns: Nanoseconds::from_s(job.outage_threshold_s),
        window: Window::of(&job, boottime_ns()),
    };
    let mut meter = Meter::new(setting, None, boottime_ns());
    let mut transfer = Transfer::new(job, 0, 0);
    let mut window = || {
        let operations_before = meter.result.operations;
        meter.result.started_ns = boottime_ns();
        meter.result.ended_ns = meter.result.started_ns;
        let control = Control::default();
        // The null target never fails.
        let _ = match &mut ring {
            Some(ring) => transfer.run_deep(&NullStorage, ring, &control, &mut meter),
            None => transfer.run(&NullStorage, &control, &mut meter),
        };
        let elapsed_ns = (meter.result.ended_ns - meter.result.started_ns).max(Nanoseconds(1));
        (meter.result.operations - operations_before, elapsed_ns)
    };
    // The first window touches all memory for the first time, which costs more than the work
    // itself where the kernel is slow at that.
    window();
    // The best window counts: in all others something else had the processor for a while.
    let mut best_per_s = 0.0_f64;
    for _ in 1..WINDOWS_MAX {
        let (operations, elapsed_ns) = window();
        best_per_s = best_per_s.max(elapsed_ns.rate_per_s(operations).unwrap_or(0.0));
        if operations >= OPERATIONS_MIN {
            break;
        }
    }
    Some(best_per_s)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::ring::Ring;

    fn measured(changes: Value) -> Option<f64> {
        let mut job = json!({
            "protocol": 3, "run_id": "1", "client": "c", "client_index": 0, "tasks": 1,
            "phase": "write", "transfer_bytes": 4096, "file_bytes": 4096, "directory": "/",
            "files": ["a"], "pattern": "random", "seconds": true,
        });
        let Value::Object(changes) = changes else {
            unreachable!("changes are objects")
        };
        job.as_object_mut().unwrap().extend(changes);
        measure_null_target(&Job::from_json(&job.to_string()).unwrap())
    }

    #[test]
    fn names_and_copies_have_no_cost_of_records() {
        let tree = json!({ "items_per_directory": 3 });
        assert_eq!(None, measured(json!({ "phase": "create", "tree": tree })));
        let copy = json!({
            "direction": "to-storage", "local_directory": "/tmp",
            "sizes": [{ "file_bytes": 10, "files": 1 }],
        });
        let changes = json!({ "phase": { "copy": copy }, "pattern": "sequential" });
        assert_eq!(None, measured(changes));
    }

    #[test]
    fn a_ring_costs_something_of_its_own() {
        let deep = json!({ "engine": "io-uring", "queue_depth": 1 });
        let (mut plain, mut ring) = (0.0_f64, 0.0_f64);
        // In turns, the best of each: in others something else had the processor.
        for _ in 0..100 {
            plain = plain.max(measured(json!({ "engine": "plain" })).unwrap());
            assert!(plain > 0.0);
            if Ring::null(1, 4096).is_err() {
                return;
            }
            ring = ring.max(measured(deep.clone()).unwrap());
            assert!(ring > 0.0);
            if ring < plain {
                return;
            }
        }
        panic!("{ring} of {plain}");
    }
}
