//! The rules of a job that copies files.

use std::collections::HashSet;

use crate::checked::{Checked, wrong};
use crate::job::Job;
use crate::order::Pattern;
use crate::words::{Copying, EngineChoice, Fsync, Layout};

/// Bytes of the largest file that is copied.
const COPY_BYTES_MAX: u64 = 1 << 50;

/// Files of one size that a task may copy.
const COPIES_MAX: u64 = 1 << 24;

/// A copy is one file after the other, by plain calls.
pub(crate) fn check_copy(job: &Job, copying: &Copying) -> Checked {
    check_copy_sizes(job, copying)?;
    if copying.local_directory.as_os_str().is_empty() {
        return wrong("phase", "has an empty `local_directory`");
    }
    let of_storage = copying.is_to_storage();
    for (field, is_plain, problem) in [
        (
            "pattern",
            job.pattern == Pattern::Sequential,
            "must be `sequential`",
        ),
        ("layout", job.layout == Layout::NN, "must be `n-n`"),
        ("queue_depth", job.queue_depth == 1, "must be 1"),
        (
            "engine",
            job.engine != EngineChoice::IoUring,
            "must be `auto` or `plain`",
        ),
        (
            "arrivals_per_s",
            job.arrivals_per_s.is_none(),
            "must be null",
        ),
        (
            "hint_ahead_transfers",
            job.hint_ahead_transfers == 0,
            "must be 0",
        ),
        (
            "fsync",
            of_storage || job.fsync == Fsync::None,
            "must be `none`, the copies are local",
        ),
    ] {
        if !is_plain {
            return wrong(field, format!("{problem} in the phase `copy`"));
        }
    }
    Ok(())
}

fn check_copy_sizes(job: &Job, copying: &Copying) -> Checked {
    let mut seen = HashSet::new();
    for size in &copying.sizes {
        let files = size.files.saturating_add(copying.discard);
        if size.file_bytes == 0
            || size.file_bytes > COPY_BYTES_MAX
            || size.files == 0
            || files > COPIES_MAX
        {
            let problem = "has `sizes` that are not from 1 byte to 2^50, or not of 1 to 2^24 files";
            return wrong("phase", problem);
        }
        if !seen.insert(size.file_bytes) {
            return wrong("phase", format!("has the size {} twice", size.file_bytes));
        }
        if job.direct && copying.is_to_storage() && !size.file_bytes.is_multiple_of(512) {
            let problem = format!(
                "cannot write {} bytes, which are not whole sectors",
                size.file_bytes
            );
            return wrong("direct", problem);
        }
    }
    if copying.sizes.is_empty() {
        return wrong("phase", "has no `sizes`");
    }
    Ok(())
}
