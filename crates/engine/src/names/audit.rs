//! Comparing the answers of the storage about names with the items that an earlier phase created.

use rustix::fs::{FileType, Stat};
use seatrial_content::Class;
use seatrial_job::{Job, Phase, Tree, are_directories};
use seatrial_measure::{Damage, Verified, What};

use super::calls::Listing;

/// The class of items that should not exist.
const UNEXPECTED: &str = "unexpected";

/// Compares, and keeps what differs. A name takes the place of a block.
#[derive(Debug)]
pub(super) struct Audit {
    file_bytes: u64,
    items_per_directory: u64,
    letter: char,
    /// What nothing is called any more; `None` when nothing is renamed.
    other_letter: Option<char>,
    are_directories: bool,
    /// Client and task of the creators of items in the same directories.
    creators: Vec<(u16, u16)>,
    verified: Verified,
}

/// The parts of the name of an item.
struct ItemName {
    letter: char,
    creator: (u16, u16),
    number: u64,
}

impl ItemName {
    fn parse(name: &str) -> Option<Self> {
        let letter = name.chars().next()?;
        let mut parts = name.get(letter.len_utf8()..)?.split('.');
        let client_index: u16 = parts.next()?.parse().ok()?;
        let task: u16 = parts.next()?.parse().ok()?;
        let number: u64 = parts.next()?.parse().ok()?;
        // Numbers could be written in other ways, too.
        let is_item =
            "frm".contains(letter) && name == format!("{letter}{client_index}.{task}.{number}");
        is_item.then_some(Self {
            letter,
            creator: (client_index, task),
            number,
        })
    }
}

impl Audit {
    /// For the names that task number `task` deals with.
    pub(super) fn new(job: &Job, tree: &Tree, task: u16) -> Self {
        let directory = job.file_of_task(usize::from(task));
        // Each task finds its own part of a shared directory.
        let finds = matches!(job.phase, Phase::Find { .. });
        let creators = (0..job.tasks)
            .filter(|&other| job.file_of_task(usize::from(other)) == directory)
            .filter(|&other| !finds || other == task)
            .map(|other| (job.writer_client_index(usize::from(other)), other));
        let are_directories = are_directories(job, tree);
        let (letter, other_letter) = match (are_directories, tree.renamed) {
            (true, _) => ('m', None),
            (false, true) => ('r', Some('f')),
            (false, false) => ('f', Some('r')),
        };
        Self {
            file_bytes: if are_directories { 0 } else { job.file_bytes },
            items_per_directory: tree.items_per_directory,
            letter,
            other_letter,
            are_directories,
            creators: creators.collect(),
            verified: Verified::default(),
        }
    }

    /// What was found.
    pub(super) fn finish(self) -> Verified {
        self.verified
    }

    /// Adds the findings in the content of the item `name`.
    pub(super) fn absorb(&mut self, name: &str, content: Verified) {
        self.verified.absorb(name, content);
    }

    /// The item `name` is missing.
    pub(super) fn note_missing(&mut self, name: &str) {
        self.verified.blocks_checked += 1;
        self.note(
            name,
            Class::Missing.name(),
            0..self.file_bytes,
            "no such name",
        );
    }

    /// Checks the answer of the storage about the item `name`.
    pub(super) fn check_item(&mut self, name: &str, found: &Stat) {
        self.verified.blocks_checked += 1;
        let kind = FileType::from_raw_mode(found.st_mode);
        if self.are_directories {
            if !kind.is_dir() {
                self.note(name, UNEXPECTED, 0..0, "no directory");
            }
            return;
        }
        let found_bytes = u64::try_from(found.st_size).unwrap_or(0);
        let (is_file, wanted_bytes) = (kind.is_file(), self.file_bytes);
        if !is_file {
            self.note(name, UNEXPECTED, 0..0, "no regular file");
        } else if found_bytes != wanted_bytes {
            let detail = format!("{found_bytes} bytes long, expected {wanted_bytes}");
            if found_bytes < wanted_bytes {
                self.note(
                    name,
                    Class::Missing.name(),
                    found_bytes..wanted_bytes,
                    &detail,
                );
            } else {
                self.note(name, UNEXPECTED, wanted_bytes..found_bytes, &detail);
            }
        }
    }

    /// Checks the names in directory number `leaf`, which is called `directory`: each of the items
    /// once, and nothing that is no item. Other clients and tasks may have items there, too.
    pub(super) fn check_listing(&mut self, directory: &str, leaf: u64, listing: &Listing) {
        let count = self.items_per_directory;
        let mut is_listed = vec![vec![false; count as usize]; self.creators.len()];
        for name in listing.names() {
            let name = String::from_utf8_lossy(name);
            if let Err(detail) = self.take(&name, leaf, &mut is_listed) {
                self.note(&format!("{directory}/{name}"), UNEXPECTED, 0..0, detail);
            }
        }
        for (creator, is_listed) in is_listed.iter().enumerate() {
            let (client_index, task) = self.creators[creator];
            self.verified.blocks_checked += count;
            for (at, _) in is_listed
                .iter()
                .enumerate()
                .filter(|(_, is_listed)| !**is_listed)
            {
                let number = leaf * count + at as u64;
                let name = format!("{directory}/{}{client_index}.{task}.{number}", self.letter);
                self.note(&name, Class::Missing.name(), 0..0, "not listed");
            }
        }
    }

    /// Ticks off a name; returns the mistake when the name should not exist.
    fn take(&self, name: &str, leaf: u64, is_listed: &mut [Vec<bool>]) -> Result<(), &'static str> {
        let item = ItemName::parse(name).ok_or("nobody created it")?;
        if item.number / self.items_per_directory != leaf {
            return Err("belongs to another directory");
        }
        let Some(creator) = self
            .creators
            .iter()
            .position(|&creator| creator == item.creator)
        else {
            return Ok(());
        };
        if Some(item.letter) == self.other_letter {
            return Err("has another name now");
        }
        let at = (item.number % self.items_per_directory) as usize;
        if item.letter == self.letter && std::mem::replace(&mut is_listed[creator][at], true) {
            return Err("listed twice");
        }
        Ok(())
    }

    fn note(&mut self, name: &str, class: &'static str, bytes: std::ops::Range<u64>, detail: &str) {
        self.verified.blocks_damaged += 1;
        self.verified.push(Damage {
            file: Some(name.to_owned()),
            offset: bytes.start,
            length: bytes.end - bytes.start,
            what: What::Name {
                class,
                detail: detail.to_owned(),
            },
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The mistakes in a listing of directory 1, which two tasks share.
    fn wrong(names: &[&str]) -> Vec<(String, &'static str, String)> {
        let job = json!({
            "protocol": 3, "run_id": "1", "client": "c", "client_index": 3, "tasks": 2,
            "phase": "readdir", "directory": "/mnt", "files": ["t", "t"],
            "tree": { "depth": 1, "branching": 2, "items_per_directory": 2, "renamed": true },
        });
        let job = Job::from_json(&job.to_string()).unwrap();
        let mut audit = Audit::new(&job, &job.tree.unwrap(), 0);
        let mut listing = Listing::default();
        for name in names {
            listing.push(name.as_bytes());
        }
        audit.check_listing("t/d1", 1, &listing);
        let verified = audit.finish();
        assert_eq!(4, verified.blocks_checked);
        assert_eq!(verified.blocks_damaged, verified.damage.len() as u64);
        let tell = |damage: Damage| match damage.what {
            What::Name { class, detail } => (damage.file.unwrap(), class, detail),
            What::Content(_) => panic!("names have no content"),
        };
        verified.damage.into_iter().map(tell).collect()
    }

    const ALL: [&str; 6] = [".", "..", "r3.0.2", "r3.0.3", "r3.1.3", "r3.1.2"];

    #[test]
    fn each_name_is_expected_once_in_any_order() {
        assert_eq!(Vec::<(String, &str, String)>::new(), wrong(&ALL));
    }

    #[test]
    fn items_of_others_and_directories_are_neither_expected_nor_not() {
        let others = ["r4.0.2", "f4.0.3", "m3.0.2"];
        assert!(wrong(&[&ALL[..], &others].concat()).is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (name, detail) in [
            ("core", "nobody created it"),
            ("r3.0.02", "nobody created it"),
            ("r3.0.2.1", "nobody created it"),
            ("r3.0.4", "belongs to another directory"),
            ("r4.0.1", "belongs to another directory"),
            ("f3.0.2", "has another name now"),
            ("r3.0.2", "listed twice"),
        ] {
            let expected = (format!("t/d1/{name}"), UNEXPECTED, detail.to_owned());
            assert_eq!(vec![expected], wrong(&[&ALL[..], &[name]].concat()));
        }
        let expected = ("t/d1/r3.1.3".to_owned(), "missing", "not listed".to_owned());
        assert_eq!(vec![expected], wrong(&[&ALL[..4], &["r3.1.2"]].concat()));
    }
}
