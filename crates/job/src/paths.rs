//! The names of a task's files and directories.
//!
//! Below the directory of the task are `depth` levels of directories `d0`, `d1`, …, and in each of
//! the last ones the items. The name of an item shows its creator, so that tasks and clients can
//! share a directory: `f1.0.17` is file 17 of task 0 of client 1, `r1.0.17` the same once renamed,
//! and `m1.0.17` a directory.

use std::fmt::Write;

use crate::job::Job;
use crate::words::{Phase, Tree};

/// Makes paths, in buffers that are used again and again.
#[derive(Debug)]
pub struct Paths {
    /// The job's directory and that of the task.
    root: String,
    /// Length of the job's directory in a path, with the slash after it.
    directory_length: usize,
    tree: Tree,
    leaves: u64,
    letter: char,
    other_letter: char,
    creator: String,
    /// The last path that was made, and how much of it is directory.
    path: String,
    leaf_length: usize,
    leaf_made: Option<u64>,
    other: String,
}

impl Paths {
    /// The names that task number `task` deals with: its own, or those of another client.
    pub fn new(job: &Job, tree: &Tree, task: u16) -> Self {
        let index = usize::from(task);
        let root = job
            .directory
            .join(job.file_of_task(index))
            .display()
            .to_string();
        let letter = match (are_directories(job, tree), tree.renamed) {
            (true, _) => 'm',
            (false, false) => 'f',
            (false, true) => 'r',
        };
        Self {
            directory_length: root.len() - job.file_of_task(index).len(),
            tree: *tree,
            leaves: tree.leaves(),
            letter,
            other_letter: if tree.renamed { 'f' } else { 'r' },
            creator: format!("{}.{task}", job.writer_client_index(index)),
            path: root.clone(),
            leaf_length: root.len(),
            leaf_made: None,
            other: String::new(),
            root,
        }
    }

    /// The path of a directory of the last level.
    pub fn leaf(&mut self, leaf: u64) -> &str {
        self.path.truncate(self.root.len());
        let mut divisor = self.leaves;
        for _ in 0..self.tree.depth {
            divisor /= u64::from(self.tree.branching);
            let directory = leaf / divisor % u64::from(self.tree.branching);
            // Writing to a string does not fail.
            let _ = write!(self.path, "/d{directory}");
        }
        self.leaf_length = self.path.len();
        self.leaf_made = Some(leaf);
        &self.path
    }

    /// The path of a directory of the last level, relative to the job's directory.
    pub fn leaf_name(&mut self, leaf: u64) -> &str {
        let start = self.directory_length;
        &self.leaf(leaf)[start..]
    }

    /// The path of an item.
    pub fn item(&mut self, item: u64) -> &str {
        let leaf = item / self.tree.items_per_directory;
        if self.leaf_made != Some(leaf) {
            self.leaf(leaf);
        }
        self.path.truncate(self.leaf_length);
        let _ = write!(self.path, "/{}{}.{item}", self.letter, self.creator);
        &self.path
    }

    /// The path of an item, and the one that it gets, or had.
    pub fn item_and_its_other_name(&mut self, item: u64) -> (&str, &str) {
        self.item(item);
        self.other.clear();
        let directory = &self.path[..self.leaf_length];
        let _ = write!(
            self.other,
            "{directory}/{}{}.{item}",
            self.other_letter, self.creator
        );
        (&self.path, &self.other)
    }

    /// The path of an item, and the name of its creation, relative to the job's directory.
    pub fn item_and_its_first_name(&mut self, item: u64) -> (&str, &str) {
        if self.tree.renamed {
            self.item_and_its_other_name(item);
            return (&self.path, &self.other[self.directory_length..]);
        }
        self.item_and_its_file_name(item)
    }

    /// The beginning of the names of all items of the task, such as `f1.0.`.
    pub fn prefix(&self) -> String {
        format!("{}{}.", self.letter, self.creator)
    }

    /// The path of an item, and its name relative to the job's directory.
    pub fn item_and_its_file_name(&mut self, item: u64) -> (&str, &str) {
        self.item(item);
        (&self.path, &self.path[self.directory_length..])
    }
}

/// Whether the items of a job are directories.
pub const fn are_directories(job: &Job, tree: &Tree) -> bool {
    matches!(job.phase, Phase::Mkdir | Phase::Rmdir) || tree.directories
}

/// The two names of a task's items: the one that they are created with, and the one that they are
/// renamed to. For readers of operation logs, which hold the number of an item only.
#[derive(Debug)]
pub struct ItemNames {
    paths: Paths,
    renamed: bool,
    are_directories: bool,
}

impl ItemNames {
    /// The names that task number `task` deals with; `None` when the job has no tree.
    pub fn new(job: &Job, task: u16) -> Option<Self> {
        let tree = job.tree.as_ref()?;
        Some(Self {
            paths: Paths::new(job, tree, task),
            renamed: tree.renamed,
            are_directories: are_directories(job, tree),
        })
    }

    /// First and second name of an item, relative to the job's directory; directories have no
    /// second one.
    pub fn of(&mut self, item: u64) -> (String, Option<String>) {
        let directory_length = self.paths.directory_length;
        let (name, other) = self.paths.item_and_its_other_name(item);
        let name = name[directory_length..].to_owned();
        let other = other[directory_length..].to_owned();
        match (self.are_directories, self.renamed) {
            (true, _) => (name, None),
            (false, false) => (name, Some(other)),
            (false, true) => (other, Some(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    fn paths(phase: &str, renamed: bool) -> Paths {
        paths_of(phase, &json!({ "renamed": renamed }))
    }

    fn paths_of(phase: &str, changes: &serde_json::Value) -> Paths {
        let mut job = json!({
            "protocol": 3, "run_id": "1", "client": "c", "client_index": 3, "tasks": 2,
            "phase": phase, "directory": "/mnt/x", "files": ["t0", "t/1"],
            "tree": { "depth": 2, "branching": 3, "items_per_directory": 5 },
        });
        for (key, value) in changes.as_object().unwrap() {
            job["tree"][key] = value.clone();
        }
        let job = Job::from_json(&job.to_string()).unwrap();
        Paths::new(&job, &job.tree.unwrap(), 1)
    }

    #[test]
    fn names_say_who_created_them() {
        assert_eq!("/mnt/x/t/1/d0/d0/f3.1.0", paths("create", false).item(0));
        assert_eq!("/mnt/x/t/1/d2/d2/f3.1.44", paths("create", false).item(44));
        assert_eq!("/mnt/x/t/1/d1/d0/m3.1.15", paths("mkdir", false).item(15));
        let mut made = paths_of("stat", &json!({ "directories": true }));
        assert_eq!("/mnt/x/t/1/d1/d0/m3.1.15", made.item(15));
        assert_eq!("/mnt/x/t/1/d1/d2", paths("readdir", false).leaf(5));
        assert_eq!(
            ("/mnt/x/t/1/d0/d1/f3.1.7", "/mnt/x/t/1/d0/d1/r3.1.7"),
            paths("rename", false).item_and_its_other_name(7)
        );
        assert_eq!("/mnt/x/t/1/d0/d1/r3.1.7", paths("stat", true).item(7));
        assert_eq!(
            "t/1/d0/d1/f3.1.7",
            paths("create", false).item_and_its_file_name(7).1
        );
        assert_eq!(
            ("/mnt/x/t/1/d0/d1/r3.1.7", "t/1/d0/d1/f3.1.7"),
            paths("read-files", true).item_and_its_first_name(7)
        );
        assert_eq!("f3.1.", paths("create", false).prefix());
    }

    #[test]
    fn the_first_name_is_that_of_the_creator_whatever_the_phase() {
        for (phase, renamed) in [("create", false), ("rename", false), ("rename", true)] {
            let mut names = ItemNames {
                paths: paths(phase, renamed),
                renamed,
                are_directories: false,
            };
            let second = "t/1/d0/d1/r3.1.7".to_owned();
            assert_eq!(("t/1/d0/d1/f3.1.7".to_owned(), Some(second)), names.of(7));
        }
    }

    #[test]
    fn items_in_any_order_have_names_of_their_own() {
        let mut paths = paths("create", false);
        let names: HashSet<_> = (0..45)
            .rev()
            .map(|item| paths.item(item).to_owned())
            .collect();
        assert_eq!(45, names.len());
        let mut per_directory = std::collections::HashMap::new();
        for name in &names {
            *per_directory
                .entry(name.rsplit_once('/').unwrap().0)
                .or_insert(0) += 1;
        }
        assert_eq!(9, per_directory.len());
        assert!(per_directory.values().all(|&count| count == 5));
    }
}
