//! The job: what the controller asks an agent to do.
//!
//! One JSON object; an unknown key is an error. `docs/agent.md` describes each field for users.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use rustix::io::Errno;
use seatrial_content::{BLOCK_BYTES_MAX, block_bytes_for};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::errno::errno_name;
use crate::order::Pattern;
use crate::run_id::RunId;
use crate::words::{EngineChoice, Existing, Fsync, Hint, Layout, Phase, Tree};

/// Version of the conversation between controller and agent. A job of another one is refused.
pub const PROTOCOL_VERSION: u32 = 3;

/// Generations of a job that writes and is `time_based`: one for each pass. After the last one it
/// begins with the first again, so that no pass writes the bytes of the pass before it.
pub const PASSES_MAX: u32 = 1 << 16;

/// What one agent is to do in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own in the job"
)]
pub struct Job {
    /// [`PROTOCOL_VERSION`] of the controller.
    pub protocol: u32,
    /// The run that all blocks name.
    pub run_id: RunId,
    /// Name of this client, for reports.
    pub client: String,
    /// Number of this client among those of the run.
    pub client_index: u16,
    /// Threads on this client.
    pub tasks: u16,
    /// What is done.
    pub phase: Phase,
    /// In which order records are touched.
    #[serde(default = "sequential")]
    pub pattern: Pattern,
    /// The layout of the transfers in files.
    #[serde(default = "own_files")]
    pub layout: Layout,
    /// Bytes of a record: what one operation reads or writes.
    #[serde(default)]
    pub transfer_bytes: u64,
    /// Bytes of each file; of a shared file, all ranks together.
    #[serde(default)]
    pub file_bytes: u64,
    /// Directory on the storage under test.
    pub directory: PathBuf,
    /// Names of the files, relative to the directory: one per task, or one that all share. For
    /// metadata operations, the directories of the tasks.
    pub files: Vec<String>,
    /// For each task, the index of the client that wrote the data, or created the items, that the
    /// task works on. Empty when this client did.
    #[serde(default)]
    pub writer_client_indexes: Vec<u16>,
    /// Whether the page cache is passed by (`O_DIRECT`).
    #[serde(default)]
    pub direct: bool,
    /// When written data is made durable.
    #[serde(default)]
    pub fsync: Fsync,
    /// Whether closing the file counts into the time of a task.
    #[serde(default)]
    pub close_in_timing: bool,
    /// How many times the files have been written, this time included; when reading, the last.
    #[serde(default = "first_generation")]
    pub generation: u32,
    /// The lowest generation that a record may have that is found, where those who wrote it raised
    /// it from pass to pass; by default it must have the one that it was written with last.
    #[serde(default)]
    pub generation_from: Option<u32>,
    /// Where random orders start from. Each client and task derives its own.
    #[serde(default)]
    pub seed: u64,
    /// Whether each block is checked while reading.
    #[serde(default)]
    pub verify: bool,
    /// Where the operation log goes: a path on a local disk of the client.
    #[serde(default)]
    pub log: Option<PathBuf>,
    /// Whether the log survives a power cut of the client. If so, it is written to the disk after
    /// each fsync of the storage, before the task continues.
    #[serde(default)]
    pub log_sync: bool,
    /// After how many seconds tasks stop, finished or not.
    #[serde(default)]
    pub time_limit_s: Option<f64>,
    /// Whether a task starts again after its last transfer, until the time is over.
    #[serde(default)]
    pub time_based: bool,
    /// How many seconds after the start the steady window begins; `null`, without `window_s`: there
    /// is none.
    #[serde(default)]
    pub warm_up_s: Option<f64>,
    /// Seconds after which the steady window ends, if no task ends before. Tasks continue.
    #[serde(default)]
    pub window_s: Option<f64>,
    /// Bytes of a block of content; [`block_bytes_for`] is the default. Needed to read with another
    /// transfer size than the one of the write.
    #[serde(default)]
    pub block_bytes: Option<usize>,
    /// Treatment of an existing file; the pattern gives the default.
    #[serde(default)]
    pub existing: Option<Existing>,
    /// Whether each write returns when it is durable (`O_SYNC`).
    #[serde(default)]
    pub o_sync: bool,
    /// The hint to the kernel when a file is opened.
    #[serde(default)]
    pub hints: Vec<Hint>,
    /// How many records ahead of the one at hand are announced to the kernel, one by one; 0 for
    /// none.
    #[serde(default)]
    pub hint_ahead_transfers: u64,
    /// Seconds without any completion that make an outage.
    #[serde(default = "one_second")]
    pub outage_threshold_s: f64,
    /// Operations per second of this client, whether the storage keeps up or not, shared evenly
    /// by its tasks (open loop). `null`: each operation begins when the one before ends.
    #[serde(default)]
    pub arrivals_per_s: Option<f64>,
    /// Operations of one task that may be in flight at once.
    #[serde(default = "one_at_a_time")]
    pub queue_depth: u16,
    /// Symbols of errors, such as `ENOSPC`, after which a task continues with its next operation.
    #[serde(default)]
    pub go_on_after: Vec<String>,
    /// How operations reach the kernel.
    #[serde(default)]
    pub engine: EngineChoice,
    /// Whether figures are kept for each second.
    #[serde(default)]
    pub seconds: bool,
    /// The directories and items of a metadata operation.
    #[serde(default)]
    pub tree: Option<Tree>,
}

/// What is wrong with a job, in one sentence that names the field.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum JobError {
    /// The text is not a job.
    #[error("wrong job: {0}")]
    Unreadable(String),
    /// A field has a value that makes no sense.
    #[error("wrong job: field `{field}` {problem}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
}

const fn first_generation() -> u32 {
    1
}

const fn one_at_a_time() -> u16 {
    1
}

const fn one_second() -> f64 {
    1.0
}

const fn sequential() -> Pattern {
    Pattern::Sequential
}

const fn own_files() -> Layout {
    Layout::NN
}

impl Job {
    /// Bytes of a block of content.
    pub fn content_block_bytes(&self) -> usize {
        self.block_bytes
            .or_else(|| block_bytes_for(self.transfer_bytes))
            .unwrap_or(BLOCK_BYTES_MAX)
    }

    /// Whether a task continues with its next operation after this error.
    pub fn goes_on_after(&self, errno: Errno) -> bool {
        !self.go_on_after.is_empty() && self.go_on_after.contains(&errno_name(errno))
    }

    /// Whether a task may touch a record that it has touched before.
    pub fn touches_twice(&self) -> bool {
        self.time_based || self.pattern.traits().repeats
    }

    /// How many generations, from [`Job::generation`] on, the job may write.
    pub const fn generations(&self) -> u32 {
        if self.time_based { PASSES_MAX } else { 1 }
    }

    /// The generation that is written after `passes` whole passes.
    pub const fn generation_after(&self, passes: u64) -> u32 {
        let pass = passes % self.generations() as u64;
        self.generation.saturating_add(pass as u32)
    }

    /// The generations that a record may have before this job writes it.
    pub fn generations_found(&self) -> RangeInclusive<u32> {
        let last = match self.phase {
            Phase::Mixed { .. } => self.generation.saturating_sub(1),
            _ => self.generation,
        };
        self.generation_from.unwrap_or(last).min(last)..=last
    }

    /// The generations that a block may have after this job has written `passes` whole passes.
    pub fn generations_written(&self, passes: u64) -> RangeInclusive<u32> {
        let last = passes.min(u64::from(self.generations() - 1));
        self.generation..=self.generation_after(last)
    }

    /// How many names [`Job::files`] must have.
    pub fn files_wanted(&self) -> usize {
        match self.layout {
            Layout::Segmented { .. } | Layout::Interleaved { .. } => 1,
            Layout::NN | Layout::OneOne => usize::from(self.tasks),
        }
    }

    /// The file of a task.
    pub fn file_of_task(&self, task: usize) -> &str {
        &self.files[task.min(self.files.len() - 1)]
    }

    /// Index of the client that wrote, or must write, the data of a task.
    pub fn writer_client_index(&self, task: usize) -> u16 {
        self.writer_client_indexes
            .get(task)
            .copied()
            .unwrap_or(self.client_index)
    }

    /// The treatment of files that exist when the phase begins.
    pub fn existing_files(&self) -> Existing {
        let empties = match self.phase {
            Phase::Write => self.pattern.traits().empties_files,
            Phase::Copy(_) => true,
            _ => false,
        };
        let by_default = if empties {
            Existing::Truncate
        } else {
            Existing::Keep
        };
        self.existing.unwrap_or(by_default)
    }
}
