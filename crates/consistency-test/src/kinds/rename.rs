//! Rename: each item has one name before and another after, and never none or both.

use std::path::PathBuf;

use rustix::io::{Errno, Result};
use seatrial_job::errno_named;
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::job::Job;
use crate::kinds::exclusive::{create, created};
use crate::meter::Meter;

pub(crate) const KIND: Kind = Kind {
    name: "rename",
    turns_late: 0.0,
    prepare: |job, _| Ok(Box::new(Rename::prepare(job))),
};

pub(crate) struct Rename {
    directory: PathBuf,
    client_index: u16,
    /// ENOENT first, then those by which the file system asks to be called again.
    answers: Vec<Errno>,
}

impl Rename {
    pub(crate) fn prepare(job: &Job) -> Self {
        let again = job.rename_again.iter().filter_map(|name| errno_named(name));
        Self {
            directory: job.directory.clone(),
            client_index: job.client_index,
            answers: [Errno::NOENT].into_iter().chain(again).collect(),
        }
    }
}

impl ConsistencyTest for Rename {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let item = format!("{}.{turn}", self.client_index);
        let (from, to) = (format!("a{item}"), format!("b{item}"));
        let (old, new) = (self.directory.join(&from), self.directory.join(&to));
        let called = meter.call("create", (&from, 0), &[Errno::EXIST], || create(&old));
        meter.note("create", &called, created(&called), json!({ "item": item }));
        if created(&called) == "error" {
            return;
        }
        let call = || rustix::fs::rename(&old, &new);
        let called = meter.call("rename", (&from, 0), &self.answers, call);
        let outcome = outcome(called.result, &self.answers);
        meter.note("rename", &called, outcome, json!({ "item": item }));
    }
}

/// The outcome of a rename, in a word. With `again` nothing was renamed: the item keeps its name.
fn outcome(result: Result<()>, answers: &[Errno]) -> &'static str {
    match result {
        Ok(()) => "ok",
        Err(Errno::NOENT) => "missing",
        Err(errno) if answers.contains(&errno) => "again",
        Err(_) => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_error_that_the_job_names_asks_to_be_called_again() {
        let answers = [Errno::NOENT, Errno::STALE];
        let outcomes =
            [Errno::NOENT, Errno::STALE, Errno::IO].map(|errno| outcome(Err(errno), &answers));
        assert_eq!(["missing", "again", "error"], outcomes);
        assert_eq!("error", outcome(Err(Errno::STALE), &answers[..1]));
    }
}
