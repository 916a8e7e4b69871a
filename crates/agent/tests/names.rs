//! Metadata operations, from an empty directory and back to it.

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
        "protocol": 3, "run_id": "1", "client": "c0", "client_index": 0, "tasks": 2,
        "phase": phase, "directory": directory, "files": ["t0", "t1"],
        "tree": { "depth": 2, "branching": 2, "items_per_directory": 5 },
    })
}

/// Runs a phase that must go well; returns how many operations of its kind it did.
fn operations(job: &Value) -> u64 {
    let (done, code) = Agent::run(job);
    assert_eq!(0, code, "{done}");
    assert_eq!(true, done["complete"]);
    let phase = done["phase"].as_str().unwrap();
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
    let content = json!({ "file_bytes": 8192, "transfer_bytes": 4096, "fsync": "file" });
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

/// Runs a phase with `verify`; returns its exit code, and file, class and length of all damage.
fn damage(job: &Value) -> (i32, Value, Vec<(String, String, u64)>) {
    let (done, code) = Agent::run(&changed(job, json!({ "verify": true })));
    assert_eq!(json!(true), done["complete"], "damage never ends a run");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let extents = done["verification"]["extents"].as_array().unwrap().iter();
    let mut found: Vec<_> = extents
        .map(|extent| {
            let length = extent["length"].as_u64().unwrap();
            (text(&extent["file"]), text(&extent["class"]), length)
        })
        .collect();
    found.sort();
    assert_eq!(
        found.len() as u64,
        done["verification"]["blocks_damaged"].as_u64().unwrap()
    );
    (code, done, found)
}

#[test]
fn names_are_all_there_with_their_sizes_and_nothing_else_is() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let content = json!({ "file_bytes": 8192, "transfer_bytes": 4096 });
    operations(&changed(&job(path, "create"), content));
    operations(&job(path, "mkdir"));
    let expected = json!({ "file_bytes": 8192 });
    for phase in ["stat", "open-close", "readdir"] {
        let (code, done, found) = damage(&changed(&job(path, phase), expected.clone()));
        assert_eq!((0, vec![]), (code, found), "{phase}");
        assert_eq!(ITEMS, done["verification"]["blocks_checked"]);
    }
    let item = |name: &str| path.join(name);
    fs::remove_file(item("t0/d0/d0/f0.0.1")).unwrap();
    fs::remove_file(item("t0/d1/d1/f0.0.19")).unwrap();
    fs::write(item("t1/d0/d1/f0.1.7"), vec![0; 8000]).unwrap();
    fs::write(item("t1/d1/d0/f0.1.10"), vec![0; 8193]).unwrap();
    fs::remove_file(item("t1/d1/d0/f0.1.11")).unwrap();
    fs::create_dir(item("t1/d1/d0/f0.1.11")).unwrap();
    fs::write(item("t1/d1/d1/core"), "").unwrap();
    let of = |name: &str, class: &str, length: u64| (name.to_owned(), class.to_owned(), length);
    for phase in ["stat", "open-close"] {
        let (code, done, found) = damage(&changed(&job(path, phase), expected.clone()));
        let wanted = vec![
            of("t0/d0/d0/f0.0.1", "missing", 8192),
            of("t0/d1/d1/f0.0.19", "missing", 8192),
            of("t1/d0/d1/f0.1.7", "missing", 192),
            of("t1/d1/d0/f0.1.10", "unexpected", 1),
            of("t1/d1/d0/f0.1.11", "unexpected", 0),
        ];
        assert_eq!((1, wanted), (code, found), "{phase}");
        let errors = done["errors"].as_array().unwrap();
        assert_eq!(1, errors.len(), "{errors:?}");
        assert_eq!(
            ("ENOENT", phase, 2, "t0/d0/d0/f0.0.1"),
            (
                errors[0]["name"].as_str().unwrap(),
                errors[0]["operation"].as_str().unwrap(),
                errors[0]["count"].as_u64().unwrap(),
                errors[0]["file"].as_str().unwrap()
            )
        );
        assert_eq!(ITEMS as u64 - 2, done["operations"].as_u64().unwrap());
    }
    let (code, _, found) = damage(&job(path, "readdir"));
    let wanted = vec![
        of("t0/d0/d0/f0.0.1", "missing", 0),
        of("t0/d1/d1/f0.0.19", "missing", 0),
        of("t1/d1/d1/core", "unexpected", 0),
    ];
    assert_eq!((1, wanted), (code, found));
}

#[test]
fn a_missing_name_ends_its_task_when_it_is_not_verified() {
    let directory = tempdir().unwrap();
    operations(&job(directory.path(), "create"));
    fs::remove_file(directory.path().join("t0/d0/d0/f0.0.1")).unwrap();
    for (phase, verify) in [("stat", false), ("utime", true)] {
        let job = changed(&job(directory.path(), phase), json!({ "verify": verify }));
        let (done, code) = Agent::run(&job);
        assert_eq!(
            (1, 1 + ITEMS as u64 / 2),
            (code, done["operations"].as_u64().unwrap())
        );
        assert_eq!(json!([]), done["verification"]["extents"]);
        assert_eq!(json!("t0"), done["errors"][0]["file"]);
    }
}
