//! The load engine: it turns a job into operations on files, and operations into figures.
//!
//! ```text
//! Job ─► Prepared ─► Running ─► Outcome
//!         │            └ Progress, read by the agent once a second
//!         └ one task per thread: Order (which record next) × file (where) × Stamp (what)
//! ```
//!
//! [`Job`] is what the controller sends. [`Prepared::new`] creates and opens the files,
//! [`Prepared::start`] lets all tasks go at one instant, [`Running::join`] collects what they saw.

mod buffer;
mod clock;
mod collector;
mod control;
mod copy;
mod engine;
mod errors;
mod failure;
mod files;
mod head;
mod histogram;
mod job;
mod kind;
mod meter;
mod names;
mod null;
mod order;
mod outcome;
mod pacer;
mod placement;
mod progress;
mod ring;
mod run;
mod silence;
mod storage;
mod tally;
mod task;
mod transfer;
mod verify;
mod window;

pub use clock::{WallClock, boot_id, boottime_ns};
pub use collector::SecondReport;
pub use copy::{CopiedFile, copied_files};
pub use errors::{OperationError, errno_name, errno_named, errno_text};
pub use head::LogHead;
pub use histogram::{Latencies, LatencySummary};
pub use job::{
    CopyDirection, CopySize, Copying, EngineChoice, Existing, Fsync, Hint, Job, JobError, Layout,
    PROTOCOL_VERSION, Pattern, Phase, RunId, Tree,
};
pub use names::ItemNames;
pub use null::measure_null_target;
pub use order::Order;
pub use outcome::{
    ClientOutage, CopyReport, DamagedExtent, ErrorReport, Outage, Outcome, SteadyReport,
    StonewallReport, StopReason, TaskReport, Verification,
};
pub use placement::Placement;
pub use progress::{Progress, Snapshot, Stall, TaskProgress};
pub use run::{PrepareError, Prepared, Running};
