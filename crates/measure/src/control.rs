//! The only message to running tasks.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::{boottime_ns, sleep_until_ns};
use crate::units::Nanoseconds;

/// The longest sleep, so that a task that waits for its time can be stopped.
const SLEEP_NS_MAX: Nanoseconds = Nanoseconds(50_000_000);

/// Lets others stop the tasks.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
}

impl Control {
    /// Asks all tasks to end after the operation at hand.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether a task should end.
    pub fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Waits until an instant by the steady clock; whether it came before the task should end.
    pub fn wait_until(&self, instant_ns: Nanoseconds) -> bool {
        while !self.must_stop() {
            let now_ns = boottime_ns();
            if now_ns >= instant_ns {
                return true;
            }
            sleep_until_ns(instant_ns.min(now_ns + SLEEP_NS_MAX));
        }
        false
    }
}
