//! Why a job could not be prepared.

use std::path::PathBuf;

use rustix::io::Errno;
use seatrial_job::errno_text;
use thiserror::Error;

/// Why a job could not be prepared.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// A file could not be opened or created, or a directory not be made.
    #[error("cannot open `{}`: {}", .path.display(), errno_text(*.errno))]
    Open {
        /// The file.
        path: PathBuf,
        /// The error number of the kernel.
        errno: Errno,
    },
    /// The file system of a file takes no `O_DIRECT`.
    #[error(
        "cannot open `{}` with O_DIRECT: its file system does not support it; set `direct` to \
         false, or use another directory",
        .path.display()
    )]
    NoDirect {
        /// The file.
        path: PathBuf,
    },
    /// Each thread needs several mappings of memory, and a process has a limit of them.
    #[error(
        "{tasks} tasks need more memory mappings than a process may have here (vm.max_map_count is \
         {mappings_max}): use at most {tasks_max} tasks, or raise it"
    )]
    Mappings {
        /// The tasks of the job.
        tasks: u16,
        /// `vm.max_map_count`.
        mappings_max: u64,
        /// How many tasks fit.
        tasks_max: u64,
    },
    /// Several operations at once are wanted, and the kernel has no `io_uring` for them.
    #[error(
        "`{}`: no io_uring for `queue_depth` above 1: {}; see `kernel.io_uring_disabled`, or leave \
         `queue_depth` at 1",
        .path.display(), errno_text(*.errno)
    )]
    Ring {
        /// The file.
        path: PathBuf,
        /// The error number of the kernel.
        errno: Errno,
    },
    /// The operation log could not be created.
    #[error("cannot create the log `{}`: {error}", .path.display())]
    Log {
        /// The log.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// There was no thread to be had.
    #[error(
        "cannot start thread {number} of {threads}: {error}; use fewer tasks, or raise the \
         limits of this machine (ulimit -u, ulimit -v, pids.max)"
    )]
    Thread {
        /// How many had started, this one included.
        number: u16,
        /// How many tasks there are.
        threads: u16,
        /// The error of the system.
        error: std::io::Error,
    },
}
