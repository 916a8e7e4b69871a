//! The load engine: it turns a job into operations on files.
//!
//! ```text
//! Job ─► Prepared ─► Running ─► Outcome
//!         │            └ Progress, read by the agent once a second
//!         └ one task per thread: Order (which record next) × file (where) × Stamp (what)
//! ```
//!
//! `seatrial-job` has the work to do, and `seatrial-measure` takes the results. [`Prepared::new`]
//! creates and opens the files, [`Prepared::start`] starts all tasks at one instant,
//! [`Running::join`] collects their results.

mod buffer;
mod copy;
mod engine;
mod files;
mod names;
mod null;
mod pacer;
mod prepare_error;
mod ring;
mod run;
mod seeds;
mod storage;
mod task;
mod transfer;
mod verify;

pub use null::measure_null_target;
pub use prepare_error::PrepareError;
pub use run::{Prepared, Running};
