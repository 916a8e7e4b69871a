//! What a task counts and times while it works, whatever its work is.

use std::io;

use rustix::io::Errno;
use seatrial_job::{Existing, Job};
use seatrial_log::{self as log, TaskLog};

use crate::clock::boottime_ns;
use crate::collector::Collector;
use crate::errors::OperationError;
use crate::failure::Failure;
use crate::gaps::{Gaps, TaskGaps};
use crate::kind::Kind;
use crate::progress::TaskProgress;
use crate::tally::Tally;
use crate::units::{Bytes, Nanoseconds};
use crate::window::{Event, Stonewall, Window};

/// How long a task took for the files of one size.
#[derive(Debug, Default)]
pub struct CopyTimes {
    /// Length of each file.
    pub file_bytes: Bytes,
    /// The first ones, which do not count.
    pub discarded_ns: Vec<Nanoseconds>,
    /// All others.
    pub counted_ns: Vec<Nanoseconds>,
}

/// What a task did. Times are by the steady clock, in nanoseconds.
#[derive(Debug, Default)]
pub struct TaskResult {
    /// When it began.
    pub started_ns: Nanoseconds,
    /// When it ended, so far.
    pub ended_ns: Nanoseconds,
    pub(crate) first_begun_ns: Nanoseconds,
    pub(crate) last_ended_ns: Nanoseconds,
    /// How long the final fsync took.
    pub fsync_ns: Nanoseconds,
    /// How long closing the file took.
    pub close_ns: Nanoseconds,
    pub(crate) bytes: Bytes,
    /// Operations that ended well.
    pub operations: u64,
    /// Operations of an open loop that were due, and that never began.
    pub unserved: u64,
    pub(crate) gaps: TaskGaps,
    /// By the position of the size in the job.
    pub copies: Vec<CopyTimes>,
    /// How operations reached the kernel.
    pub engine: &'static str,
    /// What ended the task.
    pub error: Option<OperationError>,
    /// The first error that did not end the task, and how many there were.
    pub(crate) passed_over: Option<(OperationError, u64)>,
    pub(crate) log_error: Option<String>,
    /// Whether all operations were done, well or not.
    pub is_through: bool,
    pub(crate) is_first_to_end: bool,
}

impl TaskResult {
    /// Whether the task completed its job.
    pub(crate) const fn is_complete(&self) -> bool {
        self.is_through && self.error.is_none()
    }
}

/// The state that tasks share, and the properties of a task's job.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Its counters.
    pub progress: &'a TaskProgress,
    /// When the first of all tasks ended.
    pub stonewall: &'a Stonewall,
    /// Receives the results of the task.
    pub collector: &'a Collector,
    /// The steady window.
    pub window: Option<Window>,
    /// How long nothing may be completed before it is an outage.
    pub outage_threshold_ns: Nanoseconds,
}

/// What an operation is about, for the log.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// What is done.
    pub kind: Kind,
    /// Number of the file in the job, or among the task's.
    pub file_index: usize,
    /// What its blocks carry.
    pub generation: u32,
    /// First byte; the number of the item where there are names only.
    pub offset: u64,
    /// How much from there on.
    pub length_bytes: Bytes,
    /// Whether the log must not lose it once it is acknowledged: it promises something.
    pub settles_log: bool,
}

/// A file that is opened before the start and closed in the end, for the log.
#[derive(Clone, Copy, Debug)]
pub struct FileSubject {
    /// Number of the file in the job, or among the task's.
    pub index: usize,
    /// What its blocks carry.
    pub generation: u32,
    /// What it was cut to before the start.
    pub cut_to_bytes: Bytes,
}

impl FileSubject {
    /// File number `index` of a job that writes it, which is to have `file_bytes`.
    pub fn new(job: &Job, index: usize, file_bytes: Bytes) -> Self {
        Self {
            index,
            generation: job.generation,
            cut_to_bytes: match job.existing_files() {
                Existing::Truncate => Bytes(0),
                Existing::Keep => file_bytes,
            },
        }
    }
}

/// Counts and times the operations of one task.
#[derive(Debug)]
pub struct Meter<'a> {
    /// What the task did so far.
    pub result: TaskResult,
    setting: Setting<'a>,
    tally: Tally<'a>,
    gaps: Gaps,
    log: Option<TaskLog>,
}

impl<'a> Meter<'a> {
    /// Begins at `started_ns`.
    pub fn new(setting: Setting<'a>, log: Option<TaskLog>, started_ns: Nanoseconds) -> Self {
        setting.progress.begin(started_ns);
        Self {
            result: TaskResult {
                started_ns,
                ended_ns: started_ns,
                engine: "plain",
                ..TaskResult::default()
            },
            tally: Tally::new(
                setting.collector,
                setting.stonewall,
                setting.window,
                started_ns,
            ),
            setting,
            gaps: Gaps::new(setting.outage_threshold_ns.0, started_ns.0),
            log,
        }
    }

    /// Notes that the task waits for something else than the storage.
    pub fn rest(&mut self) {
        self.gaps.rest();
        self.setting.progress.end();
    }

    /// Notes that an operation begins, other than right after the one before.
    pub fn begin(&mut self, begun_ns: Nanoseconds) {
        self.gaps.begin(begun_ns.0);
        self.setting.progress.begin(begun_ns);
    }

    /// Counts and times an operation that ended well.
    pub fn complete(
        &mut self,
        kind: Kind,
        begun_ns: Nanoseconds,
        ended_ns: Nanoseconds,
        bytes: Bytes,
    ) {
        let latency_ns = ended_ns.saturating_sub(begun_ns);
        let result = &mut self.result;
        if result.operations == 0 {
            result.first_begun_ns = begun_ns;
        }
        result.operations += 1;
        result.bytes += bytes;
        result.ended_ns = ended_ns;
        result.last_ended_ns = ended_ns;
        self.setting
            .progress
            .advance(ended_ns, result.bytes, result.operations, latency_ns);
        self.tally.count(Event {
            kind,
            ended_ns,
            latency_ns,
            bytes,
            operations: 1,
        });
        self.gaps.complete(ended_ns.0);
    }

    /// Times an operation, or a part of one, without counting it.
    pub fn time(&mut self, kind: Kind, begun_ns: Nanoseconds, ended_ns: Nanoseconds) {
        self.tally.count(Event {
            kind,
            ended_ns,
            latency_ns: ended_ns.saturating_sub(begun_ns),
            bytes: Bytes(0),
            operations: 0,
        });
    }

    /// Notes an answer of the storage that is no operation. Time has passed, and no task stalls.
    pub fn answered(&mut self, ended_ns: Nanoseconds) {
        self.result.ended_ns = self.result.ended_ns.max(ended_ns);
        self.setting.progress.answered(ended_ns);
        self.gaps.complete(ended_ns.0);
    }

    /// Notes that an operation failed and that the task continues. A storage that refuses (no
    /// space, no permission) has answered. A client that gave up on its storage has no answer, and
    /// its outage lasts.
    fn refused(&mut self, errno: Errno, ended_ns: Nanoseconds) {
        if !is_unreachable(errno) {
            self.answered(ended_ns);
            return;
        }
        self.result.ended_ns = self.result.ended_ns.max(ended_ns);
        self.setting.progress.answered(ended_ns);
        self.gaps.lose();
    }

    /// Notes the completion of the call after the last operation: the fsync or the close.
    pub fn flushed(&mut self, ended_ns: Nanoseconds) {
        self.gaps.flush(ended_ns.0);
    }

    /// Notes the end of the task, for its time.
    pub fn end(&mut self) {
        self.result.is_first_to_end = self.setting.stonewall.close();
        self.setting.progress.end();
    }

    /// Turns a failed operation, which ended at `ended_ns`, into the error that ends the task.
    pub fn fail(
        &mut self,
        subject: &Subject,
        failure: impl Into<Failure>,
        ended_ns: Nanoseconds,
    ) -> OperationError {
        let failure = failure.into();
        self.result.ended_ns = ended_ns;
        self.setting.progress.fail();
        self.push_record(subject, Some(failure), ended_ns);
        OperationError {
            operation: subject.kind.name(),
            errno: failure.errno,
            offset: subject.offset,
            file: None,
        }
    }

    /// Turns a failure to close the file into an error.
    pub fn fail_close(&self, errno: Errno) -> OperationError {
        self.setting.progress.fail();
        OperationError {
            operation: "close",
            errno,
            offset: 0,
            file: None,
        }
    }

    /// Counts an error that ends the task now. It is not logged.
    pub fn fail_with(&mut self, error: OperationError) -> OperationError {
        self.result.ended_ns = boottime_ns();
        self.setting.progress.fail();
        error
    }

    /// Counts an operation that failed at `ended_ns`, after which the task continues.
    pub fn pass_over(&mut self, error: OperationError, ended_ns: Nanoseconds) {
        self.result.ended_ns = ended_ns;
        self.setting.progress.fail();
        self.refused(error.errno, ended_ns);
        self.result.passed_over.get_or_insert((error, 0)).1 += 1;
    }

    /// Counts an error at `ended_ns`, which is logged already, and after which the task continues.
    pub fn go_on(&mut self, error: OperationError, ended_ns: Nanoseconds) {
        self.refused(error.errno, ended_ns);
        self.result.passed_over.get_or_insert((error, 0)).1 += 1;
    }

    /// Logs how closing a file went.
    pub fn log_close(&mut self, file: &FileSubject, ended_ns: Nanoseconds, errno: Option<Errno>) {
        let failure = errno.map(Failure::from);
        self.push_file_record(file, log::Operation::Close, 0, failure, ended_ns);
    }

    /// Logs that a file was cut to what the job wants, before the start.
    pub fn log_truncation(&mut self, file: &FileSubject, ended_ns: Nanoseconds) {
        let operation = log::Operation::Truncate;
        self.push_file_record(file, operation, file.cut_to_bytes.0, None, ended_ns);
    }

    /// Logs an operation that succeeded. An fsync is written at once: its promise must be logged,
    /// whatever happens to this process.
    pub fn log(&mut self, subject: &Subject, ended_ns: Nanoseconds) {
        if self.log.is_none() {
            return;
        }
        self.push_record(subject, None, ended_ns);
        if let Some(log) = &mut self.log
            && subject.settles_log
        {
            let settled = log.settle();
            self.note_log_error(settled);
        }
    }

    fn push_record(&mut self, subject: &Subject, failure: Option<Failure>, ended_ns: Nanoseconds) {
        let Some(operation) = subject.kind.logged() else {
            return;
        };
        self.push(log::Record {
            operation,
            outcome: outcome_of(failure),
            errno: errno_of(failure),
            file_index: subject.file_index as u32,
            generation: subject.generation,
            length_bytes: subject.length_bytes.0 as u32,
            offset: subject.offset,
            boottime_ns: ended_ns.0,
        });
    }

    fn push_file_record(
        &mut self,
        file: &FileSubject,
        operation: log::Operation,
        offset: u64,
        failure: Option<Failure>,
        ended_ns: Nanoseconds,
    ) {
        self.push(log::Record {
            operation,
            outcome: outcome_of(failure),
            errno: errno_of(failure),
            file_index: file.index as u32,
            generation: file.generation,
            length_bytes: 0,
            offset,
            boottime_ns: ended_ns.0,
        });
    }

    fn push(&mut self, record: log::Record) {
        if let Some(log) = &mut self.log {
            let pushed = log.push(record);
            self.note_log_error(pushed);
        }
    }

    /// Keeps the first error of the log. The task continues: the reader of the log sees the gap.
    fn note_log_error(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.result.log_error.get_or_insert(error.to_string());
        }
    }

    /// Ends the task.
    pub fn finish(mut self) -> TaskResult {
        if let Some(log) = self.log.take() {
            let finished = log.finish();
            self.note_log_error(finished);
        }
        self.tally.finish();
        self.setting.progress.end();
        self.result.gaps = self.gaps.finish(self.result.error.is_some());
        self.result
    }
}

/// Whether the error means that the client could not reach its storage. Other errors are answers of
/// the storage.
fn is_unreachable(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::IO
            | Errno::NOTCONN
            | Errno::TIMEDOUT
            | Errno::STALE
            | Errno::NODEV
            | Errno::NXIO
            | Errno::PIPE
            | Errno::SHUTDOWN
            | Errno::CONNABORTED
            | Errno::CONNREFUSED
            | Errno::CONNRESET
            | Errno::HOSTDOWN
            | Errno::HOSTUNREACH
            | Errno::NETDOWN
            | Errno::NETUNREACH
    )
}

fn outcome_of(failure: Option<Failure>) -> log::Outcome {
    failure.map_or(log::Outcome::Ok, Failure::outcome)
}

fn errno_of(failure: Option<Failure>) -> u16 {
    let number = failure.map_or(0, |failure| failure.errno.raw_os_error());
    u16::try_from(number).unwrap_or(u16::MAX)
}
