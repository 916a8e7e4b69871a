//! Mmap: bytes that were written into a shared mapping, synced and closed are visible to a client
//! that opens and maps the file afterwards.
//!
//! In even turns each client writes its own file, in odd turns it reads that of its neighbour.

use rustix::fs::{OFlags, ftruncate};
use rustix::io::Result;
use serde_json::json;

use crate::alone::Turns;
use crate::consistency_test::Kind;
use crate::files::{close, mtime_at_server_ns, open_or_make};
use crate::job::Job;
use crate::mapping::Mapping;
use crate::meter::{Meter, ok_or_error};
use crate::pair::{InEvenTurns, Pair, look_outcome};
use crate::stamp::STAMP_BYTES;

pub(crate) const KIND: Kind = Kind {
    name: "mmap",
    turns_late: 0.75,
    prepare: |job, meter| Ok(Box::new(Mmap::prepare(job, meter)?)),
};

/// Bytes that are mapped: three pages of 4 KiB.
const MAPPED_BYTES: usize = 12_288;

/// The places of a stamp: at the beginning, across the end of a page, and at the end.
const STAMPS_AT: [usize; 3] = [0, 8_192 - STAMP_BYTES / 2, MAPPED_BYTES - STAMP_BYTES];

pub(crate) struct Mmap {
    pair: Pair,
}

impl Mmap {
    /// Makes generation 0.
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let mut prepared = Self {
            pair: Pair::new(job, "mmap"),
        };
        prepared.write(meter)?;
        Ok(prepared)
    }
}

impl InEvenTurns for Mmap {
    fn turns(&self) -> &Turns {
        &self.pair.turns
    }

    fn write(&mut self, meter: &mut Meter) -> Result<()> {
        let stamp = self.pair.own_stamp();
        let called = meter.call("mmap", (&self.pair.own, MAPPED_BYTES), &[], || {
            let file = open_or_make(&self.pair.own_path, OFlags::empty())?;
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
        let fields = json!({ "generation": self.pair.generation, "mtime_ns": mtime_ns });
        meter.note("write", &called, ok_or_error(&called), fields);
        self.pair.generation += 1;
        called.result.map(drop)
    }

    fn read(&self, meter: &mut Meter) {
        let (called, mut fields) = self.pair.look.open(meter, |file| {
            let mapping = Mapping::new(file, MAPPED_BYTES, false)?;
            let mut found = [[0; STAMP_BYTES]; STAMPS_AT.len()];
            for (stamp, offset) in found.iter_mut().zip(STAMPS_AT) {
                mapping.read(offset, stamp)?;
            }
            Ok(found)
        });
        if let Ok(found) = &called.result {
            let generations = found.map(|stamp| self.pair.generation_seen(&stamp));
            let is_whole = generations.iter().all(|&each| each == generations[0]);
            fields["generation"] = json!(generations[0].filter(|_| is_whole));
            fields["generations"] = json!(generations);
        }
        meter.note("read", &called, look_outcome(&called), fields);
    }
}
