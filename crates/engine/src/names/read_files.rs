//! Reading whole small files, and comparing their content outside the time of the operation.

use rustix::fs::Stat;
use rustix::io::Errno;
use seatrial_content::{Expectation, Stamp, file_id};
use seatrial_job::Job;
use seatrial_measure::Verified;

use super::calls;
use crate::buffer::Buffer;
use crate::verify::Verifier;

/// Reads the files of one task, one at a time.
#[derive(Debug)]
pub(super) struct FileReader {
    /// What the blocks carry, apart from the file.
    stamp: Stamp,
    buffer: Buffer,
    /// Bytes of one call.
    step_bytes: usize,
    /// Bytes of the last file that were read.
    read_bytes: usize,
}

impl FileReader {
    /// For the files that task number `task` works on.
    pub(super) fn new(job: &Job, task: u16) -> Self {
        let writer = job.writer_client_index(usize::from(task));
        Self {
            stamp: Stamp {
                run: job.run_id.0,
                file: 0,
                generation: job.generation,
                writer: Stamp::writer_of(writer, task),
                file_bytes: job.file_bytes,
                block_bytes: job.content_block_bytes(),
            },
            buffer: Buffer::new(job.file_bytes as usize),
            step_bytes: job.transfer_bytes.max(1) as usize,
            read_bytes: 0,
        }
    }

    /// Reads the file `path`. Returns its attributes if `asks`, and how many bytes it read.
    pub(super) fn read(&mut self, path: &str, asks: bool) -> Result<(Option<Stat>, u64), Errno> {
        let buffer = self.buffer.bytes();
        let (count, found) = calls::read_file(path, buffer, self.step_bytes, asks)?;
        self.read_bytes = count;
        Ok((found, count as u64))
    }

    /// Compares the last file, which was created as `name`. The attributes show missing bytes.
    pub(super) fn verified(&mut self, name: &str) -> Verified {
        let stamp = Stamp {
            file: file_id(name),
            ..self.stamp
        };
        let expectation = Expectation {
            stamp,
            any_writer: false,
        };
        let mut verifier = Verifier::new(expectation, true);
        let found = &self.buffer.bytes()[..self.read_bytes];
        verifier.check(0, found, found.len() as u64);
        verifier.finish()
    }
}
