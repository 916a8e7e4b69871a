//! Watching tasks at work, from a thread that never touches the storage.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};

use seatrial_engine::Running;
use seatrial_job::Job;
use seatrial_measure::{
    Nanoseconds, Progress, SecondReport, Snapshot, Stall, StopReason, boottime_ns,
};

use super::conversation::Conversation;
use crate::events::{Event, StalledTask};
use crate::telemetry::Sampler;
use crate::waiting;
use crate::wall_clock::Watcher;

/// How long before the start the counters of the first interval are taken.
const LEAD_NS: Nanoseconds = Nanoseconds(20_000_000);

/// A task that completes nothing in this time is reported.
const STALL_NS: Nanoseconds = Nanoseconds::SECOND;

/// How often the supervisor looks for stalls: often enough to report one within two seconds.
const GLANCE_NS: Nanoseconds = Nanoseconds(Nanoseconds::SECOND.0 / 4);

/// How long tasks may take to stop. After that the agent ends without them: the kernel finishes
/// or abandons their last operations.
pub(crate) const GRACE_NS: Nanoseconds = Nanoseconds(3 * Nanoseconds::SECOND.0);

/// Ends a sleep: when the last task is done, or every task is prepared.
#[derive(Debug)]
pub(crate) struct Waker {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Waker {
    /// # Errors
    /// When there is no pipe to be had.
    pub(crate) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self { reader, writer })
    }

    /// What becomes readable.
    pub(crate) fn reader(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }

    /// What the last task calls.
    pub(crate) fn sender(&self) -> io::Result<impl Fn() + Send + Sync + 'static> {
        let writer = self.writer.try_clone()?;
        // The pipe is empty: this fails only when nobody sleeps any more.
        Ok(move || drop((&writer).write_all(&[1])))
    }
}

/// How watching ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// All tasks ended; if they were asked to, this is why.
    Finished(Option<StopReason>),
    /// Some did not end in time.
    Abandoned,
}

/// Tasks that are at work.
pub(crate) trait Work {
    fn is_finished(&self) -> bool;
    fn stop(&self);
    fn progress(&self) -> &Progress;
    fn file_of_task(&self, task: usize) -> &str;

    /// The figures of the seconds before number `until` that no reader has taken yet.
    fn take_seconds(&self, _until: u64) -> Vec<SecondReport> {
        Vec::new()
    }
}

/// A load.
pub(crate) struct Load<'a> {
    pub(crate) job: &'a Job,
    pub(crate) running: &'a Running,
}

impl Work for Load<'_> {
    fn is_finished(&self) -> bool {
        self.running.is_finished()
    }

    fn stop(&self) {
        self.running.stop();
    }

    fn progress(&self) -> &Progress {
        self.running.progress()
    }

    fn file_of_task(&self, task: usize) -> &str {
        self.job.file_of_task(task)
    }

    fn take_seconds(&self, until: u64) -> Vec<SecondReport> {
        self.running.take_seconds(until)
    }
}

/// Prints a line a second, reports stalls, and passes on the wish to stop.
pub(crate) struct Supervisor<'a> {
    start_boottime_ns: Nanoseconds,
    waker: &'a Waker,
    seconds: u64,
    second_began_ns: Nanoseconds,
    sums: Snapshot,
    /// Its first interval begins before the start, however late this thread gets a processor: what
    /// the tasks move must not be counted short.
    sampler: Sampler,
    has_begun: bool,
    stalls_told: StallsTold,
    waiting_told: waiting::Teller,
    wall_clock: Watcher,
    stop: Option<(StopReason, Nanoseconds)>,
}

impl<'a> Supervisor<'a> {
    /// A supervisor of tasks that start at `start_boottime_ns`, or now when that is past.
    pub(crate) fn new(start_boottime_ns: Nanoseconds, waker: &'a Waker) -> Self {
        let start_boottime_ns = start_boottime_ns.max(boottime_ns());
        Self {
            start_boottime_ns,
            waker,
            seconds: 0,
            second_began_ns: start_boottime_ns,
            sums: Snapshot::default(),
            sampler: Sampler::new(),
            has_begun: false,
            stalls_told: StallsTold::default(),
            waiting_told: waiting::Teller::default(),
            wall_clock: Watcher::new(),
            stop: None,
        }
    }

    /// Watches until all tasks have ended.
    pub(crate) fn watch(
        mut self,
        running: &impl Work,
        conversation: &mut Conversation,
    ) -> io::Result<Watched> {
        loop {
            let next_ns = self.next_ns();
            let timeout_ns = next_ns.saturating_sub(boottime_ns()).min(GLANCE_NS);
            let happened = conversation.wait(Some(self.waker.reader()), Some(timeout_ns))?;
            if running.is_finished() {
                // What came after the last full second; the lines then sum up to the whole.
                self.print_second(running);
                self.print_latencies(running, u64::MAX);
                return Ok(Watched::Finished(self.stop.map(|(reason, _)| reason)));
            }
            if happened.signal || happened.reader_gone {
                self.stop(running, StopReason::Signal);
            } else if conversation.is_cancelled() {
                self.stop(running, StopReason::Cancelled);
            }
            if boottime_ns() >= next_ns {
                if self.has_begun {
                    self.print_second(running);
                    // Tasks hand a second over with their first operation behind it: most of them
                    // have done so for the one before the last.
                    self.print_latencies(running, self.seconds - 1);
                } else {
                    self.begin();
                }
            }
            self.report_stalls(running);
            if self.wall_clock.tell().is_err() {
                self.stop(running, StopReason::Signal);
            }
            if self
                .stop
                .is_some_and(|(_, asked_ns)| boottime_ns() - asked_ns >= GRACE_NS)
            {
                let now_ns = boottime_ns();
                let stalls = running.progress().stalls(now_ns, Nanoseconds(0));
                let tasks = Self::described(running, &stalls, now_ns);
                let _ = Event::Abandoned {
                    boottime_ns: boottime_ns(),
                    tasks,
                }
                .print();
                return Ok(Watched::Abandoned);
            }
        }
    }

    /// When something has to be done: just before the start, and at the end of each second.
    fn next_ns(&self) -> Nanoseconds {
        if self.has_begun {
            self.start_boottime_ns + (self.seconds + 1) * Nanoseconds::SECOND
        } else {
            self.start_boottime_ns.saturating_sub(LEAD_NS)
        }
    }

    /// Begins the first interval again if the start is still to come. It may have begun some time
    /// ahead.
    fn begin(&mut self) {
        self.has_begun = true;
        let sampler = Sampler::new();
        if boottime_ns() < self.start_boottime_ns {
            self.sampler = sampler;
        }
    }

    /// Asks the tasks to stop, unless they were asked before.
    fn stop(&mut self, running: &impl Work, reason: StopReason) {
        if self.stop.is_none() {
            self.stop = Some((reason, boottime_ns()));
            running.stop();
        }
    }

    /// Prints what happened since the line before.
    fn print_second(&mut self, running: &impl Work) {
        self.seconds += 1;
        let now_ns = boottime_ns();
        let interval_ns = now_ns.saturating_sub(self.second_began_ns);
        let sums = running.progress().snapshot();
        let telemetry = self.sampler.sample();
        let event = Event::second(
            self.seconds,
            now_ns,
            interval_ns,
            &self.sums,
            &sums,
            telemetry,
        );
        self.sums = sums;
        self.second_began_ns = now_ns;
        self.print(running, &event);
    }

    /// Prints the figures of the seconds before number `until`.
    fn print_latencies(&mut self, running: &impl Work, until: u64) {
        for second in running.take_seconds(until) {
            self.print(running, &Event::Latencies(second));
        }
    }

    /// Prints which tasks wait for the storage: at once when one is new, and each second; now and
    /// then, where.
    fn report_stalls(&mut self, running: &impl Work) {
        let now_ns = boottime_ns();
        let stalls = running.progress().stalls(now_ns, STALL_NS);
        if self.stalls_told.is_due(&stalls, now_ns) {
            let event = Event::Stall {
                boottime_ns: boottime_ns(),
                tasks: Self::described(running, &stalls, now_ns),
            };
            self.print(running, &event);
        }
        if let Some(threads) = self.waiting_told.due(&stalls, now_ns) {
            self.print(running, &Event::waiting(threads));
        }
    }

    fn described<'b>(
        running: &'b impl Work,
        stalls: &[Stall],
        now_ns: Nanoseconds,
    ) -> Vec<StalledTask<'b>> {
        let describe = |stall: &Stall| StalledTask {
            task: stall.task,
            file: running.file_of_task(stall.task),
            since_boottime_ns: stall.since_ns,
            stalled_ns: now_ns.saturating_sub(stall.since_ns),
        };
        stalls.iter().map(describe).collect()
    }

    /// Prints a line; without a reader there is no reason to continue.
    fn print(&mut self, running: &impl Work, event: &Event<'_>) {
        if event.print().is_err() {
            self.stop(running, StopReason::Signal);
        }
    }
}

/// The stalls that have been reported, and the time of the report.
#[derive(Debug, Default)]
struct StallsTold {
    stalls: Vec<Stall>,
    told_ns: Nanoseconds,
}

impl StallsTold {
    /// Whether a report of these is due at `now_ns`; if so, it counts as made. A new stall does not
    /// wait for the report of the others: it must be known within two seconds.
    fn is_due(&mut self, stalls: &[Stall], now_ns: Nanoseconds) -> bool {
        let is_new = stalls.iter().any(|stall| !self.stalls.contains(stall));
        let is_due = is_new || (!stalls.is_empty() && now_ns - self.told_ns >= Nanoseconds::SECOND);
        if is_due {
            self.stalls = stalls.to_vec();
            self.told_ns = now_ns;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_happens_before_a_late_thread_begins_is_counted() {
        let started = |start_ns: Nanoseconds| {
            let waker = Waker::new().unwrap();
            let mut supervisor = Supervisor::new(start_ns, &waker);
            for _ in 0..200 {
                Command::new("true").status().unwrap();
            }
            supervisor.begin();
            supervisor.sampler.sample().processes_started.unwrap()
        };
        assert!(started(Nanoseconds(0)) >= 200);
        let ahead = boottime_ns() + 3600 * Nanoseconds::SECOND;
        assert!(started(ahead) < 200, "what was ahead of the start is not");
    }

    #[test]
    fn each_stall_is_told_at_the_next_glance_and_then_each_second() {
        let stall = |task, since_ns| Stall {
            task,
            since_ns: Nanoseconds(since_ns),
        };
        let (first, second) = (stall(0, 100), stall(1, 200));
        let mut told = StallsTold::default();
        let at = |glance: u64| Nanoseconds::SECOND + glance * GLANCE_NS;
        assert!(!told.is_due(&[], at(0)));
        assert!(told.is_due(&[first], at(1)));
        assert!(!told.is_due(&[first], at(2)));
        assert!(
            told.is_due(&[first, second], at(3)),
            "the second waits for the first"
        );
        assert!(!told.is_due(&[first, second], at(6)));
        assert!(told.is_due(&[first, second], at(7)));
        assert!(!told.is_due(&[second], at(8)));
        // The task went on, and stopped again.
        assert!(told.is_due(&[stall(1, 5_000_000_000)], at(9)));
    }
}
