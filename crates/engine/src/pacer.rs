//! When the next operation begins: right after the one before, or at its appointed time.

use seatrial_job::Job;
use seatrial_measure::{Control, Meter, Nanoseconds, boottime_ns};

/// The share of its period by which each client's arrivals come later than those of the client
/// before: of any number of clients, no two then arrive together, and they are spread almost
/// evenly.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

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

/// Appointed times, evenly spaced. They do not depend on how long operations take. After a stop, a
/// storage finds every request that arrived in the meantime waiting, as in production.
#[derive(Clone, Copy, Debug)]
struct Arrivals {
    first_ns: Nanoseconds,
    interval_ns: f64,
    count: u64,
}

impl Arrivals {
    /// Those of task number `task`, which starts at `started_ns`, at `arrivals_per_s` of its whole
    /// client.
    fn new(job: &Job, arrivals_per_s: f64, task: usize, started_ns: Nanoseconds) -> Self {
        let interval_of_all_ns = Nanoseconds::SECOND.0 as f64 / arrivals_per_s;
        // The tasks of a client take turns, and its arrivals lie between those of other clients.
        let turns = task as f64 + (f64::from(job.client_index) * GOLDEN_RATIO).fract();
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let first_ns = started_ns + Nanoseconds((interval_of_all_ns * turns) as u64);
        Self {
            first_ns,
            interval_ns: interval_of_all_ns * f64::from(job.tasks),
            count: 0,
        }
    }

    fn next_ns(&self) -> Nanoseconds {
        self.at_ns(self.count)
    }

    fn at_ns(&self, number: u64) -> Nanoseconds {
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let elapsed_ns = (number as f64 * self.interval_ns) as u64;
        self.first_ns.saturating_add(Nanoseconds(elapsed_ns))
    }

    /// How many there are before `until_ns`.
    fn before(&self, until_ns: Nanoseconds) -> u64 {
        let elapsed_ns = until_ns.saturating_sub(self.first_ns);
        #[expect(clippy::cast_sign_loss, reason = "both are positive")]
        let mut number = (elapsed_ns.0 as f64 / self.interval_ns) as u64;
        // The quotient is rounded, and appointed times are whole nanoseconds.
        while number > 0 && self.at_ns(number - 1) >= until_ns {
            number -= 1;
        }
        while self.at_ns(number) < until_ns {
            number += 1;
        }
        number
    }
}

impl Pacer {
    /// A pacer for task number `task`, which starts at `started_ns`.
    pub(crate) fn new(job: &Job, task: usize, started_ns: Nanoseconds) -> Self {
        let arrivals = job
            .arrivals_per_s
            .map(|arrivals_per_s| Arrivals::new(job, arrivals_per_s, task, started_ns));
        Self {
            arrivals,
            deadline_ns: deadline_ns(job, started_ns),
        }
    }

    /// Whether the time is over at `now_ns`.
    pub(crate) fn is_over(&self, now_ns: Nanoseconds) -> bool {
        now_ns >= self.deadline_ns
    }

    /// How many operations should have begun before `now_ns`, and before the time was over, and
    /// have not; no more than are `left`.
    pub(crate) fn unserved(&self, now_ns: Nanoseconds, left: u64) -> u64 {
        self.arrivals.map_or(0, |arrivals| {
            let due = arrivals.before(now_ns.min(self.deadline_ns));
            due.saturating_sub(arrivals.count).min(left)
        })
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const START_NS: Nanoseconds = Nanoseconds(1_000_000);

    /// A job of two tasks with `arrivals_per_s`, and half a second of time.
    fn job(client_index: u16, arrivals_per_s: f64) -> Job {
        let job = json!({
            "protocol": 3, "run_id": "1", "client": "c", "client_index": client_index, "tasks": 2,
            "phase": "read", "transfer_bytes": 4096, "file_bytes": 4096, "directory": "/",
            "files": ["a", "b"], "arrivals_per_s": arrivals_per_s, "time_limit_s": 0.5,
        });
        Job::from_json(&job.to_string()).unwrap()
    }

    #[test]
    fn however_many_clients_their_arrivals_are_spread_over_the_period() {
        let first_ns = |client: u16| {
            let arrivals = Arrivals::new(&job(client, 1.0), 1.0, 0, START_NS);
            (arrivals.first_ns - START_NS).0
        };
        for clients in 1..=100_u16 {
            let mut at_ns: Vec<_> = (0..clients).map(first_ns).collect();
            at_ns.sort_unstable();
            at_ns.push(at_ns[0] + Nanoseconds::SECOND.0);
            let even_ns = Nanoseconds::SECOND.0 / u64::from(clients);
            for pair in at_ns.windows(2) {
                let gap_ns = pair[1] - pair[0];
                let fair = even_ns / 3..=even_ns * 2;
                assert!(fair.contains(&gap_ns), "{clients}: {gap_ns} of {even_ns}");
            }
        }
    }

    #[test]
    fn the_tasks_of_a_client_take_turns() {
        let arrivals = |task| Arrivals::new(&job(3, 10.0), 10.0, task, START_NS);
        let turn_ns = arrivals(1).first_ns - arrivals(0).first_ns;
        assert!((99_999_999..=100_000_001).contains(&turn_ns.0));
        assert!((arrivals(0).interval_ns - 2e8).abs() < 1.0);
    }

    #[test]
    fn what_has_not_begun_is_counted_up_to_the_deadline() {
        let rates_per_s = [1.0, 7.0, 333.3, 1e6];
        for (arrivals_per_s, served) in rates_per_s.into_iter().zip([0, 1, 5, 100]) {
            let mut pacer = Pacer::new(&job(5, arrivals_per_s), 1, START_NS);
            for _ in 0..served {
                let turn = pacer.turn(|| Nanoseconds::MAX);
                assert!(matches!(turn, Turn::Now(_)), "{arrivals_per_s}");
            }
            let (early_ns, late_ns) = (START_NS + Nanoseconds(1), Nanoseconds::MAX);
            assert_eq!(0, pacer.unserved(early_ns, u64::MAX));
            let unserved = pacer.unserved(late_ns, u64::MAX);
            assert_eq!(unserved.min(3), pacer.unserved(late_ns, 3));
            // As many as begin one after the other until the time is over.
            let mut begun = 0;
            while pacer.turn(|| Nanoseconds::MAX) != Turn::Never {
                begun += 1;
            }
            assert_eq!(begun, unserved, "{arrivals_per_s}");
            assert_eq!(0, pacer.unserved(late_ns, u64::MAX));
        }
    }

    #[test]
    fn a_closed_loop_leaves_nobody_waiting() {
        let mut closed = job(0, 1.0);
        closed.arrivals_per_s = None;
        let pacer = Pacer::new(&closed, 0, START_NS);
        assert_eq!(0, pacer.unserved(Nanoseconds::MAX, u64::MAX));
    }
}
