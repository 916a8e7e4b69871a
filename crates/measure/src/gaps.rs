//! Times in which nothing was completed.
//!
//! A task notes each time between two completions that is longer than the threshold, and since when
//! it waited for the storage in it: in an open loop a task may have nothing to do for a while,
//! which is no outage. What the client as a whole did not complete anything in is the intersection
//! of what its tasks noted, which makes it exact.

/// Gaps that are kept per task. One line with those of 16 tasks stays below 10 MB.
const SILENCES_MAX: usize = 2_000;

/// A time in which a task completed nothing, by the steady clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The completion before it; 0 when there was none.
    pub(crate) from_ns: u64,
    /// Since when the task waited for the storage; `None` when it did not.
    pub(crate) waiting_since_ns: Option<u64>,
    /// The completion after it; [`u64::MAX`] when there was none.
    pub(crate) to_ns: u64,
    /// Whether the completed call is the fsync or the close after the last operation.
    pub(crate) is_flush: bool,
}

/// A time in which something waited for the storage in vain, by the steady clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    /// Whether it was still so when the phase ended.
    pub(crate) open: bool,
    /// Whether the fsync or the close after the last operation took this time.
    pub(crate) flush: bool,
}

/// Notes the gaps of one task.
#[derive(Debug)]
pub(crate) struct Gaps {
    threshold_ns: u64,
    completed_ns: u64,
    waiting_since_ns: Option<u64>,
    /// Whether the last attempt failed since the client could not reach its storage. The wait then
    /// lasts also while the task rests before its next attempt, and after its end.
    lost: bool,
    noted: Vec<Gap>,
    omitted: u64,
}

/// The gaps of a task that has ended.
#[derive(Debug, Default)]
pub(crate) struct TaskGaps {
    pub(crate) gaps: Vec<Gap>,
    /// How many more there were.
    pub(crate) omitted: u64,
}

impl Gaps {
    /// The gaps of a task that begins to wait at `started_ns`.
    pub(crate) const fn new(threshold_ns: u64, started_ns: u64) -> Self {
        Self {
            threshold_ns,
            completed_ns: 0,
            waiting_since_ns: Some(started_ns),
            lost: false,
            noted: Vec::new(),
            omitted: 0,
        }
    }

    /// The task waits for something else than the storage.
    pub(crate) const fn rest(&mut self) {
        if !self.lost {
            self.waiting_since_ns = None;
        }
    }

    /// An attempt failed since the client could not reach its storage: nothing was completed.
    pub(crate) const fn lose(&mut self) {
        self.lost = true;
    }

    /// The task waits for the storage since `begun_ns`, unless it has been waiting before.
    pub(crate) const fn begin(&mut self, begun_ns: u64) {
        if self.waiting_since_ns.is_none() {
            self.waiting_since_ns = Some(begun_ns);
        }
    }

    /// An operation was completed, and the task waits for the next.
    pub(crate) fn complete(&mut self, ended_ns: u64) {
        self.note(ended_ns, false);
    }

    /// The fsync or the close after the last operation was completed.
    pub(crate) fn flush(&mut self, ended_ns: u64) {
        self.note(ended_ns, true);
    }

    fn note(&mut self, ended_ns: u64, is_flush: bool) {
        if ended_ns.saturating_sub(self.completed_ns) > self.threshold_ns {
            self.push(ended_ns, is_flush);
        }
        self.lost = false;
        self.completed_ns = ended_ns;
        self.waiting_since_ns = Some(ended_ns);
    }

    fn push(&mut self, to_ns: u64, is_flush: bool) {
        if self.noted.len() < SILENCES_MAX {
            self.noted.push(Gap {
                from_ns: self.completed_ns,
                waiting_since_ns: self.waiting_since_ns,
                to_ns,
                is_flush,
            });
        } else {
            self.omitted += 1;
        }
    }

    /// The task has ended; nothing was completed after the last.
    pub(crate) fn finish(mut self, waits: bool) -> TaskGaps {
        if !waits && !self.lost {
            self.waiting_since_ns = None;
        }
        // The last one is needed to tell the gap of all, and always has room.
        if self.noted.len() == SILENCES_MAX {
            self.noted.pop();
            self.omitted += 1;
        }
        self.push(u64::MAX, false);
        TaskGaps {
            gaps: self.noted,
            omitted: self.omitted,
        }
    }
}

impl Gap {
    /// The part of it in which the task waited for the storage, if that is longer than the
    /// threshold. The task ended at `ended_ns`.
    pub(crate) fn outage(&self, threshold_ns: u64, ended_ns: u64) -> Option<Interval> {
        self.since(self.waiting_since_ns?, threshold_ns, ended_ns)
    }

    /// The part of it from `start_ns` on, if that is longer than the threshold.
    fn since(&self, start_ns: u64, threshold_ns: u64, ended_ns: u64) -> Option<Interval> {
        let open = self.to_ns == u64::MAX;
        let end_ns = if open { ended_ns } else { self.to_ns };
        (end_ns.saturating_sub(start_ns) > threshold_ns).then_some(Interval {
            start_ns,
            end_ns,
            open,
            flush: self.is_flush,
        })
    }

    /// Whether a task waited for the storage in it before `to_ns`.
    fn waits_before(&self, to_ns: u64) -> bool {
        self.waiting_since_ns
            .is_some_and(|since_ns| since_ns < to_ns)
    }
}

/// The times in which no task completed anything, although one waited for the storage, for longer
/// than the threshold. The last task ended at `ended_ns`.
pub(crate) fn outages_of_all<'a>(
    mut tasks: impl Iterator<Item = &'a TaskGaps>,
    threshold_ns: u64,
    ended_ns: u64,
) -> Vec<Interval> {
    let first = tasks.next().map(|task| task.gaps.clone());
    let common = tasks.fold(first.unwrap_or_default(), |common, task| {
        intersect(&common, &task.gaps)
    });
    let outage = |gap: &Gap| {
        let start_ns = gap.waiting_since_ns?.max(gap.from_ns);
        gap.since(start_ns, threshold_ns, ended_ns)
    };
    common.iter().filter_map(outage).collect()
}

/// The intersection of two lists, each in order and without overlap. Nothing is completed within
/// it, so a task that waits at any time in it waits until its end.
fn intersect(left: &[Gap], right: &[Gap]) -> Vec<Gap> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut common = Vec::new();
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        let from_ns = one.from_ns.max(other.from_ns);
        let to_ns = one.to_ns.min(other.to_ns);
        if from_ns < to_ns {
            let waits = [one.waiting_since_ns, other.waiting_since_ns];
            let waiting_since_ns = waits
                .into_iter()
                .flatten()
                .filter(|&since_ns| since_ns < to_ns)
                .min();
            let mut waiting = [one, other]
                .into_iter()
                .filter(|gap| gap.waits_before(to_ns));
            common.push(Gap {
                from_ns,
                waiting_since_ns,
                to_ns,
                is_flush: waiting.all(|gap| gap.is_flush),
            });
        }
        if one.to_ns <= other.to_ns {
            left.next();
        } else {
            right.next();
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLD_NS: u64 = 100;

    /// A task in a closed loop that starts at 10 and completes something at these times.
    fn closed_loop(completed_ns: &[u64], waits: bool) -> TaskGaps {
        let mut gaps = Gaps::new(THRESHOLD_NS, 10);
        for &ended_ns in completed_ns {
            gaps.complete(ended_ns);
        }
        gaps.finish(waits)
    }

    fn outages(task: &TaskGaps, ended_ns: u64) -> Vec<(u64, u64, bool)> {
        task.gaps
            .iter()
            .filter_map(|gap| gap.outage(THRESHOLD_NS, ended_ns))
            .map(|outage| (outage.start_ns, outage.end_ns, outage.open))
            .collect()
    }

    fn of_all(tasks: &[TaskGaps], ended_ns: u64) -> Vec<(u64, u64, bool)> {
        outages_of_all(tasks.iter(), THRESHOLD_NS, ended_ns)
            .iter()
            .map(|outage| (outage.start_ns, outage.end_ns, outage.open))
            .collect()
    }

    #[test]
    fn only_what_is_longer_than_the_threshold_is_an_outage() {
        let task = closed_loop(&[110, 210, 311, 400], false);
        assert_eq!(vec![(210, 311, false)], outages(&task, 400));
        assert_eq!(vec![(210, 311, false)], of_all(&[task], 400));
    }

    #[test]
    fn an_outage_may_come_first_and_last() {
        let task = closed_loop(&[111, 200], true);
        let expected = vec![(10, 111, false), (200, 500, true)];
        assert_eq!(expected, outages(&task, 500));
        assert_eq!(expected, of_all(&[task], 500));
        let done = closed_loop(&[50], false);
        assert_eq!(Vec::<(u64, u64, bool)>::new(), outages(&done, 500));
    }

    #[test]
    fn a_task_without_work_has_no_outage() {
        let mut gaps = Gaps::new(THRESHOLD_NS, 0);
        for appointed_ns in [1000, 2000, 3000] {
            gaps.rest();
            gaps.begin(appointed_ns);
            gaps.complete(appointed_ns + 20);
        }
        gaps.rest();
        gaps.begin(4000);
        gaps.complete(4150);
        gaps.rest();
        let task = gaps.finish(false);
        assert_eq!(vec![(4000, 4150, false)], outages(&task, 5000));
        assert_eq!(vec![(4000, 4150, false)], of_all(&[task], 5000));
    }

    #[test]
    fn an_attempt_that_does_not_reach_the_storage_ends_no_outage() {
        let mut gaps = Gaps::new(THRESHOLD_NS, 0);
        gaps.complete(50);
        for appointed_ns in [100, 400, 700] {
            gaps.rest();
            gaps.begin(appointed_ns);
            gaps.lose();
        }
        let forever = Gaps {
            noted: gaps.noted.clone(),
            ..gaps
        };
        assert_eq!(vec![(100, 900, true)], outages(&forever.finish(false), 900));
        let mut again = Gaps::new(THRESHOLD_NS, 0);
        again.complete(50);
        again.begin(100);
        again.lose();
        again.rest();
        again.begin(400);
        again.complete(450);
        again.rest();
        assert_eq!(vec![(50, 450, false)], outages(&again.finish(false), 900));
    }

    #[test]
    fn the_client_is_silent_when_all_of_its_tasks_are() {
        let busy = closed_loop(&[100, 200, 300, 400, 500, 600], false);
        let silent = closed_loop(&[100, 600], false);
        assert_eq!(Vec::<(u64, u64, bool)>::new(), of_all(&[silent, busy], 600));
        let early = closed_loop(&[50, 400, 450, 500, 600, 700], false);
        let late = closed_loop(&[100, 150, 550, 640, 700], false);
        assert_eq!(vec![(150, 400, false)], of_all(&[early, late], 700));
    }

    #[test]
    fn who_has_ended_neither_waits_nor_completes() {
        let done = closed_loop(&[100], false);
        let slow = closed_loop(&[100, 400], false);
        assert_eq!(vec![(100, 400, false)], of_all(&[done, slow], 400));
        let failed = closed_loop(&[100], true);
        let done = closed_loop(&[90, 150], false);
        assert_eq!(vec![(150, 400, true)], of_all(&[failed, done], 400));
    }

    #[test]
    fn the_flush_at_the_end_is_told_from_other_silences() {
        let flushing = |waits: u64| {
            let mut gaps = Gaps::new(THRESHOLD_NS, 10);
            gaps.complete(waits);
            gaps.flush(waits + 300);
            gaps.finish(false)
        };
        let flags = |found: Vec<Interval>| found.iter().map(|it| it.flush).collect::<Vec<_>>();
        let task = flushing(200);
        let own: Vec<_> = task
            .gaps
            .iter()
            .filter_map(|gap| gap.outage(THRESHOLD_NS, 500))
            .collect();
        assert_eq!(vec![false, true], flags(own));
        let both = [flushing(50), flushing(60)];
        assert_eq!(
            vec![true],
            flags(outages_of_all(both.iter(), THRESHOLD_NS, 360))
        );
        let waiting = [flushing(50), closed_loop(&[50, 400], false)];
        assert_eq!(
            vec![false],
            flags(outages_of_all(waiting.iter(), THRESHOLD_NS, 400))
        );
    }

    #[test]
    fn a_full_list_keeps_the_end() {
        let completed_ns: Vec<_> = (1..=SILENCES_MAX as u64 + 10).map(|n| n * 1000).collect();
        let task = closed_loop(&completed_ns, true);
        assert_eq!(SILENCES_MAX, task.gaps.len());
        assert_eq!(u64::MAX, task.gaps.last().unwrap().to_ns);
        assert_eq!(11, task.omitted);
    }
}
