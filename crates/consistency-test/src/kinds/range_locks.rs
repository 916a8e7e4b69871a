//! Range locks: unlocking the middle of a range splits the lock. A read lock is upgraded to a write
//! lock only while no other client holds a read lock on the range.
//!
//! Each client locks three pages before the start, unlocks the middle page, and keeps the other two
//! until the end. Its neighbour tries to lock each of the three. In every turn, all clients also
//! take a read lock on one shared page, and one client, a different one each turn, tries to upgrade
//! it.

use std::fs::File;

use rustix::fs::{Advice, OFlags, fadvise};
use rustix::io::Result;
use seatrial_measure::{Control, Nanoseconds, boottime_ns};
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::{open_or_make, read_at, write_at};
use crate::job::Job;
use crate::lock::{HELD_BY_ANOTHER, Mode, RANGE_BYTES, set_pages};
use crate::meter::{Meter, ok_or_error};

pub(crate) const KIND: Kind = Kind {
    name: "range-locks",
    turns_late: 0.25,
    prepare: |job, meter| Ok(Box::new(RangeLocks::prepare(job, meter)?)),
};

/// Name of the file.
const NAME: &str = "range-locks";

/// The page that all lock for reading.
const SHARED: u16 = 0;

/// Pages that a client locks at once.
const KEPT: u16 = 3;

/// Attempts after which a turn is given up.
const ATTEMPTS_MAX: u32 = 8;

pub(crate) struct RangeLocks {
    file: File,
    client_index: u16,
    clients: u16,
    /// For how long a write lock is held, and between two attempts to get it; a read lock twice as
    /// long.
    hold_ns: Nanoseconds,
    /// The first page of those that this client keeps.
    own: u16,
    /// The first page of those that its neighbour keeps.
    neighbours: u16,
}

/// Pages, and how they are locked.
#[derive(Clone, Copy)]
struct Range {
    first: u16,
    pages: u16,
    mode: Mode,
}

impl Range {
    const fn new(first: u16, pages: u16, mode: Mode) -> Self {
        Self { first, pages, mode }
    }
}

impl RangeLocks {
    /// Takes the lock that is kept, and gives its middle back.
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let first = |client: u16| 1 + KEPT * client;
        let prepared = Self {
            file: open_or_make(&job.directory.join(NAME), OFlags::empty())?,
            client_index: job.client_index,
            clients: job.clients,
            hold_ns: Nanoseconds(job.hold_ms * 1_000_000),
            own: first(job.client_index),
            neighbours: first(job.neighbour()),
        };
        let offset = u64::from(prepared.own) * RANGE_BYTES as u64;
        write_at(&prepared.file, &[b'.'; RANGE_BYTES], offset)?;
        let whole = Range::new(prepared.own, KEPT, Mode::Write);
        prepared.lock(whole, meter)?;
        prepared.unlock(Range::new(prepared.own + 1, 1, Mode::Write), meter);
        Ok(prepared)
    }

    fn lock(&self, range: Range, meter: &mut Meter) -> Result<()> {
        let call = || set_pages(&self.file, range.first, range.pages, Some(range.mode));
        let called = meter.call("lock", (NAME, 0), &HELD_BY_ANOTHER, call);
        let outcome = match &called.result {
            Ok(()) => "ok",
            Err(errno) if HELD_BY_ANOTHER.contains(errno) => "refused",
            Err(_) => "error",
        };
        let mode = range.mode.name();
        let fields = json!({ "first": range.first, "pages": range.pages, "mode": mode });
        meter.note("lock", &called, outcome, fields);
        called.result
    }

    fn unlock(&self, range: Range, meter: &mut Meter) {
        let call = || set_pages(&self.file, range.first, range.pages, None);
        let called = meter.call("unlock", (NAME, 0), &[], call);
        let fields = json!({ "first": range.first, "pages": range.pages });
        meter.note("unlock", &called, ok_or_error(&called), fields);
    }

    /// Reads under the lock that is kept: who has lost it gets an error.
    fn look(&self, meter: &mut Meter) {
        let file = &self.file;
        let called = meter.call("read", (NAME, 1), &[], || {
            fadvise(file, 0, None, Advice::DontNeed)?;
            read_at(file, &mut [0], u64::from(self.own) * RANGE_BYTES as u64)
        });
        let fields = json!({ "first": self.own, "pages": KEPT });
        meter.note("held", &called, ok_or_error(&called), fields);
    }

    /// Tries each page of the neighbour's, and unlocks at once each page that it gets.
    fn knock(&self, meter: &mut Meter) {
        for page in self.neighbours..self.neighbours + KEPT {
            let range = Range::new(page, 1, Mode::Write);
            if self.lock(range, meter).is_ok() {
                self.unlock(range, meter);
            }
        }
    }

    /// All hold the page for reading; one of them asks for it alone.
    fn share(&self, turn: u64, meter: &mut Meter, stop: &Control) {
        let read = Range::new(SHARED, 1, Mode::Read);
        if self.lock(read, meter).is_err() {
            return;
        }
        let asks = turn % u64::from(self.clients) == u64::from(self.client_index);
        if asks {
            let write = Range::new(SHARED, 1, Mode::Write);
            for _ in 0..ATTEMPTS_MAX {
                let is_granted = self.lock(write, meter).is_ok();
                meter.rest();
                let goes_on = stop.wait_until(boottime_ns() + self.hold_ns);
                if is_granted || !goes_on {
                    break;
                }
            }
        } else {
            meter.rest();
            stop.wait_until(boottime_ns() + self.hold_ns + self.hold_ns);
        }
        self.unlock(read, meter);
    }
}

impl ConsistencyTest for RangeLocks {
    fn turn(&mut self, turn: u64, meter: &mut Meter, stop: &Control) {
        self.share(turn, meter, stop);
        self.look(meter);
        if self.clients > 1 {
            self.knock(meter);
        }
    }

    fn end(&mut self, meter: &mut Meter) {
        self.look(meter);
        self.unlock(Range::new(self.own, KEPT, Mode::Write), meter);
    }
}
