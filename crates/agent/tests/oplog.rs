//! The operation log that a job leaves, whole or cut.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use assert_cmd::prelude::*;
use common::{Agent, PROGRAM, changed, write_job};
use seatrial_log::{Log, Operation, Outcome};
use serde_json::{Value, json};
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
        let others: Vec<_> = records
            .records
            .iter()
            .filter(|record| record.operation != Operation::Write)
            .map(|record| (record.operation, record.outcome))
            .collect();
        let expected = [Operation::Truncate, Operation::Sync, Operation::Close];
        assert_eq!(
            expected.map(|operation| (operation, Outcome::Ok)).to_vec(),
            others
        );
    }
    Command::new(PROGRAM).arg("log").arg(&path).assert().code(0);
}

#[test]
fn the_log_says_what_job_it_was() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    let job = changed(
        write_job(directory.path()),
        json!({ "log": path, "log_sync": true }),
    );
    assert_eq!(0, Agent::run(&job).1);
    let output = Command::new(PROGRAM)
        .arg("log")
        .arg(&path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&json!(2), &json!("5ea000000000000f")),
        (&last["version"], &last["run_id"])
    );
    let logged = &last["head"]["job"];
    for (key, value) in job.as_object().unwrap() {
        assert_eq!(value, &logged[key], "{key}");
    }
}

#[test]
fn a_refused_write_is_a_fail_with_its_error() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    symlink("/dev/full", directory.path().join("full")).unwrap();
    for changes in [json!({}), json!({ "queue_depth": 4, "engine": "io-uring" })] {
        let job = changed(
            write_job(directory.path()),
            json!({ "log": path, "tasks": 1, "files": ["full"], "existing": "keep" }),
        );
        let (done, code) = Agent::run(&changed(job, changes));
        assert_eq!(
            (1, "ENOSPC"),
            (code, done["errors"][0]["name"].as_str().unwrap())
        );
        let log = Log::read(&path).unwrap();
        let records = &log.tasks[&0].records;
        let write = records
            .iter()
            .find(|record| record.operation == Operation::Write)
            .unwrap();
        assert_eq!((Outcome::Fail, 28), (write.outcome, write.errno));
    }
}

#[test]
fn a_name_that_is_taken_fails_and_a_file_that_cannot_be_filled_is_unknown() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    let job = changed(
        write_job(directory.path()),
        json!({
            "log": path, "phase": "create", "tasks": 1, "files": ["t"], "fsync": "none",
            "tree": { "items_per_directory": 2 },
        }),
    );
    let outcome = || {
        let log = Log::read(&path).unwrap();
        let record = *log.tasks[&0].records.last().unwrap();
        (record.operation, record.outcome, record.errno)
    };
    assert_eq!(0, Agent::run(&job).1);
    assert_eq!((Operation::Create, Outcome::Ok, 0), outcome());
    assert_eq!(1, Agent::run(&job).1);
    assert_eq!((Operation::Create, Outcome::Fail, 17), outcome());
    fs::remove_dir_all(directory.path().join("t")).unwrap();
    // The first file is made, and then grows beyond what a process may write.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" run", PROGRAM]);
    let mut agent = Agent::start_command(&mut command);
    agent.send(&job);
    assert_eq!("ready", agent.event()["event"]);
    agent.go();
    agent.wait_for("done");
    assert_eq!((Operation::Create, Outcome::Unknown, 27), outcome());
}

#[test]
fn a_killed_agent_leaves_a_cut_log_whose_records_are_true() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    let changes = json!({ "log": path, "file_bytes": 1 << 30, "fsync": "transfer",
        "tasks": 1, "files": ["a"] });
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
