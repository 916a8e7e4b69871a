//! The results of all tasks, as far as the tasks have passed them: per second, and as sums.
//!
//! However long tasks work, it keeps a histogram for each kind of operation, another for the steady
//! window, and the few seconds that are not reported yet.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::histogram::LatenciesByKind;
use crate::units::Bytes;
use crate::window::{Event, Sums};

/// Seconds that are kept until they are reported. More of them wait only without a reader.
const SECONDS_MAX: usize = 16;

/// What one task did in one part of its time.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Number of the second of the part; 0 when seconds are not kept.
    pub(crate) second: u64,
    /// Whether all tasks were at work.
    pub(crate) is_loaded: bool,
    /// Whether it is in the steady window.
    pub(crate) is_steady: bool,
    pub(crate) sums: Sums,
    pub(crate) latencies: LatenciesByKind,
}

/// The results of all tasks in one second, which were not reported before.
#[derive(Debug, Serialize)]
pub struct SecondReport {
    /// Number of the second, from 0 at the start of the phase.
    pub second: u64,
    /// Bytes of the operations that ended in it.
    pub bytes: Bytes,
    /// How many these are.
    pub operations: u64,
    /// The latencies of each kind of operation, and of other timed calls such as each fsync: base64
    /// of the `HdrHistogram` V2 encoding.
    pub histograms: BTreeMap<&'static str, String>,
}

/// What all tasks did in the whole phase.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// While every task was at work.
    pub(crate) loaded: Sums,
    /// In the steady window.
    pub(crate) steady: Sums,
    pub(crate) steady_latencies: LatenciesByKind,
    pub(crate) latencies: LatenciesByKind,
    /// Seconds that could not be reported, because no reader took them.
    pub(crate) seconds_omitted: u64,
    seconds: BTreeMap<u64, Second>,
}

#[derive(Debug, Default)]
struct Second {
    sums: Sums,
    latencies: LatenciesByKind,
}

/// Receives the results of the tasks.
#[derive(Debug)]
pub struct Collector {
    keeps_seconds: bool,
    collected: Mutex<Collected>,
}

impl Collector {
    /// Nothing yet.
    pub fn new(keeps_seconds: bool) -> Self {
        Self {
            keeps_seconds,
            collected: Mutex::default(),
        }
    }

    /// Whether tasks pass their results when a second ends.
    pub(crate) const fn keeps_seconds(&self) -> bool {
        self.keeps_seconds
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what a task did.
    pub(crate) fn add(&self, part: &Part) {
        if part.latencies.is_empty() {
            return;
        }
        let mut collected = self.lock();
        let Sums { bytes, operations } = part.sums;
        if part.is_loaded {
            collected.loaded.add(bytes, operations);
        }
        if part.is_steady {
            collected.steady.add(bytes, operations);
            collected.steady_latencies.merge(&part.latencies);
        }
        if !self.keeps_seconds {
            collected.latencies.merge(&part.latencies);
            return;
        }
        let second = collected.seconds.entry(part.second).or_default();
        second.sums.add(bytes, operations);
        second.latencies.merge(&part.latencies);
        if collected.seconds.len() > SECONDS_MAX {
            collected.take_first();
            collected.seconds_omitted += 1;
        }
    }

    /// Adds an operation to the sums with every task at work. The task did not know yet that it
    /// belongs there when it passed its part.
    pub(crate) fn add_loaded(&self, ended: Event, is_steady: bool) {
        let mut collected = self.lock();
        collected.loaded.add(ended.bytes, ended.operations);
        if is_steady {
            collected.steady.add(ended.bytes, ended.operations);
            collected
                .steady_latencies
                .record(ended.kind, ended.latency_ns.0);
        }
    }

    /// Takes the seconds before number `until`, for a report. A delayed task may have more results
    /// of them later.
    pub fn take_seconds(&self, until: u64) -> Vec<SecondReport> {
        let mut taken = Vec::new();
        let mut collected = self.lock();
        while collected
            .seconds
            .keys()
            .next()
            .is_some_and(|&it| it < until)
        {
            taken.extend(collected.take_first());
        }
        drop(collected);
        let report = |(second, told): (u64, Second)| SecondReport {
            second,
            bytes: told.sums.bytes,
            operations: told.sums.operations,
            histograms: told.latencies.coded(),
        };
        taken.into_iter().map(report).collect()
    }

    /// What all tasks did, after the last of them has ended.
    pub(crate) fn finish(&self) -> Collected {
        let mut collected = std::mem::take(&mut *self.lock());
        while collected.take_first().is_some() {}
        collected
    }
}

impl Collected {
    /// Takes the first second, which then counts into the whole.
    fn take_first(&mut self) -> Option<(u64, Second)> {
        let (number, second) = self.seconds.pop_first()?;
        self.latencies.merge(&second.latencies);
        Some((number, second))
    }
}
