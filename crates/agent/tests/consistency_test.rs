//! `consistency_test` speaks with the controller as `run` does.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Agent, PROGRAM, changed};
use serde_json::{Value, json};
use tempfile::tempdir;

fn job(folder: &Path) -> Value {
    json!({
        "protocol": 3, "run_id": "5ea000000000000f", "client": "c1", "client_index": 0,
        "clients": 1, "consistency_test": "append", "directory": folder, "log": folder.join("log"),
        "arrivals_per_s": 20.0,
    })
}

fn ready(job: &Value) -> Agent {
    let mut agent = Agent::start_command(Command::new(PROGRAM).arg("consistency-test"));
    agent.send(job);
    assert_eq!("ready", agent.event()["event"]);
    agent
}

#[test]
fn it_says_each_second_and_the_end() {
    let folder = tempdir().unwrap();
    let mut agent = ready(&job(folder.path()));
    agent.go();
    let second = agent.wait_for("second");
    assert!(second["operations"].as_u64().unwrap() > 5);
    assert!(second["bytes"].as_u64().unwrap() > 5 * 64);
    agent.send(&json!({ "cancel": true }));
    let done = agent.wait_for("done");
    assert_eq!("append", done["phase"]);
    assert_eq!("cancelled", done["stopped_by"]);
    assert_eq!(json!(false), done["complete"]);
    assert_eq!(json!([]), done["client_outages"]);
    assert_eq!(3, agent.exit_code());
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let end: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!("end", end["op"]);
}

/// Clients are processes here, as they are on a cluster.
#[test]
fn each_kind_is_done_by_several_processes() {
    let kinds = [
        "append",
        "attributes",
        "close-to-open",
        "exclusive",
        "hard-links",
        "locks",
        "mmap",
        "range-locks",
        "read-ahead",
        "rename",
        "retried",
        "synced-names",
        "tmpfile",
        "torn-writes",
        "truncate",
    ];
    for kind in kinds {
        let folder = tempdir().unwrap();
        let storage = folder.path().join("storage");
        fs::create_dir(&storage).unwrap();
        let log = |client: u16| folder.path().join(format!("{client}.jsonl"));
        let jobs = [0, 1, 2].map(|client| {
            let changes = json!({
                "consistency_test": kind, "directory": storage, "log": log(client),
                "client_index": client, "clients": 3,
            });
            changed(job(folder.path()), changes)
        });
        let mut agents: Vec<_> = jobs.iter().map(ready).collect();
        for agent in &mut agents {
            agent.go();
        }
        for agent in &mut agents {
            agent.wait_for("second");
            agent.send(&json!({ "cancel": true }));
            let done = agent.wait_for("done");
            assert_eq!(json!([]), done["errors"], "{kind}");
        }
        for client in 0..3 {
            let told = fs::read_to_string(log(client)).unwrap();
            assert!(told.lines().count() > 10, "{kind}: {told}");
        }
    }
}

#[test]
fn a_stall_is_told_while_it_lasts_and_an_outage_afterwards() {
    let folder = tempdir().unwrap();
    // The neighbour's file does not open until another process opens its other end.
    let neighbours = folder.path().join("append-1");
    assert!(
        Command::new("mkfifo")
            .arg(&neighbours)
            .status()
            .unwrap()
            .success()
    );
    let mut agent = ready(&changed(job(folder.path()), json!({ "clients": 2 })));
    agent.go();
    let stall = agent.wait_for("stall");
    assert_eq!("append", stall["tasks"][0]["file"]);
    let told_ns = stall["boottime_ns"].as_u64().unwrap();
    drop(
        fs::OpenOptions::new()
            .write(true)
            .open(&neighbours)
            .unwrap(),
    );
    fs::remove_file(&neighbours).unwrap();
    agent.wait_for("second");
    agent.send(&json!({ "cancel": true }));
    let done = agent.wait_for("done");
    let outages = done["client_outages"].as_array().unwrap();
    assert!(outages[0]["end_boottime_ns"].as_u64().unwrap() >= told_ns);
    assert_eq!(json!(false), outages[0]["open"]);
}

#[test]
fn a_wrong_job_is_refused() {
    let folder = tempdir().unwrap();
    let mut agent = Agent::start_command(Command::new(PROGRAM).arg("consistency-test"));
    agent.send(&changed(job(folder.path()), json!({ "clients": 0 })));
    assert_eq!(2, agent.exit_code());
}

#[test]
fn a_cancel_before_the_start_ends_it() {
    let folder = tempdir().unwrap();
    let mut agent = ready(&job(folder.path()));
    agent.send(&json!({ "cancel": true }));
    assert_eq!(3, agent.exit_code());
}
