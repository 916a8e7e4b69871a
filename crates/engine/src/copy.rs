//! The loop that copies files of several sizes between a local directory and the storage, one
//! after the other, and takes the time of each.

mod places;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::io::Errno;
use seatrial_content::Expectation;
use seatrial_job::{Copying, Fsync, Job};
use seatrial_measure::{
    Bytes, Control, CopyTimes, Failure, FileSubject, Kind, Meter, Nanoseconds, OperationError,
    Subject, Verified, boottime_ns,
};

use self::places::{Item, Places};
use crate::buffer::Buffer;
use crate::names::close;
use crate::pacer::deadline_ns;
use crate::storage::{FileStorage, Storage};
use crate::verify::Verifier;

/// Copies the files of one task. Its local files are removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Copier {
    job: Arc<Job>,
    copying: Copying,
    places: Places,
    buffer: Buffer,
    deadline_ns: Nanoseconds,
    verified: Verified,
}

/// A file that is being copied.
struct Pair {
    item: Item,
    /// Its number among all files of the task, for the log.
    index: usize,
    source: FileStorage,
    target: FileStorage,
}

impl Copier {
    /// The share of task number `task`. The files to copy to the storage are made now.
    ///
    /// # Errors
    /// With the path that cannot be created or opened.
    pub(crate) fn new(
        job: Arc<Job>,
        copying: &Copying,
        task: u16,
        stepped: &dyn Fn(),
    ) -> Result<Self, (PathBuf, Errno)> {
        let mut buffer = Buffer::new(job.transfer_bytes as usize);
        let places = Places::prepare(&job, copying, task, buffer.bytes(), stepped)?;
        Ok(Self {
            copying: copying.clone(),
            places,
            buffer,
            deadline_ns: Nanoseconds::MAX,
            verified: Verified::default(),
            job,
        })
    }

    /// Copies all files, or as many as there is time for.
    pub(crate) fn run(
        &mut self,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        self.deadline_ns = deadline_ns(&self.job, meter.result.started_ns);
        let mut index = 0;
        for size in self.copying.sizes.clone() {
            meter.result.copies.push(CopyTimes {
                file_bytes: Bytes(size.file_bytes),
                ..CopyTimes::default()
            });
            for number in 0..self.copying.discard + size.files {
                let item = self.places.item(size, number);
                let is_counted = number >= self.copying.discard;
                if !self.copy((index, item), is_counted, control, meter)? {
                    return Ok(());
                }
                index += 1;
            }
        }
        meter.result.is_through = true;
        Ok(())
    }

    /// What checking found. Removes the local files.
    pub(crate) fn finish(self) -> Verified {
        self.verified
    }

    /// The files on the storage that are written, for the log.
    pub(crate) fn written_files(&self) -> impl Iterator<Item = FileSubject> {
        let files = self.copying.is_to_storage().then(|| self.copying.files());
        let files = files.into_iter().flatten().enumerate();
        files.map(|(index, (size, _))| FileSubject::new(&self.job, index, Bytes(size.file_bytes)))
    }

    /// Copies one file; returns false when there was no time for all of it.
    fn copy(
        &mut self,
        (index, item): (usize, Item),
        is_counted: bool,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<bool, OperationError> {
        let begun_ns = boottime_ns();
        let pair = self.open(index, item, meter)?;
        let mut verifier = self.verifier(&pair.item);
        let moved = self.move_records(&pair, &mut verifier, control, meter);
        self.verified.absorb(&pair.item.name, verifier.finish());
        if !moved? {
            return Ok(false);
        }
        let mut ended_ns = self.sync(&pair, meter)?;
        let closed_ns = self.close(pair, meter)?;
        if self.job.close_in_timing {
            ended_ns = closed_ns;
            meter.result.ended_ns = closed_ns;
        }
        let Some(times) = meter.result.copies.last_mut() else {
            return Ok(true);
        };
        if is_counted {
            times.counted_ns.push(ended_ns - begun_ns);
            meter.time(Kind::Copy, begun_ns, ended_ns);
        } else {
            times.discarded_ns.push(ended_ns - begun_ns);
        }
        Ok(true)
    }

    fn verifier(&self, item: &Item) -> Verifier {
        let expectation = Expectation {
            stamp: item.stamp,
            any_writer: false,
        };
        Verifier::new(
            expectation,
            self.job.verify && !self.copying.is_to_storage(),
        )
    }

    fn open(
        &self,
        index: usize,
        item: Item,
        meter: &mut Meter<'_>,
    ) -> Result<Pair, OperationError> {
        let on_storage = item.open_on_storage(&self.job, self.copying.is_to_storage());
        let on_storage = on_storage.map_err(|errno| fail(meter, "open", errno, 0, &item.name))?;
        let local = item.open_local(!self.copying.is_to_storage());
        let local = local.map_err(|errno| fail(meter, "open", errno, 0, &item.local_name()))?;
        let (source, target) = if self.copying.is_to_storage() {
            (local, on_storage)
        } else {
            (on_storage, local)
        };
        Ok(Pair {
            item,
            index,
            source,
            target,
        })
    }

    /// Moves all records of a file; returns false when there was no time for all.
    fn move_records(
        &mut self,
        pair: &Pair,
        verifier: &mut Verifier,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<bool, OperationError> {
        let file_bytes = pair.item.stamp.file_bytes;
        let mut offset = 0;
        while offset < file_bytes {
            if control.must_stop() || meter.result.ended_ns >= self.deadline_ns {
                return Ok(false);
            }
            let wanted_bytes = self.job.transfer_bytes.min(file_bytes - offset);
            if self.copying.is_to_storage() {
                self.upload(pair, offset, wanted_bytes, meter)?;
            } else {
                self.download(pair, verifier, offset..offset + wanted_bytes, meter)?;
            }
            offset += wanted_bytes;
        }
        Ok(true)
    }

    /// Moves one record from a local file to the storage.
    fn upload(
        &mut self,
        pair: &Pair,
        offset: u64,
        wanted_bytes: u64,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let record = &mut self.buffer.bytes()[..wanted_bytes as usize];
        meter.rest(); // the local disk is not the storage under test
        let found_bytes = pair.source.read(record, offset);
        // The local file was made whole: one that is cut is a broken disk.
        let is_whole = match found_bytes {
            Ok(found_bytes) if found_bytes as u64 == wanted_bytes => Ok(()),
            Ok(_) => Err(Errno::IO),
            Err(errno) => Err(errno),
        };
        is_whole.map_err(|errno| fail(meter, "read", errno, offset, &pair.item.local_name()))?;
        let begun_ns = boottime_ns();
        meter.begin(begun_ns);
        let written = pair.target.write(record, offset);
        let mut ended_ns = boottime_ns();
        let place = (offset, Bytes(wanted_bytes));
        self.take(pair, Kind::Write, place, ended_ns, written, meter)?;
        if self.job.fsync == Fsync::Transfer {
            let sync_begun_ns = ended_ns;
            let synced = pair.target.sync();
            ended_ns = boottime_ns();
            self.take(pair, Kind::Fsync, place, ended_ns, synced, meter)?;
            meter.time(Kind::Fsync, sync_begun_ns, ended_ns);
        }
        meter.complete(Kind::Write, begun_ns, ended_ns, Bytes(wanted_bytes));
        Ok(())
    }

    /// Moves one record from the storage to a local file.
    fn download(
        &mut self,
        pair: &Pair,
        verifier: &mut Verifier,
        wanted: Range<u64>,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let (offset, wanted_bytes) = (wanted.start, wanted.end - wanted.start);
        // A direct read asks for whole sectors, also behind the end.
        let asked_bytes = if self.job.direct {
            self.job.transfer_bytes
        } else {
            wanted_bytes
        };
        let begun_ns = boottime_ns();
        meter.begin(begun_ns);
        let read = pair
            .source
            .read(&mut self.buffer.bytes()[..asked_bytes as usize], offset);
        let ended_ns = boottime_ns();
        let found_bytes =
            read.map_err(|errno| fail(meter, "read", errno, offset, &pair.item.name))?;
        let found_bytes = found_bytes.min(wanted_bytes as usize);
        meter.complete(Kind::Read, begun_ns, ended_ns, Bytes(found_bytes as u64));
        let found = &self.buffer.bytes()[..found_bytes];
        verifier.check(offset, found, wanted_bytes);
        meter.rest();
        let written = pair.target.write(found, offset);
        written.map_err(|failure| {
            fail(
                meter,
                "write",
                failure.errno,
                offset,
                &pair.item.local_name(),
            )
        })
    }

    /// Makes a file on the storage durable, when the job wants that; returns when it was.
    fn sync(&self, pair: &Pair, meter: &mut Meter<'_>) -> Result<Nanoseconds, OperationError> {
        let begun_ns = boottime_ns();
        if self.job.fsync != Fsync::File {
            return Ok(begun_ns);
        }
        let synced = pair.target.sync();
        let ended_ns = boottime_ns();
        self.take(pair, Kind::Fsync, (0, Bytes(0)), ended_ns, synced, meter)?;
        meter.result.fsync_ns += ended_ns - begun_ns;
        meter.result.ended_ns = ended_ns;
        meter.time(Kind::Fsync, begun_ns, ended_ns);
        meter.answered(ended_ns);
        Ok(ended_ns)
    }

    /// Logs the operation on the file of the storage, `length` bytes from `offset`, and turns a
    /// failure into the error that ends the task.
    fn take(
        &self,
        pair: &Pair,
        kind: Kind,
        (offset, length_bytes): (u64, Bytes),
        ended_ns: Nanoseconds,
        done: Result<(), impl Into<Failure>>,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let subject = Subject {
            kind,
            file_index: pair.index,
            generation: self.job.generation,
            offset,
            length_bytes,
            settles_log: kind == Kind::Fsync || (self.job.log_sync && self.job.o_sync),
        };
        match done {
            Ok(()) => meter.log(&subject, ended_ns),
            Err(failure) => {
                let error = meter.fail(&subject, failure, ended_ns);
                let file = Some(pair.item.name.clone());
                return Err(OperationError { file, ..error });
            }
        }
        Ok(())
    }

    /// Closes both files; returns when they were closed.
    fn close(&self, pair: Pair, meter: &mut Meter<'_>) -> Result<Nanoseconds, OperationError> {
        let Pair {
            item,
            index,
            source,
            target,
        } = pair;
        let is_to_storage = self.copying.is_to_storage();
        let (source_name, target_name) = if is_to_storage {
            (item.local_name(), item.name)
        } else {
            (item.name.clone(), item.local_name())
        };
        let begun_ns = boottime_ns();
        close(source).map_err(|errno| fail(meter, "close", errno, 0, &source_name))?;
        let closed = close(target);
        let ended_ns = boottime_ns();
        if is_to_storage {
            let file = FileSubject::new(&self.job, index, Bytes(item.stamp.file_bytes));
            meter.log_close(&file, ended_ns, closed.err());
        }
        closed.map_err(|errno| fail(meter, "close", errno, 0, &target_name))?;
        meter.result.close_ns += ended_ns - begun_ns;
        meter.answered(ended_ns);
        Ok(ended_ns)
    }
}

fn fail(
    meter: &mut Meter<'_>,
    operation: &'static str,
    errno: Errno,
    offset: u64,
    name: &str,
) -> OperationError {
    meter.fail_with(OperationError {
        operation,
        errno,
        offset,
        file: Some(name.to_owned()),
    })
}
