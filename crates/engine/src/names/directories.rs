//! Making the directories of a task, which other tasks and clients may be making, too.

use std::fmt::Write;
use std::path::Path;

use rustix::io::Errno;
use seatrial_job::{Job, Tree};

use super::calls::make_directory;

/// Makes the missing directories of task number `task`, below that of the job, which must exist.
pub(super) fn make_tree(
    job: &Job,
    tree: &Tree,
    task: u16,
    stepped: &dyn Fn(),
) -> Result<(), Errno> {
    let mut path = make_directories(&job.directory, job.file_of_task(usize::from(task)))?;
    make_below(&mut path, tree.depth, tree.branching, stepped)
}

/// Makes the missing directories of the path `name`, below `directory`, which must exist; returns
/// the whole path.
pub(crate) fn make_directories(directory: &Path, name: &str) -> Result<String, Errno> {
    let mut path = directory.display().to_string();
    for part in name.split('/') {
        let _ = write!(path, "/{part}");
        make_if_missing(&path)?;
    }
    Ok(path)
}

/// Makes `depth` levels of directories below `path`.
fn make_below(
    path: &mut String,
    depth: u32,
    branching: u32,
    stepped: &dyn Fn(),
) -> Result<(), Errno> {
    if depth == 0 {
        return Ok(());
    }
    let length = path.len();
    for directory in 0..branching {
        let _ = write!(path, "/d{directory}");
        make_if_missing(path)?;
        stepped();
        make_below(path, depth - 1, branching, stepped)?;
        path.truncate(length);
    }
    Ok(())
}

/// Makes a directory, unless another task has made it already.
fn make_if_missing(path: &str) -> Result<(), Errno> {
    match make_directory(path) {
        Err(Errno::EXIST) => Ok(()),
        result => result,
    }
}
