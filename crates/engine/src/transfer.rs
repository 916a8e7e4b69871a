//! The loop that reads or writes the records of one file.
//!
//! It is generic over the storage, so that the null target runs the very same code. Per operation
//! it costs one reading of the clock (two when content is made or checked in between), one entry
//! in a histogram and a few plain stores.

use std::time::Duration;

use rustix::io::Errno;
use seatrial_log as log;

use crate::clock::{NANOSECONDS_PER_SECOND, monotonic_ns};
use crate::errors::OperationError;
use crate::job::{Fsync, Phase};
use crate::storage::Storage;
use crate::task::{Task, TaskResult};

/// A gap between completions that counts as an outage.
pub(crate) const OUTAGE_NS: u64 = NANOSECONDS_PER_SECOND;

/// Outages that are kept per task; more than this is no longer a story of outages.
const OUTAGES_MAX: usize = 1000;

/// How long records may wait in memory before the log is flushed.
const LOG_FLUSH_NS: u64 = NANOSECONDS_PER_SECOND;

/// The state of a transfer in progress.
pub(crate) struct Transfer<'a, S> {
    task: &'a mut Task,
    storage: &'a S,
    result: TaskResult,
    deadline_ns: u64,
    log_flushed_ns: u64,
}

impl<'a, S: Storage> Transfer<'a, S> {
    /// Prepares a transfer that begins now.
    pub(crate) fn new(task: &'a mut Task, storage: &'a S) -> Self {
        let started_ns = monotonic_ns();
        task.progress().begin(started_ns);
        let deadline_ns = task.job.time_limit_s.map_or(u64::MAX, |limit_s| {
            started_ns.saturating_add(Duration::from_secs_f64(limit_s).as_nanos() as u64)
        });
        let result = TaskResult {
            started_ns,
            ended_ns: started_ns,
            ..TaskResult::default()
        };
        Self {
            task,
            storage,
            result,
            deadline_ns,
            log_flushed_ns: started_ns,
        }
    }

    /// Touches all records, or as many as there is time for. The result says how far it came,
    /// also after an error.
    pub(crate) fn run(mut self) -> TaskResult {
        let outcome = match self.task.job.phase {
            Phase::Write => self.write_records().and_then(|()| self.sync_file()),
            Phase::Read => self.read_records(),
        };
        if let Err(error) = outcome {
            self.task.progress().fail();
            self.result.error = Some(error);
        }
        self.result
    }

    fn write_records(&mut self) -> Result<(), OperationError> {
        let record_bytes = self.task.job.record_bytes;
        let syncs_records = self.task.job.fsync == Fsync::Record;
        let mut order = self.task.order.clone();
        while let Some(record) = self.next_record(&mut order) {
            let offset = record * record_bytes;
            self.task.stamp.fill(offset, self.task.buffer.bytes());
            let begun_ns = monotonic_ns();
            let written = self.storage.write(self.task.buffer.bytes(), offset);
            self.check("write", log::Operation::Write, offset, written)?;
            if syncs_records {
                let sync_begun_ns = monotonic_ns();
                let synced = self.storage.sync();
                self.check("fsync", log::Operation::Sync, offset, synced)?;
                self.result.fsyncs.record(monotonic_ns() - sync_begun_ns);
            }
            let ended_ns = monotonic_ns();
            self.account(begun_ns, ended_ns, record_bytes);
            self.note(log::Operation::Write, offset, ended_ns);
            if syncs_records {
                self.note(log::Operation::Sync, offset, ended_ns);
                self.flush_log(ended_ns);
            }
        }
        Ok(())
    }

    fn read_records(&mut self) -> Result<(), OperationError> {
        let record_bytes = self.task.job.record_bytes;
        let verifies = self.task.job.verify;
        let mut order = self.task.order.clone();
        let mut begun_ns = self.result.started_ns;
        while let Some(record) = self.next_record(&mut order) {
            let offset = record * record_bytes;
            let read = self.storage.read(self.task.buffer.bytes(), offset);
            let count = self.check("read", log::Operation::Read, offset, read)?;
            let ended_ns = monotonic_ns();
            self.account(begun_ns, ended_ns, count as u64);
            begun_ns = ended_ns;
            if verifies || count as u64 != record_bytes {
                let found = &self.task.buffer.bytes()[..count];
                self.task.verifier.check(offset, found, record_bytes);
                begun_ns = monotonic_ns();
            }
        }
        Ok(())
    }

    /// Makes the whole file durable, when the job wants that. The time counts into the task's.
    fn sync_file(&mut self) -> Result<(), OperationError> {
        if self.task.job.fsync != Fsync::File {
            return Ok(());
        }
        let begun_ns = monotonic_ns();
        self.task.progress().begin(begun_ns);
        let synced = self.storage.sync();
        let ended_ns = monotonic_ns();
        self.result.fsync_ns = ended_ns - begun_ns;
        self.result.ended_ns = ended_ns;
        self.result.fsyncs.record(ended_ns - begun_ns);
        self.note_outage(begun_ns, ended_ns);
        self.check("fsync", log::Operation::Sync, 0, synced)?;
        self.note(log::Operation::Sync, 0, ended_ns);
        Ok(())
    }

    /// The next record, or `None` when all are done or it is time to stop.
    fn next_record(&mut self, order: &mut crate::order::Order) -> Option<u64> {
        if self.task.control.must_stop() || self.result.ended_ns >= self.deadline_ns {
            // Only records that are left make a task incomplete.
            self.result.is_complete = order.next().is_none();
            return None;
        }
        let record = order.next();
        self.result.is_complete = record.is_none();
        record
    }

    /// Turns a failure into an error that says where, and logs it.
    fn check<T>(
        &mut self,
        name: &'static str,
        operation: log::Operation,
        offset: u64,
        result: Result<T, Errno>,
    ) -> Result<T, OperationError> {
        result.map_err(|errno| {
            self.result.ended_ns = monotonic_ns();
            self.push_record(operation, log::Outcome::Fail, offset, self.result.ended_ns);
            OperationError {
                operation: name,
                errno,
                offset,
            }
        })
    }

    /// Counts an operation that ended well.
    fn account(&mut self, begun_ns: u64, ended_ns: u64, bytes: u64) {
        let result = &mut self.result;
        let latency_ns = ended_ns - begun_ns;
        if result.operations == 0 {
            result.first_begun_ns = begun_ns;
        }
        result.operations += 1;
        result.bytes += bytes;
        result.ended_ns = ended_ns;
        result.last_ended_ns = ended_ns;
        result.latencies.record(latency_ns);
        let (bytes, operations) = (result.bytes, result.operations);
        self.task
            .progress()
            .advance(ended_ns, bytes, operations, latency_ns);
        self.note_outage(begun_ns, ended_ns);
    }

    /// Remembers an operation that took so long that users would ask what had happened.
    fn note_outage(&mut self, begun_ns: u64, ended_ns: u64) {
        if ended_ns - begun_ns >= OUTAGE_NS && self.result.outages.len() < OUTAGES_MAX {
            self.result.outages.push((begun_ns, ended_ns));
        }
    }

    /// Logs an operation that ended well.
    fn note(&mut self, operation: log::Operation, offset: u64, ended_ns: u64) {
        if self.task.log.is_some() {
            self.push_record(operation, log::Outcome::Ok, offset, ended_ns);
            if ended_ns - self.log_flushed_ns >= LOG_FLUSH_NS {
                self.flush_log(ended_ns);
            }
        }
    }

    fn push_record(
        &mut self,
        operation: log::Operation,
        outcome: log::Outcome,
        offset: u64,
        ended_ns: u64,
    ) {
        let record = log::Record {
            operation,
            outcome,
            file_index: self.task.file_index as u32,
            generation: self.task.job.generation,
            length_bytes: self.task.job.record_bytes as u32,
            offset,
            unix_ns: self.task.instants.to_unix_ns(ended_ns),
        };
        if let Some(log) = &mut self.task.log {
            let pushed = log.push(record);
            self.result.note_log_error(pushed);
        }
    }

    fn flush_log(&mut self, now_ns: u64) {
        if let Some(log) = &mut self.task.log {
            let flushed = log.flush();
            self.result.note_log_error(flushed);
            self.log_flushed_ns = now_ns;
        }
    }
}
