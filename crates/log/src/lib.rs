//! The operation log: what an agent did, one fixed record per operation, on a local disk.
//!
//! After a fault, the log shows which writes were acknowledged, which failed, and which have an
//! unknown result. An agent may be killed between any two instructions. So the log is made such
//! that a reader never takes a cut log for a whole one:
//!
//! * Records gather in pages of 512 bytes, the unit that a disk writes or does not write. A page
//!   is written once, with a checksum, and never touched again.
//! * Every page names its task and its number in that task's sequence. A gap shows.
//! * Pages reach the kernel at least once a second, from a thread that waits for no storage.
//! * A task's last page is marked as such. Without the mark the log is cut, and any operation of
//!   the job that it does not mention may have happened.
//! * The first pages are the head: a text that identifies the job of the log.
//!
//! [`LogWriter`] is shared by the tasks, and each task has a [`TaskLog`]; [`Log::read`] reads a
//! file back, and [`LogReader`] one that may be too long for the memory.

mod flusher;
mod page;
mod reader;
mod record;
mod stream;
mod writer;

pub use page::{LOG_VERSION, PAGE_BYTES, RECORDS_PER_PAGE};
pub use reader::{Log, LogError, TaskRecords};
pub use record::{Operation, Outcome, RECORD_BYTES, Record};
pub use stream::{LogReader, Step, TaskSummary};
pub use writer::{LogWriter, Survives, TaskLog};
