//! A thread that flushes, whatever the others do: a task that waits for its storage cannot.

use std::io;
use std::ops::ControlFlow;
use std::thread::{self, Thread};
use std::time::Duration;

/// How often. Records are to reach the kernel at least once a second, on a busy machine, too.
const FLUSH_EVERY: Duration = Duration::from_millis(500);

/// Ends its thread when it is dropped.
#[derive(Debug)]
pub(crate) struct Flusher(Thread);

impl Flusher {
    /// Calls `flush` again and again, from a separate thread, until it breaks off.
    ///
    /// # Errors
    /// When there can be no thread.
    pub(crate) fn start(flush: impl Fn() -> ControlFlow<()> + Send + 'static) -> io::Result<Self> {
        let work = move || {
            while flush().is_continue() {
                thread::park_timeout(FLUSH_EVERY);
            }
        };
        let thread = thread::Builder::new().name("log".to_owned()).spawn(work)?;
        Ok(Self(thread.thread().clone()))
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        // By now there is nothing to flush any more, and `flush` breaks off.
        self.0.unpark();
    }
}
