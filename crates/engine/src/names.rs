//! The loop of metadata operations: creating, looking up, changing and removing files and
//! directories.

mod audit;
mod calls;
mod directories;
mod find;
mod pattern;
mod read_files;

use std::sync::Arc;

use rustix::fs::Stat;
use rustix::io::Errno;
use seatrial_content::{Stamp, file_id};
use seatrial_job::{Fsync, Job, Order, Paths, Phase, Tree};
use seatrial_measure::{
    Bytes, Control, Failure, Kind, Meter, Nanoseconds, OperationError, Subject, Verified,
    boottime_ns,
};

use self::audit::Audit;
use self::calls::Listing;
pub(crate) use self::calls::close;
pub(crate) use self::directories::make_directories;
use self::directories::make_tree;
use self::read_files::FileReader;
use crate::buffer::Buffer;
use crate::pacer::Pacer;
use crate::seeds::task_seeds;
use crate::storage::Storage;

/// What a task does to which names.
#[derive(Debug)]
pub(crate) struct Names {
    job: Arc<Job>,
    task: usize,
    kind: Kind,
    order: Order,
    paths: Paths,
    content: Option<Content>,
    reader: Option<FileReader>,
    check: Option<Check>,
    settles_log: bool,
}

/// What is compared after each operation, outside its time.
#[derive(Debug)]
struct Check {
    audit: Audit,
    listing: Listing,
    found: Option<Stat>,
}

/// What new files hold.
#[derive(Debug)]
struct Content {
    stamp: Stamp,
    buffer: Buffer,
}

impl Names {
    /// The share of task number `task`. The directories are made when the phase fills them.
    pub(crate) fn new(
        job: Arc<Job>,
        tree: &Tree,
        task: u16,
        stepped: &dyn Fn(),
    ) -> Result<Self, Errno> {
        if matches!(job.phase, Phase::Create | Phase::Mkdir) {
            make_tree(&job, tree, task, stepped)?;
        }
        let count = match job.phase {
            Phase::Readdir | Phase::Find { .. } => tree.leaves(),
            _ => tree.items(),
        };
        let content = (job.phase == Phase::Create && job.file_bytes > 0).then(|| Content {
            stamp: Stamp {
                run: job.run_id.0,
                file: 0,
                generation: job.generation,
                writer: Stamp::writer_of(job.client_index, task),
                file_bytes: job.file_bytes,
                block_bytes: job.content_block_bytes(),
            },
            buffer: Buffer::new(job.transfer_bytes as usize),
        });
        let reader = (job.phase == Phase::ReadFiles).then(|| FileReader::new(&job, task));
        let is_checked = matches!(
            job.phase,
            Phase::Stat | Phase::OpenClose | Phase::ReadFiles | Phase::Readdir | Phase::Find { .. }
        );
        let check = (job.verify && is_checked).then(|| Check {
            audit: Audit::new(&job, tree, task),
            listing: Listing::default(),
            found: None,
        });
        Ok(Self {
            check,
            task: usize::from(task),
            kind: Kind::of_phase(&job.phase),
            order: Order::new(job.pattern, count, 0, task_seeds(&job, task).next_u64()),
            paths: Paths::new(&job, tree, task),
            content,
            reader,
            settles_log: job.log_sync && job.phase == Phase::Create && job.fsync != Fsync::None,
            job,
        })
    }

    /// Deals with all names, or as many as there is time for.
    pub(crate) fn run(
        &mut self,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        if let Phase::Find { name_pattern } = &self.job.phase {
            let name_pattern = name_pattern.clone();
            return self.find(&name_pattern, control, meter);
        }
        let mut pacer = Pacer::new(&self.job, self.task, meter.result.started_ns);
        let done = self.run_paced(&mut pacer, control, meter);
        meter.result.unserved = pacer.unserved(boottime_ns(), self.order.left());
        done
    }

    fn run_paced(
        &mut self,
        pacer: &mut Pacer,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let mut known_ns = Some(meter.result.started_ns);
        loop {
            if control.must_stop() || pacer.is_over(meter.result.ended_ns) {
                meter.result.is_through = self.order.next().is_none();
                return Ok(());
            }
            let Some(item) = self.order.next() else {
                meter.result.is_through = true;
                return Ok(());
            };
            let Some(begun_ns) = pacer.begin(known_ns, control, meter) else {
                return Ok(());
            };
            let done = self.operate(item);
            let ended_ns = boottime_ns();
            let subject = Subject {
                kind: self.kind,
                file_index: self.task,
                generation: self.job.generation,
                offset: item,
                length_bytes: Bytes(0),
                settles_log: self.settles_log,
            };
            known_ns = self.check.is_none().then_some(ended_ns);
            if done == Err(Failure::from(Errno::NOENT)) && self.note_missing(item, ended_ns, meter)
            {
                continue;
            }
            let bytes = match done.map_err(|failure| meter.fail(&subject, failure, ended_ns)) {
                Ok(bytes) => bytes,
                Err(error) if self.job.goes_on_after(error.errno) => {
                    meter.go_on(error, ended_ns);
                    continue;
                }
                Err(error) => return Err(error),
            };
            meter.complete(self.kind, begun_ns, ended_ns, Bytes(bytes));
            meter.log(&subject, ended_ns);
            self.compare(item);
        }
    }

    /// What checking found.
    pub(crate) fn finish(self) -> Verified {
        self.check
            .map(|check| check.audit.finish())
            .unwrap_or_default()
    }

    /// Notes that an item is missing. Returns whether the task continues nevertheless, because the
    /// report must name every missing item.
    fn note_missing(&mut self, item: u64, ended_ns: Nanoseconds, meter: &mut Meter<'_>) -> bool {
        let Some(check) = &mut self.check else {
            return false;
        };
        if self.job.phase == Phase::Readdir {
            return false;
        }
        let (_, name) = self.paths.item_and_its_file_name(item);
        check.audit.note_missing(name);
        let error = OperationError {
            operation: self.kind.name(),
            errno: Errno::NOENT,
            offset: item,
            file: Some(name.to_owned()),
        };
        meter.pass_over(error, ended_ns);
        true
    }

    /// Compares the result of the last operation with the expected state.
    fn compare(&mut self, item: u64) {
        let Some(check) = &mut self.check else {
            return;
        };
        if self.job.phase == Phase::Readdir {
            let directory = self.paths.leaf_name(item);
            check.audit.check_listing(directory, item, &check.listing);
        } else if let Some(found) = check.found.take() {
            let (_, name) = self.paths.item_and_its_file_name(item);
            check.audit.check_item(name, &found);
        }
        if let Some(reader) = &mut self.reader {
            let (_, name) = self.paths.item_and_its_first_name(item);
            check.audit.absorb(name, reader.verified(name));
        }
    }

    /// Keeps the result of an operation that must be compared.
    fn keep(&mut self, found: Option<Stat>) {
        if let Some(check) = &mut self.check {
            check.found = found;
        }
    }

    /// Does the one thing to the one name; returns the bytes that were written.
    fn operate(&mut self, item: u64) -> Result<u64, Failure> {
        if self.job.phase == Phase::Create {
            return self.create(item);
        }
        if let Some(reader) = &mut self.reader {
            let read = reader.read(self.paths.item(item), self.check.is_some());
            let (found, file_bytes) = read.map_err(Failure::from)?;
            self.keep(found);
            return Ok(file_bytes);
        }
        self.operate_at_once(item).map_err(Failure::from)
    }

    /// Does an operation with a single call, which happens or does not.
    fn operate_at_once(&mut self, item: u64) -> Result<u64, Errno> {
        match self.job.phase {
            Phase::Mkdir => calls::make_directory(self.paths.item(item)).map(|()| 0),
            Phase::Stat => {
                let found = calls::stat(self.paths.item(item))?;
                self.keep(Some(found));
                Ok(0)
            }
            Phase::Utime => calls::set_times(self.paths.item(item)).map(|()| 0),
            Phase::Rename => {
                let (from, to) = self.paths.item_and_its_other_name(item);
                calls::rename(from, to).map(|()| 0)
            }
            Phase::OpenClose => {
                let found = calls::open_and_close(self.paths.item(item), self.check.is_some())?;
                self.keep(found);
                Ok(0)
            }
            Phase::Readdir => {
                let listing = self.check.as_mut().map(|check| &mut check.listing);
                calls::list(self.paths.leaf(item), listing).map(|()| 0)
            }
            Phase::Remove => calls::remove(self.paths.item(item)).map(|()| 0),
            Phase::Rmdir => calls::remove_directory(self.paths.item(item)).map(|()| 0),
            Phase::Create
            | Phase::ReadFiles
            | Phase::Find { .. }
            | Phase::Write
            | Phase::Read
            | Phase::Mixed { .. }
            | Phase::Copy(_) => Err(Errno::INVAL),
        }
    }

    fn create(&mut self, item: u64) -> Result<u64, Failure> {
        let syncs = self.job.fsync != Fsync::None;
        let Some(content) = &mut self.content else {
            return calls::create(self.paths.item(item), syncs, |_| Ok(())).map(|()| 0);
        };
        let (path, name) = self.paths.item_and_its_file_name(item);
        content.stamp.file = file_id(name);
        let (file_bytes, transfer_bytes) = (self.job.file_bytes, self.job.transfer_bytes);
        calls::create(path, syncs, |storage| {
            for offset in (0..file_bytes).step_by(transfer_bytes as usize) {
                content.stamp.fill(offset, content.buffer.bytes());
                // The last transfer may be shorter.
                let length = transfer_bytes.min(file_bytes - offset) as usize;
                storage.write(&content.buffer.bytes()[..length], offset)?;
            }
            Ok(())
        })?;
        Ok(file_bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn no_two_tasks_of_all_clients_take_names_in_the_same_order() {
        let mut orders = HashSet::new();
        for client in 0..4_u16 {
            // The seeds that the controller gives.
            let job = json!({
                "protocol": 3, "run_id": "1", "client": "c", "client_index": client, "tasks": 4,
                "phase": "stat", "pattern": "random", "directory": "/", "seed": 1 + client,
                "files": ["a", "b", "c", "d"], "tree": { "items_per_directory": 100 },
            });
            let job = Arc::new(Job::from_json(&job.to_string()).unwrap());
            for task in 0..4 {
                let tree = job.tree.as_ref().unwrap();
                let names = Names::new(Arc::clone(&job), tree, task, &|| ()).unwrap();
                orders.insert(names.order.collect::<Vec<_>>());
            }
        }
        assert_eq!(16, orders.len());
    }
}
