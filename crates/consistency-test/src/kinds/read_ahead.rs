//! Read-ahead: pages that a client read ahead of what was asked for are not shown once another has
//! changed them and closed the file.
//!
//! In even turns each client changes a page in the middle of its own file, whose size stays the
//! same; in odd turns it opens that of its neighbour, reads that page, and then reads the file from
//! its beginning up to just before the page, so that the page is read ahead and kept.

use std::path::PathBuf;

use rustix::fs::{OFlags, fsync};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::alone::Turns;
use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::{close, mtime_at_server_ns, open_or_make, read_at, write_at};
use crate::job::Job;
use crate::look::Look;
use crate::meter::{Meter, ok_or_error};
use crate::stamp::{STAMP_BYTES, generation_of, stamp};

pub(crate) const KIND: Kind = Kind {
    name: "read-ahead",
    turns_late: 0.0,
    prepare: |job, meter| Ok(Box::new(ReadAhead::prepare(job, meter)?)),
};

/// Bytes of a file.
const FILE_BYTES: usize = 128 << 10;

/// Where the page is that changes.
const PAGE_AT: u64 = 64 << 10;

/// Bytes of a read from the beginning on.
const STEP_BYTES: usize = 8 << 10;

pub(crate) struct ReadAhead {
    own: String,
    own_path: PathBuf,
    look: Look,
    turns: Turns,
    run: u64,
    client_index: u16,
    neighbour: u16,
    generation: u64,
}

impl ReadAhead {
    /// Makes the whole file, with generation 0.
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let name = |client: u16| format!("ahead-{client}");
        let (own, other) = (name(job.client_index), name(job.neighbour()));
        let mut prepared = Self {
            own_path: job.directory.join(&own),
            own,
            look: Look::new(&job.directory, other, job.neighbour()),
            turns: Turns::beside(&job.log, job.client_index),
            run: job.run_id.0,
            client_index: job.client_index,
            neighbour: job.neighbour(),
            generation: 0,
        };
        let file = open_or_make(&prepared.own_path, OFlags::empty())?;
        write_at(&file, &vec![b'.'; FILE_BYTES], 0)?;
        close(file)?;
        prepared.change(meter)?;
        Ok(prepared)
    }

    fn change(&mut self, meter: &mut Meter) -> Result<()> {
        let stamp = stamp(self.run, self.client_index, self.generation);
        let called = meter.call("change", (&self.own, STAMP_BYTES), &[], || {
            let file = open_or_make(&self.own_path, OFlags::empty())?;
            write_at(&file, &stamp, PAGE_AT)?;
            fsync(&file)?;
            let mtime_ns = mtime_at_server_ns(&file);
            close(file)?;
            Ok(mtime_ns)
        });
        let mtime_ns = called.result.as_ref().ok().copied().flatten();
        let fields = json!({ "generation": self.generation, "mtime_ns": mtime_ns });
        meter.note("write", &called, ok_or_error(&called), fields);
        self.generation += 1;
        called.result.map(drop)
    }

    fn read(&self, meter: &mut Meter) {
        let (called, mut fields) = self.look.open(meter, |file| {
            let mut page = [0; STAMP_BYTES];
            read_at(file, &mut page, PAGE_AT)?;
            let mut step = vec![0; STEP_BYTES];
            for offset in (0..PAGE_AT).step_by(STEP_BYTES) {
                read_at(file, &mut step, offset)?;
            }
            Ok(page)
        });
        if let Ok(page) = &called.result {
            let generation = generation_of(self.run, self.neighbour, page);
            fields["generation"] = json!(generation);
        }
        let outcome = match &called.result {
            Err(Errno::NOENT) => "missing",
            _ => ok_or_error(&called),
        };
        meter.note("read", &called, outcome, fields);
    }
}

impl ConsistencyTest for ReadAhead {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let _alone = self.turns.wait();
        if turn.is_multiple_of(2) {
            // An error is in the history; the next turn goes on.
            let _ = self.change(meter);
        } else {
            self.read(meter);
        }
    }
}
