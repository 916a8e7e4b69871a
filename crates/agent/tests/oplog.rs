//! The operation log that a job leaves, whole or cut.

mod common;

use std::fs;
use std::process::Command;

use assert_cmd::prelude::*;
use common::{Agent, PROGRAM, changed, write_job};
use seatrial_log::{Log, Operation, Outcome};
use serde_json::json;
use tempfile::tempdir;

#[test]
fn the_log_holds_what_was_acknowledged() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    let (_, code) = Agent::run(&changed(
        write_job(directory.path()),
        json!({ "log": path }),
    ));
    assert_eq!(0, code);
    let log = Log::read(&path).unwrap();
    assert_eq!(Some(0x5ea0_0000_0000_000f), log.run);
    for task in [0, 1] {
        let records = &log.tasks[&task];
        assert!(records.is_complete);
        let writes: Vec<_> = records
            .records
            .iter()
            .filter(|record| record.operation == Operation::Write)
            .map(|record| record.offset)
            .collect();
        assert_eq!(
            (0..8).map(|record| record * 8192).collect::<Vec<_>>(),
            writes
        );
        let last = records.records.last().unwrap();
        assert_eq!(
            (Operation::Sync, Outcome::Ok),
            (last.operation, last.outcome)
        );
    }
    Command::new(PROGRAM).arg("log").arg(&path).assert().code(0);
}

#[test]
fn a_killed_agent_leaves_a_cut_log_whose_records_are_true() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    let changes = json!({ "log": path, "file_bytes": 1 << 30, "fsync": "record", "tasks": 1, "files": ["a"] });
    let mut agent = Agent::ready(&changed(write_job(directory.path()), changes));
    agent.go();
    let has_begun = || {
        Log::read(&path)
            .unwrap()
            .tasks
            .get(&0)
            .is_some_and(|task| task.records.len() >= 20)
    };
    while !has_begun() {
        assert_eq!(
            None,
            agent.child.try_wait().unwrap(),
            "it ended without a log"
        );
    }
    agent.child.kill().unwrap();
    agent.child.wait().unwrap();
    let log = Log::read(&path).unwrap();
    let task = &log.tasks[&0];
    assert!(!task.is_complete);
    let synced = task
        .records
        .iter()
        .filter(|record| record.operation == Operation::Sync)
        .count();
    assert!(synced >= 10);
    let written = fs::metadata(directory.path().join("a")).unwrap().len();
    assert!(
        written >= synced as u64 * 8192,
        "acknowledged, but not there"
    );
    Command::new(PROGRAM).arg("log").arg(&path).assert().code(1);
}
