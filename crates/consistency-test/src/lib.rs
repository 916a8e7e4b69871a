//! Consistency tests that many clients do at once. Each client keeps a history.
//!
//! A client alone cannot judge its observations. Only the histories of all clients together show
//! whether two hold one lock, or two have won one name. This crate makes the histories: every
//! operation with the times of its beginning and its end, and its result.
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
