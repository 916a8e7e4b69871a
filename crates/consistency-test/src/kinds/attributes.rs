//! Attributes: the size of a file that only grows, and the time of its last change, never go back.
//!
//! In even turns each client appends to its own file and asks the server for its attributes, in odd
//! turns it asks for those of its neighbour's.

use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, StatxFlags, fsync, statx};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::{close, open_or_make, write_at};
use crate::job::Job;
use crate::meter::{Meter, ok_or_error};

pub(crate) const KIND: Kind = Kind {
    name: "attributes",
    turns_late: 0.5,
    prepare: |job, meter| Ok(Box::new(Attributes::prepare(job, meter)?)),
};

/// Bytes by which a file grows.
const STEP_BYTES: usize = 100;

pub(crate) struct Attributes {
    directory: PathBuf,
    client_index: u16,
    neighbour: u16,
}

/// The attributes of a file at the server.
struct AtServer {
    size_bytes: u64,
    mtime_ns: i128,
}

impl Attributes {
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let prepared = Self {
            directory: job.directory.clone(),
            client_index: job.client_index,
            neighbour: job.neighbour(),
        };
        prepared.grow(meter)?;
        Ok(prepared)
    }

    fn grow(&self, meter: &mut Meter) -> Result<()> {
        let name = name_of(self.client_index);
        let path = self.directory.join(&name);
        let called = meter.call("grow", (&name, STEP_BYTES), &[], || {
            let file = open_or_make(&path, OFlags::APPEND)?;
            write_at(&file, &[b'.'; STEP_BYTES], 0)?;
            fsync(&file)?;
            close(file)
        });
        meter.note("grow", &called, ok_or_error(&called), json!({}));
        called.result
    }

    fn look(&self, client: u16, meter: &mut Meter) {
        let name = name_of(client);
        let path = self.directory.join(&name);
        let called = meter.call("read", (&name, 0), &[Errno::NOENT], || at_server(&path));
        let outcome = match &called.result {
            Err(Errno::NOENT) => "missing",
            _ => ok_or_error(&called),
        };
        let mut fields = json!({ "of": client });
        if let Ok(told) = &called.result {
            fields["size_bytes"] = json!(told.size_bytes);
            fields["mtime_ns"] = json!(told.mtime_ns);
        }
        meter.note("read", &called, outcome, fields);
    }
}

impl ConsistencyTest for Attributes {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        if turn.is_multiple_of(2) {
            // An error is in the history; the next turn goes on.
            let _ = self.grow(meter);
            self.look(self.client_index, meter);
        } else {
            self.look(self.neighbour, meter);
        }
    }
}

fn name_of(client: u16) -> String {
    format!("attributes-{client}")
}

/// Asked of the server and not of a cache.
fn at_server(path: &Path) -> Result<AtServer> {
    let wanted = StatxFlags::SIZE | StatxFlags::MTIME;
    let told = statx(CWD, path, AtFlags::STATX_FORCE_SYNC, wanted)?;
    let seconds_ns = i128::from(told.stx_mtime.tv_sec) * 1_000_000_000;
    Ok(AtServer {
        size_bytes: told.stx_size,
        mtime_ns: seconds_ns + i128::from(told.stx_mtime.tv_nsec),
    })
}
