//! Consistency tests that many clients do at once, and of which each client keeps a history.
//!
//! A client cannot judge what it sees: whether two hold one lock, or two have won one name, shows
//! only when the histories of all are laid side by side. Here they are made: every operation with
//! the times of its beginning and its end, and what came of it.
//!
//! ```text
//! Job ─► Prepared ─► Running ─► Outcome
//!          │            └ one thread: Pacer (when) × Consistency test (what) ─► Meter ─► history
//!          └ opens and makes files, takes the lock that is kept
//! ```

mod alone;
mod consistency_test;
mod files;
mod history;
mod job;
mod kinds;
mod lock;
mod look;
mod mapping;
mod meter;
mod pacer;
mod pair;
mod request;
mod run;
mod stamp;

#[cfg(test)]
mod tests;

pub use history::History;
pub use job::{Job, JobError};
pub use run::{Outcome, PrepareError, Prepared, Running};
