//! Figures for each second, exact to the operation.
//!
//! The lines that the agent prints once a second are read off while tasks run. These are kept by
//! the tasks themselves, by the instant at which each operation ended, and can be merged.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::clock::NANOSECONDS_PER_SECOND;
use crate::histogram::{Coded, Latencies, LatenciesByKind};
use crate::kind::Kind;

/// What one task did in one second.
#[derive(Debug)]
pub(crate) struct TaskSecond {
    second: u64,
    bytes: u64,
    operations: u64,
    latencies: Vec<(Kind, Coded)>,
}

/// What all tasks did in one second.
#[derive(Debug, Serialize)]
pub struct SecondReport {
    /// Number of the second, from 0 at the start of the phase.
    pub second: u64,
    /// Bytes of the operations that ended in it.
    pub bytes: u64,
    /// How many these are.
    pub operations: u64,
    /// Their latencies: base64 of the `HdrHistogram` V2 encoding.
    pub histogram: String,
    /// The same for each kind of operation, and of what is timed besides, such as each fsync.
    pub histograms: BTreeMap<&'static str, String>,
}

/// Keeps the seconds of one task.
#[derive(Debug)]
pub(crate) struct Seconds {
    started_ns: u64,
    ends_ns: u64,
    bytes: u64,
    operations: u64,
    latencies: LatenciesByKind,
    past: Vec<TaskSecond>,
}

impl Seconds {
    /// Begins with the second that starts at `started_ns`.
    pub(crate) fn new(started_ns: u64) -> Self {
        Self {
            started_ns,
            ends_ns: started_ns + NANOSECONDS_PER_SECOND,
            bytes: 0,
            operations: 0,
            latencies: LatenciesByKind::default(),
            past: Vec::new(),
        }
    }

    /// Counts an operation that ended at `ended_ns`, which never goes back.
    pub(crate) fn record(&mut self, kind: Kind, ended_ns: u64, bytes: u64, latency_ns: u64) {
        self.time(kind, ended_ns, latency_ns);
        self.bytes += bytes;
        self.operations += 1;
    }

    /// Notes how long something took that is no operation of its own.
    pub(crate) fn time(&mut self, kind: Kind, ended_ns: u64, latency_ns: u64) {
        if ended_ns >= self.ends_ns {
            self.turn(ended_ns);
        }
        self.latencies.record(kind, latency_ns);
    }

    /// Puts the second at hand away and begins the one in which `now_ns` lies.
    fn turn(&mut self, now_ns: u64) {
        let latencies = self.latencies.take_coded();
        if !latencies.is_empty() {
            self.past.push(TaskSecond {
                second: (self.ends_ns - self.started_ns) / NANOSECONDS_PER_SECOND - 1,
                bytes: std::mem::take(&mut self.bytes),
                operations: std::mem::take(&mut self.operations),
                latencies,
            });
        }
        let seconds = (now_ns - self.started_ns) / NANOSECONDS_PER_SECOND;
        self.ends_ns = self.started_ns + (seconds + 1) * NANOSECONDS_PER_SECOND;
    }

    /// All seconds in which something ended.
    pub(crate) fn finish(mut self) -> Vec<TaskSecond> {
        self.turn(self.ends_ns);
        self.past
    }
}

/// Merges the seconds of tasks that started together.
pub(crate) fn merge<'a>(seconds: impl Iterator<Item = &'a TaskSecond>) -> Vec<SecondReport> {
    let mut merged: BTreeMap<u64, Merged> = BTreeMap::new();
    for second in seconds {
        let sums = merged.entry(second.second).or_default();
        sums.bytes += second.bytes;
        sums.operations += second.operations;
        for (kind, coded) in &second.latencies {
            let latencies = coded.decode();
            if kind.is_counted() {
                sums.all.merge(&latencies);
            }
            sums.by_kind
                .entry(kind.name())
                .or_default()
                .merge(&latencies);
        }
    }
    merged
        .into_iter()
        .map(|(second, sums)| SecondReport {
            second,
            bytes: sums.bytes,
            operations: sums.operations,
            histogram: sums.all.encode().to_base64(),
            histograms: sums
                .by_kind
                .into_iter()
                .map(|(kind, latencies)| (kind, latencies.encode().to_base64()))
                .collect(),
        })
        .collect()
}

/// What all tasks did in one second, as far as it has been added up.
#[derive(Default)]
struct Merged {
    bytes: u64,
    operations: u64,
    all: Latencies,
    by_kind: BTreeMap<&'static str, Latencies>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_count_in_the_second_in_which_they_end() {
        let mut seconds = Seconds::new(500);
        for ended_ns in [500, 1_000_000_499, 1_000_000_500, 5_000_000_000] {
            seconds.record(Kind::Read, ended_ns, 10, 3);
        }
        let past = seconds.finish();
        let figures: Vec<_> = past
            .iter()
            .map(|second| (second.second, second.operations, second.bytes))
            .collect();
        assert_eq!(vec![(0, 2, 20), (1, 1, 10), (4, 1, 10)], figures);
    }

    #[test]
    fn tasks_are_merged_second_by_second() {
        let task = |ended_ns: &[u64]| {
            let mut seconds = Seconds::new(0);
            for &ended_ns in ended_ns {
                seconds.record(Kind::Read, ended_ns, 1, ended_ns);
            }
            seconds.finish()
        };
        let (left, right) = (task(&[1, 2, 2_000_000_000]), task(&[3, 1_500_000_000]));
        let merged = merge(left.iter().chain(&right));
        let figures: Vec<_> = merged
            .iter()
            .map(|second| (second.second, second.operations))
            .collect();
        assert_eq!(vec![(0, 3), (1, 1), (2, 1)], figures);
        let mut all = Latencies::new();
        for latency_ns in [1, 2, 3] {
            all.record(latency_ns);
        }
        assert_eq!(all.encode().to_base64(), merged[0].histogram);
        let mut last = Latencies::new();
        last.record(2_000_000_000);
        assert_eq!(last.encode().to_base64(), merged[2].histogram);
    }

    #[test]
    fn each_kind_has_a_histogram_in_each_second() {
        let mut seconds = Seconds::new(0);
        seconds.record(Kind::Read, 10, 4096, 7);
        seconds.record(Kind::Write, 20, 4096, 900);
        seconds.time(Kind::Fsync, 30, 50);
        seconds.time(Kind::Fsync, 1_000_000_010, 60);
        let of = |values: &[u64]| {
            let mut latencies = Latencies::new();
            for &value in values {
                latencies.record(value);
            }
            latencies.encode().to_base64()
        };
        let merged = merge(seconds.finish().iter());
        assert_eq!(2, merged.len());
        assert_eq!((8192, 2), (merged[0].bytes, merged[0].operations));
        assert_eq!(of(&[7, 900]), merged[0].histogram);
        let expected = [
            ("fsync", of(&[50])),
            ("read", of(&[7])),
            ("write", of(&[900])),
        ];
        assert_eq!(BTreeMap::from(expected), merged[0].histograms);
        assert_eq!(
            (0, of(&[])),
            (merged[1].operations, merged[1].histogram.clone())
        );
        assert_eq!(BTreeMap::from([("fsync", of(&[60]))]), merged[1].histograms);
    }

    #[test]
    fn nothing_leaves_no_seconds() {
        assert!(Seconds::new(0).finish().is_empty());
    }
}
