//! Rename: each item has one name before and another after, and never none or both.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use rustix::io::Errno;
use serde_json::json;

use crate::exclusive::{create, created};
use crate::job::Job;
use crate::meter::Meter;
use crate::run::Exercise;

pub(crate) struct Rename {
    directory: PathBuf,
    client_index: u16,
}

impl Rename {
    pub(crate) fn prepare(job: &Job) -> Self {
        Self {
            directory: job.directory.clone(),
            client_index: job.client_index,
        }
    }
}

impl Exercise for Rename {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &AtomicBool) {
        let item = format!("{}.{turn}", self.client_index);
        let (from, to) = (format!("a{item}"), format!("b{item}"));
        let (old, new) = (self.directory.join(&from), self.directory.join(&to));
        let called = meter.call("create", (&from, 0), &[Errno::EXIST], || create(&old));
        meter.note("create", &called, created(&called), json!({ "item": item }));
        if created(&called) == "error" {
            return;
        }
        let call = || rustix::fs::rename(&old, &new);
        let called = meter.call("rename", (&from, 0), &[Errno::NOENT], call);
        let outcome = match called.result {
            Ok(()) => "ok",
            Err(Errno::NOENT) => "missing",
            Err(_) => "error",
        };
        meter.note("rename", &called, outcome, json!({ "item": item }));
    }
}
