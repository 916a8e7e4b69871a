//! The part of a phase in which every task is at work.
//!
//! A rate over the whole phase contains its beginning, in which caches fill, and its end, in which
//! only the slowest tasks are left. The stonewall is the instant at which the first task has
//! ended; the steady window begins after the warm-up and ends at the stonewall at the latest.

use std::sync::atomic::{AtomicU64, Ordering};

use seatrial_job::Job;

use crate::clock::boottime_ns;
use crate::kind::Kind;
use crate::units::{Bytes, Nanoseconds};

/// No task has ended.
const OPEN: u64 = u64::MAX;

/// A task has ended, and is about to say when.
const CLOSING: u64 = u64::MAX - 1;

/// The instant at which the first task ended, by the steady clock.
///
/// That a task is about to say when is known before it reads the clock: an operation that found
/// the stonewall open has ended before it, whatever the scheduler does between two instructions.
#[derive(Debug)]
pub struct Stonewall(AtomicU64);

impl Default for Stonewall {
    fn default() -> Self {
        Self(AtomicU64::new(OPEN))
    }
}

/// Whether the first task has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Open,
    /// A task has ended, and is about to say when.
    Closing,
    ClosedAt(Nanoseconds),
}

impl Stonewall {
    /// Its state.
    pub(crate) fn standing(&self) -> Standing {
        match self.0.load(Ordering::SeqCst) {
            OPEN => Standing::Open,
            CLOSING => Standing::Closing,
            at_ns => Standing::ClosedAt(Nanoseconds(at_ns)),
        }
    }

    /// Notes the end of a task; returns whether it is the first.
    pub fn close(&self) -> bool {
        let is_first = self
            .0
            .compare_exchange(OPEN, CLOSING, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok();
        if is_first {
            self.0.store(boottime_ns().0, Ordering::SeqCst);
        }
        is_first
    }

    /// When the first task ended; `None` while every task is at work.
    pub fn at_ns(&self) -> Option<Nanoseconds> {
        match self.standing() {
            Standing::ClosedAt(at_ns) => Some(at_ns),
            Standing::Open | Standing::Closing => None,
        }
    }
}

/// The steady window as the job wants it, by the steady clock; the stonewall may end it earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first instant.
    pub from_ns: Nanoseconds,
    /// The instant after its last.
    pub until_ns: Nanoseconds,
}

impl Window {
    /// The window of a job with tasks that begin at `begin_ns`, if the job asks for one.
    pub fn of(job: &Job, begin_ns: Nanoseconds) -> Option<Self> {
        if job.warm_up_s.is_none() && job.window_s.is_none() {
            return None;
        }
        let warm_up_ns = Nanoseconds::from_s(job.warm_up_s.unwrap_or(0.0));
        let from_ns = begin_ns.saturating_add(warm_up_ns);
        Some(Self {
            from_ns,
            until_ns: job.window_s.map_or(Nanoseconds::MAX, |window_s| {
                from_ns.saturating_add(Nanoseconds::from_s(window_s))
            }),
        })
    }

    /// Whether an instant is in it.
    pub(crate) fn contains(&self, instant_ns: Nanoseconds) -> bool {
        self.from_ns <= instant_ns && instant_ns < self.until_ns
    }
}

/// An operation, or a part of one, that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    pub(crate) ended_ns: Nanoseconds,
    pub(crate) latency_ns: Nanoseconds,
    /// Bytes and operations that it counts for: none, when it is a part.
    pub(crate) bytes: Bytes,
    pub(crate) operations: u64,
}

/// Bytes and operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) bytes: Bytes,
    pub(crate) operations: u64,
}

impl Sums {
    /// Adds others.
    pub(crate) fn add(&mut self, bytes: Bytes, operations: u64) {
        self.bytes += bytes;
        self.operations += operations;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Stonewall {
        pub(crate) fn closing() -> Self {
            Self(AtomicU64::new(CLOSING))
        }

        pub(crate) fn closed_at(at_ns: u64) -> Self {
            Self(AtomicU64::new(at_ns))
        }

        pub(crate) fn close_at(&self, at_ns: u64) {
            self.0.store(at_ns, Ordering::SeqCst);
        }
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
