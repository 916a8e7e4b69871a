//! Close-to-open: who opens a file after another has closed it sees what the other wrote.

use std::fs::File;
use std::io::Write;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, Result};
use seatrial_measure::Control;
use serde_json::json;

use crate::consistency_test::{ConsistencyTest, Kind};
use crate::files::close;
use crate::job::Job;
use crate::meter::{Meter, errno_of, ok_or_error};
use crate::pair::Pair;

pub(crate) const KIND: Kind = Kind {
    name: "close-to-open",
    turns_late: 0.5,
    prepare: |job, meter| Ok(Box::new(CloseToOpen::prepare(job, meter)?)),
};

/// Bytes before the padding.
const TEXT_BYTES: usize = 36;

pub(crate) struct CloseToOpen {
    pair: Pair,
}

impl CloseToOpen {
    /// Writes generation 0: a client may remember for long that a name was not there, which no
    /// opening asks about again (nfs(5), `lookupcache`).
    pub(crate) fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let mut prepared = Self {
            pair: Pair::new(job, "generation"),
        };
        prepared.overwrite(meter)?;
        Ok(prepared)
    }

    fn overwrite(&mut self, meter: &mut Meter) -> Result<()> {
        let content = content(self.pair.run, self.pair.client_index, self.pair.generation);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
        let called = meter.call("overwrite", (&self.pair.own, content.len()), &[], || {
            let mode = Mode::from_raw_mode(0o666);
            let mut file = File::from(openat(CWD, &self.pair.own_path, flags, mode)?);
            file.write_all(&content).map_err(|error| errno_of(&error))?;
            rustix::fs::fsync(&file)?;
            close(file)
        });
        let fields = json!({ "generation": self.pair.generation });
        meter.note("overwrite", &called, ok_or_error(&called), fields);
        self.pair.generation += 1;
        called.result
    }

    fn read(&self, meter: &mut Meter) {
        let (called, mut fields) = self.pair.look.read(meter);
        let outcome = match &called.result {
            Ok(content) => {
                let generation = generation_of(self.pair.run, self.pair.neighbour, content);
                fields["generation"] = json!(generation);
                if generation.is_some() { "ok" } else { "torn" }
            }
            Err(Errno::NOENT) => "missing",
            Err(_) => "error",
        };
        meter.note("read", &called, outcome, fields);
    }
}

impl ConsistencyTest for CloseToOpen {
    fn turn(&mut self, _turn: u64, meter: &mut Meter, _stop: &Control) {
        let _alone = self.pair.turns.wait();
        // An error is in the history; the next turn goes on.
        let _ = self.overwrite(meter);
        self.read(meter);
    }
}

/// What a generation writes: each one a byte longer, so that no coarse time of change hides it.
pub(crate) fn content(run: u64, client: u16, generation: u64) -> Vec<u8> {
    let mut content = format!("{run:016x} {client:05} {generation:012}\n").into_bytes();
    content.resize(TEXT_BYTES + generation as usize, b'.');
    content
}

/// Which generation a file holds; `None` when none, or parts of several.
pub(crate) fn generation_of(run: u64, client: u16, found: &[u8]) -> Option<u64> {
    let digits = found.get(23..35)?;
    let generation = std::str::from_utf8(digits).ok()?.parse().ok()?;
    (generation < 1 << 32 && found == content(run, client, generation)).then_some(generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_all_or_nothing() {
        for generation in [0, 1, 2, 9, 5000] {
            let whole = content(7, 3, generation);
            assert_eq!(Some(generation), generation_of(7, 3, &whole));
            assert_eq!(None, generation_of(7, 3, &whole[..whole.len() - 1]));
            assert_eq!(None, generation_of(7, 4, &whole));
        }
        assert_eq!(None, generation_of(7, 3, b""));
    }
}
