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
        /// What the kernel said.
        errno: Errno,
    },
    /// Several operations at once are wanted, and the kernel has no `io_uring` for them.
    #[error(
        "`{}`: no io_uring for `queue_depth` above 1: {}; see `kernel.io_uring_disabled`, or leave `queue_depth` at 1",
        .path.display(), errno_text(*.errno)
    )]
    Ring {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
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
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}
