//! Hard links: each client links its own file to the same name, and each name can be won once. The
//! link count of the client's file shows the winner even when the answer to the link was lost
//! (open(2)).

use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags, link, statx, unlink};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::job::Job;
use crate::kinds::exclusive::{create, created};
use crate::meter::{Meter, ok_or_error};

pub(crate) const KIND: Kind = Kind {
    name: "hard-links",
    turns_late: 0.0,
    prepare: |job, _| Ok(Box::new(HardLinks::prepare(job))),
};

pub(crate) struct HardLinks {
    directory: PathBuf,
    client_index: u16,
}

impl HardLinks {
    fn prepare(job: &Job) -> Self {
        Self {
            directory: job.directory.clone(),
            client_index: job.client_index,
        }
    }

    fn link(&self, own: &str, name: &str, meter: &mut Meter) {
        let (from, to) = (self.directory.join(own), self.directory.join(name));
        let answers = [Errno::EXIST, Errno::NOENT];
        let called = meter.call("link", (name, 0), &answers, || link(&from, &to));
        let outcome = match called.result {
            Ok(()) => "won",
            Err(Errno::EXIST) => "exists",
            Err(Errno::NOENT) => "missing",
            Err(_) => "error",
        };
        meter.note(
            "link",
            &called,
            outcome,
            json!({ "item": own, "name": name }),
        );
    }

    fn count(&self, own: &str, meter: &mut Meter) {
        let path = self.directory.join(own);
        let called = meter.call("links", (own, 0), &[Errno::NOENT], || {
            links_at_server(&path)
        });
        let outcome = match called.result {
            Err(Errno::NOENT) => "missing",
            _ => ok_or_error(&called),
        };
        let links = called.result.as_ref().ok().copied();
        meter.note(
            "links",
            &called,
            outcome,
            json!({ "item": own, "links": links }),
        );
    }

    fn remove(&self, own: &str, meter: &mut Meter) {
        let path = self.directory.join(own);
        let called = meter.call("unlink", (own, 0), &[Errno::NOENT], || unlink(&path));
        let outcome = match called.result {
            Err(Errno::NOENT) => "missing",
            _ => ok_or_error(&called),
        };
        meter.note("unlink", &called, outcome, json!({ "item": own }));
    }
}

impl ConsistencyTest for HardLinks {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let (own, name) = (format!("h{}.{turn}", self.client_index), format!("w{turn}"));
        let path = self.directory.join(&own);
        let called = meter.call("create", (&own, 0), &[Errno::EXIST], || create(&path));
        meter.note("create", &called, created(&called), json!({ "item": own }));
        if created(&called) == "error" {
            return;
        }
        self.link(&own, &name, meter);
        self.count(&own, meter);
        if !turn.is_multiple_of(2) {
            self.remove(&own, meter);
        }
    }
}

/// How many names a file has, asked of the server and not of a cache.
fn links_at_server(path: &Path) -> Result<u32> {
    let told = statx(CWD, path, AtFlags::STATX_FORCE_SYNC, StatxFlags::NLINK)?;
    Ok(told.stx_nlink)
}
