//! What logs say about the content of files.

use seatrial_content::{BLOCK_BYTES_MIN, Stamp, file_id};
use seatrial_engine::{Existing, Job, Placement};
use seatrial_log::{Operation, Outcome, Record, TaskRecords};

use crate::claim::Claim;
use crate::history::{Adding, History, HistoryError, misfit};
use crate::source::{Content, Source, SourceIndex};
use crate::span::Span;

/// The claims of one task, in the making.
struct Task<'a> {
    adding: &'a Adding<'a>,
    number: u16,
    acknowledged_is_durable: bool,
    claims: Vec<Claim>,
    /// The source of each generation that the task has written, and of what it cut off.
    sources: Vec<(Option<u32>, SourceIndex)>,
    /// Claims before this one are durable, or can no longer become so.
    unsynced_from: usize,
    /// The next operation did not begin before.
    begun_ns: u64,
    is_cut_known: bool,
}

impl History {
    /// Adds what `task` read and wrote.
    pub(crate) fn add_transfer(
        &mut self,
        adding: &Adding<'_>,
        task: u16,
        records: &TaskRecords,
    ) -> Result<(), HistoryError> {
        let job = adding.job;
        if !job.phase.writes() {
            return Ok(());
        }
        let mut state = Task {
            adding,
            number: task,
            acknowledged_is_durable: self.options.acknowledged_is_durable || job.o_sync,
            claims: Vec::new(),
            sources: Vec::new(),
            unsynced_from: 0,
            begun_ns: adding.begun_ns,
            is_cut_known: false,
        };
        let mut gaps = records.gaps.iter().peekable();
        for (index, record) in records.records.iter().enumerate() {
            while gaps.next_if(|&&gap| gap <= index).is_some() {
                // There may have been an error.
                state.forget_unsynced();
            }
            state.take(self, record)?;
        }
        if !records.is_complete {
            state.take_what_is_not_mentioned(self);
        }
        let name = job.file_of_task(usize::from(task));
        let file = self.files.entry(name.to_owned()).or_default();
        file.claims.append(&mut state.claims);
        Ok(())
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
                self.settle(record.unix_ns, true);
                self.forget_unsynced();
            }
            Operation::Close if is_ok => self.settle(record.unix_ns, false),
            _ => {}
        }
        if !is_ok {
            self.forget_unsynced();
        }
        self.begun_ns = self.begun_ns.max(record.unix_ns);
        Ok(())
    }

    /// No fsync to come makes durable what was written up to now. The kernel reports an error of
    /// write-back once, and then forgets what it concerned: a later fsync that succeeds says
    /// nothing about it.
    const fn forget_unsynced(&mut self) {
        self.unsynced_from = self.claims.len();
    }

    fn cut(
        &mut self,
        history: &mut History,
        start: u64,
        record: &Record,
    ) -> Result<(), HistoryError> {
        if !start.is_multiple_of(BLOCK_BYTES_MIN as u64) {
            return misfit(record);
        }
        let span = Span {
            settled_ns: record.unix_ns,
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
        let fits = record.offset.is_multiple_of(block_bytes)
            && length.is_multiple_of(block_bytes)
            && end <= self.adding.job.file_bytes;
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
                    record.unix_ns
                } else {
                    span.settled_ns
                },
                ..span
            },
            is_durable,
        });
        Ok(())
    }

    /// A cut log: the task may have written any place of its share. In a file that ranks take
    /// turns in, that is everything from its first place to its last.
    fn take_what_is_not_mentioned(&mut self, history: &mut History) {
        let job = self.adding.job;
        let span = Span::open(job.client_index, self.adding.begun_ns);
        let placement = Placement::new(job, u64::from(self.number));
        let source = self.source(history, Some(job.generation));
        if let Some(last) = placement.records().checked_sub(1) {
            self.claims.push(Claim {
                start: placement.offset(0),
                end: placement.offset(last) + job.record_bytes,
                source,
                span,
                is_durable: false,
            });
        }
        if !self.is_cut_known {
            let source = self.source(history, None);
            self.claims.push(Claim {
                start: cut_to_bytes(job),
                end: u64::MAX,
                source,
                span,
                is_durable: false,
            });
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
                ended_ns: record.unix_ns,
                ..open
            }
        } else {
            open
        }
    }

    /// What was acknowledged has left the client by `unix_ns`, for good if `is_durable`.
    fn settle(&mut self, unix_ns: u64, is_durable: bool) {
        for claim in &mut self.claims[self.unsynced_from..] {
            if claim.span.is_answered() {
                claim.span.settled_ns = claim.span.settled_ns.min(unix_ns);
                claim.is_durable |= is_durable;
            }
        }
    }

    /// The source of what the task writes as `generation`; of what it cuts off when `None`.
    fn source(&mut self, history: &mut History, generation: Option<u32>) -> SourceIndex {
        if let Some(&(_, source)) = self.sources.iter().find(|(known, _)| *known == generation) {
            return source;
        }
        let job = self.adding.job;
        let content = generation.map_or(Content::Nothing, |generation| {
            Content::Blocks(stamp_of(job, self.number, generation))
        });
        let source = history.add_source(Source {
            log: self.adding.log,
            generation: generation.unwrap_or(job.generation),
            content,
        });
        self.sources.push((generation, source));
        source
    }
}

/// What blocks carry that a task of the job writes as `generation`.
fn stamp_of(job: &Job, task: u16, generation: u32) -> Stamp {
    Stamp {
        run: job.run_id.0,
        file: file_id(job.file_of_task(usize::from(task))),
        generation,
        writer: Stamp::writer_of(job.client_index, task),
        file_bytes: job.file_bytes,
        block_bytes: job.content_block_bytes(),
    }
}

/// To which length a file is cut before the start.
fn cut_to_bytes(job: &Job) -> u64 {
    match job.existing_files() {
        Existing::Truncate => 0,
        Existing::Keep => job.file_bytes,
    }
}
