//! Writing the log while operations run.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::flusher::Flusher;
use crate::page::{
    HEAD_BYTES_PER_PAGE, LOG_VERSION, PAGE_BYTES, Page, PageContent, RECORDS_PER_PAGE,
};
use crate::record::Record;

/// Pages that a task gathers before it writes them in one go.
const PAGES_PER_WRITE: usize = 8;

/// What a log outlives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Survives {
    /// The death of the process: pages are handed to the kernel.
    #[default]
    Kill,
    /// The death of the machine, too: important pages are on the disk before the work continues.
    PowerCut,
}

/// The file that all tasks of an agent log to.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    run: u64,
    survives: Survives,
    pages_taken: AtomicU64,
    tasks: Mutex<Vec<Weak<Mutex<Gathered>>>>,
    flusher: OnceLock<Flusher>,
}

impl LogWriter {
    /// Makes a log for `run`, in place of an older file of that name, and puts `head` in front:
    /// everything that a reader needs to understand the log records.
    ///
    /// # Errors
    /// When the file cannot be created or written, or there can be no thread that flushes it.
    pub fn create(path: &Path, run: u64, head: &str, survives: Survives) -> io::Result<Arc<Self>> {
        let writer = Arc::new(Self::new(File::create(path)?, run, survives));
        writer.append(&head_pages(run, head))?;
        if survives == Survives::PowerCut {
            writer.file.sync_all()?;
            sync_directory_of(path)?;
        }
        let log = Arc::downgrade(&writer);
        let flush = move || match log.upgrade() {
            Some(writer) => {
                writer.flush_tasks();
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        };
        let flusher = Flusher::start(flush)?;
        writer.flusher.get_or_init(|| flusher);
        Ok(writer)
    }

    fn new(file: File, run: u64, survives: Survives) -> Self {
        Self {
            file,
            run,
            survives,
            pages_taken: AtomicU64::new(0),
            tasks: Mutex::default(),
            flusher: OnceLock::new(),
        }
    }

    /// The part of the log that `task` writes.
    pub fn task(self: &Arc<Self>, task: u16) -> TaskLog {
        let gathered = Arc::new(Mutex::new(Gathered {
            task,
            sequence: 0,
            records: Vec::with_capacity(RECORDS_PER_PAGE),
            ready: Vec::with_capacity(PAGES_PER_WRITE * PAGE_BYTES),
            error: None,
        }));
        locked(&self.tasks).push(Arc::downgrade(&gathered));
        TaskLog {
            writer: Arc::clone(self),
            gathered,
        }
    }

    /// Passes the gathered log records of all tasks to the kernel. A task gets an error with its
    /// next log record.
    fn flush_tasks(&self) {
        let tasks = locked(&self.tasks).clone();
        for gathered in tasks.iter().filter_map(Weak::upgrade) {
            let mut gathered = locked(&gathered);
            let flushed = gathered.flush(self);
            gathered.error = gathered.error.take().or(flushed.err());
        }
    }

    /// Writes whole pages to a separate place.
    fn append(&self, pages: &[u8]) -> io::Result<()> {
        let count = (pages.len() / PAGE_BYTES) as u64;
        let first_page = self.pages_taken.fetch_add(count, Ordering::Relaxed);
        self.file
            .write_all_at(pages, first_page * PAGE_BYTES as u64)
    }
}

/// The pages of a head, which are at least one.
fn head_pages(run: u64, head: &str) -> Vec<u8> {
    let mut parts: Vec<_> = head.as_bytes().chunks(HEAD_BYTES_PER_PAGE).collect();
    if parts.is_empty() {
        parts.push(&[]);
    }
    let last = parts.len() - 1;
    let page = |(index, part): (usize, &[u8])| {
        Page {
            version: LOG_VERSION,
            run,
            task: 0,
            sequence: index as u32,
            is_last: index == last,
            content: PageContent::Head(part.to_vec()),
        }
        .to_bytes()
    };
    parts.into_iter().enumerate().flat_map(page).collect()
}

/// Puts the name of a new file onto the disk.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

/// What is locked, also after a panic: pages are written as a whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One task's part of a log. Dropping it without [`TaskLog::finish`] leaves a cut log, as the
/// death of the agent does.
#[derive(Debug)]
pub struct TaskLog {
    writer: Arc<LogWriter>,
    /// Shared with the thread that flushes it when the task does not come to it.
    gathered: Arc<Mutex<Gathered>>,
}

/// Records of a task on their way to the file.
#[derive(Debug)]
struct Gathered {
    task: u16,
    sequence: u32,
    records: Vec<Record>,
    ready: Vec<u8>,
    /// The error of a write of pages that the task has not received yet.
    error: Option<io::Error>,
}

impl TaskLog {
    /// Adds a record. It reaches the file with the next [`TaskLog::flush`], when some pages have
    /// come together, or within a second.
    ///
    /// # Errors
    /// When the file cannot be written, now or since the last call. The log records of that write
    /// are lost, and a reader sees the loss.
    pub fn push(&mut self, record: Record) -> io::Result<()> {
        let mut gathered = locked(&self.gathered);
        let error = gathered.error.take();
        gathered.push(record, &self.writer)?;
        error.map_or(Ok(()), Err)
    }

    /// Hands all records to the kernel: they survive the death of this process.
    ///
    /// # Errors
    /// As [`TaskLog::push`].
    pub fn flush(&mut self) -> io::Result<()> {
        let mut gathered = locked(&self.gathered);
        let error = gathered.error.take();
        gathered.flush(&self.writer)?;
        error.map_or(Ok(()), Err)
    }

    /// Makes all records survive whatever the log is to survive.
    ///
    /// # Errors
    /// As [`TaskLog::push`].
    pub fn settle(&mut self) -> io::Result<()> {
        self.flush()?;
        self.sync()
    }

    /// Writes the last page, with the mark that nothing is missing.
    ///
    /// # Errors
    /// As [`TaskLog::push`].
    pub fn finish(self) -> io::Result<()> {
        let mut gathered = locked(&self.gathered);
        gathered.seal_page(self.writer.run, true);
        let written = gathered.write_ready(&self.writer);
        let error = gathered.error.take();
        drop(gathered);
        written?;
        self.sync()?;
        error.map_or(Ok(()), Err)
    }

    /// Puts the log onto the disk, if it has to survive the machine.
    fn sync(&self) -> io::Result<()> {
        match self.writer.survives {
            Survives::Kill => Ok(()),
            Survives::PowerCut => self.writer.file.sync_data(),
        }
    }
}

impl Gathered {
    fn push(&mut self, record: Record, writer: &LogWriter) -> io::Result<()> {
        self.records.push(record);
        if self.records.len() == RECORDS_PER_PAGE {
            self.seal_page(writer.run, false);
            if self.ready.len() >= PAGES_PER_WRITE * PAGE_BYTES {
                return self.write_ready(writer);
            }
        }
        Ok(())
    }

    fn flush(&mut self, writer: &LogWriter) -> io::Result<()> {
        if !self.records.is_empty() {
            self.seal_page(writer.run, false);
        }
        self.write_ready(writer)
    }

    /// Closes the page at hand, full or not, and opens the next.
    fn seal_page(&mut self, run: u64, is_last: bool) {
        let page = Page {
            version: LOG_VERSION,
            run,
            task: self.task,
            sequence: self.sequence,
            is_last,
            content: PageContent::Records(std::mem::take(&mut self.records)),
        };
        self.ready.extend_from_slice(&page.to_bytes());
        self.sequence += 1;
        if let PageContent::Records(mut records) = page.content {
            records.clear();
            self.records = records;
        }
    }

    /// Writes the pages that are ready.
    fn write_ready(&mut self, writer: &LogWriter) -> io::Result<()> {
        if self.ready.is_empty() {
            return Ok(());
        }
        let written = writer.append(&self.ready);
        self.ready.clear();
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Operation, Outcome};

    const RECORD: Record = Record {
        operation: Operation::Sync,
        outcome: Outcome::Ok,
        errno: 0,
        file_index: 0,
        generation: 1,
        length_bytes: 0,
        offset: 0,
        boottime_ns: 1,
    };

    /// A task with a log that can be written but not synced.
    fn task_that_cannot_sync(survives: Survives) -> TaskLog {
        let writer = LogWriter::new(File::create("/dev/null").unwrap(), 1, survives);
        let mut task = Arc::new(writer).task(0);
        task.push(RECORD).unwrap();
        task
    }

    #[test]
    fn only_a_log_that_survives_a_power_cut_is_synced_and_only_when_it_settles() {
        let mut task = task_that_cannot_sync(Survives::Kill);
        task.settle().unwrap();
        task.finish().unwrap();
        let mut task = task_that_cannot_sync(Survives::PowerCut);
        task.flush().unwrap();
        assert!(task.settle().is_err());
        assert!(task.finish().is_err());
        let path = Path::new("/dev/null");
        assert!(LogWriter::create(path, 1, "", Survives::Kill).is_ok());
        assert!(LogWriter::create(path, 1, "", Survives::PowerCut).is_err());
    }

    #[test]
    fn a_task_hears_of_what_could_not_be_written_behind_its_back() {
        let full = LogWriter::new(File::create("/dev/full").unwrap(), 1, Survives::Kill);
        let writer = Arc::new(full);
        let mut task = writer.task(0);
        task.push(RECORD).unwrap();
        writer.flush_tasks();
        let error = task.push(RECORD).unwrap_err();
        assert_eq!(io::ErrorKind::StorageFull, error.kind());
    }
}
