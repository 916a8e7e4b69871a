//! What storage must hold, may hold and must not hold, by the logs of all who wrote to it.
//!
//! ```text
//! Log ─► History: claims (this write covers this place) and states of names
//!          └ sweep ─► segments: which contents each place may have ─► compared with the file
//! ```
//!
//! One rule decides for places and for names alike. Of all that may have happened to a place,
//! those count that are not certainly before something durable: any of them may be what is there.
//! What was there before all of them may be there, too, unless something durable covers it. So a
//! write that was synced last is the only one that is allowed; one that was acknowledged after it,
//! or got no answer, is allowed besides; and what nobody wrote is not allowed at all.
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
