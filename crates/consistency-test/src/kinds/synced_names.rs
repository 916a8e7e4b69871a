//! Synced names: a synced file in a synced directory exists after any crash.
//!
//! In even turns the file is made under its name; in odd turns under another, and renamed: the way
//! by which programs replace a file.

use std::path::PathBuf;

use rustix::fs::{OFlags, fsync, rename};
use rustix::io::{Errno, Result};
use seatrial_job::errno_named;
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::{close, open_or_make, sync_directory, write_at};
use crate::job::Job;
use crate::meter::Meter;

pub(crate) const KIND: Kind = Kind {
    name: "synced-names",
    turns_late: 0.5,
    prepare: |job, _| Ok(Box::new(SyncedNames::prepare(job))),
};

/// Bytes of the shortest file; each is longer by its turn, modulo itself.
const SIZE_BYTES: u64 = 100;

pub(crate) struct SyncedNames {
    directory: PathBuf,
    client_index: u16,
    /// EEXIST first, then those by which the file system asks for a rename again.
    answers: Vec<Errno>,
}

impl SyncedNames {
    fn prepare(job: &Job) -> Self {
        let again = job.rename_again.iter().filter_map(|name| errno_named(name));
        Self {
            directory: job.directory.clone(),
            client_index: job.client_index,
            answers: [Errno::EXIST].into_iter().chain(again).collect(),
        }
    }

    fn publish(&self, first: &str, name: &str, size_bytes: u64) -> Result<()> {
        let path = self.directory.join(first);
        let file = open_or_make(&path, OFlags::EXCL)?;
        write_at(&file, &vec![b's'; size_bytes as usize], 0)?;
        fsync(&file)?;
        close(file)?;
        if first != name {
            rename(&path, self.directory.join(name))?;
        }
        sync_directory(&self.directory)
    }
}

impl ConsistencyTest for SyncedNames {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let item = format!("{}.{turn}", self.client_index);
        let name = format!("s{item}");
        let is_renamed = !turn.is_multiple_of(2);
        let first = if is_renamed {
            format!("t{item}")
        } else {
            name.clone()
        };
        let size_bytes = SIZE_BYTES + turn % SIZE_BYTES;
        let called = meter.call(
            "publish",
            (&name, size_bytes as usize),
            &self.answers,
            || self.publish(&first, &name, size_bytes),
        );
        let outcome = match called.result {
            Ok(()) => "ok",
            Err(Errno::EXIST) => "exists",
            Err(errno) if self.answers.contains(&errno) => "again",
            Err(_) => "error",
        };
        let fields = json!({ "item": item, "renamed": is_renamed, "size_bytes": size_bytes });
        meter.note("publish", &called, outcome, fields);
    }
}
