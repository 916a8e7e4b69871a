//! What all consistency tests have in common.

use rustix::io::Result;
use seatrial_measure::Control;

use crate::job::Job;
use crate::meter::Meter;

/// What a client does in its turns.
pub(crate) trait ConsistencyTest: Send {
    /// One turn; all clients do the one with this number at about the same time.
    fn turn(&mut self, turn: u64, meter: &mut Meter, stop: &Control);

    /// After the last turn.
    fn end(&mut self, _meter: &mut Meter) {}
}

/// A consistency test that can begin.
pub(crate) type Boxed = Box<dyn ConsistencyTest>;

/// One kind of consistency test: what its file brings.
pub(crate) struct Kind {
    /// As in the job.
    pub(crate) name: &'static str,
    /// By how much of an interval its turns are late. A look counts the calls of its mount: those
    /// of two tests side by side would be taken for one another's.
    pub(crate) turns_late: f64,
    /// Opens and makes what the first turn needs.
    pub(crate) prepare: fn(&Job, &mut Meter) -> Result<Boxed>,
}
