//! Exclusive: all clients create the same names, and each name can be won once.

use std::path::PathBuf;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::job::Job;
use crate::meter::{Called, Meter};

pub(crate) const KIND: Kind = Kind {
    name: "exclusive",
    turns_late: 0.0,
    prepare: |job, _| Ok(Box::new(Exclusive::prepare(job))),
};

pub(crate) struct Exclusive {
    directory: PathBuf,
}

impl Exclusive {
    pub(crate) fn prepare(job: &Job) -> Self {
        Self {
            directory: job.directory.clone(),
        }
    }
}

impl ConsistencyTest for Exclusive {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let name = format!("x{turn}");
        let path = self.directory.join(&name);
        let called = meter.call("create", (&name, 0), &[Errno::EXIST], || create(&path));
        let fields = json!({ "name": name });
        meter.note("create", &called, created(&called), fields);
    }
}

/// Creates a file that must not exist.
pub(crate) fn create(path: &PathBuf) -> Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::from_raw_mode(0o666)).map(drop)
}

/// The outcome, in a word.
pub(crate) fn created(called: &Called<()>) -> &'static str {
    match called.result {
        Ok(()) => "won",
        Err(Errno::EXIST) => "exists",
        Err(_) => "error",
    }
}
