//! Outages of tasks and of the client as a whole.

use serde::Serialize;

use crate::gaps::{Interval, outages_of_all};
use crate::meter::TaskResult;

/// A time in which a task waited for the storage and completed nothing.
#[derive(Debug, Serialize)]
pub struct Outage {
    /// Number of the task.
    pub task: usize,
    /// The completion before it, or when the task began to wait.
    pub start_boottime_ns: u64,
    /// The completion after it, or when the task ended.
    pub end_boottime_ns: u64,
    /// Whether the task ended without another completion.
    pub open: bool,
    /// Whether it was the fsync or the close after the last operation, which may take its time.
    pub flush: bool,
}

/// A time in which no task of this client completed anything, although one waited.
#[derive(Debug, Serialize)]
pub struct ClientOutage {
    /// The completion before it, or when the first task began to wait.
    pub start_boottime_ns: u64,
    /// The completion after it, or when the last task ended.
    pub end_boottime_ns: u64,
    /// Whether the phase ended without another completion.
    pub open: bool,
    /// Whether every task at work was syncing or closing its files.
    pub flush: bool,
}

/// The outages of all tasks, by start.
pub(super) fn of_tasks(results: &[TaskResult], threshold_ns: u64) -> Vec<Outage> {
    let of_task = |(task, result): (usize, &TaskResult)| {
        let gaps = result.gaps.gaps.iter();
        gaps.filter_map(|gap| gap.outage(threshold_ns, result.ended_ns.0))
            .map(|outage| Outage {
                task,
                start_boottime_ns: outage.start_ns,
                end_boottime_ns: outage.end_ns,
                open: outage.open,
                flush: outage.flush,
            })
            .collect::<Vec<_>>()
    };
    let mut outages: Vec<_> = results.iter().enumerate().flat_map(of_task).collect();
    outages.sort_by_key(|outage| outage.start_boottime_ns);
    outages
}

/// The outages of the client; its last task ended at `ended_ns`.
pub(super) fn of_client(
    results: &[TaskResult],
    threshold_ns: u64,
    ended_ns: u64,
) -> Vec<ClientOutage> {
    let gaps = results.iter().map(|result| &result.gaps);
    let report = |outage: Interval| ClientOutage {
        start_boottime_ns: outage.start_ns,
        end_boottime_ns: outage.end_ns,
        open: outage.open,
        flush: outage.flush,
    };
    outages_of_all(gaps, threshold_ns, ended_ns)
        .into_iter()
        .map(report)
        .collect()
}
