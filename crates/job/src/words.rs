//! The words of a job: phases, layouts and how data is made durable.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a phase does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Phase {
    /// Write the files.
    Write,
    /// Read the files.
    Read,
    /// Read and write the same files; each record is the one or the other, by chance.
    #[serde(rename_all = "snake_case")]
    Mixed {
        /// Share of the operations that read, in percent.
        read_percent: f64,
    },
    /// Create files, with content when `file_bytes` is not 0.
    Create,
    /// Make directories.
    Mkdir,
    /// Ask for the attributes of files.
    Stat,
    /// Set the times of files.
    Utime,
    /// Give files another name in the same directory.
    Rename,
    /// Open and close files.
    OpenClose,
    /// Open files, read all of their content, and close them.
    ReadFiles,
    /// List directories.
    Readdir,
    /// List directories, and get the size of each file with a matching name.
    #[serde(rename_all = "snake_case")]
    Find {
        /// What a name must match: `*` stands for any characters, `?` for one.
        name_pattern: String,
    },
    /// Remove files.
    Remove,
    /// Remove directories.
    Rmdir,
    /// Copy files of several sizes to the storage or from it.
    Copy(Copying),
}

impl Phase {
    /// The name in reports; that of most of its operations.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Mixed { .. } => "mixed",
            Self::Create => "create",
            Self::Mkdir => "mkdir",
            Self::Stat => "stat",
            Self::Utime => "utime",
            Self::Rename => "rename",
            Self::OpenClose => "open-close",
            Self::ReadFiles => "read-files",
            Self::Readdir => "readdir",
            Self::Find { .. } => "find",
            Self::Remove => "remove",
            Self::Rmdir => "rmdir",
            Self::Copy(_) => "copy",
        }
    }

    /// Whether this phase moves records of files that stay open.
    pub const fn is_transfer(&self) -> bool {
        matches!(self, Self::Write | Self::Read | Self::Mixed { .. })
    }

    /// Whether files have to be writable.
    pub const fn writes(&self) -> bool {
        matches!(self, Self::Write | Self::Mixed { .. })
    }
}

/// Which files are copied, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copying {
    /// From where to where.
    pub direction: CopyDirection,
    /// The sizes, in this order.
    pub sizes: Vec<CopySize>,
    /// Directory on a local disk of the client; it has to exist.
    pub local_directory: PathBuf,
    /// Files of each size that each task copies first. Their time does not count.
    #[serde(default = "one_file")]
    pub discard: u64,
}

impl Copying {
    /// Whether files on the storage are written.
    pub fn is_to_storage(&self) -> bool {
        self.direction == CopyDirection::ToStorage
    }

    /// Every file of a task in the order in which they are copied: its size, and its number among
    /// those of this size. The operation log counts them in this order, from 0.
    pub fn files(&self) -> impl Iterator<Item = (CopySize, u64)> {
        self.sizes.iter().flat_map(|&size| {
            let files = self.discard.saturating_add(size.files);
            (0..files).map(move |number| (size, number))
        })
    }
}

/// From where to where files are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyDirection {
    /// From the local directory to the storage.
    ToStorage,
    /// From the storage, where an earlier copy left them, to the local directory.
    FromStorage,
}

/// Files of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopySize {
    /// Length of each.
    pub file_bytes: u64,
    /// How many of them count, per task.
    pub files: u64,
}

const fn one_file() -> u64 {
    1
}

/// The layout of the tasks' transfers in files. A rank is the number of a task in the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    rename_all_fields = "snake_case",
    deny_unknown_fields
)]
pub enum Layout {
    /// Each task has its own file.
    NN,
    /// One task has one file.
    #[serde(rename = "1-1")]
    OneOne,
    /// One file for all; each rank has one contiguous part.
    #[serde(rename = "n-1-segmented")]
    Segmented {
        /// Rank of this client's first task.
        first_rank: u64,
        /// Ranks of the whole run.
        ranks: u64,
    },
    /// One file for all; the ranks take turns.
    #[serde(rename = "n-1-interleaved")]
    Interleaved {
        /// Rank of this client's first task.
        first_rank: u64,
        /// Ranks of the whole run.
        ranks: u64,
        /// Bytes of a turn: one or more records.
        chunk_bytes: u64,
    },
}

/// When written data is made durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fsync {
    /// Not by the job.
    #[default]
    None,
    /// Once per file, after its last record, inside the timing.
    File,
    /// After each transfer, as part of the operation.
    Transfer,
}

/// Treatment of an existing file that a phase will write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Existing {
    /// It is emptied before the start.
    Truncate,
    /// Its content stays and is overwritten in place.
    Keep,
}

/// How operations reach the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineChoice {
    /// `io_uring` when several operations must be in flight, the kernel has it, and the file system
    /// is not in memory; otherwise plain calls.
    #[default]
    Auto,
    /// One plain call after the other.
    Plain,
    /// `io_uring`, or the job fails.
    IoUring,
}

/// The hint to the kernel about the use of a file (`posix_fadvise`), right after opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hint {
    /// It will be read from first to last.
    Sequential,
    /// It will be read in no order: read nothing ahead.
    Random,
    /// It will be needed: begin to read it.
    WillNeed,
    /// Its pages can be dropped from the cache.
    DontNeed,
    /// Its data will be used once.
    NoReuse,
}

/// The directories and files of a metadata operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Levels of directories below that of the task; 0 puts everything into that one.
    #[serde(default)]
    pub depth: u32,
    /// Directories in each directory but the last ones.
    #[serde(default = "one")]
    pub branching: u32,
    /// Files, or directories, in each of the last directories.
    pub items_per_directory: u64,
    /// Whether the items were renamed before, and carry their second name.
    #[serde(default)]
    pub renamed: bool,
    /// Whether a phase that reads works on directories, which `mkdir` has made. The name of a phase
    /// that changes something shows it.
    #[serde(default)]
    pub directories: bool,
}

const fn one() -> u32 {
    1
}

impl Tree {
    /// Directories of the last level.
    pub fn leaves(&self) -> u64 {
        u64::from(self.branching).saturating_pow(self.depth)
    }

    /// Items in all of them.
    pub fn items(&self) -> u64 {
        self.leaves().saturating_mul(self.items_per_directory)
    }
}
