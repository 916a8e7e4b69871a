//! The job: what the controller asks an agent to do, and all that follows from it alone.
//!
//! [`Job`] is what the controller sends, and what the head of an operation log repeats
//! ([`LogHead`]). Who executes a job, and who reads its log, derive the same from it: the order of
//! records and where they lie, and the names of files.

mod check;
mod copies;
mod errno;
mod head;
mod job;
mod order;
mod paths;
mod placement;
mod read;
mod run_id;
mod words;

#[cfg(test)]
mod tests;

pub use copies::{CopiedFile, copied_files, copy_name};
pub use errno::{errno_name, errno_named, errno_text};
pub use head::LogHead;
pub use job::{Job, JobError, PASSES_MAX, PROTOCOL_VERSION};
pub use order::Order;
pub use paths::{ItemNames, Paths, are_directories};
pub use placement::Placement;
pub use run_id::RunId;
pub use words::{
    CopyDirection, CopySize, Copying, EngineChoice, Existing, Fsync, Hint, Layout, Pattern, Phase,
    Tree,
};
