//! The loop with several operations under way.
//!
//! The clock is read once before a batch goes to the kernel and once after a batch has come back,
//! so that latencies include the time that an operation spends in the queue.

use rustix::io::Errno;

use super::Transfer;
use crate::clock::monotonic_ns;
use crate::control::Control;
use crate::errors::OperationError;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::meter::Meter;
use crate::ring::{Completion, Direction, Part, Ring};
use crate::storage::{SECTOR_BYTES, Storage};

/// What is under way in a slot.
#[derive(Clone, Copy, Debug)]
struct Flight {
    part: Part,
    begun_ns: u64,
}

/// The state of the loop.
struct Deep<'a, 'b, 'c> {
    transfer: &'a mut Transfer,
    ring: &'a mut Ring,
    meter: &'a mut Meter<'b>,
    control: &'c Control,
    deadline_ns: u64,
    idle: Vec<usize>,
    flights: Vec<Option<Flight>>,
    error: Option<OperationError>,
}

impl Transfer {
    /// Touches all records, or as many as there is time for, as many at a time as the ring has
    /// slots.
    pub(crate) fn run_deep<S: Storage>(
        &mut self,
        storage: &S,
        ring: &mut Ring,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let depth = ring.depth();
        let mut deep = Deep {
            deadline_ns: self.job.deadline_ns(meter.result.started_ns),
            transfer: self,
            ring,
            meter,
            control,
            idle: (0..depth).rev().collect(),
            flights: vec![None; depth],
            error: None,
        };
        deep.run()?;
        self.sync_file(storage, meter)
    }
}

impl Deep<'_, '_, '_> {
    fn run(&mut self) -> Result<(), OperationError> {
        let mut completions = Vec::with_capacity(self.ring.depth());
        loop {
            self.launch();
            if self.ring.under_way() == 0 {
                return self.error.take().map_or(Ok(()), Err);
            }
            if let Err(errno) = self.ring.wait(&mut completions) {
                // The ring itself is broken: nothing will come back.
                return Err(self.fail_all(errno, monotonic_ns()));
            }
            let ended_ns = monotonic_ns();
            for completion in &completions {
                self.land(completion, ended_ns);
            }
        }
    }

    /// Begins as many operations as there are idle slots, unless it is time to stop.
    fn launch(&mut self) {
        let first = self.idle.len();
        let mut launched = Vec::with_capacity(first);
        while let Some(slot) = self.idle.pop() {
            let Some(record) = self.next_record() else {
                self.idle.push(slot);
                break;
            };
            let offset = self.transfer.placement.offset(record);
            let direction = if self.transfer.choices_read() {
                Direction::Read
            } else {
                self.transfer.stamp.fill(offset, self.ring.buffer(slot));
                Direction::Write
            };
            launched.push(Part {
                slot,
                direction,
                offset,
                done_bytes: 0,
            });
        }
        let begun_ns = monotonic_ns();
        for part in launched {
            self.push(Flight { part, begun_ns }, begun_ns);
        }
    }

    /// The next record, or `None` when all are done or it is time to stop.
    fn next_record(&mut self) -> Option<u64> {
        let result = &mut self.meter.result;
        let is_over =
            self.error.is_some() || self.control.must_stop() || result.ended_ns >= self.deadline_ns;
        let record = if is_over {
            // Only records that are left make a task incomplete.
            result.is_complete = self.transfer.order.clone().next().is_none();
            return None;
        } else {
            self.transfer.order.next()
        };
        result.is_complete = record.is_none();
        record
    }

    fn push(&mut self, flight: Flight, now_ns: u64) {
        match self.ring.push(flight.part) {
            Ok(()) => self.flights[flight.part.slot] = Some(flight),
            Err(errno) => self.fail(&flight.part, errno, now_ns),
        }
    }

    /// Gives up on everything under way, of which nobody will hear any more.
    fn fail_all(&mut self, errno: Errno, ended_ns: u64) -> OperationError {
        let flights: Vec<_> = self.flights.iter_mut().filter_map(Option::take).collect();
        for flight in flights {
            self.fail_as(&flight.part, Failure::partial(errno), ended_ns);
        }
        self.error.take().unwrap_or(OperationError {
            operation: Kind::of_phase(self.transfer.job.phase).name(),
            errno,
            offset: 0,
        })
    }

    /// Takes in an operation that has come back: it is done, goes on, or has failed.
    fn land(&mut self, completion: &Completion, ended_ns: u64) {
        let Some(mut flight) = self.flights[completion.slot].take() else {
            return;
        };
        let record_bytes = self.transfer.job.record_bytes as usize;
        match completion.result {
            Err(Errno::INTR | Errno::AGAIN) => {
                self.push(flight, ended_ns);
            }
            Err(errno) => self.fail(&flight.part, errno, ended_ns),
            Ok(count) => {
                flight.part.done_bytes += count;
                let is_cut = self.transfer.job.direct
                    && !flight.part.done_bytes.is_multiple_of(SECTOR_BYTES);
                if flight.part.done_bytes < record_bytes && count > 0 && !is_cut {
                    self.push(flight, ended_ns);
                } else if flight.part.direction == Direction::Write && count == 0 {
                    self.fail(&flight.part, Errno::NOSPC, ended_ns);
                } else {
                    self.complete(&flight, ended_ns);
                }
            }
        }
    }

    fn complete(&mut self, flight: &Flight, ended_ns: u64) {
        let Part {
            slot,
            direction,
            offset,
            done_bytes,
        } = flight.part;
        let job = &self.transfer.job;
        match direction {
            Direction::Read => {
                self.meter
                    .complete(Kind::Read, flight.begun_ns, ended_ns, done_bytes as u64);
                if job.verify || done_bytes as u64 != job.record_bytes {
                    let found = &self.ring.buffer(slot)[..done_bytes];
                    self.transfer
                        .verifier
                        .check(offset, found, job.record_bytes);
                }
            }
            Direction::Write => {
                self.meter
                    .complete(Kind::Write, flight.begun_ns, ended_ns, job.record_bytes);
                self.meter
                    .log(&self.transfer.subject(Kind::Write, offset), ended_ns);
            }
        }
        self.idle.push(slot);
    }

    /// Keeps the first error, which ends the task once everything under way has come back.
    fn fail(&mut self, part: &Part, errno: Errno, ended_ns: u64) {
        let is_partial = part.done_bytes > 0;
        self.fail_as(part, Failure { errno, is_partial }, ended_ns);
    }

    fn fail_as(&mut self, part: &Part, failure: Failure, ended_ns: u64) {
        let kind = match part.direction {
            Direction::Read => Kind::Read,
            Direction::Write => Kind::Write,
        };
        let subject = self.transfer.subject(kind, part.offset);
        let error = self.meter.fail(&subject, failure, ended_ns);
        self.error.get_or_insert(error);
        self.idle.push(part.slot);
    }
}
