//! The loop with several operations in flight.
//!
//! The clock is read once before a batch goes to the kernel and once after a batch has come back,
//! so that latencies include the time that an operation spends in the queue. In an open loop, an
//! operation begins at its appointed time if there is an idle slot; otherwise it waits for one,
//! which its latency contains.

use rustix::io::Errno;
use seatrial_measure::{
    Bytes, Control, Failure, Kind, Meter, Nanoseconds, OperationError, Subject, boottime_ns,
};

use super::Transfer;
use crate::pacer::{Pacer, Turn};
use crate::ring::{Completion, Direction, Part, Ring};
use crate::storage::{SECTOR_BYTES, Storage};

/// With `O_DIRECT`, the most operations in one call. The kernel plugs a larger call: it holds back
/// the requests until it has all of them (`IO_PLUG_THRESHOLD`), and the device has nothing to do.
const GROUP_MAX: usize = 2;

/// The operation in a slot.
#[derive(Clone, Copy, Debug)]
struct Flight {
    part: Part,
    /// What its blocks carry, where it writes.
    generation: u32,
    /// When it began; in an open loop, when it should have.
    begun_ns: Nanoseconds,
    /// When it really began, if that is another time.
    service_ns: Option<Nanoseconds>,
}

/// What an idle slot can do.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// This record; in an open loop, its time was this.
    Record(u64, Option<Nanoseconds>),
    /// Nothing before this time.
    At(Nanoseconds),
    /// Nothing: every transfer is done, or it is time to stop.
    Nothing,
}

/// The state of the loop.
struct Deep<'a, 'b, 'c, S> {
    transfer: &'a mut Transfer,
    storage: &'a S,
    ring: &'a mut Ring,
    meter: &'a mut Meter<'b>,
    control: &'c Control,
    pacer: Pacer,
    is_resting: bool,
    /// The transfer that is not due yet.
    upcoming: Option<u64>,
    /// Whether all records had been touched when the last one was taken.
    was_through: bool,
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
            pacer: Pacer::new(&self.job, self.task, meter.result.started_ns),
            transfer: self,
            storage,
            ring,
            meter,
            control,
            is_resting: false,
            upcoming: None,
            was_through: false,
            idle: (0..depth).rev().collect(),
            flights: vec![None; depth],
            error: None,
        };
        let done = deep.run();
        deep.count_unserved();
        done?;
        self.sync_file(storage, meter)
    }
}

impl<S: Storage> Deep<'_, '_, '_, S> {
    fn run(&mut self) -> Result<(), OperationError> {
        let mut completions = Vec::with_capacity(self.ring.depth());
        loop {
            let next_ns = self.launch();
            if self.ring.under_way() == 0 {
                let Some(next_ns) = next_ns else {
                    return self.error.take().map_or(Ok(()), Err);
                };
                self.rest(next_ns);
                continue;
            }
            if let Err(errno) = self.ring.wait(&mut completions, next_ns) {
                // The ring itself is broken: nothing will come back.
                return Err(self.fail_all(errno, boottime_ns()));
            }
            let ended_ns = boottime_ns();
            for completion in &completions {
                self.land(completion, ended_ns);
            }
        }
    }

    /// Counts what should have begun and never will.
    fn count_unserved(&mut self) {
        let waiting = u64::from(self.upcoming.is_some());
        let left = self.transfer.order.left().saturating_add(waiting);
        self.meter.result.unserved = self.pacer.unserved(boottime_ns(), left);
    }

    /// Waits for the next arrival, with nothing in flight.
    fn rest(&mut self, next_ns: Nanoseconds) {
        self.meter.rest();
        self.is_resting = true;
        self.control.wait_until(next_ns);
    }

    /// Begins as many operations as there are idle slots, unless it is time to stop. Returns when
    /// the next one arrives, if that is what an idle slot has to wait for.
    fn launch(&mut self) -> Option<Nanoseconds> {
        let mut launched = Vec::with_capacity(self.idle.len());
        let mut next_ns = None;
        while let Some(slot) = self.idle.pop() {
            match self.next() {
                Next::Record(record, appointed_ns) => {
                    let part = self.prepare(slot, record);
                    launched.push((part, self.transfer.stamp.generation, appointed_ns));
                    continue;
                }
                Next::At(appointed_ns) => next_ns = Some(appointed_ns),
                Next::Nothing => {}
            }
            self.idle.push(slot);
            break;
        }
        let now_ns = boottime_ns();
        for (part, generation, appointed_ns) in launched {
            let flight = Flight {
                part,
                generation,
                begun_ns: appointed_ns.unwrap_or(now_ns),
                service_ns: appointed_ns.map(|_| now_ns),
            };
            self.push(flight, now_ns);
            if self.transfer.job.direct && self.ring.queued() >= GROUP_MAX {
                self.ring.submit();
            }
        }
        next_ns
    }

    /// The operation for a transfer, with its content in the slot.
    fn prepare(&mut self, slot: usize, record: u64) -> Part {
        let offset = self.transfer.placement.offset(record);
        self.transfer.announce(self.storage);
        let direction = if self.transfer.choices_read() {
            Direction::Read
        } else {
            self.transfer.stamp.fill(offset, self.ring.buffer(slot));
            Direction::Write
        };
        Part {
            slot,
            direction,
            offset,
            done_bytes: 0,
        }
    }

    /// What is next.
    fn next(&mut self) -> Next {
        let Some(record) = self.next_record() else {
            self.meter.result.is_through = true;
            return Next::Nothing;
        };
        let is_over = self.error.is_some()
            || self.control.must_stop()
            || self.pacer.is_over(self.meter.result.ended_ns);
        let turn = if is_over {
            Turn::Never
        } else {
            self.pacer.turn(boottime_ns)
        };
        let Turn::Now(appointed_ns) = turn else {
            self.upcoming = Some(record);
            if let Turn::At(appointed_ns) = turn {
                return Next::At(appointed_ns);
            }
            let is_time = self.transfer.job.time_based && !self.control.must_stop();
            self.meter.result.is_through = is_time && self.was_through;
            return Next::Nothing;
        };
        if std::mem::take(&mut self.is_resting) {
            self.meter.begin(appointed_ns.unwrap_or_else(boottime_ns));
        }
        Next::Record(record, appointed_ns)
    }

    /// The transfer that had to wait, or the next one.
    fn next_record(&mut self) -> Option<u64> {
        self.upcoming.take().or_else(|| {
            self.was_through = self.transfer.order.is_through();
            self.transfer.next_record()
        })
    }

    fn push(&mut self, flight: Flight, now_ns: Nanoseconds) {
        match self.ring.push(flight.part) {
            Ok(()) => self.flights[flight.part.slot] = Some(flight),
            Err(errno) => self.fail(&flight, errno, now_ns),
        }
    }

    /// Gives up on every operation in flight. Their answers are not read any more.
    fn fail_all(&mut self, errno: Errno, ended_ns: Nanoseconds) -> OperationError {
        let flights: Vec<_> = self.flights.iter_mut().filter_map(Option::take).collect();
        for flight in flights {
            self.fail_as(&flight, Failure::partial(errno), ended_ns);
        }
        self.error.take().unwrap_or(OperationError {
            operation: Kind::of_phase(&self.transfer.job.phase).name(),
            errno,
            offset: 0,
            file: None,
        })
    }

    /// Takes an operation that has come back: it is done, continues, or has failed.
    fn land(&mut self, completion: &Completion, ended_ns: Nanoseconds) {
        let Some(mut flight) = self.flights[completion.slot].take() else {
            return;
        };
        let transfer_bytes = self.transfer.job.transfer_bytes as usize;
        match completion.result {
            // It may be refused for ever: whoever is to stop does not ask again.
            Err(Errno::INTR | Errno::AGAIN) if !self.control.must_stop() => {
                self.push(flight, ended_ns);
            }
            Err(errno) => self.fail(&flight, errno, ended_ns),
            Ok(count) => {
                flight.part.done_bytes += count;
                let is_cut = self.transfer.job.direct
                    && !flight.part.done_bytes.is_multiple_of(SECTOR_BYTES);
                if flight.part.done_bytes < transfer_bytes && count > 0 && !is_cut {
                    self.push(flight, ended_ns);
                } else if flight.part.direction == Direction::Write && count == 0 {
                    self.fail(&flight, Errno::NOSPC, ended_ns);
                } else {
                    self.complete(&flight, ended_ns);
                }
            }
        }
    }

    fn complete(&mut self, flight: &Flight, ended_ns: Nanoseconds) {
        let Part {
            slot,
            direction,
            offset,
            done_bytes,
        } = flight.part;
        let job = &self.transfer.job;
        if let Some(service_ns) = flight.service_ns {
            self.meter.time(Kind::Service, service_ns, ended_ns);
        }
        match direction {
            Direction::Read => {
                if done_bytes == 0 {
                    self.meter.answered(ended_ns);
                } else {
                    self.meter.complete(
                        Kind::Read,
                        flight.begun_ns,
                        ended_ns,
                        Bytes(done_bytes as u64),
                    );
                }
                if job.verify {
                    let found = &self.ring.buffer(slot)[..done_bytes];
                    self.transfer
                        .verifier
                        .check(offset, found, job.transfer_bytes);
                }
            }
            Direction::Write => {
                self.meter.complete(
                    Kind::Write,
                    flight.begun_ns,
                    ended_ns,
                    Bytes(job.transfer_bytes),
                );
                let subject = self.subject(Kind::Write, flight);
                self.meter.log(&subject, ended_ns);
            }
        }
        self.idle.push(slot);
    }

    /// Keeps the first error, which ends the task once everything in flight has come back.
    fn fail(&mut self, flight: &Flight, errno: Errno, ended_ns: Nanoseconds) {
        let is_partial = flight.part.done_bytes > 0;
        self.fail_as(flight, Failure { errno, is_partial }, ended_ns);
    }

    fn fail_as(&mut self, flight: &Flight, failure: Failure, ended_ns: Nanoseconds) {
        let kind = match flight.part.direction {
            Direction::Read => Kind::Read,
            Direction::Write => Kind::Write,
        };
        let subject = self.subject(kind, flight);
        let error = self.meter.fail(&subject, failure, ended_ns);
        if self.transfer.job.goes_on_after(error.errno) {
            self.meter.go_on(error, ended_ns);
        } else {
            self.error.get_or_insert(error);
        }
        self.idle.push(flight.part.slot);
    }

    /// What an operation is about; meanwhile the task may have begun another pass.
    fn subject(&self, kind: Kind, flight: &Flight) -> Subject {
        Subject {
            generation: flight.generation,
            ..self.transfer.subject(kind, flight.part.offset)
        }
    }
}
