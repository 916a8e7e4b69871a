//! The names of the files that copies write.
//!
//! On the storage, file 3 of 4096 bytes that task 0 of client 1 has copied is `c1.0.4096.3` in the
//! directory of the task.

use crate::job::Job;
use crate::words::{CopySize, Copying, Phase};

/// The name, relative to the job's directory, of file number `number` of a size.
pub fn copy_name(
    directory: &str,
    client_index: u16,
    task: u16,
    file_bytes: u64,
    number: u64,
) -> String {
    format!("{directory}/c{client_index}.{task}.{file_bytes}.{number}")
}

/// A file on the storage that a copy writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedFile {
    /// Its name, relative to the job's directory.
    pub name: String,
    /// The length that it should have, in bytes.
    pub file_bytes: u64,
}

/// The files that task number `task` writes on the storage, by their number in the operation log;
/// none when the job copies nothing there. For readers of operation logs.
pub fn copied_files(job: &Job, task: u16) -> impl Iterator<Item = CopiedFile> {
    let copying = match &job.phase {
        Phase::Copy(copying) if copying.is_to_storage() => Some(copying),
        _ => None,
    };
    let files = copying.into_iter().flat_map(Copying::files);
    files.map(move |(CopySize { file_bytes, .. }, number)| {
        let directory = job.file_of_task(usize::from(task));
        let name = copy_name(directory, job.client_index, task, file_bytes, number);
        CopiedFile { name, file_bytes }
    })
}
