//! The one word that is said to running tasks.

use std::sync::atomic::{AtomicBool, Ordering};

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
}
