//! What logs say about the content of files.

use std::ops::Range;

use seatrial_content::{BLOCK_BYTES_MIN, Stamp, file_id};
use seatrial_job::{CopiedFile, Existing, Job, Phase, Placement, copied_files};
use seatrial_log::{Operation, Outcome, Record};

use crate::claim::Claim;
use crate::claims::Claims;
use crate::history::{Adding, History, HistoryError, Options, misfit};
use crate::source::{Content, Source, SourceIndex};
use crate::span::Span;

/// A file that a task writes.
struct Target {
    name: String,
    /// The length that it should have.
    file_bytes: u64,
    /// What of it the task may write, from its first place to its last.
    share: Range<u64>,
}

/// The claims of one task to one file, in the making.
struct Task<'a> {
    adding: &'a Adding<'a>,
    number: u16,
    target: Target,
    acknowledged_is_durable: bool,
    claims: Claims,
    /// The source of each generation that the task has written, and of each cut of the file.
    sources: Vec<(Option<u32>, SourceIndex)>,
    /// The next operation did not begin before.
    begun_ns: u64,
    is_cut_known: bool,
}

/// What one task read and wrote, in the making.
pub(crate) struct Transfers<'a> {
    /// One for each of its files; none where it only reads.
    files: Vec<Task<'a>>,
    /// The next operation did not begin before.
    begun_ns: u64,
}

impl<'a> Transfers<'a> {
    pub(crate) fn new(adding: &'a Adding<'a>, task: u16, options: Options) -> Self {
        let job = adding.job;
        let targets = targets_of(job, task).into_iter();
        let files = targets.map(|target| Task {
            adding,
            number: task,
            target,
            acknowledged_is_durable: options.acknowledged_is_durable || job.o_sync,
            claims: Claims::new(),
            sources: Vec::new(),
            begun_ns: adding.begun_ns,
            is_cut_known: false,
        });
        Self {
            files: files.collect(),
            begun_ns: adding.begun_ns,
        }
    }

    /// Pages are missing: there may have been an error.
    pub(crate) fn forget_unsynced(&mut self) {
        self.files.iter_mut().for_each(Task::forget_unsynced);
    }

    /// Passes a log record to its file. A task works on one file after the other.
    pub(crate) fn take(
        &mut self,
        history: &mut History,
        record: &Record,
    ) -> Result<(), HistoryError> {
        let number = match self.files.len() {
            0 => return Ok(()),
            1 => 0,
            _ => record.file_index as usize,
        };
        let Some(file) = self.files.get_mut(number) else {
            return misfit(record);
        };
        file.begun_ns = self.begun_ns;
        file.take(history, record)?;
        self.begun_ns = file.begun_ns;
        Ok(())
    }

    /// Notes that no more writes are known.
    pub(crate) fn finish(self, history: &mut History, is_complete: bool) {
        for mut task in self.files {
            if !is_complete {
                task.take_what_is_not_mentioned(history);
            }
            let file = history.files.entry(task.target.name).or_default();
            file.claims.extend(task.claims.finish());
        }
    }
}

/// The files that task number `task` writes, by their number in its log.
fn targets_of(job: &Job, task: u16) -> Vec<Target> {
    match job.phase {
        Phase::Copy(_) => copied_files(job, task)
            .map(|CopiedFile { name, file_bytes }| Target {
                name,
                file_bytes,
                share: 0..file_bytes,
            })
            .collect(),
        _ if job.phase.writes() => vec![Target {
            name: job.file_of_task(usize::from(task)).to_owned(),
            file_bytes: job.file_bytes,
            share: share_of(job, task),
        }],
        _ => Vec::new(),
    }
}

/// The places of a task. In a file that ranks take turns in, that is everything from its first
/// one to its last.
fn share_of(job: &Job, task: u16) -> Range<u64> {
    let placement = Placement::new(job, u64::from(task));
    match placement.records().checked_sub(1) {
        Some(last) => placement.offset(0)..placement.offset(last) + job.transfer_bytes,
        None => 0..0,
    }
}

impl Task<'_> {
    fn take(&mut self, history: &mut History, record: &Record) -> Result<(), HistoryError> {
        let is_ok = record.outcome == Outcome::Ok;
        match record.operation {
            Operation::Truncate => {
                self.is_cut_known = true;
                self.cut(history, record.offset, record)?;
            }
            Operation::Write => self.write(history, record)?,
            Operation::Sync if is_ok => {
                self.claims.settle(record.boottime_ns, true);
                self.forget_unsynced();
            }
            Operation::Close if is_ok => self.claims.settle(record.boottime_ns, false),
            _ => {}
        }
        if !is_ok {
            self.forget_unsynced();
        }
        self.begun_ns = self.begun_ns.max(record.boottime_ns);
        Ok(())
    }

    /// No later fsync makes the writes up to now durable. The kernel reports an error of write-back
    /// once, and drops the pages. So a later fsync that succeeds is no promise for them.
    const fn forget_unsynced(&mut self) {
        self.claims.forget_unsynced();
    }

    fn cut(
        &mut self,
        history: &mut History,
        start: u64,
        record: &Record,
    ) -> Result<(), HistoryError> {
        if !start.is_multiple_of(BLOCK_BYTES_MIN as u64) && start != self.target.file_bytes {
            return misfit(record);
        }
        let span = Span {
            settled_ns: record.boottime_ns,
            ..self.span(record)
        };
        let source = self.source(history, None);
        self.claims.push(Claim {
            start,
            end: u64::MAX,
            source,
            span,
            is_durable: self.acknowledged_is_durable && span.is_answered(),
        });
        Ok(())
    }

    fn write(&mut self, history: &mut History, record: &Record) -> Result<(), HistoryError> {
        let block_bytes = self.adding.job.content_block_bytes() as u64;
        let length = u64::from(record.length_bytes);
        let end = record.offset.saturating_add(length);
        let file_bytes = self.target.file_bytes;
        let fits = record.offset.is_multiple_of(block_bytes)
            && (length.is_multiple_of(block_bytes) || end == file_bytes)
            && end <= file_bytes;
        if !fits {
            return misfit(record);
        }
        let span = self.span(record);
        let is_durable = self.acknowledged_is_durable && span.is_answered();
        let source = self.source(history, Some(record.generation));
        self.claims.push(Claim {
            start: record.offset,
            end,
            source,
            span: Span {
                settled_ns: if is_durable {
                    record.boottime_ns
                } else {
                    span.settled_ns
                },
                ..span
            },
            is_durable,
        });
        Ok(())
    }

    /// A cut log: the task may have written any place of its share.
    fn take_what_is_not_mentioned(&mut self, history: &mut History) {
        let job = self.adding.job;
        let span = Span::open(job.client_index, self.adding.begun_ns);
        let source = match job.generations() {
            1 => self.source(history, Some(job.generation)),
            generations => self.add_source(history, Some(job.generation), generations),
        };
        let Range { start, end } = self.target.share;
        if start < end {
            self.claims.push(Claim {
                start,
                end,
                source,
                span,
                is_durable: false,
            });
        }
        if !self.is_cut_known {
            let source = self.source(history, None);
            self.claims.push(Claim {
                start: self.cut_to_bytes(),
                end: u64::MAX,
                source,
                span,
                is_durable: false,
            });
        }
    }

    /// To which length the file is cut before the start.
    fn cut_to_bytes(&self) -> u64 {
        match self.adding.job.existing_files() {
            Existing::Truncate => 0,
            Existing::Keep => self.target.file_bytes,
        }
    }

    /// When an operation took place.
    fn span(&self, record: &Record) -> Span {
        let job = self.adding.job;
        // Of several at once, each may have begun before those that ended earlier.
        let begun_ns = if job.queue_depth > 1 {
            self.adding.begun_ns
        } else {
            self.begun_ns
        };
        let open = Span::open(job.client_index, begun_ns);
        if record.outcome == Outcome::Ok {
            Span {
                ended_ns: record.boottime_ns,
                ..open
            }
        } else {
            open
        }
    }

    /// The source of the task's writes of `generation`; of its cuts when `None`.
    fn source(&mut self, history: &mut History, generation: Option<u32>) -> SourceIndex {
        // Passes come one after the other: it is one of the last.
        let mut known = self.sources.iter().rev();
        if let Some(&(_, source)) = known.find(|(known, _)| *known == generation) {
            return source;
        }
        let source = self.add_source(history, generation, 1);
        self.sources.push((generation, source));
        source
    }

    /// A source of what the task may have written in any of `generations` from `generation` on.
    fn add_source(
        &self,
        history: &mut History,
        generation: Option<u32>,
        generations: u32,
    ) -> SourceIndex {
        let job = self.adding.job;
        let content = generation.map_or(Content::Nothing, |generation| {
            Content::Blocks(Stamp {
                run: job.run_id.0,
                file: file_id(&self.target.name),
                generation,
                writer: Stamp::writer_of(job.client_index, self.number),
                file_bytes: self.target.file_bytes,
                block_bytes: job.content_block_bytes(),
            })
        });
        history.add_source(Source {
            log: self.adding.log,
            generation: job.generation,
            generations,
            content,
        })
    }
}
