//! The results and times of one task, until they become part of the sums of all tasks.
//!
//! An operation is recorded once. The task passes its results and begins with empty ones when a
//! second ends. It also does so when the steady window, or the time with all tasks at work, begins
//! or ends. So it keeps no more after an hour than after a second.

use crate::collector::{Collector, Part};
use crate::units::Nanoseconds;
use crate::window::{Event, Standing, Stonewall, Window};

/// Keeps what one task does until it is handed over.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    collector: &'a Collector,
    stonewall: &'a Stonewall,
    window: Option<Window>,
    started_ns: Nanoseconds,
    /// When the part at hand ends, whatever happens.
    turns_ns: Nanoseconds,
    part: Part,
    /// What ended while another task was about to say when it had.
    undecided: Vec<Event>,
}

impl<'a> Tally<'a> {
    /// The tally of a task that begins at `started_ns`. Its first second begins then, too.
    pub(crate) fn new(
        collector: &'a Collector,
        stonewall: &'a Stonewall,
        window: Option<Window>,
        started_ns: Nanoseconds,
    ) -> Self {
        let mut tally = Self {
            collector,
            stonewall,
            window,
            started_ns,
            turns_ns: started_ns,
            part: Part::default(),
            undecided: Vec::new(),
        };
        tally.begin(started_ns, true);
        tally
    }

    /// Counts what ended at an instant that never goes back.
    pub(crate) fn count(&mut self, ended: Event) {
        let standing = self.stonewall.standing();
        let is_loaded = standing == Standing::Open;
        if ended.ended_ns >= self.turns_ns || is_loaded != self.part.is_loaded {
            self.turn(ended.ended_ns, is_loaded);
        }
        self.part.sums.add(ended.bytes, ended.operations);
        self.part.latencies.record(ended.kind, ended.latency_ns.0);
        if !is_loaded {
            self.undecided.push(ended);
            if let Standing::ClosedAt(at_ns) = standing {
                self.settle(at_ns);
            }
        }
    }

    /// Passes the remaining results. The stonewall, if it is about to close, closes.
    pub(crate) fn finish(mut self) {
        self.collector.add(&self.part);
        while !self.undecided.is_empty() {
            match self.stonewall.standing() {
                Standing::ClosedAt(at_ns) => self.settle(at_ns),
                Standing::Open | Standing::Closing => std::thread::yield_now(),
            }
        }
    }

    /// Passes the present part and begins the part of `now_ns`.
    fn turn(&mut self, now_ns: Nanoseconds, is_loaded: bool) {
        self.collector.add(&std::mem::take(&mut self.part));
        self.begin(now_ns, is_loaded);
    }

    fn begin(&mut self, now_ns: Nanoseconds, is_loaded: bool) {
        self.part.is_loaded = is_loaded;
        self.turns_ns = Nanoseconds::MAX;
        if self.collector.keeps_seconds() {
            self.part.second = (now_ns - self.started_ns).0 / Nanoseconds::SECOND.0;
            self.turns_ns = self.started_ns + (self.part.second + 1) * Nanoseconds::SECOND;
        }
        if let Some(window) = self.window {
            self.part.is_steady = is_loaded && window.contains(now_ns);
            let mut edges = [window.from_ns, window.until_ns].into_iter();
            let edge_ns = edges.find(|&edge_ns| edge_ns > now_ns);
            self.turns_ns = self.turns_ns.min(edge_ns.unwrap_or(Nanoseconds::MAX));
        }
    }

    /// Decides the open parts, now that the first task is known to have ended at `at_ns`.
    fn settle(&mut self, at_ns: Nanoseconds) {
        for ended in self.undecided.drain(..) {
            if ended.ended_ns <= at_ns {
                let contains = |window: Window| window.contains(ended.ended_ns);
                self.collector
                    .add_loaded(ended, self.window.is_some_and(contains));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collector::Collected;
    use crate::histogram::LatenciesByKind;
    use crate::kind::Kind;
    use crate::units::Bytes;
    use crate::window::Sums;

    fn ended(ended_ns: u64) -> Event {
        Event {
            kind: Kind::Read,
            ended_ns: Nanoseconds(ended_ns),
            latency_ns: Nanoseconds(7),
            bytes: Bytes(10),
            operations: 1,
        }
    }

    fn sums(operations: u64) -> Sums {
        Sums {
            bytes: Bytes(10 * operations),
            operations,
        }
    }

    /// What a task that begins at 0 counts, with a stonewall of this value.
    fn counted(stonewall: &Stonewall, window: Option<Window>, ended_ns: &[u64]) -> Collected {
        let collector = Collector::new(false);
        let mut tally = Tally::new(&collector, stonewall, window, Nanoseconds(0));
        for &ended_ns in ended_ns {
            tally.count(ended(ended_ns));
        }
        tally.finish();
        collector.finish()
    }

    #[test]
    fn the_window_counts_what_ends_inside() {
        let window = Window {
            from_ns: Nanoseconds(100),
            until_ns: Nanoseconds(200),
        };
        let times_ns = [50, 99, 100, 199, 200, 300];
        let all = counted(&Stonewall::default(), Some(window), &times_ns);
        assert_eq!((sums(6), sums(2)), (all.loaded, all.steady));
        assert_eq!(2, all.steady_latencies.summaries()["read"].count);
        assert_eq!(6, all.latencies.summaries()["read"].count);
    }

    #[test]
    fn nothing_counts_after_the_stonewall() {
        let window = Window {
            from_ns: Nanoseconds(0),
            until_ns: Nanoseconds::MAX,
        };
        let all = counted(&Stonewall::closed_at(100), Some(window), &[99, 100, 101]);
        assert_eq!((sums(2), sums(2)), (all.loaded, all.steady));
        assert_eq!(2, all.steady_latencies.summaries()["read"].count);
        assert_eq!(3, all.latencies.summaries()["read"].count);
    }

    #[test]
    fn what_ends_while_the_stonewall_closes_is_decided_later() {
        let (collector, stonewall) = (Collector::new(false), Stonewall::closing());
        let mut tally = Tally::new(&collector, &stonewall, None, Nanoseconds(0));
        tally.count(ended(90));
        tally.count(ended(110));
        stonewall.close_at(100);
        tally.finish();
        let all = collector.finish();
        assert_eq!((sums(1), sums(0)), (all.loaded, all.steady));
    }

    #[test]
    fn tasks_are_merged_second_by_second_and_a_late_part_is_told_by_itself() {
        let (collector, stonewall) = (Collector::new(true), Stonewall::default());
        let mut tallies =
            [(); 2].map(|()| Tally::new(&collector, &stonewall, None, Nanoseconds(0)));
        let second_ns = Nanoseconds::SECOND.0;
        for at_ns in [1, 2, second_ns + 7] {
            tallies[0].count(ended(at_ns));
        }
        tallies[1].count(Event {
            kind: Kind::Fsync,
            latency_ns: Nanoseconds(50),
            bytes: Bytes(0),
            operations: 0,
            ..ended(3)
        });
        tallies[1].count(ended(second_ns - 1));
        let of = |count: u64, latency_ns: u64| {
            let mut latencies = LatenciesByKind::default();
            (0..count).for_each(|_| latencies.record(Kind::Read, latency_ns));
            latencies.coded()["read"].clone()
        };
        let first = collector.take_seconds(1);
        assert_eq!(
            (1, 0, 2),
            (first.len(), first[0].second, first[0].operations)
        );
        assert_eq!(of(2, 7), first[0].histograms["read"]);
        tallies.into_iter().for_each(Tally::finish);
        let rest = collector.take_seconds(u64::MAX);
        let figures: Vec<_> = rest.iter().map(|it| (it.second, it.operations)).collect();
        assert_eq!(vec![(0, 1), (1, 1)], figures);
        let kinds: Vec<_> = rest[0].histograms.keys().copied().collect();
        assert_eq!(
            (of(1, 7), vec!["fsync", "read"]),
            (rest[0].histograms["read"].clone(), kinds)
        );
        let all = collector.finish();
        let summaries = all.latencies.summaries();
        assert_eq!((4, 1), (summaries["read"].count, summaries["fsync"].count));
        assert_eq!((sums(4), 0), (all.loaded, all.seconds_omitted));
    }

    #[test]
    fn seconds_that_nobody_takes_are_summed_up_and_counted() {
        let (collector, stonewall) = (Collector::new(true), Stonewall::default());
        let mut tally = Tally::new(&collector, &stonewall, None, Nanoseconds(0));
        (0..100).for_each(|second| tally.count(ended(second * Nanoseconds::SECOND.0)));
        tally.finish();
        assert_eq!(16, collector.take_seconds(u64::MAX).len());
        let all = collector.finish();
        let count = all.latencies.summaries()["read"].count;
        assert_eq!((100, 84), (count, all.seconds_omitted));
    }

    #[test]
    fn operations_count_in_the_second_in_which_they_end() {
        let (collector, stonewall) = (Collector::new(true), Stonewall::default());
        let mut tally = Tally::new(&collector, &stonewall, None, Nanoseconds(500));
        for ended_ns in [500, 1_000_000_499, 1_000_000_500, 5_000_000_000] {
            tally.count(ended(ended_ns));
        }
        tally.finish();
        let told = collector.take_seconds(u64::MAX).into_iter();
        let told: Vec<_> = told
            .map(|it| (it.second, it.operations, it.bytes.0))
            .collect();
        assert_eq!(vec![(0, 2, 20), (1, 1, 10), (4, 1, 10)], told);
    }
}
