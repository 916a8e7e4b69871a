//! What is known of names: who is where, and who made them.

use std::collections::BTreeMap;
use std::sync::Arc;

use seatrial_job::Job;

use crate::span::Span;

/// The possible places of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// Nowhere.
    Absent,
    /// Under the name with which it was created.
    First,
    /// Under the name to which it was renamed.
    Second,
}

/// Something that may have brought an item into a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) state: State,
    pub(crate) span: Span,
    pub(crate) is_durable: bool,
}

/// A file or directory that a log mentions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub(crate) first: String,
    pub(crate) second: Option<String>,
    pub(crate) changes: Vec<Change>,
}

/// What all items of one creator in one tree have in common: where they are, and who made them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupKey {
    pub(crate) directory: String,
    pub(crate) creator: u32,
    pub(crate) items_per_directory: u64,
    pub(crate) depth: u32,
    pub(crate) branching: u32,
    pub(crate) are_directories: bool,
}

/// The items of one creator in one tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) items: BTreeMap<u64, Item>,
    /// Possible changes to any of them by tasks with a cut log.
    pub(crate) unmentioned: Vec<Change>,
    /// The content that such a task may have put into any of them.
    pub(crate) unmentioned_content: Vec<CutCreation>,
}

/// A task that creates files, and that has a cut log.
#[derive(Clone, Debug)]
pub(crate) struct CutCreation {
    pub(crate) log: u32,
    pub(crate) job: Arc<Job>,
    pub(crate) task: u16,
    pub(crate) change: Change,
}

/// All items.
pub(crate) type Groups = BTreeMap<GroupKey, Group>;

/// Possible states of an item, after all its possible changes.
pub(crate) fn allowed_states(changes: &[Change], clock_error_ns: u64) -> Vec<State> {
    let durable: Vec<_> = changes.iter().filter(|change| change.is_durable).collect();
    if durable.is_empty() {
        return vec![State::Absent, State::First, State::Second];
    }
    let is_replaced = |change: &Change| {
        durable
            .iter()
            .any(|later| change.span.is_before(&later.span, clock_error_ns))
    };
    let mut states: Vec<_> = changes
        .iter()
        .filter(|change| !is_replaced(change))
        .map(|change| change.state)
        .collect();
    states.sort_unstable();
    states.dedup();
    states
}
