//! What logs say about names.

use std::sync::Arc;

use seatrial_content::{Stamp, file_id};
use seatrial_job::{Fsync, ItemNames, Job, Phase};
use seatrial_log::{Operation, Outcome, Record};

use crate::claim::Claim;
use crate::history::{Adding, History, HistoryError, is_excluded, misfit};
use crate::items::{Change, CutCreation, Group, GroupKey, State};
use crate::source::{Content, Source};
use crate::span::Span;

/// What one task did to names, in the making.
pub(crate) struct Names<'a> {
    adding: &'a Adding<'a>,
    task: u16,
    /// `None` when the job deals with none.
    subject: Option<(GroupKey, ItemNames)>,
    begun_ns: u64,
}

impl<'a> Names<'a> {
    pub(crate) fn new(adding: &'a Adding<'a>, task: u16) -> Self {
        let job = adding.job;
        Self {
            adding,
            task,
            subject: group_of(job, task).zip(ItemNames::new(job, task)),
            begun_ns: adding.begun_ns,
        }
    }

    pub(crate) fn take(
        &mut self,
        history: &mut History,
        record: &Record,
    ) -> Result<(), HistoryError> {
        let Some((key, names)) = &mut self.subject else {
            return Ok(());
        };
        let Adding { log, job, .. } = *self.adding;
        if record.offset >= job.tree.map_or(0, |tree| tree.items()) {
            return misfit(record);
        }
        let span = Span::open(job.client_index, self.begun_ns);
        self.begun_ns = self.begun_ns.max(record.boottime_ns);
        let Some(state) = state_after(record.operation, job) else {
            return Ok(());
        };
        if is_excluded(record) {
            return Ok(());
        }
        let change = history.change(job, record, state, span);
        let group = history.group(key);
        let item = group.items.entry(record.offset).or_default();
        if item.first.is_empty() {
            (item.first, item.second) = names.of(record.offset);
        }
        item.changes.push(change);
        if record.operation == Operation::Create {
            let name = item.first.clone();
            history.add_content(log, job, self.task, &name, &change);
        }
        Ok(())
    }

    /// Notes that no more changes are known.
    pub(crate) fn finish(self, history: &mut History, is_complete: bool) {
        let Some((key, _)) = self.subject else {
            return;
        };
        let Adding { log, begun_ns, job } = *self.adding;
        let group = history.group(&key);
        let Some(state) = state_of_phase(job).filter(|_| !is_complete) else {
            return;
        };
        let change = Change {
            state,
            span: Span::open(job.client_index, begun_ns),
            is_durable: false,
        };
        group.unmentioned.push(change);
        if job.phase == Phase::Create {
            group.unmentioned_content.push(CutCreation {
                log,
                job: Arc::new(job.clone()),
                task: self.task,
                change,
            });
        }
    }
}

impl History {
    /// The items of one creator in one tree.
    fn group(&mut self, key: &GroupKey) -> &mut Group {
        if !self.groups.contains_key(key) {
            self.groups.insert(key.clone(), Group::default());
        }
        self.groups.get_mut(key).expect("it is there by now")
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

    /// Adds the possible writes of tasks with a cut log to files that other logs mention.
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
