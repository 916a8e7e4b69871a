//! That the wall clock was set while the agent was at work.

use std::io;

use seatrial_measure::WallClock;

use crate::events::Event;

/// Looks at the wall clock now and then.
#[derive(Debug)]
pub(crate) struct Watcher {
    last: WallClock,
}

impl Watcher {
    /// A watcher with the present offset of the clock.
    pub(crate) fn new() -> Self {
        Self {
            last: WallClock::read(),
        }
    }

    /// Prints by how much it was set since the last time, if it was.
    ///
    /// # Errors
    /// When the output has no reader any more.
    pub(crate) fn tell(&mut self) -> io::Result<()> {
        let now = WallClock::read();
        let Some(set_by_ns) = self.last.set_by_ns(&now) else {
            return Ok(());
        };
        self.last = now;
        Event::WallClockSet {
            boottime_ns: now.boottime_ns,
            set_by_ns,
        }
        .print()
    }
}
