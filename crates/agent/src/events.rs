//! The lines that the agent prints while it does a job. `docs/agent.md` describes each.

use std::io::{self, Write};

use seatrial_job::{Job, RunId};
use seatrial_measure::{Bytes, Nanoseconds, Outcome, SecondReport, Snapshot, boottime_ns};
use serde::Serialize;

use crate::cpu::CpuTime;
use crate::telemetry::Telemetry;
use crate::waiting::WaitingThread;

/// One line.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Event<'a> {
    /// Files are open and threads wait for the start.
    Ready {
        protocol: u32,
        run_id: RunId,
        client: &'a str,
        client_index: u16,
        boottime_ns: Nanoseconds,
        null_operations_per_s: Option<f64>,
    },
    /// Files are not open yet, or directories not made: those of these tasks.
    Preparing {
        boottime_ns: Nanoseconds,
        tasks: Vec<StalledTask<'a>>,
    },
    /// What happened since the line before.
    Second {
        second: u64,
        boottime_ns: Nanoseconds,
        interval_ns: Nanoseconds,
        bytes: Bytes,
        operations: u64,
        errors: u64,
        latency_ns_max: Nanoseconds,
        telemetry: Telemetry,
    },
    /// The results of a second, which were not reported before.
    Latencies(SecondReport),
    /// Tasks in which nothing was completed for a while, and still is not.
    Stall {
        boottime_ns: Nanoseconds,
        tasks: Vec<StalledTask<'a>>,
    },
    /// Where in the kernel threads wait while a stall is long.
    Waiting {
        boottime_ns: Nanoseconds,
        threads: Vec<WaitingThread>,
    },
    /// The wall clock was set: forward, or back when negative. Nothing here is timed by it.
    WallClockSet {
        boottime_ns: Nanoseconds,
        set_by_ns: i64,
    },
    /// All is done.
    Done(Box<Done<'a>>),
    /// All is done of a consistency test.
    #[serde(rename = "done")]
    Tested(Box<Tested<'a>>),
    /// Tasks did not stop when they were asked to; the agent ends without them.
    Abandoned {
        boottime_ns: Nanoseconds,
        tasks: Vec<StalledTask<'a>>,
    },
}

/// A task that waits for the storage.
#[derive(Debug, Serialize)]
pub(crate) struct StalledTask<'a> {
    pub(crate) task: usize,
    pub(crate) file: &'a str,
    pub(crate) since_boottime_ns: Nanoseconds,
    pub(crate) stalled_ns: Nanoseconds,
}

/// The last line.
#[derive(Debug, Serialize)]
pub(crate) struct Done<'a> {
    pub(crate) protocol: u32,
    pub(crate) run_id: RunId,
    pub(crate) client: &'a str,
    pub(crate) client_index: u16,
    pub(crate) phase: &'static str,
    pub(crate) requested_start_boottime_ns: Nanoseconds,
    pub(crate) start_late_ns: Nanoseconds,
    #[serde(flatten)]
    pub(crate) outcome: &'a Outcome,
    pub(crate) cpu: CpuTime,
    pub(crate) null_operations_per_s: Option<f64>,
}

/// The last line of a consistency test.
#[derive(Debug, Serialize)]
pub(crate) struct Tested<'a> {
    pub(crate) protocol: u32,
    pub(crate) run_id: RunId,
    pub(crate) client: &'a str,
    pub(crate) client_index: u16,
    pub(crate) phase: &'a str,
    pub(crate) requested_start_boottime_ns: Nanoseconds,
    pub(crate) start_late_ns: Nanoseconds,
    #[serde(flatten)]
    pub(crate) outcome: &'a seatrial_consistency_test::Outcome,
    pub(crate) cpu: CpuTime,
}

impl<'a> Event<'a> {
    /// The line that reports that everything is ready.
    pub(crate) fn ready(job: &'a Job, null_operations_per_s: Option<f64>) -> Self {
        Self::Ready {
            protocol: job.protocol,
            run_id: job.run_id,
            client: &job.client,
            client_index: job.client_index,
            boottime_ns: boottime_ns(),
            null_operations_per_s,
        }
    }

    /// The line of a second, from the sums at its start and at its end.
    pub(crate) fn second(
        second: u64,
        boottime_ns: Nanoseconds,
        interval_ns: Nanoseconds,
        before: &Snapshot,
        after: &Snapshot,
        telemetry: Telemetry,
    ) -> Self {
        Self::Second {
            second,
            boottime_ns,
            interval_ns,
            bytes: after.bytes - before.bytes,
            operations: after.operations - before.operations,
            errors: after.errors - before.errors,
            latency_ns_max: after.latency_ns_max,
            telemetry,
        }
    }

    /// The line of a long stall.
    pub(crate) fn waiting(threads: Vec<WaitingThread>) -> Self {
        Self::Waiting {
            boottime_ns: boottime_ns(),
            threads,
        }
    }

    /// Prints the line, at once and as a whole.
    ///
    /// # Errors
    /// When the output has no reader any more.
    pub(crate) fn print(&self) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        let mut stdout = io::stdout().lock();
        stdout.write_all(&line)?;
        stdout.flush()
    }
}
