//! What a phase did, in the form in which the controller gets it.

mod copies;
mod loaded;
#[cfg(test)]
mod memory;
mod outages;

use std::collections::BTreeMap;

use seatrial_content::{Finding, file_id};
use seatrial_job::{Job, errno_name, errno_text};
use serde::Serialize;

use crate::collector::Collector;
use crate::damage::{Damage, Verified, What};
use crate::errors::OperationError;
use crate::histogram::LatencySummary;
use crate::meter::TaskResult;
use crate::units::{Bytes, Nanoseconds};
use crate::window::Window;

pub use self::copies::CopyReport;
pub use self::loaded::{SteadyReport, StonewallReport};
pub use self::outages::{ClientOutage, Outage};

/// Extents of damage that are listed; the rest is counted.
const EXTENTS_LISTED_MAX: usize = 1000;

/// Everything that is known after a phase.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// When the first task began.
    pub start_boottime_ns: Nanoseconds,
    /// When the last task ended, with fsync and close if the job has them.
    pub end_boottime_ns: Nanoseconds,
    /// From the first start to the last end.
    pub elapsed_ns: Nanoseconds,
    /// Bytes of all tasks.
    pub bytes: Bytes,
    /// Operations of all tasks that ended well.
    pub operations: u64,
    /// Operations of an open loop that were due before the end, and that never began. They have no
    /// latency.
    pub unserved: u64,
    /// Bytes by elapsed time.
    pub rate_bytes_per_s: f64,
    /// Whether every task completed its job.
    pub complete: bool,
    /// Why tasks stopped before they were done, if they did.
    pub stopped_by: Option<StopReason>,
    /// How operations reached the kernel: `plain` or `io-uring`.
    pub engine: &'static str,
    /// What all tasks had done when the first of them ended.
    pub stonewall: StonewallReport,
    /// What all tasks did in the steady window, when the job wants one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyReport>,
    /// One entry per task.
    pub tasks: Vec<TaskReport>,
    /// Latencies per kind of operation; a kind that did not occur is left out.
    pub latency: BTreeMap<&'static str, LatencySummary>,
    /// Seconds with figures that no reader took in time.
    pub seconds_omitted: u64,
    /// Times per size of file, in a phase that copies files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copy: Vec<CopyReport>,
    /// Times in which a task waited for longer than the threshold and completed nothing, by start.
    pub outages: Vec<Outage>,
    /// How many more there were.
    pub outages_omitted: u64,
    /// Times in which no task completed anything, although one waited for longer than the
    /// threshold.
    pub client_outages: Vec<ClientOutage>,
    /// What checking found.
    pub verification: Verification,
    /// What the kernel refused.
    pub errors: Vec<ErrorReport>,
    /// The first trouble with the operation log, if any.
    pub log_error: Option<String>,
}

/// Why a phase ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The time limit of the job.
    Time,
    /// The controller asked for it.
    Cancelled,
    /// A signal.
    Signal,
    /// An error of an operation.
    Error,
}

/// What one task did.
#[derive(Debug, Serialize)]
pub struct TaskReport {
    /// Number of the task on this client.
    pub task: usize,
    /// Its file.
    pub file: String,
    /// When its first operation began; `null` when there was none.
    pub first_operation_boottime_ns: Option<Nanoseconds>,
    /// When its last operation ended; `null` when there was none.
    pub last_operation_boottime_ns: Option<Nanoseconds>,
    /// From its start to its end, with fsync and close if the job has them.
    pub elapsed_ns: Nanoseconds,
    /// Of that, or of what came after, the final fsync.
    pub fsync_ns: Nanoseconds,
    /// Closing the file, whether it counts or not.
    pub close_ns: Nanoseconds,
    /// Bytes read or written.
    pub bytes: Bytes,
    /// Operations that ended well.
    pub operations: u64,
    /// Bytes by elapsed time.
    pub rate_bytes_per_s: f64,
    /// Whether the task touched every record that it should.
    pub complete: bool,
}

/// What checking found.
#[derive(Debug, Default, Serialize)]
pub struct Verification {
    /// Blocks with every byte compared.
    pub blocks_checked: u64,
    /// Blocks that were not as expected, missing ones included.
    pub blocks_damaged: u64,
    /// Where, and what.
    pub extents: Vec<DamagedExtent>,
    /// Extents for which there was no room.
    pub extents_omitted: u64,
}

/// Neighbouring blocks in which the same damage was found.
#[derive(Debug, Serialize)]
pub struct DamagedExtent {
    /// Name of the file.
    pub file: String,
    /// Kind of damage: see [`seatrial_content::Class`].
    pub class: &'static str,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// The particulars, in words.
    pub detail: String,
}

/// A kind of error, where it came first, and how often it came.
#[derive(Debug, Serialize)]
pub struct ErrorReport {
    /// Name of the operation.
    pub operation: &'static str,
    /// Number of the error.
    pub errno: i32,
    /// Symbol of the error, such as `EIO`.
    pub name: String,
    /// The error in words.
    pub text: String,
    /// Name of the file.
    pub file: String,
    /// Offset in it.
    pub offset: u64,
    /// How many.
    pub count: u64,
}

/// What turns the times of tasks into those of a phase.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    /// The steady window.
    pub window: Option<Window>,
    /// When the first task ended.
    pub stonewall_ns: Option<Nanoseconds>,
}

impl Outcome {
    /// Sums up what the tasks saw.
    pub fn collect(
        job: &Job,
        spans: Spans,
        stop_reason: Option<StopReason>,
        results: Vec<(TaskResult, Verified)>,
        collector: &Collector,
    ) -> Self {
        let collected = collector.finish();
        let (results, verified): (Vec<_>, Vec<_>) = results.into_iter().unzip();
        let started_ns = results.iter().map(|result| result.started_ns).min();
        let started_ns = started_ns.unwrap_or_default();
        let ended_ns = results.iter().map(|result| result.ended_ns).max();
        let ended_ns = ended_ns.unwrap_or_default();
        let elapsed_ns = ended_ns - started_ns;
        let stonewall_ns = spans.stonewall_ns.unwrap_or(ended_ns);
        let bytes: Bytes = results.iter().map(|result| result.bytes).sum();
        let threshold_ns = Nanoseconds::from_s(job.outage_threshold_s).0;
        let complete = results.iter().all(TaskResult::is_complete);
        Self {
            start_boottime_ns: started_ns,
            end_boottime_ns: ended_ns,
            elapsed_ns,
            bytes,
            operations: results.iter().map(|result| result.operations).sum(),
            unserved: results.iter().map(|result| result.unserved).sum(),
            rate_bytes_per_s: elapsed_ns.rate_per_s(bytes.0).unwrap_or(0.0),
            complete,
            stopped_by: (!complete).then(|| stop_reason.unwrap_or(early_reason(&results))),
            engine: results.first().map_or("plain", |result| result.engine),
            stonewall: StonewallReport::collect(&results, &collected, started_ns, stonewall_ns),
            steady: spans
                .window
                .map(|window| SteadyReport::collect(&collected, window, stonewall_ns)),
            tasks: tasks_of(job, &results),
            latency: collected.latencies.summaries(),
            seconds_omitted: collected.seconds_omitted,
            copy: copies::collect(&results),
            outages: outages::of_tasks(&results, threshold_ns),
            outages_omitted: results.iter().map(|result| result.gaps.omitted).sum(),
            client_outages: outages::of_client(&results, threshold_ns, ended_ns.0),
            errors: errors_of(job, &results),
            log_error: results.iter().find_map(|result| result.log_error.clone()),
            verification: verification_of(job, verified),
        }
    }

    /// Whether nothing failed and nothing was found damaged.
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty() && self.verification.blocks_damaged == 0
    }
}

/// The reason of tasks that stopped without a request to stop.
fn early_reason(results: &[TaskResult]) -> StopReason {
    if results.iter().any(|result| result.error.is_some()) {
        StopReason::Error
    } else {
        StopReason::Time
    }
}

fn tasks_of(job: &Job, results: &[TaskResult]) -> Vec<TaskReport> {
    let report = |(task, result): (usize, &TaskResult)| {
        let at = |time_ns| (result.operations > 0).then_some(time_ns);
        let elapsed_ns = result.ended_ns - result.started_ns;
        TaskReport {
            task,
            file: job.file_of_task(task).to_owned(),
            first_operation_boottime_ns: at(result.first_begun_ns),
            last_operation_boottime_ns: at(result.last_ended_ns),
            elapsed_ns,
            fsync_ns: result.fsync_ns,
            close_ns: result.close_ns,
            bytes: result.bytes,
            operations: result.operations,
            rate_bytes_per_s: elapsed_ns.rate_per_s(result.bytes.0).unwrap_or(0.0),
            complete: result.is_complete(),
        }
    };
    results.iter().enumerate().map(report).collect()
}

fn errors_of(job: &Job, results: &[TaskResult]) -> Vec<ErrorReport> {
    let of_task = |(task, result): (usize, &TaskResult)| {
        let passed_over = result
            .passed_over
            .iter()
            .map(|(error, count)| (error, *count));
        let last = result.error.iter().map(|error| (error, 1));
        let report = |(error, count)| ErrorReport::new(error, job.file_of_task(task), count);
        passed_over.chain(last).map(report).collect::<Vec<_>>()
    };
    results.iter().enumerate().flat_map(of_task).collect()
}

impl ErrorReport {
    /// An error that came `count` times; `file` is that of the task.
    pub fn new(error: &OperationError, file: &str, count: u64) -> Self {
        Self {
            operation: error.operation,
            errno: error.errno.raw_os_error(),
            name: errno_name(error.errno),
            text: errno_text(error.errno),
            file: error.file.as_deref().unwrap_or(file).to_owned(),
            offset: error.offset,
            count,
        }
    }
}

fn verification_of(job: &Job, verified: Vec<Verified>) -> Verification {
    let mut verification = Verification::default();
    for (task, verified) in verified.into_iter().enumerate() {
        verification.blocks_checked += verified.blocks_checked;
        verification.blocks_damaged += verified.blocks_damaged;
        verification.extents_omitted += verified.extents_omitted;
        for damage in verified.damage {
            if verification.extents.len() < EXTENTS_LISTED_MAX {
                verification.extents.push(damaged_extent(job, task, damage));
            } else {
                verification.extents_omitted += 1;
            }
        }
    }
    verification
}

fn damaged_extent(job: &Job, task: usize, damage: Damage) -> DamagedExtent {
    DamagedExtent {
        class: damage.what.class(),
        file: damage
            .file
            .unwrap_or_else(|| job.file_of_task(task).to_owned()),
        offset: damage.offset,
        length: damage.length,
        detail: match damage.what {
            What::Content(finding) => detail_of(job, &finding),
            What::Name { detail, .. } => detail,
        },
    }
}

/// The particulars of a finding, with the names of files that this job knows.
fn detail_of(job: &Job, finding: &Finding) -> String {
    if let Finding::ForeignFile { file, belongs_at } = finding
        && let Some(name) = job.files.iter().find(|name| file_id(name) == *file)
    {
        return format!("belongs to file `{name}` at offset {belongs_at}");
    }
    finding.to_string()
}
