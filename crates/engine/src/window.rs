//! The part of a phase in which every task is at work.
//!
//! A rate over the whole phase contains its beginning, in which caches fill, and its end, in which
//! only the slowest tasks are left. The stonewall is the instant at which the first task has
//! ended; the steady window begins after the warm-up and ends at the stonewall at the latest.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::monotonic_ns;
use crate::histogram::LatenciesByKind;
use crate::job::Job;
use crate::kind::Kind;

/// No task has ended.
const OPEN: u64 = u64::MAX;

/// A task has ended, and is about to say when.
const CLOSING: u64 = u64::MAX - 1;

/// The instant at which the first task ended, by the steady clock.
///
/// That a task is about to say when is known before it reads the clock: an operation that found
/// the stonewall open has ended before it, whatever the scheduler does between two instructions.
#[derive(Debug)]
pub(crate) struct Stonewall(AtomicU64);

impl Default for Stonewall {
    fn default() -> Self {
        Self(AtomicU64::new(OPEN))
    }
}

impl Stonewall {
    /// Says that a task has ended; returns whether it is the first.
    pub(crate) fn close(&self) -> bool {
        let is_first = self
            .0
            .compare_exchange(OPEN, CLOSING, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok();
        if is_first {
            self.0.store(monotonic_ns(), Ordering::SeqCst);
        }
        is_first
    }

    /// When the first task ended; `None` while all are at work.
    pub(crate) fn at_ns(&self) -> Option<u64> {
        let at_ns = self.0.load(Ordering::SeqCst);
        (at_ns < CLOSING).then_some(at_ns)
    }
}

/// The steady window as the job wants it, by the steady clock; the stonewall may end it earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Its first instant.
    pub(crate) from_ns: u64,
    /// The instant after its last.
    pub(crate) until_ns: u64,
}

impl Window {
    /// The window of a job whose tasks begin at `begin_ns`, if it asks for one.
    pub(crate) fn of(job: &Job, begin_ns: u64) -> Option<Self> {
        if job.warm_up_s.is_none() && job.window_s.is_none() {
            return None;
        }
        let after = |instant_ns: u64, wait_s: f64| {
            instant_ns.saturating_add(Duration::from_secs_f64(wait_s).as_nanos() as u64)
        };
        let from_ns = after(begin_ns, job.warm_up_s.unwrap_or(0.0));
        Some(Self {
            from_ns,
            until_ns: job
                .window_s
                .map_or(u64::MAX, |window_s| after(from_ns, window_s)),
        })
    }
}

/// An operation, or a part of one, that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    pub(crate) ended_ns: u64,
    pub(crate) latency_ns: u64,
    /// Bytes and operations that it counts for: none, when it is a part.
    pub(crate) bytes: u64,
    pub(crate) operations: u64,
}

/// What one task did before the stonewall, and within the steady window.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    window: Option<Window>,
    /// What ended while another task was about to say when it had.
    undecided: Vec<Event>,
    pub(crate) stonewalled: Sums,
    pub(crate) steady: Sums,
    pub(crate) steady_latencies: LatenciesByKind,
}

/// Bytes and operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) bytes: u64,
    pub(crate) operations: u64,
}

impl Sums {
    /// Adds others.
    pub(crate) const fn add(&mut self, bytes: u64, operations: u64) {
        self.bytes += bytes;
        self.operations += operations;
    }
}

impl Loaded {
    /// Nothing yet.
    pub(crate) fn new(window: Option<Window>) -> Self {
        Self {
            window,
            ..Self::default()
        }
    }

    /// Counts what ended, if it did so in time.
    pub(crate) fn count(&mut self, stonewall: &Stonewall, ended: Event) {
        match stonewall.0.load(Ordering::SeqCst) {
            OPEN => self.add(&ended),
            CLOSING => self.undecided.push(ended),
            at_ns => {
                self.undecided.push(ended);
                self.settle(at_ns);
            }
        }
    }

    /// Decides about what is undecided, now that the first task is known to have ended at `at_ns`.
    pub(crate) fn settle(&mut self, at_ns: u64) {
        while let Some(ended) = self.undecided.pop() {
            if ended.ended_ns <= at_ns {
                self.add(&ended);
            }
        }
    }

    fn add(&mut self, ended: &Event) {
        self.stonewalled.add(ended.bytes, ended.operations);
        let Some(window) = self.window else {
            return;
        };
        if (window.from_ns..window.until_ns).contains(&ended.ended_ns) {
            self.steady.add(ended.bytes, ended.operations);
            self.steady_latencies.record(ended.kind, ended.latency_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(ended_ns: u64) -> Event {
        Event {
            kind: Kind::Read,
            ended_ns,
            latency_ns: 7,
            bytes: 10,
            operations: 1,
        }
    }

    fn sums(operations: u64) -> Sums {
        Sums {
            bytes: 10 * operations,
            operations,
        }
    }

    #[test]
    fn the_window_counts_what_ends_inside() {
        let mut loaded = Loaded::new(Some(Window {
            from_ns: 100,
            until_ns: 200,
        }));
        for ended_ns in [50, 99, 100, 199, 200, 300] {
            loaded.count(&Stonewall::default(), ended(ended_ns));
        }
        assert_eq!((sums(6), sums(2)), (loaded.stonewalled, loaded.steady));
        let latencies = loaded.steady_latencies.of(Kind::Read).unwrap();
        assert_eq!(2, latencies.count());
    }

    #[test]
    fn nothing_counts_after_the_stonewall() {
        let mut loaded = Loaded::new(Some(Window {
            from_ns: 0,
            until_ns: u64::MAX,
        }));
        let stonewall = Stonewall(AtomicU64::new(100));
        for ended_ns in [99, 100, 101] {
            loaded.count(&stonewall, ended(ended_ns));
        }
        assert_eq!((sums(2), sums(2)), (loaded.stonewalled, loaded.steady));
    }

    #[test]
    fn what_ends_while_the_stonewall_closes_is_decided_later() {
        let mut loaded = Loaded::new(None);
        let closing = Stonewall(AtomicU64::new(CLOSING));
        loaded.count(&closing, ended(90));
        loaded.count(&closing, ended(110));
        assert_eq!(sums(0), loaded.stonewalled);
        loaded.settle(100);
        assert_eq!((sums(1), sums(0)), (loaded.stonewalled, loaded.steady));
    }

    #[test]
    fn only_the_first_task_closes_the_stonewall() {
        let stonewall = Stonewall::default();
        assert_eq!(None, stonewall.at_ns());
        assert!(stonewall.close());
        let at_ns = stonewall.at_ns();
        assert!(at_ns.is_some());
        assert!(!stonewall.close());
        assert_eq!(at_ns, stonewall.at_ns());
    }
}
