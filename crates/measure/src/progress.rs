//! What tasks tell about themselves while they run, without ever waiting for anybody.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::units::{Bytes, Nanoseconds};

/// Counters of one task. Only the task writes them, so plain stores are enough. The reader resets
/// only the longest latency. Aligned so that no two tasks share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct TaskProgress {
    bytes: AtomicU64,
    operations: AtomicU64,
    errors: AtomicU64,
    latency_ns_max: AtomicU64,
    /// When the operation at hand began, by the steady clock; 0 while there is none.
    busy_since_ns: AtomicU64,
}

impl TaskProgress {
    /// Notes that the task begins at `now_ns`.
    pub fn begin(&self, now_ns: Nanoseconds) {
        self.busy_since_ns.store(now_ns.0, Ordering::Relaxed);
    }

    /// Notes the end of an operation at `now_ns`; `bytes` and `operations` are the sums so far.
    pub fn advance(
        &self,
        now_ns: Nanoseconds,
        bytes: Bytes,
        operations: u64,
        latency_ns: Nanoseconds,
    ) {
        self.bytes.store(bytes.0, Ordering::Relaxed);
        self.operations.store(operations, Ordering::Relaxed);
        self.busy_since_ns.store(now_ns.0, Ordering::Relaxed);
        if latency_ns.0 > self.latency_ns_max.load(Ordering::Relaxed) {
            self.latency_ns_max.store(latency_ns.0, Ordering::Relaxed);
        }
    }

    /// Notes an answer of the storage at `now_ns` that is no operation.
    pub fn answered(&self, now_ns: Nanoseconds) {
        self.busy_since_ns.store(now_ns.0, Ordering::Relaxed);
    }

    /// Counts a failed operation.
    pub fn fail(&self) {
        self.errors.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes the end of the task.
    pub fn end(&self) {
        self.busy_since_ns.store(0, Ordering::Relaxed);
    }
}

/// The counters of all tasks.
#[derive(Debug)]
pub struct Progress {
    tasks: Vec<TaskProgress>,
}

/// Sums over all tasks at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Bytes read or written since the start.
    pub bytes: Bytes,
    /// Operations that ended well since the start.
    pub operations: u64,
    /// Operations that failed since the start.
    pub errors: u64,
    /// The longest latency since the snapshot before, of the operations that ended.
    pub latency_ns_max: Nanoseconds,
}

/// A task in which nothing was completed for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Number of the task.
    pub task: usize,
    /// Since when, by the steady clock.
    pub since_ns: Nanoseconds,
}

impl Progress {
    /// Counters for `tasks` tasks, all zero.
    pub fn new(tasks: usize) -> Self {
        Self {
            tasks: (0..tasks).map(|_| TaskProgress::default()).collect(),
        }
    }

    /// The counters of one task.
    pub fn task(&self, task: usize) -> &TaskProgress {
        &self.tasks[task]
    }

    /// Sums up, and starts a new interval for the longest latency.
    pub fn snapshot(&self) -> Snapshot {
        self.tasks
            .iter()
            .fold(Snapshot::default(), |sum, task| Snapshot {
                bytes: sum.bytes + Bytes(task.bytes.load(Ordering::Relaxed)),
                operations: sum.operations + task.operations.load(Ordering::Relaxed),
                errors: sum.errors + task.errors.load(Ordering::Relaxed),
                latency_ns_max: sum
                    .latency_ns_max
                    .max(Nanoseconds(task.latency_ns_max.swap(0, Ordering::Relaxed))),
            })
    }

    /// The tasks that have completed nothing for `threshold_ns` at `now_ns`.
    pub fn stalls(&self, now_ns: Nanoseconds, threshold_ns: Nanoseconds) -> Vec<Stall> {
        self.tasks
            .iter()
            .enumerate()
            .map(|(task, progress)| Stall {
                task,
                since_ns: Nanoseconds(progress.busy_since_ns.load(Ordering::Relaxed)),
            })
            .filter(|stall| {
                stall.since_ns != Nanoseconds(0)
                    && now_ns.saturating_sub(stall.since_ns) >= threshold_ns
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_grow_and_the_longest_latency_starts_again() {
        let progress = Progress::new(2);
        progress
            .task(0)
            .advance(Nanoseconds(10), Bytes(4096), 1, Nanoseconds(500));
        progress
            .task(1)
            .advance(Nanoseconds(20), Bytes(8192), 2, Nanoseconds(300));
        progress.task(1).fail();
        let first = progress.snapshot();
        let expected = Snapshot {
            bytes: Bytes(12288),
            operations: 3,
            errors: 1,
            latency_ns_max: Nanoseconds(500),
        };
        assert_eq!(expected, first);
        assert_eq!(
            Snapshot {
                latency_ns_max: Nanoseconds(0),
                ..expected
            },
            progress.snapshot()
        );
    }

    #[test]
    fn only_a_running_task_can_stall() {
        let progress = Progress::new(3);
        progress.task(1).begin(Nanoseconds(100));
        progress.task(2).begin(Nanoseconds(100));
        progress.task(2).end();
        assert_eq!(
            vec![Stall {
                task: 1,
                since_ns: Nanoseconds(100)
            }],
            progress.stalls(Nanoseconds(1100), Nanoseconds(1000))
        );
        assert_eq!(
            Vec::<Stall>::new(),
            progress.stalls(Nanoseconds(1099), Nanoseconds(1000))
        );
        progress
            .task(1)
            .advance(Nanoseconds(1000), Bytes(1), 1, Nanoseconds(900));
        assert_eq!(
            Vec::<Stall>::new(),
            progress.stalls(Nanoseconds(1100), Nanoseconds(1000))
        );
        // An answer that is no operation, such as the end of a file, is one all the same.
        progress.task(1).answered(Nanoseconds(1500));
        assert_eq!(
            Vec::<Stall>::new(),
            progress.stalls(Nanoseconds(2400), Nanoseconds(1000))
        );
    }
}
