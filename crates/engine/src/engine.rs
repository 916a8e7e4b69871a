//! How operations reach the kernel: by plain calls, or several at once through `io_uring`.

use std::os::fd::AsFd;

use rustix::fs::{StatFs, fstatfs, statfs};
use rustix::io::Errno;
use seatrial_job::{EngineChoice, Job};

use crate::ring::Ring;
use crate::storage::FileStorage;

/// File systems in memory, by their magic numbers (tmpfs, ramfs). There is nothing to wait for,
/// and the detour through a ring costs three times as much as the call.
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

/// What a task uses.
#[derive(Debug)]
pub(crate) enum Engine {
    /// One call after the other.
    Plain,
    /// Up to `queue_depth` operations at once.
    Ring(Box<Ring>),
}

impl Engine {
    /// Chooses for a job and the file system of its file.
    ///
    /// # Errors
    /// When the job wants several operations at once and there is no `io_uring`.
    pub(crate) fn choose(job: &Job, storage: &FileStorage) -> Result<Self, Errno> {
        let ring = || {
            let descriptor = storage.descriptor.as_fd();
            let ring = Ring::new(job.queue_depth, job.transfer_bytes as usize, descriptor)?;
            // An open loop begins operations while others are in flight.
            if job.arrivals_per_s.is_some() && !ring.has_timed_waits() {
                return Err(Errno::NOSYS);
            }
            Ok(Self::Ring(Box::new(ring)))
        };
        match job.engine {
            EngineChoice::Plain => Ok(Self::Plain),
            EngineChoice::Auto if job.queue_depth == 1 || is_in_memory(storage) => Ok(Self::Plain),
            // One operation at a time in the name of many would be a false figure of the storage.
            EngineChoice::IoUring | EngineChoice::Auto => ring(),
        }
    }

    /// The engine of `job` without storage, to measure its own cost: a ring that does nothing,
    /// where a task would use a ring for a file of its directory.
    pub(crate) fn null(job: &Job) -> Option<Ring> {
        let in_memory = || statfs(&job.directory).is_ok_and(|status| is_memory(&status));
        let is_ring = match job.engine {
            EngineChoice::Plain => false,
            EngineChoice::IoUring => true,
            EngineChoice::Auto => job.queue_depth > 1 && !in_memory(),
        };
        let ring = || Ring::null(job.queue_depth, job.transfer_bytes as usize).ok();
        is_ring.then(ring).flatten()
    }

    /// The name in reports.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Ring(_) => "io-uring",
        }
    }
}

fn is_in_memory(storage: &FileStorage) -> bool {
    fstatfs(&storage.descriptor).is_ok_and(|status| is_memory(&status))
}

fn is_memory(status: &StatFs) -> bool {
    IN_MEMORY.contains(&status.f_type.cast_unsigned())
}
