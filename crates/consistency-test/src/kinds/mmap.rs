//! Mmap: what was written into a shared mapping, synced and closed is seen by who opens and maps the
//! file afterwards.
//!
//! In even turns each client writes its own file, in odd turns it reads that of its neighbour.

use std::path::PathBuf;

use rustix::fs::{OFlags, ftruncate};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::alone::Turns;
use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::{close, mtime_at_server_ns, open_or_make};
use crate::job::Job;
use crate::look::Look;
use crate::mapping::Mapping;
use crate::meter::{Meter, ok_or_error};
use crate::stamp::{STAMP_BYTES, generation_of, stamp};

pub(crate) const KIND: Kind = Kind {
    name: "mmap",
    turns_late: 0.75,
    prepare: |job, meter| Ok(Box::new(Mmap::prepare(job, meter)?)),
};

/// Bytes that are mapped: three pages of 4 KiB.
const MAPPED_BYTES: usize = 12_288;

/// Where a stamp stands: at the beginning, across the end of a page, and at the end.
const STAMPS_AT: [usize; 3] = [0, 8_192 - STAMP_BYTES / 2, MAPPED_BYTES - STAMP_BYTES];

pub(crate) struct Mmap {
    own: String,
    own_path: PathBuf,
    look: Look,
    turns: Turns,
    run: u64,
    client_index: u16,
    neighbour: u16,
    generation: u64,
}

impl Mmap {
    /// Makes generation 0.
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let name = |client: u16| format!("mmap-{client}");
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
        prepared.write(meter)?;
        Ok(prepared)
    }

    fn write(&mut self, meter: &mut Meter) -> Result<()> {
        let stamp = stamp(self.run, self.client_index, self.generation);
        let called = meter.call("mmap", (&self.own, MAPPED_BYTES), &[], || {
            let file = open_or_make(&self.own_path, OFlags::empty())?;
            ftruncate(&file, MAPPED_BYTES as u64)?;
            let mut mapping = Mapping::new(&file, MAPPED_BYTES, true)?;
            for offset in STAMPS_AT {
                mapping.write(offset, &stamp)?;
            }
            mapping.sync()?;
            drop(mapping);
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
            let mapping = Mapping::new(file, MAPPED_BYTES, false)?;
            let mut found = [[0; STAMP_BYTES]; STAMPS_AT.len()];
            for (stamp, offset) in found.iter_mut().zip(STAMPS_AT) {
                mapping.read(offset, stamp)?;
            }
            Ok(found)
        });
        if let Ok(found) = &called.result {
            let generations = found.map(|stamp| generation_of(self.run, self.neighbour, &stamp));
            let is_whole = generations.iter().all(|&each| each == generations[0]);
            fields["generation"] = json!(generations[0].filter(|_| is_whole));
            fields["generations"] = json!(generations);
        }
        let outcome = match &called.result {
            Err(Errno::NOENT) => "missing",
            _ => ok_or_error(&called),
        };
        meter.note("read", &called, outcome, fields);
    }
}

impl ConsistencyTest for Mmap {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let _alone = self.turns.wait();
        if turn.is_multiple_of(2) {
            // An error is in the history; the next turn goes on.
            let _ = self.write(meter);
        } else {
            self.read(meter);
        }
    }
}
