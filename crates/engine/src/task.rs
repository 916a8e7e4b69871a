//! One task: a thread with a file of its own.

use std::io;
use std::os::fd::IntoRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use seatrial_content::{Expectation, SplitMix64, Stamp, file_id};
use seatrial_log::{LogWriter, TaskLog};

use crate::buffer::Buffer;
use crate::clock::{Instants, monotonic_ns};
use crate::errors::OperationError;
use crate::files::open_file;
use crate::histogram::Latencies;
use crate::job::Job;
use crate::order::Order;
use crate::progress::{Progress, TaskProgress};
use crate::storage::FileStorage;
use crate::transfer::Transfer;
use crate::verify::Verifier;

/// Lets others stop the tasks.
#[derive(Debug, Default)]
pub(crate) struct Control {
    stop: AtomicBool,
}

impl Control {
    /// Asks all tasks to end after the operation at hand.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether a task should end.
    pub(crate) fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Everything that a task works with.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) job: Arc<Job>,
    pub(crate) file_index: usize,
    pub(crate) order: Order,
    pub(crate) stamp: Stamp,
    pub(crate) verifier: Verifier,
    pub(crate) buffer: Buffer,
    pub(crate) log: Option<TaskLog>,
    pub(crate) control: Arc<Control>,
    pub(crate) instants: Instants,
    progress: Arc<Progress>,
}

/// What a task did. Times are by the steady clock, in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct TaskResult {
    pub(crate) started_ns: u64,
    pub(crate) ended_ns: u64,
    pub(crate) first_begun_ns: u64,
    pub(crate) last_ended_ns: u64,
    pub(crate) fsync_ns: u64,
    pub(crate) close_ns: u64,
    pub(crate) bytes: u64,
    pub(crate) operations: u64,
    pub(crate) latencies: Latencies,
    pub(crate) fsyncs: Latencies,
    pub(crate) outages: Vec<(u64, u64)>,
    pub(crate) error: Option<OperationError>,
    pub(crate) log_error: Option<String>,
    pub(crate) is_complete: bool,
}

impl TaskResult {
    /// Keeps the first error of the log. The task goes on: its reader will see the gap.
    pub(crate) fn note_log_error(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.log_error.get_or_insert(error.to_string());
        }
    }
}

impl Task {
    /// Prepares task number `index` of a job, without touching the storage.
    pub(crate) fn new(
        job: Arc<Job>,
        index: u16,
        progress: Arc<Progress>,
        control: Arc<Control>,
        log: Option<&Arc<LogWriter>>,
        instants: Instants,
    ) -> Self {
        let file_index = usize::from(index);
        let stamp = Stamp {
            run: job.run_id.0,
            file: file_id(&job.files[file_index]),
            generation: job.generation,
            writer: Stamp::writer_of(job.writer_client_index(file_index), index),
            file_bytes: job.file_bytes,
            block_bytes: job.content_block_bytes(),
        };
        let expectation = Expectation {
            stamp,
            any_writer: false,
        };
        Self {
            file_index,
            order: Order::new(job.pattern, job.records_per_file(), task_seed(&job, index)),
            stamp,
            verifier: Verifier::new(expectation, job.verify),
            buffer: Buffer::new(job.record_bytes as usize),
            log: log.map(|writer| writer.task(index)),
            control,
            instants,
            progress,
            job,
        }
    }

    /// This task's counters.
    pub(crate) fn progress(&self) -> &TaskProgress {
        self.progress.task(self.file_index)
    }

    /// Opens the task's file, which is created when it is to be written.
    pub(crate) fn open(&self) -> Result<FileStorage, Errno> {
        let descriptor = open_file(&self.job, self.file_index)?;
        Ok(FileStorage {
            descriptor,
            direct: self.job.direct,
        })
    }

    /// Does the work on an open file, and closes it.
    pub(crate) fn run(&mut self, storage: FileStorage) -> TaskResult {
        let mut result = Transfer::new(self, &storage).run();
        self.close(storage, &mut result);
        if let Some(log) = self.log.take() {
            result.note_log_error(log.finish());
        }
        self.progress().end();
        result
    }

    /// Closes the file and takes the time: a network file system writes back, and reports errors,
    /// only now.
    fn close(&self, storage: FileStorage, result: &mut TaskResult) {
        let begun_ns = monotonic_ns();
        self.progress().begin(begun_ns);
        let raw = storage.descriptor.into_raw_fd();
        // SAFETY: the descriptor was owned by `storage` alone and is given up here.
        #[expect(unsafe_code, reason = "the safe way to close a file hides the error")]
        let closed = unsafe { rustix::io::try_close(raw) };
        let ended_ns = monotonic_ns();
        result.close_ns = ended_ns - begun_ns;
        if self.job.close_in_timing {
            result.ended_ns = ended_ns;
        }
        if let (Err(errno), None) = (closed, &result.error) {
            self.progress().fail();
            result.error = Some(OperationError {
                operation: "close",
                errno,
                offset: 0,
            });
        }
    }
}

/// A seed that no other task of the run has.
fn task_seed(job: &Job, index: u16) -> u64 {
    let writer = Stamp::writer_of(job.client_index, index);
    SplitMix64::new(job.seed ^ SplitMix64::new(u64::from(writer)).next_u64()).next_u64()
}
