//! Where the files of a copy are: on the storage, and in the local directory.
//!
//! The local twin of file 3 of 4096 bytes is `4096.3` in a separate directory. The name of the
//! directory has the run, the client and the task.

use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ftruncate, mkdir, rmdir, unlink};
use rustix::io::Errno;
use seatrial_content::{Stamp, file_id};
use seatrial_job::{CopySize, Copying, Existing, Job, copy_name};

use crate::files::{give_hints, length_bytes, open_retrying, storage_flags};
use crate::names::make_directories;
use crate::storage::{FileStorage, Storage};

/// Knows all places, and removes the local files in the end.
#[derive(Debug)]
pub(super) struct Places {
    /// Directory of the task, relative to that of the job.
    directory: String,
    /// Who copied the files to the storage.
    client_index: u16,
    task: u16,
    /// What the stamps of all files have in common.
    stamp: Stamp,
    local: LocalDirectory,
}

/// The local directory of one task.
#[derive(Debug)]
struct LocalDirectory {
    path: PathBuf,
    /// The sizes of its files, and how many there are of each.
    sizes: Vec<(u64, u64)>,
}

/// One file, in both places.
#[derive(Debug)]
pub(super) struct Item {
    /// Its name on the storage, relative to the job's directory.
    pub(super) name: String,
    pub(super) stamp: Stamp,
    local: PathBuf,
}

impl Places {
    /// Makes the directories for the writes, and the local files for the reads; `record` is memory
    /// for one transfer.
    ///
    /// # Errors
    /// With the path that cannot be created or opened.
    pub(super) fn prepare(
        job: &Job,
        copying: &Copying,
        task: u16,
        record: &mut [u8],
        stepped: &dyn Fn(),
    ) -> Result<Self, (PathBuf, Errno)> {
        let directory = job.file_of_task(usize::from(task)).to_owned();
        let client_index = if copying.is_to_storage() {
            job.client_index
        } else {
            job.writer_client_index(usize::from(task))
        };
        let places = Self {
            client_index,
            task,
            stamp: stamp(job, client_index, task, "", 0),
            local: LocalDirectory::make(job, copying, task)?,
            directory,
        };
        if copying.is_to_storage() {
            let path = job.directory.join(&places.directory);
            make_directories(&job.directory, &places.directory).map_err(|errno| (path, errno))?;
            for (size, number) in copying.files() {
                let item = places.item(size, number);
                let filled = item.fill_local(record);
                filled.map_err(|errno| (item.local.clone(), errno))?;
                item.clear_on_storage(job)?;
                stepped();
            }
        }
        Ok(places)
    }

    /// File number `number` of a size.
    pub(super) fn item(&self, size: CopySize, number: u64) -> Item {
        let Self {
            directory,
            client_index,
            task,
            ..
        } = self;
        let file_bytes = size.file_bytes;
        let name = copy_name(directory, *client_index, *task, file_bytes, number);
        Item {
            stamp: Stamp {
                file: file_id(&name),
                file_bytes,
                ..self.stamp
            },
            name,
            local: self.local.file(file_bytes, number),
        }
    }
}

/// What the blocks of a file carry that client `client_index` has copied to the storage.
fn stamp(job: &Job, client_index: u16, task: u16, name: &str, file_bytes: u64) -> Stamp {
    Stamp {
        run: job.run_id.0,
        file: file_id(name),
        generation: job.generation,
        writer: Stamp::writer_of(client_index, task),
        file_bytes,
        block_bytes: job.content_block_bytes(),
    }
}

impl Item {
    /// Opens it on the storage, with the options of the job.
    pub(super) fn open_on_storage(&self, job: &Job, writes: bool) -> Result<FileStorage, Errno> {
        let access = if writes {
            OFlags::RDWR | OFlags::CREATE
        } else {
            OFlags::RDONLY
        };
        let path = job.directory.join(&self.name);
        let descriptor = open_retrying(&path, storage_flags(job) | access)?;
        give_hints(&job.hints, &descriptor)?;
        Ok(FileStorage {
            descriptor,
            direct: job.direct,
        })
    }

    /// The path of the local twin, for reports.
    pub(super) fn local_name(&self) -> String {
        self.local.display().to_string()
    }

    /// Opens the local twin.
    pub(super) fn open_local(&self, writes: bool) -> Result<FileStorage, Errno> {
        let access = if writes {
            OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC
        } else {
            OFlags::RDONLY
        };
        let descriptor = open_retrying(&self.local, access | OFlags::CLOEXEC)?;
        Ok(FileStorage {
            descriptor,
            direct: false,
        })
    }

    /// Makes the local twin, record by record.
    fn fill_local(&self, record: &mut [u8]) -> Result<(), Errno> {
        let file_bytes = self.stamp.file_bytes;
        let storage = self.open_local(true)?;
        for offset in (0..file_bytes).step_by(record.len()) {
            self.stamp.fill(offset, record);
            let length_bytes = (file_bytes - offset).min(record.len() as u64);
            storage
                .write(&record[..length_bytes as usize], offset)
                .map_err(|failure| failure.errno)?;
        }
        Ok(())
    }

    /// Removes the files on the storage, or the excess of a file that is too long.
    fn clear_on_storage(&self, job: &Job) -> Result<(), (PathBuf, Errno)> {
        let path = job.directory.join(&self.name);
        let cleared = match job.existing_files() {
            Existing::Truncate => unlink(&path),
            Existing::Keep => self.cut(&path),
        };
        match cleared {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err((path, errno)),
        }
    }

    fn cut(&self, path: &Path) -> Result<(), Errno> {
        let storage = FileStorage {
            descriptor: open_retrying(path, OFlags::WRONLY | OFlags::CLOEXEC)?,
            direct: false,
        };
        if length_bytes(&storage)? > self.stamp.file_bytes {
            ftruncate(&storage.descriptor, self.stamp.file_bytes)?;
        }
        Ok(())
    }
}

impl LocalDirectory {
    /// Makes the directory. A directory of an agent that was killed is used again.
    fn make(job: &Job, copying: &Copying, task: u16) -> Result<Self, (PathBuf, Errno)> {
        let name = format!("seatrial-{}-{}-{task}", job.run_id, job.client_index);
        let path = copying.local_directory.join(name);
        match mkdir(&path, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err((path, errno)),
        }
        let counts = copying.sizes.iter();
        Ok(Self {
            sizes: counts
                .map(|size| (size.file_bytes, copying.discard + size.files))
                .collect(),
            path,
        })
    }

    fn file(&self, file_bytes: u64, number: u64) -> PathBuf {
        self.path.join(format!("{file_bytes}.{number}"))
    }
}

impl Drop for LocalDirectory {
    fn drop(&mut self) {
        for &(file_bytes, count) in &self.sizes {
            for number in 0..count {
                // Not all of them need be there.
                let _ = unlink(self.file(file_bytes, number));
            }
        }
        let _ = rmdir(&self.path);
    }
}
