//! Writing the log while operations run.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::page::{PAGE_BYTES, Page, RECORDS_PER_PAGE};
use crate::record::Record;

/// Pages that a task gathers before it writes them in one go.
const PAGES_PER_WRITE: usize = 8;

/// The file that all tasks of an agent log to.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    run: u64,
    pages_taken: AtomicU64,
}

impl LogWriter {
    /// Makes an empty log for `run`, in place of an older file of that name.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path, run: u64) -> io::Result<Arc<Self>> {
        let file = File::create(path)?;
        Ok(Arc::new(Self {
            file,
            run,
            pages_taken: AtomicU64::new(0),
        }))
    }

    /// The part of the log that `task` writes.
    pub fn task(self: &Arc<Self>, task: u16) -> TaskLog {
        TaskLog {
            writer: Arc::clone(self),
            page: Page {
                run: self.run,
                task,
                sequence: 0,
                is_last: false,
                records: Vec::new(),
            },
            ready: Vec::with_capacity(PAGES_PER_WRITE * PAGE_BYTES),
        }
    }

    /// Writes whole pages to a place of their own.
    fn append(&self, pages: &[u8]) -> io::Result<()> {
        let count = (pages.len() / PAGE_BYTES) as u64;
        let first_page = self.pages_taken.fetch_add(count, Ordering::Relaxed);
        self.file
            .write_all_at(pages, first_page * PAGE_BYTES as u64)
    }
}

/// One task's part of a log. Dropping it without [`TaskLog::finish`] leaves a cut log, as the
/// death of the agent does.
#[derive(Debug)]
pub struct TaskLog {
    writer: Arc<LogWriter>,
    page: Page,
    ready: Vec<u8>,
}

impl TaskLog {
    /// Adds a record. It reaches the file with the next [`TaskLog::flush`] or when some pages
    /// have come together.
    ///
    /// # Errors
    /// When the file cannot be written; the records of that write are lost, and a reader will
    /// see that they are.
    pub fn push(&mut self, record: Record) -> io::Result<()> {
        self.page.records.push(record);
        if self.page.records.len() == RECORDS_PER_PAGE {
            self.seal_page(false);
            if self.ready.len() >= PAGES_PER_WRITE * PAGE_BYTES {
                return self.write_ready();
            }
        }
        Ok(())
    }

    /// Hands all records to the kernel: they survive the death of this process.
    ///
    /// # Errors
    /// As [`TaskLog::push`].
    pub fn flush(&mut self) -> io::Result<()> {
        if !self.page.records.is_empty() {
            self.seal_page(false);
        }
        self.write_ready()
    }

    /// Writes the last page, with the mark that nothing is missing.
    ///
    /// # Errors
    /// As [`TaskLog::push`].
    pub fn finish(mut self) -> io::Result<()> {
        self.seal_page(true);
        self.write_ready()
    }

    /// Closes the page at hand, full or not, and opens the next.
    fn seal_page(&mut self, is_last: bool) {
        self.page.is_last = is_last;
        self.ready.extend_from_slice(&self.page.to_bytes());
        self.page.records.clear();
        self.page.sequence += 1;
    }

    /// Writes the pages that are ready.
    fn write_ready(&mut self) -> io::Result<()> {
        if self.ready.is_empty() {
            return Ok(());
        }
        let written = self.writer.append(&self.ready);
        self.ready.clear();
        written
    }
}
