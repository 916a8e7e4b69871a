//! When turns begin: turn n of every client at the same instant, so that they meet.

use seatrial_measure::{Control, Nanoseconds, boottime_ns};

/// Appointed times by the shared clock. Turns that were missed because the storage did not answer
/// are left out: the clients stay together.
#[derive(Debug)]
pub(crate) struct Pacer<'a> {
    start_boottime_ns: Nanoseconds,
    interval_ns: f64,
    next: u64,
    stop: &'a Control,
}

impl<'a> Pacer<'a> {
    /// All turns begin `turns_late` of an interval later.
    pub(crate) fn new(
        start_boottime_ns: Nanoseconds,
        arrivals_per_s: f64,
        turns_late: f64,
        stop: &'a Control,
    ) -> Self {
        let interval_ns = 1e9 / arrivals_per_s;
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let late_ns = Nanoseconds((interval_ns * turns_late) as u64);
        Self {
            start_boottime_ns: start_boottime_ns + late_ns,
            interval_ns,
            next: 0,
            stop,
        }
    }

    /// Waits for the next turn; `None` when there is none any more.
    pub(crate) fn wait(&mut self) -> Option<u64> {
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let now = (boottime_ns().saturating_sub(self.start_boottime_ns).0 as f64 / self.interval_ns)
            as u64;
        let turn = self.next.max(now);
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let at_ns = self.start_boottime_ns + Nanoseconds((turn as f64 * self.interval_ns) as u64);
        self.next = turn + 1;
        self.stop.wait_until(at_ns).then_some(turn)
    }
}
