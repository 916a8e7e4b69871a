//! What all consistency tests have in common.

use seatrial_measure::Control;

use crate::meter::Meter;

/// What a client does in its turns.
pub(crate) trait ConsistencyTest: Send {
    /// One turn; all clients do the one with this number at about the same time.
    fn turn(&mut self, turn: u64, meter: &mut Meter, stop: &Control);

    /// After the last turn.
    fn end(&mut self, _meter: &mut Meter) {}
}
