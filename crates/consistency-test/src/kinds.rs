//! All kinds of consistency tests. To add one, write a file in this folder with a `KIND`, and its
//! two lines here.

mod append;
mod attributes;
mod close_to_open;
mod exclusive;
mod hard_links;
mod locks;
mod mmap;
mod range_locks;
mod read_ahead;
mod rename;
mod retried;
mod synced_names;
mod tmpfile;
mod torn_writes;
mod truncate;

use crate::consistency_test::Kind;

/// Every kind, in the order of their names.
static KINDS: &[Kind] = &[
    append::KIND,
    attributes::KIND,
    close_to_open::KIND,
    exclusive::KIND,
    hard_links::KIND,
    locks::KIND,
    mmap::KIND,
    range_locks::KIND,
    read_ahead::KIND,
    rename::KIND,
    retried::KIND,
    synced_names::KIND,
    tmpfile::KIND,
    torn_writes::KIND,
    truncate::KIND,
];

/// The kind of this name.
pub(crate) fn named(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// All names, for people.
pub(crate) fn names() -> String {
    let names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
    names.join(", ")
}
