//! One consistency test from its preparation to its figures.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::io::Errno;
use seatrial_measure::{
    Bytes, ClientOutage, Control, ErrorReport, Nanoseconds, Progress, StopReason, boottime_ns,
};
use serde::Serialize;
use serde_json::json;

use crate::consistency_test::{Boxed, Kind};
use crate::history::History;
use crate::job::Job;
use crate::kinds;
use crate::meter::Meter;
use crate::pacer::Pacer;

/// Why a consistency test cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The storage refused.
    #[error("the consistency test cannot be prepared: {0}")]
    Storage(#[from] Errno),
    /// The history or the thread.
    #[error("no history or thread: {0}")]
    Local(#[from] io::Error),
}

/// A consistency test that can begin.
pub struct Prepared {
    job: Job,
    kind: &'static Kind,
    consistency_test: Boxed,
    meter: Meter,
    progress: Arc<Progress>,
}

/// A running consistency test.
pub struct Running {
    thread: JoinHandle<Outcome>,
    stop: Arc<Control>,
    progress: Arc<Progress>,
}

/// What is known of it afterwards, in the words of a load.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// When it began.
    pub start_boottime_ns: Nanoseconds,
    /// When its last operation had ended.
    pub end_boottime_ns: Nanoseconds,
    /// From its beginning to its end.
    pub elapsed_ns: Nanoseconds,
    /// Bytes of all operations.
    pub bytes: Bytes,
    /// Operations that were answered.
    pub operations: u64,
    /// Whether it ran until its history was full: nothing else ends it automatically.
    pub complete: bool,
    /// Why it was stopped.
    pub stopped_by: Option<StopReason>,
    /// Times in which the client waited and got no answer.
    pub client_outages: Vec<ClientOutage>,
    /// How many more there were.
    pub outages_omitted: u64,
    /// Errors that are no answers.
    pub errors: Vec<ErrorReport>,
    /// The first trouble with the history.
    pub log_error: Option<String>,
}

impl Prepared {
    /// Opens the required files.
    ///
    /// # Errors
    /// When the storage refuses it, or the local disk.
    pub fn new(job: Job) -> Result<Self, PrepareError> {
        let history = History::create(&job.log, job.log_sync, job.log_bytes_max)?;
        let progress = Arc::new(Progress::new(1));
        let shared = Arc::clone(&progress);
        let mut meter = Meter::new(history, shared, job.outage_threshold_s);
        let kind = kinds::named(&job.consistency_test).ok_or(Errno::INVAL)?;
        let consistency_test = (kind.prepare)(&job, &mut meter)?;
        meter.rest();
        Ok(Self {
            job,
            kind,
            consistency_test,
            meter,
            progress,
        })
    }

    /// Begins at an instant, or now when it is past. `when_finished` is called at the end.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn start(
        self,
        start_boottime_ns: Nanoseconds,
        when_finished: impl FnOnce() + Send + 'static,
    ) -> io::Result<Running> {
        let stop = Arc::<Control>::default();
        let progress = Arc::clone(&self.progress);
        let asked = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name("task-0".into())
            .spawn(move || {
                let outcome = self.work(start_boottime_ns.max(boottime_ns()), &asked);
                when_finished();
                outcome
            })?;
        Ok(Running {
            thread,
            stop,
            progress,
        })
    }

    fn work(mut self, start_boottime_ns: Nanoseconds, stop: &Control) -> Outcome {
        let meter = &mut self.meter;
        stop.wait_until(start_boottime_ns);
        let started_ns = boottime_ns();
        let mut pacer = Pacer::new(
            start_boottime_ns,
            self.job.arrivals_per_s,
            self.kind.turns_late,
            stop,
        );
        while !meter.history.is_full() {
            meter.rest();
            let Some(turn) = pacer.wait() else {
                break;
            };
            self.consistency_test.turn(turn, meter, stop);
        }
        self.consistency_test.end(meter);
        meter.finish();
        meter
            .history
            .add(&json!({ "op": "end", "boottime_ns": boottime_ns() }));
        let elapsed_ns = boottime_ns() - started_ns;
        Outcome {
            start_boottime_ns: started_ns,
            end_boottime_ns: started_ns + elapsed_ns,
            elapsed_ns,
            bytes: meter.bytes,
            operations: meter.operations,
            complete: !stop.must_stop(),
            stopped_by: None,
            client_outages: std::mem::take(&mut meter.outages),
            outages_omitted: meter.outages_omitted,
            errors: std::mem::take(&mut meter.errors),
            log_error: meter.history.error(),
        }
    }
}

impl Running {
    /// The counters.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether it has ended.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Asks it to end after the turn at hand.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Waits for its end; `reason` is why [`Running::stop`] was called.
    ///
    /// # Panics
    /// When the consistency test did.
    pub fn join(self, reason: Option<StopReason>) -> Outcome {
        let outcome = self
            .thread
            .join()
            .expect("a consistency test does not panic");
        Outcome {
            stopped_by: reason.filter(|_| !outcome.complete),
            ..outcome
        }
    }
}
