//! Read-ahead: a client does not show pages that it read ahead after another client has changed
//! them and closed the file.
//!
//! In even turns each client changes a page in the middle of its file, which keeps its size. In odd
//! turns it opens the file of its neighbour and reads that page. Then it reads the file from its
//! beginning up to just before the page, so that the page is read ahead and cached.

use rustix::fs::{OFlags, fsync};
use rustix::io::Result;
use serde_json::json;

use crate::alone::Turns;
use crate::consistency_test::Kind;
use crate::files::{close, mtime_at_server_ns, open_or_make, read_at, write_at};
use crate::job::Job;
use crate::meter::{Meter, ok_or_error};
use crate::pair::{InEvenTurns, Pair, look_outcome};
use crate::stamp::STAMP_BYTES;

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
    pair: Pair,
}

impl ReadAhead {
    /// Makes the whole file, with generation 0.
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let mut prepared = Self {
            pair: Pair::new(job, "ahead"),
        };
        let file = open_or_make(&prepared.pair.own_path, OFlags::empty())?;
        write_at(&file, &vec![b'.'; FILE_BYTES], 0)?;
        close(file)?;
        prepared.write(meter)?;
        Ok(prepared)
    }
}

impl InEvenTurns for ReadAhead {
    fn turns(&self) -> &Turns {
        &self.pair.turns
    }

    fn write(&mut self, meter: &mut Meter) -> Result<()> {
        let stamp = self.pair.own_stamp();
        let called = meter.call("change", (&self.pair.own, STAMP_BYTES), &[], || {
            let file = open_or_make(&self.pair.own_path, OFlags::empty())?;
            write_at(&file, &stamp, PAGE_AT)?;
            fsync(&file)?;
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
            let mut page = [0; STAMP_BYTES];
            read_at(file, &mut page, PAGE_AT)?;
            let mut step = vec![0; STEP_BYTES];
            for offset in (0..PAGE_AT).step_by(STEP_BYTES) {
                read_at(file, &mut step, offset)?;
            }
            Ok(page)
        });
        if let Ok(page) = &called.result {
            let generation = self.pair.generation_seen(page);
            fields["generation"] = json!(generation);
        }
        meter.note("read", &called, look_outcome(&called), fields);
    }
}
