//! What storage must hold, may hold and must not hold, by the logs of all who wrote to it.
//!
//! ```text
//! Log ─► History: claims (this write covers this place) and states of names
//!          └ sweep ─► segments: which contents each place may have ─► compared with the file
//! ```
//!
//! One rule decides for places and for names alike. It ignores each possible change of a place that
//! is certainly before something durable. The result of any other change is allowed. The content
//! before all of the changes is allowed, too, unless something durable covers it. So the last
//! synced write is allowed. A write that was acknowledged after it, or that got no answer, is
//! allowed as well. Content that no client wrote is never allowed.
//!
//! An order is only certain when the logs prove it: see [`Options::clock_error_ns`]. Where they do
//! not, either is allowed. `docs/agent.md` has the rules for users.

mod adding;
mod claim;
mod claims;
mod compare;
mod history;
mod items;
mod names;
mod report;
mod source;
mod span;
mod sweep;
mod transfers;
mod window;

pub use adding::LogSummary;
pub use history::{History, HistoryError, Options};
pub use report::{FileExtent, NameFinding, Report, Rule};
pub use window::is_unreadable;
