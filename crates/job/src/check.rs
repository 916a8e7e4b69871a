//! What the types of a job cannot express.

use std::collections::HashSet;
use std::path::{Component, Path};

use seatrial_content::{block_bytes_for, is_block_size};

use crate::check_copies::check_copy;
use crate::checked::{Checked, wrong};
use crate::errno::errno_named;
use crate::job::{Job, PROTOCOL_VERSION};
use crate::words::{EngineChoice, Fsync, Layout, Phase};

/// Bytes of a sector. `O_DIRECT` needs whole sectors.
const SECTOR_BYTES: u64 = 512;

/// Bytes of the largest record.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// The longest time limit, in seconds: some thirty years.
const TIME_LIMIT_S_MAX: f64 = 1e9;

/// The shortest time that can be an outage, in seconds.
const OUTAGE_S_MIN: f64 = 0.001;

/// Operations per second beyond which no clock could tell two apart.
const ARRIVALS_PER_S_MAX: f64 = 1e8;

/// Items of the largest tree, per task.
const ITEMS_MAX: u64 = 1 << 40;

/// Names of a directory that can be ticked off in memory.
const NAMES_MAX: u64 = 1 << 28;

/// Operations in flight beyond which no storage gets faster.
const QUEUE_DEPTH_MAX: u16 = 4096;

/// Bytes of the buffers of all tasks, which a client holds in its memory, and partly pinned.
const BUFFER_BYTES_MAX: u64 = 8 << 30;

/// Checks a job that could be read.
pub(crate) fn check(job: &Job) -> Checked {
    if job.protocol != PROTOCOL_VERSION {
        let problem = format!("is {}, this agent speaks {PROTOCOL_VERSION}", job.protocol);
        return wrong("protocol", problem);
    }
    if job.tasks == 0 {
        return wrong("tasks", "must be at least 1");
    }
    if job.directory.as_os_str().is_empty() {
        return wrong("directory", "must not be empty");
    }
    check_rates(job)?;
    check_errors(job)?;
    check_time_based(job)?;
    if job.phase.is_transfer() {
        check_record(job)?;
        check_file_bytes(job)?;
        check_pattern(job)?;
        check_layout(job)?;
        check_depth(job)?;
    } else if let Phase::Copy(copying) = &job.phase {
        check_record(job)?;
        check_copy(job, copying)?;
    } else {
        check_tree(job)?;
    }
    check_files(job)?;
    check_writers(job)
}

fn check_rates(job: &Job) -> Checked {
    if job
        .time_limit_s
        .is_some_and(|limit_s| !(limit_s > 0.0 && limit_s <= TIME_LIMIT_S_MAX))
    {
        return wrong("time_limit_s", "must be above 0 and at most 1e9, or null");
    }
    if job
        .warm_up_s
        .is_some_and(|warm_up_s| !(0.0..=TIME_LIMIT_S_MAX).contains(&warm_up_s))
    {
        return wrong("warm_up_s", "must be from 0 to 1e9, or null");
    }
    if job
        .window_s
        .is_some_and(|window_s| !(window_s > 0.0 && window_s <= TIME_LIMIT_S_MAX))
    {
        return wrong("window_s", "must be above 0 and at most 1e9, or null");
    }
    if !(OUTAGE_S_MIN..=TIME_LIMIT_S_MAX).contains(&job.outage_threshold_s) {
        return wrong("outage_threshold_s", "must be from 0.001 to 1e9");
    }
    if job
        .arrivals_per_s
        .is_some_and(|rate| !(rate > 0.0 && rate <= ARRIVALS_PER_S_MAX))
    {
        return wrong("arrivals_per_s", "must be above 0 and at most 1e8, or null");
    }
    match job.phase {
        Phase::Mixed { read_percent } if !(0.0..=100.0).contains(&read_percent) => {
            wrong("phase", "has a `read_percent` that is not from 0 to 100")
        }
        _ => Ok(()),
    }
}

/// What is done over and over again must be the same each time.
fn check_time_based(job: &Job) -> Checked {
    if !job.time_based {
        return Ok(());
    }
    if job.time_limit_s.is_none() {
        return wrong("time_based", "needs `time_limit_s`");
    }
    if !job.phase.is_transfer() {
        return wrong("time_based", "is for `write`, `read` and `mixed`");
    }
    if job.pattern.traits().is_at_end {
        let name = job.pattern.name();
        let problem = format!("cannot be had with `{name}`, which has one end");
        return wrong("time_based", problem);
    }
    Ok(())
}

fn check_record(job: &Job) -> Checked {
    let transfer_bytes = job.transfer_bytes;
    if transfer_bytes > RECORD_BYTES_MAX || block_bytes_for(transfer_bytes).is_none() {
        let problem = format!(
            "is {transfer_bytes}, must have a divisor from 512 to 4096, and be at most \
             {RECORD_BYTES_MAX}"
        );
        return wrong("transfer_bytes", problem);
    }
    let block_bytes = job.content_block_bytes();
    if !is_block_size(block_bytes) || !transfer_bytes.is_multiple_of(block_bytes as u64) {
        let problem =
            format!("is {block_bytes}, must be from 512 to 4096 and divide `transfer_bytes`");
        return wrong("block_bytes", problem);
    }
    if job.direct && !transfer_bytes.is_multiple_of(SECTOR_BYTES) {
        let problem = format!("cannot move {transfer_bytes} bytes, which are not whole sectors");
        return wrong("direct", problem);
    }
    Ok(())
}

fn check_file_bytes(job: &Job) -> Checked {
    let file_bytes = job.file_bytes;
    if file_bytes == 0 || !file_bytes.is_multiple_of(job.transfer_bytes) {
        let problem = format!(
            "is {file_bytes}, must be whole records of {}",
            job.transfer_bytes
        );
        return wrong("file_bytes", problem);
    }
    Ok(())
}

fn check_pattern(job: &Job) -> Checked {
    match job.pattern.problem(&job.phase, job.layout) {
        Some(problem) => wrong("pattern", problem),
        None => Ok(()),
    }
}

/// A name that no error has would silently end a task that should continue.
fn check_errors(job: &Job) -> Checked {
    match job
        .go_on_after
        .iter()
        .find(|name| errno_named(name).is_none())
    {
        Some(name) => wrong(
            "go_on_after",
            format!("has `{name}`, which is no error that storage gives, such as `ENOSPC`"),
        ),
        None => Ok(()),
    }
}

/// Several operations at once go with less than one at a time does.
fn check_depth(job: &Job) -> Checked {
    if !(1..=QUEUE_DEPTH_MAX).contains(&job.queue_depth) {
        return wrong(
            "queue_depth",
            format!("must be from 1 to {QUEUE_DEPTH_MAX}"),
        );
    }
    let operations = u64::from(job.tasks) * u64::from(job.queue_depth);
    let buffer_bytes = operations * job.transfer_bytes;
    if buffer_bytes > BUFFER_BYTES_MAX {
        let problem = format!(
            "is {}: {} tasks with as many records of {} bytes each hold {buffer_bytes} bytes of \
             memory, more than {BUFFER_BYTES_MAX} for a client; take fewer of one of the three",
            job.queue_depth, job.tasks, job.transfer_bytes
        );
        return wrong("queue_depth", problem);
    }
    if job.queue_depth == 1 && job.engine != EngineChoice::IoUring {
        return Ok(());
    }
    if job.engine == EngineChoice::Plain {
        return wrong(
            "queue_depth",
            "must be 1 for the engine `plain`: use more tasks",
        );
    }
    if job.verify && matches!(job.phase, Phase::Mixed { .. }) && job.touches_twice() {
        return wrong(
            "queue_depth",
            "must be 1, and `engine` not `io-uring`, to verify `mixed` where records are \
             touched twice: one may be read while it is written",
        );
    }
    if job.fsync == Fsync::Transfer {
        return wrong(
            "queue_depth",
            "must be 1 with `fsync` `record`: use `o_sync`",
        );
    }
    Ok(())
}

fn check_layout(job: &Job) -> Checked {
    let (first_rank, ranks, chunk_bytes) = match job.layout {
        Layout::NN => return Ok(()),
        Layout::OneOne if job.tasks == 1 => return Ok(()),
        Layout::OneOne => return wrong("layout", "`1-1` is for one task"),
        Layout::Segmented { first_rank, ranks } => (first_rank, ranks, job.transfer_bytes),
        Layout::Interleaved {
            first_rank,
            ranks,
            chunk_bytes,
        } => (first_rank, ranks, chunk_bytes),
    };
    if first_rank.saturating_add(u64::from(job.tasks)) > ranks {
        let problem = format!(
            "has {ranks} ranks, too few for {} from {first_rank}",
            job.tasks
        );
        return wrong("layout", problem);
    }
    if chunk_bytes == 0 || !chunk_bytes.is_multiple_of(job.transfer_bytes) {
        return wrong("layout", "has a `chunk_bytes` that is not whole records");
    }
    let turn_bytes = ranks.checked_mul(chunk_bytes);
    if !turn_bytes.is_some_and(|turn_bytes| job.file_bytes.is_multiple_of(turn_bytes)) {
        let problem = format!("is {}, must be the same for each rank", job.file_bytes);
        return wrong("file_bytes", problem);
    }
    Ok(())
}

fn check_tree(job: &Job) -> Checked {
    let Some(tree) = &job.tree else {
        return wrong("tree", "is missing, the phase needs it");
    };
    if tree.branching == 0 || tree.items_per_directory == 0 || tree.items() > ITEMS_MAX {
        return wrong("tree", "must have from 1 to 2^40 items");
    }
    let takes_either = matches!(
        job.phase,
        Phase::Mkdir | Phase::Rmdir | Phase::Stat | Phase::Utime | Phase::Readdir
    );
    if tree.directories && (tree.renamed || !takes_either) {
        let problem = "has `directories`, which is for mkdir, stat, utime, readdir and rmdir, \
                       and not with `renamed`";
        return wrong("tree", problem);
    }
    let lists = matches!(job.phase, Phase::Readdir | Phase::Find { .. });
    if job.verify && lists && tree.items_per_directory > NAMES_MAX {
        return wrong(
            "tree",
            "has more than 2^28 names in a directory, too many to verify",
        );
    }
    if matches!(job.phase, Phase::Create | Phase::ReadFiles) && job.file_bytes > 0 {
        check_record(job)?;
    }
    if job.phase == Phase::ReadFiles {
        check_whole_files(job)?;
    }
    if let Phase::Find { name_pattern } = &job.phase {
        check_find(job, name_pattern)?;
    }
    Ok(())
}

/// A task holds a whole file in memory, so that the comparison is outside the time.
fn check_whole_files(job: &Job) -> Checked {
    let buffer_bytes = u64::from(job.tasks).saturating_mul(job.file_bytes);
    if job.file_bytes > RECORD_BYTES_MAX || buffer_bytes > BUFFER_BYTES_MAX {
        let problem = format!(
            "is {}, must be at most {RECORD_BYTES_MAX} in the phase `read-files`, and \
             {BUFFER_BYTES_MAX} for all tasks",
            job.file_bytes
        );
        return wrong("file_bytes", problem);
    }
    Ok(())
}

/// An entry of a directory is an operation. Entries arrive together, so none has its own time.
fn check_find(job: &Job, name_pattern: &str) -> Checked {
    if name_pattern.is_empty() || name_pattern.contains('/') {
        return wrong("phase", "has a `name_pattern` that is empty or has a `/`");
    }
    if job.arrivals_per_s.is_some() {
        return wrong("arrivals_per_s", "must be null in the phase `find`");
    }
    Ok(())
}

fn check_files(job: &Job) -> Checked {
    let (names, wanted) = (job.files.len(), job.files_wanted());
    if names != wanted {
        return wrong("files", format!("has {names} names, needed are {wanted}"));
    }
    let mut seen = HashSet::new();
    for name in &job.files {
        let is_plain = !name.is_empty()
            && Path::new(name)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
        if !is_plain {
            return wrong("files", format!("has `{name}`, which leaves the directory"));
        }
        if !seen.insert(name) && job.phase.is_transfer() {
            return wrong("files", format!("names `{name}` twice"));
        }
    }
    Ok(())
}

fn check_writers(job: &Job) -> Checked {
    let writers = job.writer_client_indexes.len();
    if writers != 0 && writers != usize::from(job.tasks) {
        let problem = format!("has {writers} entries for {} tasks", job.tasks);
        return wrong("writer_client_indexes", problem);
    }
    Ok(())
}
