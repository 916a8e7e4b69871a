//! Reading a log back, whole, cut or damaged.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use thiserror::Error;

use crate::page::{PAGE_BYTES, Page};
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
    /// Whether these are all: the last page is there and none before it is missing. When this is
    /// false, operations that the log does not mention may have happened.
    pub is_complete: bool,
    /// Pages that are missing between others.
    pub pages_missing: u64,
}

/// A log that was read back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The run that it belongs to; `None` when there is no readable page.
    pub run: Option<u64>,
    /// The tasks that left at least one page. A task that is not here left nothing that can be
    /// relied on, which is not the same as having done nothing.
    pub tasks: BTreeMap<u16, TaskRecords>,
    /// Pages that are damaged or were never written.
    pub pages_unreadable: u64,
}

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
        let mut pages: BTreeMap<(u16, u32), Page> = BTreeMap::new();
        for page in whole {
            let Some(page) = Page::from_bytes(page) else {
                log.pages_unreadable += 1;
                continue;
            };
            let first = *log.run.get_or_insert(page.run);
            if first != page.run {
                return Err(LogError::TwoRuns {
                    first,
                    second: page.run,
                });
            }
            pages.insert((page.task, page.sequence), page);
        }
        let mut next_sequence: BTreeMap<u16, u32> = BTreeMap::new();
        for ((task, sequence), page) in pages {
            let expected = next_sequence.entry(task).or_default();
            let records = log.tasks.entry(task).or_default();
            records.pages_missing += u64::from(sequence - *expected);
            records.is_complete = page.is_last && records.pages_missing == 0;
            records.records.extend(page.records);
            *expected = sequence + 1;
        }
        Ok(log)
    }
}
