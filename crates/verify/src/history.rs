//! All that is known from the logs.

use std::collections::BTreeMap;
use std::io;

use seatrial_job::{Job, JobError};
use seatrial_log::{Operation, Record};
use thiserror::Error;

use crate::claim::Claim;
use crate::items::Groups;
use crate::source::{Source, SourceIndex};

/// The promises of the storage, and the known error of the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// An acknowledged write is durable without an fsync.
    pub acknowledged_is_durable: bool,
    /// A change of a name is durable only when an fsync followed; by default it is once it is
    /// acknowledged, as NFS wants it.
    pub names_need_sync: bool,
    /// How much the clocks of two clients may differ. Two operations of different clients have a
    /// certain order only when more than this is between them.
    pub clock_error_ns: u64,
    /// What the storage answers with an error of I/O is lost, as if it were not there; without this
    /// it ends the comparison, since one client's error proves no loss.
    pub unreadable_is_lost: bool,
}

/// Why a log cannot be used.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// Nothing in it can be read, or it does not say what job it belongs to.
    #[error("the head is missing or damaged")]
    NoHead,
    /// It is of a version without a head.
    #[error("the log has version 1, which does not say what job it belongs to")]
    Version1,
    /// The head is not that of a job.
    #[error("{0}")]
    Head(#[from] JobError),
    /// It could not be read to the end.
    #[error("cannot read the log: {0}")]
    Unreadable(#[from] io::Error),
    /// It contradicts its head.
    #[error("the log contradicts its head: {0}")]
    Contradiction(String),
}

/// What is known of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileHistory {
    /// Its parts, and who may have written them.
    pub(crate) claims: Vec<Claim>,
}

/// All that is known from the logs that were added.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub(crate) options: Options,
    pub(crate) sources: Vec<Source>,
    /// By name, relative to the job's directory.
    pub(crate) files: BTreeMap<String, FileHistory>,
    pub(crate) groups: Groups,
    pub(crate) logs: u32,
}

/// A log that is being added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adding<'a> {
    /// Its number.
    pub(crate) log: u32,
    /// When it was begun.
    pub(crate) begun_ns: u64,
    pub(crate) job: &'a Job,
}

impl History {
    /// A history without any log.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Takes in a source; returns its number.
    pub(crate) fn add_source(&mut self, source: Source) -> SourceIndex {
        self.sources.push(source);
        (self.sources.len() - 1) as SourceIndex
    }
}

pub(crate) fn contradiction<T>(what: impl Into<String>) -> Result<T, HistoryError> {
    Err(HistoryError::Contradiction(what.into()))
}

/// Returns the error that a log record does not fit its job.
pub(crate) fn misfit<T>(record: &Record) -> Result<T, HistoryError> {
    let Record {
        operation, offset, ..
    } = record;
    contradiction(format!("{operation:?} at {offset} does not fit the job"))
}

/// Whether a log record proves that its operation did not happen.
pub(crate) fn is_excluded(record: &Record) -> bool {
    const ENOENT: u16 = 2;
    const EEXIST: u16 = 17;
    // An answer to a request that the client sent twice, the first of which did the work.
    let may_be_an_echo = match record.operation {
        Operation::Create | Operation::Mkdir => record.errno == EEXIST,
        Operation::Remove | Operation::Rmdir | Operation::Rename => record.errno == ENOENT,
        _ => true,
    };
    record.outcome == seatrial_log::Outcome::Fail && !may_be_an_echo
}
