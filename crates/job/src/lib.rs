//! The job: the request of the controller to an agent, and everything that follows from it alone.
//!
//! [`Job`] is the message of the controller, which the head of an operation log repeats
//! ([`LogHead`]). The executor of a job and the reader of its log derive the same from it: the
//! order and the places of the transfers, and the names of files.

mod check;
mod check_copies;
mod checked;
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
pub use order::{Order, Pattern, PatternTraits};
pub use paths::{ItemNames, Paths, are_directories};
pub use placement::Placement;
pub use run_id::RunId;
pub use words::{
    CopyDirection, CopySize, Copying, EngineChoice, Existing, Fsync, Hint, Layout, Phase, Tree,
};
