//! The file of a client and that of its neighbour: each client writes its own, and reads the other.

use std::path::PathBuf;

use rustix::io::{Errno, Result};
use seatrial_measure::Control;

use crate::alone::Turns;
use crate::consistency_test::ConsistencyTest;
use crate::job::Job;
use crate::look::Look;
use crate::meter::{Called, Meter, ok_or_error};
use crate::stamp::{generation_of, stamp};

/// Who writes what, and who looks at it.
pub(crate) struct Pair {
    /// Name of the file that this client writes.
    pub(crate) own: String,
    pub(crate) own_path: PathBuf,
    /// At the file of the neighbour.
    pub(crate) look: Look,
    pub(crate) turns: Turns,
    pub(crate) run: u64,
    pub(crate) client_index: u16,
    pub(crate) neighbour: u16,
    /// The generation of the next write.
    pub(crate) generation: u64,
}

impl Pair {
    /// Of files that are named `PREFIX-CLIENT`; makes none.
    pub(crate) fn new(job: &Job, prefix: &str) -> Self {
        let name = |client: u16| format!("{prefix}-{client}");
        let (own, other) = (name(job.client_index), name(job.neighbour()));
        Self {
            own_path: job.directory.join(&own),
            own,
            look: Look::new(&job.directory, other, job.neighbour()),
            turns: Turns::beside(&job.log, job.client_index),
            run: job.run_id.0,
            client_index: job.client_index,
            neighbour: job.neighbour(),
            generation: 0,
        }
    }

    /// What the next generation of the own file is marked with.
    pub(crate) fn own_stamp(&self) -> Vec<u8> {
        stamp(self.run, self.client_index, self.generation)
    }

    /// The generation of the neighbour's file with this mark; `None` when no generation has it.
    pub(crate) fn generation_seen(&self, found: &[u8]) -> Option<u64> {
        generation_of(self.run, self.neighbour, found)
    }
}

/// The outcome of a look at a file that may be missing.
pub(crate) fn look_outcome<T>(called: &Called<T>) -> &'static str {
    match &called.result {
        Err(Errno::NOENT) => "missing",
        _ => ok_or_error(called),
    }
}

/// A test with clients that write in even turns and read in odd ones, so that no client writes a
/// file while another reads it.
pub(crate) trait InEvenTurns: Send {
    fn turns(&self) -> &Turns;

    /// Writes the next generation of the own file.
    fn write(&mut self, meter: &mut Meter) -> Result<()>;

    /// Reads the file of the neighbour.
    fn read(&self, meter: &mut Meter);
}

impl<T: InEvenTurns> ConsistencyTest for T {
    fn turn(&mut self, turn: u64, meter: &mut Meter, _stop: &Control) {
        let _alone = self.turns().wait();
        if turn.is_multiple_of(2) {
            // An error is in the history; the next turn goes on.
            let _ = self.write(meter);
        } else {
            self.read(meter);
        }
    }
}
