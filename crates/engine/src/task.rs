//! One task: a thread and its work.

use std::path::PathBuf;
use std::sync::Arc;

use rustix::io::Errno;
use seatrial_job::{Job, Phase};
use seatrial_log::TaskLog;
use seatrial_measure::{
    Bytes, Control, FileSubject, Meter, Nanoseconds, OperationError, Setting, TaskResult, Verified,
    boottime_ns,
};

use crate::copy::Copier;
use crate::engine::Engine;
use crate::files::{length_bytes, open_file};
use crate::names::{Names, close};
use crate::prepare_error::PrepareError;
use crate::storage::FileStorage;
use crate::transfer::Transfer;

/// A task that is ready to begin.
#[derive(Debug)]
pub(crate) struct Task {
    job: Arc<Job>,
    index: u16,
    work: Work,
    /// When the work was prepared, by the steady clock.
    prepared_ns: Nanoseconds,
}

/// What a task does.
#[derive(Debug)]
enum Work {
    Transfer(Box<Transfer>, Engine, FileStorage),
    Names(Box<Names>),
    Copy(Box<Copier>),
}

/// What a task needs from its surroundings while it works.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) setting: Setting<'a>,
    pub(crate) control: &'a Control,
    pub(crate) log: Option<TaskLog>,
}

/// Why a file cannot be opened. A file system without `O_DIRECT` answers with EINVAL, as it does to
/// nothing else that the agent asks of it.
fn cannot_open(job: &Job, path: PathBuf, errno: Errno) -> PrepareError {
    if job.direct && errno == Errno::INVAL {
        return PrepareError::NoDirect { path };
    }
    PrepareError::Open { path, errno }
}

impl Task {
    /// Prepares task number `index`: opens its file, or makes its directories; calls `stepped`
    /// after each of many files or directories.
    ///
    /// # Errors
    /// With the path that cannot be created or opened.
    pub(crate) fn prepare(
        job: &Arc<Job>,
        index: u16,
        stepped: &dyn Fn(),
    ) -> Result<Self, PrepareError> {
        let path = job.directory.join(job.file_of_task(usize::from(index)));
        let job = Arc::clone(job);
        let work = match (&job.tree, &job.phase) {
            (_, Phase::Copy(copying)) => Copier::new(Arc::clone(&job), copying, index, stepped)
                .map(|copier| Work::Copy(Box::new(copier)))
                .map_err(|(path, errno)| PrepareError::Open { path, errno })?,
            (Some(tree), _) if !job.phase.is_transfer() => {
                let names = Names::new(Arc::clone(&job), tree, index, stepped);
                Work::Names(Box::new(
                    names.map_err(|errno| PrepareError::Open { path, errno })?,
                ))
            }
            _ => {
                let opened = open_file(&job, &path)
                    .and_then(|storage| Ok((length_bytes(&storage)?, storage)));
                let (length, storage) = match opened {
                    Ok(found) => found,
                    Err(errno) => return Err(cannot_open(&job, path, errno)),
                };
                let transfer = Transfer::new(Arc::clone(&job), index, length);
                let engine = Engine::choose(&job, &storage)
                    .map_err(|errno| PrepareError::Ring { path, errno })?;
                Work::Transfer(Box::new(transfer), engine, storage)
            }
        };
        Ok(Self {
            job,
            index,
            work,
            prepared_ns: boottime_ns(),
        })
    }

    /// Does the work, from now on.
    pub(crate) fn run(self, surroundings: Surroundings<'_>) -> (TaskResult, Verified) {
        let Surroundings {
            setting,
            control,
            log,
        } = surroundings;
        let mut meter = Meter::new(setting, log, boottime_ns());
        let file = written_file(&self.job, self.index);
        let verified = match self.work {
            Work::Transfer(mut transfer, engine, storage) => {
                meter.result.engine = engine.name();
                if let Some(file) = &file {
                    meter.log_truncation(file, self.prepared_ns);
                }
                let moved = match engine {
                    Engine::Plain => transfer.run(&storage, control, &mut meter),
                    Engine::Ring(mut ring) => {
                        transfer.run_deep(&storage, &mut ring, control, &mut meter)
                    }
                };
                let closed = close_timed(storage, self.job.close_in_timing, file, &mut meter);
                match moved.and(closed) {
                    Ok(closed_ns) => meter.flushed(closed_ns),
                    Err(error) => meter.result.error = Some(error),
                }
                transfer.finish()
            }
            Work::Names(mut names) => {
                meter.result.error = names.run(control, &mut meter).err();
                meter.end();
                names.finish()
            }
            Work::Copy(mut copier) => {
                for file in copier.written_files() {
                    meter.log_truncation(&file, self.prepared_ns);
                }
                meter.result.error = copier.run(control, &mut meter).err();
                meter.end();
                copier.finish()
            }
        };
        (meter.finish(), verified)
    }
}

/// The file of a task that writes, for the log.
fn written_file(job: &Job, index: u16) -> Option<FileSubject> {
    let file_index = usize::from(index).min(job.files.len() - 1);
    job.phase
        .writes()
        .then(|| FileSubject::new(job, file_index, Bytes(job.file_bytes)))
}

/// Closes a file and takes the time, which counts into the task's when `counts`; returns when it
/// was closed.
fn close_timed(
    storage: FileStorage,
    counts: bool,
    file: Option<FileSubject>,
    meter: &mut Meter<'_>,
) -> Result<Nanoseconds, OperationError> {
    if !counts {
        meter.end();
    }
    let begun_ns = boottime_ns();
    meter.begin(begun_ns);
    let closed = close(storage);
    let ended_ns = boottime_ns();
    meter.result.close_ns = ended_ns - begun_ns;
    if counts {
        meter.result.ended_ns = ended_ns;
        meter.end();
    }
    if let Some(file) = file {
        meter.log_close(&file, ended_ns, closed.err());
    }
    closed
        .map(|()| ended_ns)
        .map_err(|errno| meter.fail_close(errno))
}
