//! What logs say about names.

use std::sync::Arc;

use seatrial_content::{Stamp, file_id};
use seatrial_job::{Fsync, ItemNames, Job, Phase};
use seatrial_log::{Operation, Outcome, Record, TaskRecords};

use crate::claim::Claim;
use crate::history::{Adding, History, HistoryError, is_excluded, misfit};
use crate::items::{Change, CutCreation, GroupKey, State};
use crate::source::{Content, Source};
use crate::span::Span;

impl History {
    /// Adds what `task` did to names.
    pub(crate) fn add_names(
        &mut self,
        adding: &Adding<'_>,
        task: u16,
        records: &TaskRecords,
    ) -> Result<(), HistoryError> {
        let job = adding.job;
        let (Some(key), Some(mut names)) = (group_of(job, task), ItemNames::new(job, task)) else {
            return Ok(());
        };
        let items_max = job.tree.map_or(0, |tree| tree.items());
        let mut group = self.groups.remove(&key).unwrap_or_default();
        let mut begun_ns = adding.begun_ns;
        for record in &records.records {
            if record.offset >= items_max {
                return misfit(record);
            }
            let span = Span::open(job.client_index, begun_ns);
            begun_ns = begun_ns.max(record.boottime_ns);
            let Some(state) = state_after(record.operation, job) else {
                continue;
            };
            if is_excluded(record) {
                continue;
            }
            let change = self.change(job, record, state, span);
            let item = group.items.entry(record.offset).or_default();
            if item.first.is_empty() {
                (item.first, item.second) = names.of(record.offset);
            }
            item.changes.push(change);
            if record.operation == Operation::Create {
                let name = item.first.clone();
                self.add_content(adding.log, job, task, &name, &change);
            }
        }
        if !records.is_complete
            && let Some(state) = state_of_phase(job)
        {
            let change = Change {
                state,
                span: Span::open(job.client_index, adding.begun_ns),
                is_durable: false,
            };
            group.unmentioned.push(change);
            if job.phase == Phase::Create {
                group.unmentioned_content.push(CutCreation {
                    log: adding.log,
                    job: Arc::new(job.clone()),
                    task,
                    change,
                });
            }
        }
        self.groups.insert(key, group);
        Ok(())
    }

    fn change(&self, job: &Job, record: &Record, state: State, open: Span) -> Change {
        if record.outcome != Outcome::Ok {
            return Change {
                state,
                span: open,
                is_durable: false,
            };
        }
        let is_synced = record.operation == Operation::Create && job.fsync != Fsync::None;
        Change {
            state,
            span: Span {
                ended_ns: record.boottime_ns,
                settled_ns: record.boottime_ns,
                ..open
            },
            is_durable: is_synced || !self.options.names_need_sync,
        }
    }

    /// Adds what a new file holds: nothing, and then its content.
    fn add_content(&mut self, log: u32, job: &Job, task: u16, name: &str, change: &Change) {
        let is_synced = job.fsync != Fsync::None || self.options.acknowledged_is_durable;
        let stamp = Stamp {
            run: job.run_id.0,
            file: file_id(name),
            generation: job.generation,
            writer: Stamp::writer_of(job.client_index, task),
            file_bytes: job.file_bytes,
            block_bytes: job.content_block_bytes(),
        };
        let contents = [
            (u64::MAX, Content::Nothing),
            (job.file_bytes, Content::Blocks(stamp)),
        ];
        for (end, content) in contents {
            let source = self.add_source(Source {
                log,
                generation: job.generation,
                generations: 1,
                content,
            });
            let claims = &mut self.files.entry(name.to_owned()).or_default().claims;
            claims.push(Claim {
                start: 0,
                end,
                source,
                span: change.span,
                is_durable: is_synced && change.span.is_answered(),
            });
        }
    }

    /// Adds what tasks whose log is cut may have put into the files that others mention.
    pub(crate) fn add_unmentioned_content(&mut self) {
        let mut additions = Vec::new();
        for group in self.groups.values() {
            for cut in &group.unmentioned_content {
                let names = group.items.values().map(|item| item.first.clone());
                additions.extend(names.map(|name| (cut.clone(), name)));
            }
        }
        for (cut, name) in additions {
            self.add_content(cut.log, &cut.job, cut.task, &name, &cut.change);
        }
    }
}

/// Where an item is after an operation; `None` when that does not change.
fn state_after(operation: Operation, job: &Job) -> Option<State> {
    let is_renamed = job.tree.is_some_and(|tree| tree.renamed);
    match operation {
        Operation::Create | Operation::Mkdir => Some(State::First),
        Operation::Remove | Operation::Rmdir => Some(State::Absent),
        Operation::Rename if is_renamed => Some(State::First),
        Operation::Rename => Some(State::Second),
        _ => None,
    }
}

/// Where an item is after a phase has dealt with it; `None` when that does not change.
fn state_of_phase(job: &Job) -> Option<State> {
    let operation = match job.phase {
        Phase::Create => Operation::Create,
        Phase::Mkdir => Operation::Mkdir,
        Phase::Remove => Operation::Remove,
        Phase::Rmdir => Operation::Rmdir,
        Phase::Rename => Operation::Rename,
        _ => return None,
    };
    state_after(operation, job)
}

fn group_of(job: &Job, task: u16) -> Option<GroupKey> {
    let tree = job.tree?;
    let creator = job.writer_client_index(usize::from(task));
    Some(GroupKey {
        directory: job.file_of_task(usize::from(task)).to_owned(),
        creator: Stamp::writer_of(creator, task),
        items_per_directory: tree.items_per_directory,
        depth: tree.depth,
        branching: tree.branching,
        are_directories: tree.directories || matches!(job.phase, Phase::Mkdir | Phase::Rmdir),
    })
}
