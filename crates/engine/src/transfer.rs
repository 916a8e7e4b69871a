//! The loop that reads and writes the transfers of one task.
//!
//! It is generic over the storage, so that the null target runs the very same code. Per operation
//! it costs one reading of the clock (two when content is made or checked in between), one entry
//! in a histogram and a few plain stores.

mod deep;
mod mixture;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use seatrial_content::{Expectation, SplitMix64, Stamp, file_id};
use seatrial_job::{Fsync, Hint, Job, Order, Phase, Placement};
use seatrial_measure::{
    Bytes, Control, Failure, Kind, Meter, Nanoseconds, OperationError, Subject, Verified,
    boottime_ns,
};

use crate::buffer::Buffer;
use crate::pacer::Pacer;
use crate::seeds::task_seeds;
use crate::storage::Storage;
use crate::verify::Verifier;

use self::mixture::{Holds, Mixture};

/// The transfers of a task, their order, and the expected data.
#[derive(Debug)]
pub(crate) struct Transfer {
    job: Arc<Job>,
    task: usize,
    file_index: usize,
    order: Order,
    /// The same transfers, for the hints to the kernel.
    announced: Option<Order>,
    /// Hints before the next operation: at first all those ahead of it.
    to_announce: u64,
    /// The whole file is still to be announced.
    all_is_needed: bool,
    placement: Placement,
    stamp: Stamp,
    verifier: Verifier,
    mixture: Option<Mixture>,
    choices: SplitMix64,
    read_threshold: u64,
    buffer: Buffer,
}

impl Transfer {
    /// The share of task number `task`. `length_bytes` is how long its file is already.
    pub(crate) fn new(job: Arc<Job>, task: u16, length_bytes: u64) -> Self {
        let placement = Placement::new(&job, u64::from(task));
        let mut seeds = task_seeds(&job, task);
        let present_records = length_bytes / job.transfer_bytes;
        let skipped = if job.pattern.traits().is_at_end {
            present_records
        } else {
            0
        };
        let seed = seeds.next_u64();
        let mut order = Order::new(job.pattern, placement.records(), skipped, seed);
        if job.time_based {
            order = order.endless(job.pattern, seed);
        }
        let announced = (job.hint_ahead_transfers > 0).then(|| order.clone());
        let stamp = stamp_of(&job, job.client_index, task);
        Self {
            task: usize::from(task),
            file_index: usize::from(task).min(job.files.len() - 1),
            order,
            announced,
            to_announce: job
                .hint_ahead_transfers
                .saturating_add(1)
                .min(placement.records()),
            all_is_needed: job.hints.contains(&Hint::WillNeed),
            mixture: Mixture::new(&job, placement.records()),
            placement,
            stamp,
            verifier: verifier_of(&job, task),
            choices: SplitMix64::new(seeds.next_u64()),
            read_threshold: read_threshold(&job.phase),
            buffer: Buffer::new(job.transfer_bytes as usize),
            job,
        }
    }

    /// What checking found.
    pub(crate) fn finish(self) -> Verified {
        self.verifier.finish()
    }

    /// Touches all records, or as many as there is time for.
    pub(crate) fn run<S: Storage>(
        &mut self,
        storage: &S,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let mut pacer = Pacer::new(&self.job, self.task, meter.result.started_ns);
        let done = self.run_paced(&mut pacer, storage, control, meter);
        meter.result.unserved = pacer.unserved(boottime_ns(), self.order.left());
        done?;
        self.sync_file(storage, meter)
    }

    fn run_paced<S: Storage>(
        &mut self,
        pacer: &mut Pacer,
        storage: &S,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        // What the clock said last, as long as nothing was done since.
        let mut known_ns = Some(meter.result.started_ns);
        loop {
            // Only records that are left make a task incomplete.
            let is_through = self.order.is_through();
            let is_over = pacer.is_over(meter.result.ended_ns);
            if control.must_stop() || is_over {
                meter.result.is_through = is_through && (is_over || !self.job.time_based);
                return Ok(());
            }
            let Some(record) = self.next_record() else {
                meter.result.is_through = true;
                return Ok(());
            };
            let offset = self.placement.offset(record);
            let reads = self.choices_read();
            if self.announce(storage) {
                known_ns = None;
            }
            if !reads {
                self.stamp.fill(offset, self.buffer.bytes());
                known_ns = None;
            }
            let Some(begun_ns) = pacer.begin(known_ns, control, meter) else {
                meter.result.is_through = is_through && self.job.time_based && !control.must_stop();
                return Ok(());
            };
            if pacer.is_open_loop() {
                known_ns = Some(boottime_ns());
            }
            let service_ns = known_ns.filter(|_| pacer.is_open_loop());
            let done = if reads {
                self.expect(record);
                self.read(storage, meter, offset, begun_ns)
            } else {
                let written = self.write(storage, meter, offset, begun_ns);
                if let Some(mixture) = &mut self.mixture {
                    mixture.note(record, written.is_ok());
                }
                written
            };
            let ended_ns = match done {
                Ok(ended_ns) => ended_ns,
                Err(error) if self.job.goes_on_after(error.errno) => {
                    known_ns = None;
                    meter.go_on(error, meter.result.ended_ns);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if let Some(service_ns) = service_ns {
                meter.time(Kind::Service, service_ns, ended_ns);
            }
            known_ns = (reads && !self.job.verify).then_some(ended_ns);
        }
    }

    /// The next transfer. Each pass writes a separate generation. A storage system that
    /// deduplicates would store the same bytes at no cost, and their loss would not be visible.
    fn next_record(&mut self) -> Option<u64> {
        let record = self.order.next()?;
        if self.job.phase.writes() {
            self.stamp.generation = self.job.generation_after(self.order.passes());
        }
        Some(record)
    }

    /// Whether the next operation reads.
    fn choices_read(&mut self) -> bool {
        match self.job.phase {
            Phase::Mixed { .. } => self.choices.next_u64() < self.read_threshold,
            _ => self.job.phase == Phase::Read,
        }
    }

    /// Sends the kernel a hint for the next transfer in reach, and at the start for every one in
    /// reach. Returns whether there was one.
    fn announce<S: Storage>(&mut self, storage: &S) -> bool {
        let mut is_any = std::mem::take(&mut self.all_is_needed);
        if is_any {
            storage.will_need(0, 0);
        }
        let Some(announced) = &mut self.announced else {
            return is_any;
        };
        let count = std::mem::replace(&mut self.to_announce, 1);
        for record in announced.take(usize::try_from(count).unwrap_or(usize::MAX)) {
            storage.will_need(self.placement.offset(record), self.job.transfer_bytes);
            is_any = true;
        }
        is_any
    }

    /// Sets the expected data of a transfer, where it depends on earlier writes.
    fn expect(&mut self, record: u64) {
        let Some(mixture) = &self.mixture else {
            return;
        };
        let old = self.job.generations_found();
        let new = self.job.generations_written(self.order.passes());
        self.verifier.expect(match mixture.holds(record) {
            Holds::Old => old,
            Holds::New => new,
            Holds::Either => *old.start()..=*new.end(),
        });
    }

    fn read<S: Storage>(
        &mut self,
        storage: &S,
        meter: &mut Meter<'_>,
        offset: u64,
        begun_ns: Nanoseconds,
    ) -> Result<Nanoseconds, OperationError> {
        let read = storage.read(self.buffer.bytes(), offset);
        let ended_ns = boottime_ns();
        let count = self.check(meter, Kind::Read, offset, ended_ns, read)?;
        if count == 0 {
            // There is nothing: the file ends before. That is no operation to count.
            meter.answered(ended_ns);
        } else {
            meter.complete(Kind::Read, begun_ns, ended_ns, Bytes(count as u64));
        }
        if self.job.verify {
            let found = &self.buffer.bytes()[..count];
            self.verifier.check(offset, found, self.job.transfer_bytes);
        }
        Ok(ended_ns)
    }

    fn write<S: Storage>(
        &mut self,
        storage: &S,
        meter: &mut Meter<'_>,
        offset: u64,
        begun_ns: Nanoseconds,
    ) -> Result<Nanoseconds, OperationError> {
        let written = storage.write(self.buffer.bytes(), offset);
        let mut ended_ns = boottime_ns();
        self.check(meter, Kind::Write, offset, ended_ns, written)?;
        meter.log(&self.subject(Kind::Write, offset), ended_ns);
        if self.job.fsync == Fsync::Transfer {
            let sync_begun_ns = ended_ns;
            let synced = storage.sync();
            ended_ns = boottime_ns();
            self.check(meter, Kind::Fsync, offset, ended_ns, synced)?;
            meter.time(Kind::Fsync, sync_begun_ns, ended_ns);
            meter.log(&self.subject(Kind::Fsync, offset), ended_ns);
        }
        meter.complete(
            Kind::Write,
            begun_ns,
            ended_ns,
            Bytes(self.job.transfer_bytes),
        );
        Ok(ended_ns)
    }

    /// Makes the whole file durable, when the job wants that. The time counts into the task's.
    fn sync_file<S: Storage>(
        &self,
        storage: &S,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        if self.job.fsync != Fsync::File || !self.job.phase.writes() {
            return Ok(());
        }
        let begun_ns = boottime_ns();
        meter.begin(begun_ns);
        let synced = storage.sync();
        let ended_ns = boottime_ns();
        meter.result.fsync_ns = ended_ns - begun_ns;
        self.check(meter, Kind::Fsync, 0, ended_ns, synced)?;
        meter.result.ended_ns = ended_ns;
        meter.time(Kind::Fsync, begun_ns, ended_ns);
        meter.flushed(ended_ns);
        meter.log(&self.subject(Kind::Fsync, 0), ended_ns);
        Ok(())
    }

    /// Turns a failure into the error that ends the task.
    fn check<T>(
        &self,
        meter: &mut Meter<'_>,
        kind: Kind,
        offset: u64,
        ended_ns: Nanoseconds,
        result: Result<T, impl Into<Failure>>,
    ) -> Result<T, OperationError> {
        result.map_err(|failure| meter.fail(&self.subject(kind, offset), failure, ended_ns))
    }

    fn subject(&self, kind: Kind, offset: u64) -> Subject {
        Subject {
            kind,
            file_index: self.file_index,
            generation: self.stamp.generation,
            offset,
            length_bytes: Bytes(self.job.transfer_bytes),
            settles_log: kind == Kind::Fsync || (self.job.log_sync && self.job.o_sync),
        }
    }
}

/// What the blocks of a task carry when `client_index` has written them.
fn stamp_of(job: &Job, client_index: u16, task: u16) -> Stamp {
    Stamp {
        run: job.run_id.0,
        file: file_id(job.file_of_task(usize::from(task))),
        generation: job.generation,
        writer: Stamp::writer_of(client_index, task),
        file_bytes: job.file_bytes,
        block_bytes: job.content_block_bytes(),
    }
}

/// A verifier of what the task should find. Among reads and writes that are mixed, that is the
/// generation before, until the task has written it.
fn verifier_of(job: &Job, task: u16) -> Verifier {
    let stamp = stamp_of(job, job.writer_client_index(usize::from(task)), task);
    let expectation = Expectation {
        stamp,
        any_writer: false,
    };
    let mut verifier = Verifier::new(expectation, job.verify);
    verifier.expect(job.generations_found());
    verifier
}

/// Random numbers below this make an operation of a mixed phase a read.
#[expect(clippy::cast_sign_loss, reason = "percentages are not negative")]
fn read_threshold(phase: &Phase) -> u64 {
    match *phase {
        Phase::Mixed { read_percent } => (read_percent / 100.0 * 2_f64.powi(64)) as u64,
        _ => 0,
    }
}
