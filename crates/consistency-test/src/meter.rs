//! What a consistency test counts, times and writes down, whatever it is.

use std::sync::Arc;

use rustix::io::{Errno, Result};
use seatrial_job::errno_name;
use seatrial_measure::{
    Bytes, ClientOutage, ErrorReport, Nanoseconds, OperationError, Progress, boottime_ns,
};
use serde_json::{Value, json};

use crate::history::History;

/// A call of the storage: its times and its outcome.
#[derive(Debug)]
pub(crate) struct Called<T> {
    pub(crate) result: Result<T>,
    pub(crate) begin_ns: Nanoseconds,
    pub(crate) end_ns: Nanoseconds,
}

/// Outages that are reported one by one: a consistency test runs until it is stopped.
const OUTAGES_MAX: usize = 2_000;

/// Times by the steady clock.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) history: History,
    progress: Arc<Progress>,
    threshold_ns: Nanoseconds,
    waiting_since_ns: Option<Nanoseconds>,
    has_failed: bool,
    pub(crate) bytes: Bytes,
    pub(crate) operations: u64,
    pub(crate) outages: Vec<ClientOutage>,
    /// How many more there were.
    pub(crate) outages_omitted: u64,
    pub(crate) errors: Vec<ErrorReport>,
}

impl Meter {
    pub(crate) fn new(history: History, progress: Arc<Progress>, outage_threshold_s: f64) -> Self {
        Self {
            history,
            progress,
            threshold_ns: Nanoseconds::from_s(outage_threshold_s),
            waiting_since_ns: None,
            has_failed: false,
            bytes: Bytes(0),
            operations: 0,
            outages: Vec::new(),
            outages_omitted: 0,
            errors: Vec::new(),
        }
    }

    /// Waits for something else than the storage. An error is no answer: after one the client
    /// waits until there is one.
    pub(crate) fn rest(&mut self) {
        if !self.has_failed {
            self.waiting_since_ns = None;
            self.progress.task(0).end();
        }
    }

    /// Calls the storage for `bytes` bytes of `file`. `Ok` and the errors in `answers` are answers.
    /// Every other error is an error of the storage, and counted.
    pub(crate) fn call<T>(
        &mut self,
        operation: &'static str,
        (file, bytes): (&str, usize),
        answers: &[Errno],
        call: impl FnOnce() -> Result<T>,
    ) -> Called<T> {
        let from_ns = boottime_ns();
        if self.waiting_since_ns.is_none() {
            self.waiting_since_ns = Some(from_ns);
            self.progress.task(0).begin(from_ns);
        }
        let begin_ns = boottime_ns();
        let result = call();
        let end_ns = boottime_ns();
        match &result {
            Err(errno) if !answers.contains(errno) => self.fail(operation, *errno, file),
            answer => self.complete(from_ns, if answer.is_ok() { bytes } else { 0 }),
        }
        Called {
            result,
            begin_ns,
            end_ns,
        }
    }

    /// Makes a call to the storage that is no operation of the consistency test, right after an
    /// operation with an answer. The wait of the client counts, the result does not.
    pub(crate) fn wait_for<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let answer = call();
        let ended_ns = boottime_ns();
        self.note_outage(ended_ns, false);
        self.waiting_since_ns = self.waiting_since_ns.and(Some(ended_ns));
        answer
    }

    fn complete(&mut self, since_ns: Nanoseconds, bytes: usize) {
        let ended_ns = boottime_ns();
        self.note_outage(ended_ns, false);
        self.has_failed = false;
        self.waiting_since_ns = Some(ended_ns);
        self.bytes += Bytes(bytes as u64);
        self.operations += 1;
        let latency_ns = ended_ns - since_ns;
        self.progress
            .task(0)
            .advance(ended_ns, self.bytes, self.operations, latency_ns);
    }

    fn fail(&mut self, operation: &'static str, errno: Errno, file: &str) {
        self.has_failed = true;
        self.progress.task(0).fail();
        let number = errno.raw_os_error();
        let known =
            |error: &&mut ErrorReport| error.operation == operation && error.errno == number;
        if let Some(error) = self.errors.iter_mut().find(known) {
            error.count += 1;
            return;
        }
        let error = OperationError {
            operation,
            errno,
            offset: 0,
            file: None,
        };
        self.errors.push(ErrorReport::new(&error, file, 1));
    }

    /// The consistency test has ended.
    pub(crate) fn finish(&mut self) {
        if self.has_failed {
            self.note_outage(boottime_ns(), true);
        }
        self.progress.task(0).end();
    }

    fn note_outage(&mut self, ended_ns: Nanoseconds, open: bool) {
        let Some(since_ns) = self.waiting_since_ns else {
            return;
        };
        if ended_ns - since_ns <= self.threshold_ns {
            return;
        }
        if self.outages.len() == OUTAGES_MAX {
            self.outages_omitted += 1;
        } else {
            self.outages.push(ClientOutage {
                start_boottime_ns: since_ns.0,
                end_boottime_ns: ended_ns.0,
                open,
                flush: false,
            });
        }
    }

    /// Writes down the outcome of a call, with further fields.
    pub(crate) fn note<T>(&mut self, op: &str, called: &Called<T>, outcome: &str, fields: Value) {
        let mut event = json!({
            "op": op,
            "begin_ns": called.begin_ns,
            "end_ns": called.end_ns,
            "outcome": outcome,
        });
        if let Err(errno) = &called.result {
            event["errno"] = json!(errno_name(*errno));
        }
        if let (Value::Object(event), Value::Object(fields)) = (&mut event, fields) {
            event.extend(fields);
        }
        // The history lies on the client's own disk: what that takes, nobody waits for the storage.
        let waits = self.waiting_since_ns.is_some() && !self.has_failed;
        self.rest();
        self.history.add(&event);
        if waits {
            let now_ns = boottime_ns();
            self.waiting_since_ns = Some(now_ns);
            self.progress.task(0).begin(now_ns);
        }
    }
}

/// `ok`, or `error`, of calls that have no other answers.
pub(crate) const fn ok_or_error<T>(called: &Called<T>) -> &'static str {
    if called.result.is_ok() { "ok" } else { "error" }
}

/// The error number of a call of the standard library.
pub(crate) fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::thread;
    use std::time::Duration;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn waiting_for_what_is_no_operation_is_an_outage_too() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::create(&folder.path().join("log"), false, 4096).unwrap();
        let mut meter = Meter::new(history, Arc::new(Progress::new(1)), 0.02);
        meter.call("read", ("it", 0), &[], || Ok(()));
        let before = meter.outages.len();
        meter.wait_for(|| thread::sleep(Duration::from_millis(30)));
        assert_eq!((before + 1, 1), (meter.outages.len(), meter.operations));
        meter.rest();
        meter.wait_for(|| thread::sleep(Duration::from_millis(30)));
        assert_eq!(
            before + 1,
            meter.outages.len(),
            "it waited for nothing before"
        );
        let outage = &meter.outages[before];
        let (start_ns, end_ns) = (outage.start_boottime_ns, outage.end_boottime_ns);
        assert!(end_ns - start_ns >= 30_000_000);
    }

    #[test]
    fn so_many_outages_are_told_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::create(&folder.path().join("log"), false, 4096).unwrap();
        let mut meter = Meter::new(history, Arc::new(Progress::new(1)), 0.02);
        for second in 0..OUTAGES_MAX as u64 + 7 {
            meter.waiting_since_ns = Some(second * Nanoseconds::SECOND);
            meter.note_outage((second + 1) * Nanoseconds::SECOND, false);
        }
        let (told, omitted) = (meter.outages.len(), meter.outages_omitted);
        assert_eq!((OUTAGES_MAX, 7), (told, omitted));
    }

    #[test]
    fn to_write_the_history_is_no_outage_of_the_storage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        mkfifoat(CWD, &path, Mode::from_raw_mode(0o600)).unwrap();
        let slow_disk = thread::spawn({
            let path = path.clone();
            move || {
                let mut file = File::open(path).unwrap();
                thread::sleep(Duration::from_millis(300));
                std::io::copy(&mut file, &mut std::io::sink()).unwrap()
            }
        });
        let history = History::create(&path, false, 1 << 20).unwrap();
        let mut meter = Meter::new(history, Arc::new(Progress::new(1)), 0.2);
        let called = meter.call("read", ("it", 0), &[], || Ok(()));
        let more_than_a_pipe = json!({"text": "x".repeat(200_000)});
        meter.note("read", &called, "ok", more_than_a_pipe);
        meter.call("read", ("it", 0), &[], || Ok(()));
        assert!(meter.outages.is_empty(), "{:?}", meter.outages);
        drop(meter);
        slow_disk.join().unwrap();
    }
}
