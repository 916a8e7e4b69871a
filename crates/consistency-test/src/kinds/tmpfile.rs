//! Tmpfile: a file without a name (`O_TMPFILE`) gets one by a link, as a whole, or leaves nothing.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fsync, linkat, openat};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::{close, sync_directory, write_at};
use crate::job::Job;
use crate::meter::Meter;

pub(crate) const KIND: Kind = Kind {
    name: "tmpfile",
    turns_late: 0.75,
    prepare: |job, _| Ok(Box::new(Tmpfile::prepare(job))),
};

/// Errors of a file system without such files.
const UNSUPPORTED: [Errno; 3] = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL];

/// EEXIST of the link, and what an unsupported call gets.
const ANSWERS: [Errno; 4] = [Errno::EXIST, UNSUPPORTED[0], UNSUPPORTED[1], UNSUPPORTED[2]];

/// Bytes of the shortest file; each is longer by its turn, modulo itself.
const SIZE_BYTES: u64 = 100;

pub(crate) struct Tmpfile {
    directory: PathBuf,
    client_index: u16,
}

impl Tmpfile {
    fn prepare(job: &Job) -> Self {
        Self {
            directory: job.directory.clone(),
            client_index: job.client_index,
        }
    }

    /// A file that has no name, on stable storage.
    fn make(&self, size_bytes: u64) -> Result<File> {
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = File::from(openat(CWD, &self.directory, flags, mode)?);
        write_at(&file, &vec![b'u'; size_bytes as usize], 0)?;
        fsync(&file)?;
        Ok(file)
    }

    fn publish(&self, name: &str, size_bytes: u64) -> Result<()> {
        let file = self.make(size_bytes)?;
        // linkat(2): by its descriptor a file is linked without any privilege.
        let by_descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
        let to = self.directory.join(name);
        linkat(CWD, by_descriptor, CWD, to, AtFlags::SYMLINK_FOLLOW)?;
        close(file)?;
        sync_directory(&self.directory)
    }
}

impl ConsistencyTest for Tmpfile {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let item = format!("{}.{turn}", self.client_index);
        let name = format!("u{item}");
        let size_bytes = SIZE_BYTES + turn % SIZE_BYTES;
        let is_published = turn.is_multiple_of(2);
        let op = if is_published { "publish" } else { "drop" };
        let called = meter.call(op, (&name, size_bytes as usize), &ANSWERS, || {
            if is_published {
                self.publish(&name, size_bytes)
            } else {
                close(self.make(size_bytes)?)
            }
        });
        let outcome = match called.result {
            Ok(()) => "ok",
            Err(Errno::EXIST) => "exists",
            Err(errno) if UNSUPPORTED.contains(&errno) => "unsupported",
            Err(_) => "error",
        };
        let fields = json!({ "item": item, "size_bytes": size_bytes });
        meter.note(op, &called, outcome, fields);
    }
}
