//! Retried: requests that must be done once although they may be sent twice. Only this client
//! touches its names, so that an EEXIST or ENOENT has no cause but a request that was done twice.

use std::path::PathBuf;

use rustix::fs::{Mode, mkdir, rename, rmdir, unlink};
use rustix::io::{Errno, Result};
use seatrial_job::errno_named;
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::job::Job;
use crate::kinds::exclusive::create;
use crate::meter::Meter;

pub(crate) const KIND: Kind = Kind {
    name: "retried",
    turns_late: 0.0,
    prepare: |job, _| Ok(Box::new(Retried::prepare(job))),
};

pub(crate) struct Retried {
    directory: PathBuf,
    client_index: u16,
    /// Errors by which the file system asks for a rename again.
    again: Vec<Errno>,
}

/// One request: its name in the history, and the error that its repetition would get.
struct Request<'a> {
    op: &'static str,
    item: &'a str,
    repeated: Errno,
}

impl Retried {
    fn prepare(job: &Job) -> Self {
        let again = job.rename_again.iter().filter_map(|name| errno_named(name));
        Self {
            directory: job.directory.clone(),
            client_index: job.client_index,
            again: again.collect(),
        }
    }

    /// Whether the request was done, by now or by an earlier copy of itself.
    fn ask(&self, request: &Request, meter: &mut Meter, call: impl FnOnce() -> Result<()>) -> bool {
        let mut answers = vec![request.repeated];
        if request.op == "rename" {
            answers.extend(&self.again);
        }
        let called = meter.call(request.op, (request.item, 0), &answers, call);
        let outcome = outcome(called.result, request.repeated, &answers);
        meter.note(
            request.op,
            &called,
            outcome,
            json!({ "item": request.item }),
        );
        matches!(outcome, "ok" | "exists" | "missing")
    }
}

impl ConsistencyTest for Retried {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let item = format!("{}.{turn}", self.client_index);
        let path = |letter: char| self.directory.join(format!("{letter}{item}"));
        let (folder, renamed, file) = (path('d'), path('e'), path('f'));
        let is_removed = !turn.is_multiple_of(2);
        let request = |op, repeated| Request {
            op,
            item: &item,
            repeated,
        };
        let mode = Mode::from_raw_mode(0o777);
        let is_made = self.ask(&request("mkdir", Errno::EXIST), meter, || {
            mkdir(&folder, mode)
        });
        let is_renamed = is_made
            && self.ask(&request("rename", Errno::NOENT), meter, || {
                rename(&folder, &renamed)
            });
        if is_renamed && is_removed {
            self.ask(&request("rmdir", Errno::NOENT), meter, || rmdir(&renamed));
        }
        let is_created = self.ask(&request("create", Errno::EXIST), meter, || create(&file));
        if is_created && is_removed {
            self.ask(&request("unlink", Errno::NOENT), meter, || unlink(&file));
        }
    }
}

/// The outcome of a request, in a word.
fn outcome(result: Result<()>, repeated: Errno, answers: &[Errno]) -> &'static str {
    match result {
        Ok(()) => "ok",
        Err(errno) if errno == repeated && errno == Errno::EXIST => "exists",
        Err(errno) if errno == repeated => "missing",
        Err(errno) if answers.contains(&errno) => "again",
        Err(_) => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_word() {
        let answers = [Errno::NOENT, Errno::STALE];
        let word = |errno| outcome(Err(errno), Errno::NOENT, &answers);
        assert_eq!("missing", word(Errno::NOENT));
        assert_eq!("again", word(Errno::STALE));
        assert_eq!("error", word(Errno::EXIST));
        assert_eq!(
            "exists",
            outcome(Err(Errno::EXIST), Errno::EXIST, &[Errno::EXIST])
        );
    }
}
