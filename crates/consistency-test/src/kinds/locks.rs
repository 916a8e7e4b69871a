//! Locks: who holds a range writes its token there, and looks whether it stays.
//!
//! All clients contend for the same ranges, turn by turn. In addition, each client holds its own
//! range from before the start to its end. A neighbour tries to lock it in every turn: the try
//! succeeds when a server loses the lock in a failover.

use std::fs::File;
use std::os::unix::fs::FileExt;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, Result};
use seatrial_measure::{Control, Nanoseconds, boottime_ns};
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::job::Job;
use crate::lock::{HELD_BY_ANOTHER, RANGE_BYTES, try_lock, unlock};
use crate::meter::{Called, Meter, errno_of, ok_or_error};

pub(crate) const KIND: Kind = Kind {
    name: "locks",
    turns_late: 0.0,
    prepare: |job, meter| Ok(Box::new(Locks::prepare(job, meter)?)),
};

/// Name of the file.
const NAME: &str = "locks";

/// Between two attempts to take a lock that another holds.
const POLL_NS: Nanoseconds = Nanoseconds(20_000_000);

/// Attempts after which a turn is given up.
const ATTEMPTS_MAX: u32 = 20;

/// Bytes of a token.
const TOKEN_BYTES: usize = 24;

/// What is read and written around the caches of the client.
#[repr(align(4096))]
struct Page([u8; RANGE_BYTES]);

pub(crate) struct Locks {
    file: File,
    is_direct: bool,
    own: u16,
    neighbours: Option<u16>,
    ranges: u16,
    hold_ns: Nanoseconds,
    client_index: u16,
    count: u64,
    kept: Token,
    page: Box<Page>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token(String);

impl Locks {
    /// Opens the file and takes the lock that is kept.
    pub(crate) fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let (file, is_direct) = open(job)?;
        let mut locks = Self {
            file,
            is_direct,
            own: job.ranges + job.client_index,
            neighbours: (job.clients > 1).then(|| job.ranges + job.neighbour()),
            ranges: job.ranges,
            hold_ns: Nanoseconds(job.hold_ms * 1_000_000),
            client_index: job.client_index,
            count: 0,
            kept: Token(String::new()),
            page: Box::new(Page([0; RANGE_BYTES])),
        };
        locks.kept = locks.token();
        let called = locks.attempt(locks.own, meter);
        locks.note_lock(&called, locks.own, &locks.kept.clone(), meter);
        called.result?;
        locks.write(locks.own, &locks.kept.clone(), meter);
        Ok(locks)
    }

    /// A token that is written once.
    fn token(&mut self) -> Token {
        self.count += 1;
        Token(format!("{:05} {:018}", self.client_index, self.count))
    }

    fn attempt(&self, range: u16, meter: &mut Meter) -> Called<()> {
        let call = || try_lock(&self.file, range);
        meter.call("lock", (NAME, 0), &HELD_BY_ANOTHER, call)
    }

    fn note_lock(&self, called: &Called<()>, range: u16, token: &Token, meter: &mut Meter) {
        let outcome = match &called.result {
            Ok(()) => "ok",
            Err(errno) if HELD_BY_ANOTHER.contains(errno) => "refused",
            Err(_) => "error",
        };
        let kept = range >= self.ranges;
        let fields = json!({ "range": range, "token": token.0, "kept": kept });
        meter.note("lock", called, outcome, fields);
    }

    /// Writes the token into a range that is held.
    fn write(&mut self, range: u16, token: &Token, meter: &mut Meter) {
        self.page.0.fill(0);
        self.page.0[..TOKEN_BYTES].copy_from_slice(token.0.as_bytes());
        let (file, page, is_direct) = (&self.file, &self.page.0, self.is_direct);
        let called = meter.call("write", (NAME, RANGE_BYTES), &[], || {
            let at = u64::from(range) * RANGE_BYTES as u64;
            file.write_all_at(page, at)
                .map_err(|error| errno_of(&error))?;
            if is_direct {
                Ok(())
            } else {
                rustix::fs::fdatasync(file)
            }
        });
        if called.result.is_err() {
            let fields = json!({ "range": range, "token": token.0 });
            meter.note("held", &called, "error", fields);
        }
    }

    /// Checks whether the token is unchanged, and not replaced by that of another client.
    fn look(&mut self, range: u16, token: &Token, meter: &mut Meter) {
        let (file, page) = (&self.file, &mut self.page.0);
        page.fill(0);
        let called = meter.call("read", (NAME, RANGE_BYTES), &[], || {
            let at = u64::from(range) * RANGE_BYTES as u64;
            file.read_at(page, at).map_err(|error| errno_of(&error))
        });
        let seen = String::from_utf8_lossy(&self.page.0[..TOKEN_BYTES]).into_owned();
        let outcome = match &called.result {
            Ok(_) if seen == token.0 => "ok",
            Ok(_) => "foreign",
            Err(_) => "error",
        };
        let mut fields = json!({ "range": range, "token": token.0 });
        if outcome == "foreign" {
            fields["seen"] = json!(seen);
        }
        meter.note("held", &called, outcome, fields);
    }

    fn release(&self, range: u16, token: &Token, meter: &mut Meter) {
        let call = || unlock(&self.file, range);
        let called = meter.call("unlock", (NAME, 0), &[], call);
        let outcome = ok_or_error(&called);
        let fields = json!({ "range": range, "token": token.0 });
        meter.note("unlock", &called, outcome, fields);
    }

    /// Holds a range for a while that all contend for.
    fn contend(&mut self, range: u16, meter: &mut Meter, stop: &Control) {
        let token = self.token();
        let mut attempts = 1;
        let mut called = self.attempt(range, meter);
        while is_held_by_another(&called) && attempts < ATTEMPTS_MAX {
            meter.rest();
            if !stop.wait_until(boottime_ns() + POLL_NS) {
                break;
            }
            called = self.attempt(range, meter);
            attempts += 1;
        }
        self.note_lock(&called, range, &token, meter);
        if called.result.is_err() {
            return;
        }
        self.write(range, &token, meter);
        meter.rest();
        stop.wait_until(boottime_ns() + self.hold_ns);
        self.look(range, &token, meter);
        self.release(range, &token, meter);
    }
}

impl ConsistencyTest for Locks {
    fn turn(&mut self, turn: u64, meter: &mut Meter, stop: &Control) {
        let kept = self.kept.clone();
        self.look(self.own, &kept, meter);
        if let Some(range) = self.neighbours {
            let token = self.token();
            let called = self.attempt(range, meter);
            self.note_lock(&called, range, &token, meter);
            if called.result.is_ok() {
                // A neighbour that has ended has let go of it, and its token is still there. One
                // that has not will find ours.
                self.write(range, &token, meter);
                self.look(range, &token, meter);
                self.release(range, &token, meter);
            }
        }
        self.contend((turn % u64::from(self.ranges)) as u16, meter, stop);
    }

    fn end(&mut self, meter: &mut Meter) {
        let kept = self.kept.clone();
        self.look(self.own, &kept, meter);
        self.release(self.own, &kept, meter);
    }
}

fn is_held_by_another(called: &Called<()>) -> bool {
    matches!(&called.result, Err(errno) if HELD_BY_ANOTHER.contains(errno))
}

/// Around the caches of the client where the file system can do that.
fn open(job: &Job) -> Result<(File, bool)> {
    let path = job.directory.join(NAME);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    match openat(CWD, &path, flags | OFlags::DIRECT, mode) {
        Ok(descriptor) => Ok((descriptor.into(), true)),
        Err(Errno::INVAL) => Ok((openat(CWD, &path, flags, mode)?.into(), false)),
        Err(errno) => Err(errno),
    }
}
