//! Reading a log twice, page by page, without holding the whole log in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::page::{PAGE_BYTES, Page, PageContent};
use crate::reader::{Log, LogError, TaskRecords, note_origin};
use crate::record::Record;

/// Bytes that are read at a time.
const BUFFER_BYTES: usize = 1 << 18;

/// The contents of a log for one task, without the log records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskSummary {
    /// How many records can be trusted.
    pub records: u64,
    /// As in [`crate::TaskRecords`].
    pub is_complete: bool,
    /// Pages that are missing between others.
    pub pages_missing: u64,
    /// The number that the next page should have.
    next_sequence: u64,
}

/// One step through what tasks did. Each task's steps come in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Pages are missing here.
    Gap,
    /// The next record.
    Record(Record),
}

/// A log with everything known but the log records, which are read one after the other.
#[derive(Clone, Debug)]
pub struct LogReader {
    /// As in [`Log`].
    pub run: Option<u64>,
    /// As in [`Log`].
    pub version: u8,
    /// As in [`Log`].
    pub head: Option<String>,
    /// As in [`Log`].
    pub pages_unreadable: u64,
    /// The tasks that left at least one page.
    pub tasks: BTreeMap<u16, TaskSummary>,
    place: Place,
}

/// The place of the log records.
#[derive(Clone, Debug)]
enum Place {
    /// In a number of whole pages of a file. Those of each task are in order, as its agent has
    /// written them.
    File(PathBuf, u64),
    /// In memory: the pages are in no order, and some may occur twice.
    Memory(Box<Log>),
}

impl LogReader {
    /// Reads all of the file at `path`, and keeps no record of it.
    ///
    /// # Errors
    /// When the file cannot be read, or when it holds pages of two runs.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let mut reader = Self {
            run: None,
            version: 0,
            head: None,
            pages_unreadable: 0,
            tasks: BTreeMap::new(),
            place: Place::File(path.to_owned(), 0),
        };
        // The head is a log without records.
        let mut head = Vec::new();
        let mut is_ordered = true;
        let (pages, is_cut) = each_page(path, u64::MAX, |bytes| {
            let Some(page) = Page::from_bytes(bytes) else {
                reader.pages_unreadable += 1;
                return Ok(());
            };
            note_origin(&mut reader.run, &mut reader.version, &page)?;
            if let PageContent::Records(found) = &page.content {
                let task = reader.tasks.entry(page.task).or_default();
                is_ordered &= task.take(&page, found).is_some();
            } else {
                head.extend_from_slice(bytes);
            }
            Ok::<_, LogError>(())
        })?;
        if !is_ordered {
            return Ok(Log::read(path)?.into());
        }
        let head = Log::from_bytes(&head)?;
        reader.pages_unreadable += head.pages_unreadable + u64::from(is_cut);
        reader.head = head.head;
        reader.place = Place::File(path.to_owned(), pages);
        Ok(reader)
    }

    /// Passes all log records to `take`, with the number of the task, and each place where some are
    /// missing.
    ///
    /// # Errors
    /// When the file cannot be read any more, and the error of `take`, which ends it.
    pub fn replay<E: From<io::Error>>(
        &self,
        mut take: impl FnMut(u16, Step) -> Result<(), E>,
    ) -> Result<(), E> {
        let (path, pages) = match &self.place {
            Place::File(path, pages) => (path, *pages),
            Place::Memory(log) => return replay_from_memory(log, take),
        };
        let mut tasks: BTreeMap<u16, TaskSummary> = BTreeMap::new();
        each_page(path, pages, |bytes| {
            let Some(page) = Page::from_bytes(bytes) else {
                return Ok(());
            };
            let PageContent::Records(found) = &page.content else {
                return Ok(());
            };
            let missing = tasks.entry(page.task).or_default().take(&page, found);
            if missing.is_some_and(|missing| missing > 0) {
                take(page.task, Step::Gap)?;
            }
            found
                .iter()
                .try_for_each(|record| take(page.task, Step::Record(*record)))
        })?;
        Ok(())
    }
}

impl TaskSummary {
    /// Counts the next page of the task, and returns how many are missing before it; `None` when it
    /// is neither the next page nor a later one.
    fn take(&mut self, page: &Page, records: &[Record]) -> Option<u64> {
        let sequence = u64::from(page.sequence);
        // A page behind the last one: one of the two is not what it says.
        let behind = u64::from(self.is_complete);
        let missing = sequence.checked_sub(self.next_sequence)? + behind;
        self.pages_missing += missing;
        self.is_complete = page.is_last && self.pages_missing == 0;
        self.records += records.len() as u64;
        self.next_sequence = sequence + 1;
        Some(missing)
    }
}

impl From<Log> for LogReader {
    fn from(log: Log) -> Self {
        let summary = |(task, found): (&u16, &TaskRecords)| {
            let summary = TaskSummary {
                records: found.records.len() as u64,
                is_complete: found.is_complete,
                pages_missing: found.pages_missing,
                next_sequence: 0,
            };
            (*task, summary)
        };
        Self {
            run: log.run,
            version: log.version,
            head: log.head.clone(),
            pages_unreadable: log.pages_unreadable,
            tasks: log.tasks.iter().map(summary).collect(),
            place: Place::Memory(Box::new(log)),
        }
    }
}

fn replay_from_memory<E>(
    log: &Log,
    mut take: impl FnMut(u16, Step) -> Result<(), E>,
) -> Result<(), E> {
    for (&task, found) in &log.tasks {
        let mut gaps = found.gaps.iter().peekable();
        for (index, record) in found.records.iter().enumerate() {
            while gaps.next_if(|&&gap| gap <= index).is_some() {
                take(task, Step::Gap)?;
            }
            take(task, Step::Record(*record))?;
        }
        gaps.try_for_each(|_| take(task, Step::Gap))?;
    }
    Ok(())
}

/// Calls `take` with each page of a file, `pages_max` at most; returns how many there were, and
/// whether bytes follow that are no whole page.
fn each_page<E: From<io::Error>>(
    path: &Path,
    pages_max: u64,
    mut take: impl FnMut(&[u8; PAGE_BYTES]) -> Result<(), E>,
) -> Result<(u64, bool), E> {
    let mut file = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    let mut page = [0; PAGE_BYTES];
    for pages in 0..pages_max {
        let mut filled = 0;
        while filled < PAGE_BYTES {
            match file.read(&mut page[filled..]) {
                Ok(0) => return Ok((pages, filled > 0)),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        take(&page)?;
    }
    Ok((pages_max, false))
}
