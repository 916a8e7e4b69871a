//! When the next operation begins: right after the one before, or at its appointed time.

use seatrial_job::Job;
use seatrial_measure::{Control, Meter, Nanoseconds, boottime_ns};

/// Whether the next operation may begin, for a task that does not want to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It may; in an open loop, this is its appointed time.
    Now(Option<Nanoseconds>),
    /// Not before its appointed time.
    At(Nanoseconds),
    /// It never will: the time is over by then.
    Never,
}

/// When a task that starts at `started_ns` stops, finished or not.
pub(crate) fn deadline_ns(job: &Job, started_ns: Nanoseconds) -> Nanoseconds {
    job.time_limit_s.map_or(Nanoseconds::MAX, |limit_s| {
        started_ns.saturating_add(Nanoseconds::from_s(limit_s))
    })
}

/// Decides when operations begin.
#[derive(Debug)]
pub(crate) struct Pacer {
    arrivals: Option<Arrivals>,
    deadline_ns: Nanoseconds,
}

/// Appointed times, evenly spaced. They do not depend on how long operations take: a storage that
/// stops for a while finds all that has arrived meanwhile waiting, as it would in real life.
#[derive(Clone, Copy, Debug)]
struct Arrivals {
    first_ns: Nanoseconds,
    interval_ns: f64,
    count: u64,
}

impl Arrivals {
    fn next_ns(&self) -> Nanoseconds {
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let elapsed_ns = (self.count as f64 * self.interval_ns) as u64;
        self.first_ns + Nanoseconds(elapsed_ns)
    }
}

impl Pacer {
    /// A pacer for task number `task`, which starts at `started_ns`.
    pub(crate) fn new(job: &Job, task: usize, started_ns: Nanoseconds) -> Self {
        let arrivals = job.arrivals_per_s.map(|arrivals_per_s| {
            // The tasks of a client take turns.
            let interval_of_all_ns = Nanoseconds::SECOND.0 as f64 / arrivals_per_s;
            #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
            let first_ns = started_ns + Nanoseconds((interval_of_all_ns * task as f64) as u64);
            let interval_ns = interval_of_all_ns * f64::from(job.tasks);
            Arrivals {
                first_ns,
                interval_ns,
                count: 0,
            }
        });
        Self {
            arrivals,
            deadline_ns: deadline_ns(job, started_ns),
        }
    }

    /// Whether the time is over at `now_ns`.
    pub(crate) fn is_over(&self, now_ns: Nanoseconds) -> bool {
        now_ns >= self.deadline_ns
    }

    /// Whether operations have appointed times.
    pub(crate) const fn is_open_loop(&self) -> bool {
        self.arrivals.is_some()
    }

    /// Whether the next operation may begin at `now_ns`; if so, it does.
    pub(crate) fn turn(&mut self, now_ns: impl FnOnce() -> Nanoseconds) -> Turn {
        let Some(arrivals) = &mut self.arrivals else {
            return Turn::Now(None);
        };
        let appointed_ns = arrivals.next_ns();
        if appointed_ns >= self.deadline_ns {
            return Turn::Never;
        }
        if now_ns() < appointed_ns {
            return Turn::At(appointed_ns);
        }
        arrivals.count += 1;
        Turn::Now(Some(appointed_ns))
    }

    /// When the next operation begins, for the purpose of its latency: in an open loop the
    /// appointed time, for which this waits; otherwise `known_ns` if the time is known, or now.
    /// `None` when the task is to end instead.
    pub(crate) fn begin(
        &mut self,
        known_ns: Option<Nanoseconds>,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Option<Nanoseconds> {
        let Some(arrivals) = &mut self.arrivals else {
            return Some(known_ns.unwrap_or_else(boottime_ns));
        };
        let appointed_ns = arrivals.next_ns();
        if appointed_ns >= self.deadline_ns {
            return None;
        }
        arrivals.count += 1;
        if boottime_ns() < appointed_ns {
            meter.rest();
            if !control.wait_until(appointed_ns) {
                return None;
            }
            meter.begin(appointed_ns);
        }
        Some(appointed_ns)
    }
}
