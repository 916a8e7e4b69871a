//! Reading a log back, whole, cut or damaged.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::path::Path;

use thiserror::Error;

use crate::page::{PAGE_BYTES, Page, PageContent};
use crate::record::Record;

/// Why a log could not be read at all. Damage inside is no error: see [`TaskRecords`].
#[derive(Debug, Error)]
pub enum LogError {
    /// The file could not be read.
    #[error("cannot read the log: {0}")]
    Unreadable(#[from] io::Error),
    /// The file holds pages of two runs.
    #[error("the log holds pages of run {first:016x} and of run {second:016x}")]
    TwoRuns {
        /// The run of the first page.
        first: u64,
        /// Another run.
        second: u64,
    },
}

/// What the log holds of one task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskRecords {
    /// All records that can be trusted, oldest first.
    pub records: Vec<Record>,
    /// Whether these are all log records: no page is missing, not even the last one. When this is
    /// false, operations that the log does not mention may have happened.
    pub is_complete: bool,
    /// Pages that are missing between others.
    pub pages_missing: u64,
    /// Before which records they are missing, by index.
    pub gaps: Vec<usize>,
}

/// A log that was read back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The run that it belongs to; `None` when there is no readable page.
    pub run: Option<u64>,
    /// The version of the format; 0 when there is no readable page, and the lowest of all pages
    /// should they differ.
    pub version: u8,
    /// What the writer put in front of all records, whole; `None` when a part of it is missing,
    /// and in a log of version 1, which has none.
    pub head: Option<String>,
    /// The tasks that left at least one page. A task that is not here left nothing that can be
    /// relied on, which is not the same as having done nothing.
    pub tasks: BTreeMap<u16, TaskRecords>,
    /// Pages that are damaged, contradict each other, or were never written.
    pub pages_unreadable: u64,
}

/// Pages by their numbers; `None` where several that are not the same claim one number, so that
/// none can be trusted.
type Pages<K> = BTreeMap<K, Option<Page>>;

impl Log {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// When the file cannot be read, or when it holds pages of two runs.
    pub fn read(path: &Path) -> Result<Self, LogError> {
        Self::from_bytes(&fs::read(path)?)
    }

    /// Reads a log from memory.
    ///
    /// # Errors
    /// When it holds pages of two runs.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LogError> {
        let (whole, rest) = bytes.as_chunks::<PAGE_BYTES>();
        let mut log = Self {
            pages_unreadable: u64::from(!rest.is_empty()),
            ..Self::default()
        };
        let mut head = Pages::new();
        let mut pages = Pages::new();
        for page in whole {
            let Some(page) = Page::from_bytes(page) else {
                log.pages_unreadable += 1;
                continue;
            };
            note_origin(&mut log.run, &mut log.version, &page)?;
            log.pages_unreadable += match page.content {
                PageContent::Head(_) => keep(&mut head, page.sequence, page),
                PageContent::Records(_) => keep(&mut pages, (page.task, page.sequence), page),
            };
        }
        log.head = join_head(head);
        log.join_tasks(pages);
        Ok(log)
    }

    /// Joins the log records of each task.
    fn join_tasks(&mut self, pages: Pages<(u16, u32)>) {
        let mut next_sequence: BTreeMap<u16, u64> = BTreeMap::new();
        for ((task, sequence), page) in pages {
            let Some(page) = page else {
                // It is one that is missing, when there are others behind it.
                self.tasks.entry(task).or_default().is_complete = false;
                continue;
            };
            let PageContent::Records(found) = page.content else {
                continue;
            };
            let expected = next_sequence.entry(task).or_default();
            let records = self.tasks.entry(task).or_default();
            // A page behind the last one: one of the two is not what it says.
            let missing = u64::from(sequence) - *expected + u64::from(records.is_complete);
            if missing > 0 {
                records.pages_missing += missing;
                records.gaps.push(records.records.len());
            }
            records.is_complete = page.is_last && records.pages_missing == 0;
            records.records.extend(found);
            *expected = u64::from(sequence) + 1;
        }
    }
}

/// Notes run and version of a page, which must be of the run of those before.
pub(crate) fn note_origin(
    run: &mut Option<u64>,
    version: &mut u8,
    page: &Page,
) -> Result<(), LogError> {
    let first = *run.get_or_insert(page.run);
    if first != page.run {
        let second = page.run;
        return Err(LogError::TwoRuns { first, second });
    }
    *version = match *version {
        0 => page.version,
        version => version.min(page.version),
    };
    Ok(())
}

/// Keeps a page under its number; returns how many have become unreadable by that.
fn keep<K: Ord>(pages: &mut Pages<K>, number: K, page: Page) -> u64 {
    match pages.entry(number) {
        Entry::Vacant(entry) => {
            entry.insert(Some(page));
            0
        }
        Entry::Occupied(mut entry) => match entry.get() {
            Some(known) if *known == page => 0,
            Some(_) => {
                entry.insert(None);
                2
            }
            None => 1,
        },
    }
}

/// Joins the head; `None` when a page of it is missing.
fn join_head(pages: Pages<u32>) -> Option<String> {
    let mut bytes = Vec::new();
    let mut is_whole = false;
    for (expected, (sequence, page)) in (0_u64..).zip(pages) {
        let page = page?;
        let PageContent::Head(part) = page.content else {
            return None;
        };
        if is_whole || u64::from(sequence) != expected {
            return None;
        }
        bytes.extend(part);
        is_whole = page.is_last;
    }
    is_whole.then(|| String::from_utf8(bytes).ok()).flatten()
}
