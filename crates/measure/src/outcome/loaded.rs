//! What all tasks did while all of them were at work.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::collector::Collected;
use crate::histogram::LatencySummary;
use crate::meter::TaskResult;
use crate::units::{Bytes, Nanoseconds};
use crate::window::Window;

/// What all tasks together had done when the first of them ended.
#[derive(Debug, Serialize)]
pub struct StonewallReport {
    /// Number of the task that ended first.
    pub task: usize,
    /// Whether it had done all its work.
    pub complete: bool,
    /// From the first start to its end, with fsync and close if the job has them.
    pub elapsed_ns: Nanoseconds,
    /// Bytes of all tasks until then.
    pub bytes: Bytes,
    /// Operations of all tasks that ended well until then.
    pub operations: u64,
    /// Bytes by elapsed time.
    pub rate_bytes_per_s: f64,
}

/// What all tasks together did in the steady window.
#[derive(Debug, Serialize)]
pub struct SteadyReport {
    /// Its beginning.
    pub from_boottime_ns: Nanoseconds,
    /// Its end; the same as the beginning when a task ended before the warm-up did.
    pub to_boottime_ns: Nanoseconds,
    /// Bytes of the operations that ended in it.
    pub bytes: Bytes,
    /// How many these are.
    pub operations: u64,
    /// Bytes by the length of the window; `null` when that is 0.
    pub rate_bytes_per_s: Option<f64>,
    /// Operations by the length of the window; `null` when that is 0.
    pub operations_per_s: Option<f64>,
    /// Their latencies per kind of operation.
    pub latency: BTreeMap<&'static str, LatencySummary>,
}

impl StonewallReport {
    /// Sums up `results`. The first task ended at `at_ns`; the phase began at `started_ns`.
    pub(super) fn collect(
        results: &[TaskResult],
        collected: &Collected,
        started_ns: Nanoseconds,
        at_ns: Nanoseconds,
    ) -> Self {
        let task = results.iter().position(|result| result.is_first_to_end);
        let task = task.unwrap_or(0);
        let sums = collected.loaded;
        let elapsed_ns = at_ns.saturating_sub(started_ns);
        Self {
            task,
            complete: results.get(task).is_some_and(TaskResult::is_complete),
            elapsed_ns,
            bytes: sums.bytes,
            operations: sums.operations,
            rate_bytes_per_s: elapsed_ns.rate_per_s(sums.bytes.0).unwrap_or(0.0),
        }
    }
}

impl SteadyReport {
    /// Sums up what tasks did within `window`, which ends at `stonewall_ns` at the latest.
    pub(super) fn collect(
        collected: &Collected,
        window: Window,
        stonewall_ns: Nanoseconds,
    ) -> Self {
        let to_ns = window.until_ns.min(stonewall_ns).max(window.from_ns);
        let length_ns = to_ns - window.from_ns;
        let sums = collected.steady;
        Self {
            from_boottime_ns: window.from_ns,
            to_boottime_ns: to_ns,
            bytes: sums.bytes,
            operations: sums.operations,
            rate_bytes_per_s: length_ns.rate_per_s(sums.bytes.0),
            operations_per_s: length_ns.rate_per_s(sums.operations),
            latency: collected.steady_latencies.summaries(),
        }
    }
}
