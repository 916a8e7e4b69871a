//! Torn writes: a record of several blocks that was acknowledged is whole after any crash, and of
//! one that was not each sector is the old one or the new one.
//!
//! In even turns each client writes a record into one of its slots, in odd turns it reads a slot of
//! its neighbour's; around the caches where that is possible.

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::{close, open_or_make, read_at, write_at};
use crate::job::Job;
use crate::meter::{Meter, ok_or_error};
use crate::stamp::{STAMP_BYTES, generation_of, stamp};

pub(crate) const KIND: Kind = Kind {
    name: "torn-writes",
    turns_late: 0.5,
    prepare: |job, meter| Ok(Box::new(TornWrites::prepare(job, meter)?)),
};

/// Records next to one another in a file.
const SLOTS: u64 = 3;

/// Bytes of a record: sixteen blocks of 4 KiB.
const RECORD_BYTES: usize = 64 << 10;

/// Bytes that a disk writes as a whole.
const SECTOR_BYTES: usize = 512;

/// What memory has to be aligned to that is written around the caches.
const ALIGNED_BYTES: usize = 4096;

/// What is read and written around the caches of the client.
struct Record {
    memory: Vec<u8>,
    start: usize,
}

impl Record {
    fn new() -> Self {
        let memory = vec![0; RECORD_BYTES + ALIGNED_BYTES];
        let start = memory.as_ptr().align_offset(ALIGNED_BYTES);
        Self { memory, start }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + RECORD_BYTES]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + RECORD_BYTES]
    }
}

pub(crate) struct TornWrites {
    directory: PathBuf,
    run: u64,
    client_index: u16,
    neighbour: u16,
    generation: u64,
    looks: u64,
    record: Record,
}

/// What a slot holds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// The generations of its sectors, each once, in their order of numbers.
    generations: Vec<u64>,
    /// Sectors that hold no generation of this slot.
    foreign_sectors: usize,
}

impl TornWrites {
    /// Fills every slot.
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let mut prepared = Self {
            directory: job.directory.clone(),
            run: job.run_id.0,
            client_index: job.client_index,
            neighbour: job.neighbour(),
            generation: 0,
            looks: 0,
            record: Record::new(),
        };
        for _ in 0..SLOTS {
            prepared.write(meter)?;
        }
        Ok(prepared)
    }

    fn write(&mut self, meter: &mut Meter) -> Result<()> {
        let (generation, slot) = (self.generation, self.generation % SLOTS);
        self.generation += 1;
        let stamp = stamp(self.run, self.client_index, generation);
        fill(self.record.bytes_mut(), &stamp);
        let name = name_of(self.client_index);
        let (path, record) = (self.directory.join(&name), self.record.bytes());
        let called = meter.call("write", (&name, RECORD_BYTES), &[], || {
            let file = open_around_caches(&path)?;
            write_at(&file, record, slot * RECORD_BYTES as u64)?;
            close(file)
        });
        let fields = json!({ "generation": generation, "slot": slot });
        meter.note(
            &format!("write-{slot}"),
            &called,
            ok_or_error(&called),
            fields,
        );
        called.result
    }

    fn read(&mut self, meter: &mut Meter) {
        let slot = self.looks % SLOTS;
        self.looks += 1;
        let name = name_of(self.neighbour);
        let (path, record) = (self.directory.join(&name), self.record.bytes_mut());
        record.fill(0);
        let called = meter.call("read", (&name, RECORD_BYTES), &[Errno::NOENT], || {
            let file = open_around_caches(&path)?;
            let bytes = read_at(&file, record, slot * RECORD_BYTES as u64)?;
            close(file)?;
            Ok(bytes)
        });
        let mut fields = json!({ "of": self.neighbour, "slot": slot });
        if called.result.is_ok() {
            let found = examine(self.run, self.neighbour, slot, self.record.bytes());
            fields["generations"] = json!(found.generations);
            fields["foreign_sectors"] = json!(found.foreign_sectors);
        }
        let outcome = match called.result {
            Err(Errno::NOENT) => "missing",
            _ => ok_or_error(&called),
        };
        meter.note("read", &called, outcome, fields);
    }
}

impl ConsistencyTest for TornWrites {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        if turn.is_multiple_of(2) {
            // An error is in the history; the next turn goes on.
            let _ = self.write(meter);
        } else {
            self.read(meter);
        }
    }
}

fn name_of(client: u16) -> String {
    format!("torn-{client}")
}

/// A write is on stable storage when it is answered.
fn open_around_caches(path: &Path) -> Result<File> {
    match open_or_make(path, OFlags::DIRECT | OFlags::DSYNC) {
        Err(Errno::INVAL) => open_or_make(path, OFlags::DSYNC),
        answer => answer,
    }
}

/// Writes the stamp and then the sector number at the start of every sector.
fn fill(record: &mut [u8], stamp: &[u8]) {
    for (number, sector) in record.chunks_mut(SECTOR_BYTES).enumerate() {
        sector.fill(b'.');
        sector[..STAMP_BYTES].copy_from_slice(stamp);
        sector[STAMP_BYTES] = number as u8;
    }
}

fn examine(run: u64, client: u16, slot: u64, record: &[u8]) -> Found {
    let mut found = Found::default();
    for (number, sector) in record.chunks(SECTOR_BYTES).enumerate() {
        let (head, rest) = sector.split_at(STAMP_BYTES);
        let is_its_own = rest[0] == number as u8 && rest[1..].iter().all(|&byte| byte == b'.');
        match generation_of(run, client, head) {
            Some(generation) if is_its_own && generation % SLOTS == slot => {
                found.generations.push(generation);
            }
            _ => found.foreign_sectors += 1,
        }
    }
    found.generations.sort_unstable();
    found.generations.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sector_tells_its_generation() {
        let mut record = vec![0; RECORD_BYTES];
        fill(&mut record, &stamp(7, 3, 4));
        let found = |record: &[u8]| {
            let found = examine(7, 3, 1, record);
            (found.generations, found.foreign_sectors)
        };
        assert_eq!((vec![4], 0), found(&record));
        let mut newer = vec![0; RECORD_BYTES];
        fill(&mut newer, &stamp(7, 3, 7));
        record[4096..8192].copy_from_slice(&newer[4096..8192]);
        assert_eq!((vec![4, 7], 0), found(&record));
        record[9000] = 0;
        assert_eq!((vec![4, 7], 1), found(&record));
        record.copy_within(..SECTOR_BYTES, 10 * SECTOR_BYTES);
        assert_eq!(2, found(&record).1, "a sector in another's place");
        assert_eq!(128, examine(7, 3, 2, &record).foreign_sectors);
    }
}
