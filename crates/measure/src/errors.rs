//! An operation that failed, as a task reports it.

use rustix::io::Errno;

/// An operation that failed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationError {
    /// Name of the operation.
    pub operation: &'static str,
    /// The error number of the kernel.
    pub errno: Errno,
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Name of the file, when it is not that of the task.
    pub file: Option<String>,
}
