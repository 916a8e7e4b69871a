//! Phases that deal with names, from an empty directory and back to it.

mod common;

use std::fs;
use std::path::Path;

use common::Agent;
use serde_json::{Value, json};
use tempfile::tempdir;
use walk::files_below;

mod walk {
    use super::{Path, fs};

    /// Names of all files below a directory, and whether each is a directory.
    pub fn files_below(directory: &Path) -> Vec<(String, bool)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let is_directory = entry.file_type().unwrap().is_dir();
            found.push((
                entry.file_name().to_string_lossy().into_owned(),
                is_directory,
            ));
            if is_directory {
                found.extend(files_below(&entry.path()));
            }
        }
        found
    }
}

const ITEMS: usize = 2 * 4 * 5;

fn job(directory: &Path, phase: &str) -> Value {
    json!({
        "protocol": 1, "run_id": "1", "client": "c0", "client_index": 0, "tasks": 2,
        "phase": phase, "directory": directory, "files": ["t0", "t1"],
        "tree": { "depth": 2, "branching": 2, "items_per_directory": 5 },
    })
}

/// Runs a phase that must go well; returns how many operations of its kind it did.
fn operations(job: &Value) -> u64 {
    let (done, code) = Agent::run(job);
    assert_eq!(0, code, "{done}");
    assert_eq!(true, done["complete"]);
    let phase = job["phase"].as_str().unwrap();
    assert_eq!(done["operations"], done["latency"][phase]["count"]);
    done["operations"].as_u64().unwrap()
}

fn changed(job: &Value, changes: Value) -> Value {
    common::changed(job.clone(), changes)
}

/// Names of plain files that begin with a letter.
fn count(directory: &Path, letter: char) -> usize {
    files_below(directory)
        .iter()
        .filter(|(name, _)| name.starts_with(letter))
        .count()
}

#[test]
fn files_live_from_create_to_remove() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let items = ITEMS as u64;
    assert_eq!(items, operations(&job(path, "create")));
    assert_eq!(ITEMS, count(path, 'f'));
    assert_eq!(items, operations(&job(path, "stat")));
    assert_eq!(
        items,
        operations(&changed(&job(path, "stat"), json!({ "pattern": "random" })))
    );
    assert_eq!(items, operations(&job(path, "utime")));
    assert_eq!(items, operations(&job(path, "open-close")));
    assert_eq!(8, operations(&job(path, "readdir")));
    assert_eq!(items, operations(&job(path, "rename")));
    assert_eq!((0, ITEMS), (count(path, 'f'), count(path, 'r')));
    let mut renamed = job(path, "stat");
    assert_eq!(1, Agent::run(&renamed).1, "the old names are gone");
    renamed["tree"]["renamed"] = true.into();
    assert_eq!(items, operations(&renamed));
    renamed["phase"] = "remove".into();
    assert_eq!(items, operations(&renamed));
    assert_eq!(0, count(path, 'r'));
}

#[test]
fn directories_are_made_and_removed() {
    let directory = tempdir().unwrap();
    assert_eq!(ITEMS as u64, operations(&job(directory.path(), "mkdir")));
    let made = files_below(directory.path());
    assert_eq!(
        ITEMS,
        made.iter()
            .filter(|(name, is_dir)| name.starts_with('m') && *is_dir)
            .count()
    );
    assert_eq!(ITEMS as u64, operations(&job(directory.path(), "rmdir")));
    assert_eq!(0, count(directory.path(), 'm'));
}

#[test]
fn small_files_hold_content_that_can_be_checked() {
    let directory = tempdir().unwrap();
    let content = json!({ "file_bytes": 8192, "record_bytes": 4096, "fsync": "file" });
    let (done, code) = Agent::run(&changed(&job(directory.path(), "create"), content));
    assert_eq!(
        (0, ITEMS as u64 * 8192),
        (code, done["bytes"].as_u64().unwrap())
    );
    let file = directory.path().join("t1/d1/d0/f0.1.12");
    let assert = assert_cmd::Command::new(common::PROGRAM)
        .args([
            "check",
            "--run",
            "1",
            "--file-name",
            "t1/d1/d0/f0.1.12",
            "--writer",
            "0:1",
        ])
        .arg(&file)
        .assert();
    assert.code(0);
}

#[test]
fn clients_share_a_directory_and_stat_what_the_neighbour_created() {
    let directory = tempdir().unwrap();
    let shared = json!({ "files": ["all", "all"], "tree": { "items_per_directory": 7 } });
    for client in [0, 1] {
        let mine = changed(&job(directory.path(), "create"), shared.clone());
        assert_eq!(
            14,
            operations(&changed(&mine, json!({ "client_index": client })))
        );
    }
    assert_eq!(28, count(directory.path(), 'f'));
    let neighbour = json!({ "writer_client_indexes": [1, 1] });
    let stat = changed(&changed(&job(directory.path(), "stat"), shared), neighbour);
    assert_eq!(14, operations(&stat));
    let (done, code) = Agent::run(&changed(&stat, json!({ "writer_client_indexes": [1, 2] })));
    assert_eq!(
        (1, "ENOENT"),
        (code, done["errors"][0]["name"].as_str().unwrap())
    );
    assert_eq!("stat", done["errors"][0]["operation"]);
    assert_eq!(7, done["operations"], "the other task went on");
}

#[test]
fn creating_what_is_there_is_an_error() {
    let directory = tempdir().unwrap();
    operations(&job(directory.path(), "create"));
    let (done, code) = Agent::run(&job(directory.path(), "create"));
    assert_eq!(
        (1, "EEXIST"),
        (code, done["errors"][0]["name"].as_str().unwrap())
    );
}
