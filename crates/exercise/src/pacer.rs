//! When turns begin: turn n of every client at the same instant, so that they meet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use seatrial_measure::boottime_ns;

/// The longest sleep, so that a wait can be ended.
const SLEEP_NS_MAX: u64 = 50_000_000;

/// Appointed times by the shared clock. Turns that were missed because the storage did not answer
/// are left out: the clients stay together.
#[derive(Debug)]
pub(crate) struct Pacer<'a> {
    start_boottime_ns: u64,
    interval_ns: f64,
    next: u64,
    stop: &'a AtomicBool,
}

impl<'a> Pacer<'a> {
    /// All turns begin `turns_late` of an interval later.
    pub(crate) fn new(
        start_boottime_ns: u64,
        arrivals_per_s: f64,
        turns_late: f64,
        stop: &'a AtomicBool,
    ) -> Self {
        let interval_ns = 1e9 / arrivals_per_s;
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let late_ns = (interval_ns * turns_late) as u64;
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
        let now =
            (boottime_ns().saturating_sub(self.start_boottime_ns) as f64 / self.interval_ns) as u64;
        let turn = self.next.max(now);
        #[expect(clippy::cast_sign_loss, reason = "both factors are positive")]
        let at_ns = self.start_boottime_ns + (turn as f64 * self.interval_ns) as u64;
        self.next = turn + 1;
        wait_until(at_ns, self.stop).then_some(turn)
    }
}

/// Waits until an instant; whether it came before the end.
pub(crate) fn wait_until(instant_ns: u64, stop: &AtomicBool) -> bool {
    while !stop.load(Ordering::Relaxed) {
        let left_ns = instant_ns.saturating_sub(boottime_ns());
        if left_ns == 0 {
            return true;
        }
        sleep(Duration::from_nanos(left_ns.min(SLEEP_NS_MAX)));
    }
    false
}
