//! Measurement: the clock, what a task counts and times, and what all tasks together did.
//!
//! ```text
//! Meter, one per task ─► Tally ─► Collector ─► SecondReport, Outcome
//!   ├ Progress, read while it works
//!   ├ Gaps: when nothing was completed
//!   └ the operation log
//! ```

mod clock;
mod collector;
mod control;
mod damage;
mod errors;
mod failure;
mod gaps;
mod histogram;
mod kind;
mod meter;
mod outcome;
mod progress;
mod tally;
mod units;
mod window;

pub use clock::{WallClock, boot_id, boottime_ns, sleep_until_ns};
pub use collector::{Collector, SecondReport};
pub use control::Control;
pub use damage::{Damage, Verified, What};
pub use errors::OperationError;
pub use failure::Failure;
pub use histogram::{Latencies, LatencySummary};
pub use kind::Kind;
pub use meter::{CopyTimes, FileSubject, Meter, Setting, Subject, TaskResult};
pub use outcome::{
    ClientOutage, CopyReport, DamagedExtent, ErrorReport, Outage, Outcome, Spans, SteadyReport,
    StonewallReport, StopReason, TaskReport, Verification,
};
pub use progress::{Progress, Snapshot, Stall, TaskProgress};
pub use units::{Bytes, Nanoseconds};
pub use window::{Stonewall, Window};
