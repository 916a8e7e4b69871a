//! Append: numbered records at the end of a file that is one's own.

use std::fs::File;
use std::io::Write;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::job::Job;
use crate::meter::{Meter, errno_of, ok_or_error};
use crate::pair::{Pair, look_outcome};

pub(crate) const KIND: Kind = Kind {
    name: "append",
    turns_late: 0.0,
    prepare: |job, _| Ok(Box::new(Append::prepare(job)?)),
};

/// Bytes of a record, its line feed included.
const RECORD_BYTES: usize = 64;

/// Missing numbers that a reader names; it always reports their count.
const MISSING_MAX: usize = 4096;

pub(crate) struct Append {
    file: File,
    pair: Pair,
}

/// What a reader found in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The highest number; `None` when there is no record.
    highest: Option<u64>,
    /// Missing numbers below it, the first of them.
    missing: Vec<u64>,
    /// How many there are.
    missing_count: u64,
    /// Pieces that are no record of this file, or out of order.
    torn: u64,
}

impl Append {
    pub(crate) fn prepare(job: &Job) -> Result<Self> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let pair = Pair::new(job, "append");
        let file = openat(CWD, &pair.own_path, flags, mode)?.into();
        Ok(Self { file, pair })
    }

    fn append(&mut self, meter: &mut Meter) {
        let number = self.pair.generation;
        self.pair.generation += 1;
        let line = record(self.pair.run, self.pair.client_index, number);
        let file = &mut self.file;
        let called = meter.call("append", (&self.pair.own, RECORD_BYTES), &[], || {
            let written = file.write(&line).map_err(|error| errno_of(&error))?;
            rustix::fs::fsync(&*file)?;
            if written == line.len() {
                Ok(())
            } else {
                Err(Errno::IO)
            }
        });
        let fields = json!({ "number": number });
        meter.note("append", &called, ok_or_error(&called), fields);
    }

    fn read(&self, meter: &mut Meter) {
        let (called, mut fields) = self.pair.look.read(meter);
        if let Ok(content) = &called.result {
            let found = examine(self.pair.run, self.pair.neighbour, content);
            fields["highest"] = json!(found.highest);
            fields["missing"] = json!(found.missing);
            fields["missing_count"] = json!(found.missing_count);
            fields["torn"] = json!(found.torn);
        }
        meter.note("read", &called, look_outcome(&called), fields);
    }
}

impl ConsistencyTest for Append {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let _alone = self.pair.turns.wait();
        self.append(meter);
        if turn.is_multiple_of(4) {
            self.read(meter);
        }
    }
}

/// A record: run, client and number, in 64 bytes of text.
pub(crate) fn record(run: u64, client: u16, number: u64) -> Vec<u8> {
    let text = format!("{run:016x} {client:05} {number:012} ");
    let mut line = format!("{text:.<63}\n").into_bytes();
    line.truncate(RECORD_BYTES);
    line
}

/// What is in a file that only one client appends to.
pub(crate) fn examine(run: u64, client: u16, content: &[u8]) -> Found {
    let mut found = Found::default();
    let mut next = 0;
    for piece in content.chunks(RECORD_BYTES) {
        let number = number_of(run, client, piece).filter(|&number| number >= next);
        let Some(number) = number else {
            found.torn += 1;
            continue;
        };
        let room = MISSING_MAX.saturating_sub(found.missing.len());
        found.missing.extend((next..number).take(room));
        found.missing_count += number - next;
        found.highest = Some(number);
        next = number + 1;
    }
    found
}

fn number_of(run: u64, client: u16, piece: &[u8]) -> Option<u64> {
    let digits = piece.get(23..35)?;
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (piece == record(run, client, number)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(numbers: &[u64]) -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|&number| record(7, 3, number))
            .collect()
    }

    #[test]
    fn records_are_told_from_all_else() {
        assert_eq!(Found::default(), examine(7, 3, b""));
        let whole = examine(7, 3, &content(&[0, 1, 2]));
        assert_eq!(
            (Some(2), vec![], 0),
            (whole.highest, whole.missing, whole.torn)
        );
        let holes = examine(7, 3, &content(&[0, 2, 5]));
        assert_eq!(
            (Some(5), vec![1, 3, 4], 0),
            (holes.highest, holes.missing, holes.torn)
        );
        let many = examine(7, 3, &content(&[0, 5001]));
        assert_eq!(
            (MISSING_MAX, 5000),
            (many.missing.len(), many.missing_count)
        );
        let twice = examine(7, 3, &content(&[0, 1, 1, 2]));
        assert_eq!((Some(2), 1), (twice.highest, twice.torn));
        assert_eq!(3, examine(7, 4, &content(&[0, 1, 2])).torn);
        let mut torn = content(&[0, 1]);
        torn[100] = 0;
        torn.extend(&content(&[2])[..20]);
        let torn = examine(7, 3, &torn);
        assert_eq!((Some(0), 2), (torn.highest, torn.torn));
    }
}
