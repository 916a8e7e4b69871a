//! A task that hangs is reported while it does, and the outage is in the figures afterwards.

mod common;
#[path = "common/freeze.rs"]
mod freeze;

use std::fs;
use std::os::unix::fs::symlink;
use std::thread::sleep;
use std::time::Duration;

use common::{Agent, changed, endless_job};
use freeze::FrozenThread;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// An agent that reads zeros until it is stopped.
fn at_work(directory: &TempDir) -> Agent {
    let mut agent = Agent::ready(&endless_job(directory));
    agent.go();
    agent.wait_for("second");
    agent
}

#[test]
fn a_stall_is_reported_while_it_lasts() {
    let directory = tempdir().unwrap();
    let mut agent = at_work(&directory);
    let frozen = FrozenThread::new(agent.child.id(), "task-0");
    let stall = agent.wait_for("stall");
    assert_eq!(json!("zero"), stall["tasks"][0]["file"]);
    let since = stall["tasks"][0]["since_boottime_ns"].as_u64().unwrap();
    let reported = stall["boottime_ns"].as_u64().unwrap();
    assert!(reported - since >= 1_000_000_000, "too early");
    assert!(reported - since < 2_000_000_000, "too late");
    drop(frozen);
    agent.wait_for("second");
    agent.send(&json!({ "cancel": true }));
    let done = agent.wait_for("done");
    let outages = done["outages"].as_array().unwrap();
    assert_eq!(1, outages.len(), "{outages:?}");
    assert!(
        outages[0]["start_boottime_ns"]
            .as_u64()
            .unwrap()
            .abs_diff(since)
            < 1_000_000
    );
    assert!(outages[0]["end_boottime_ns"].as_u64().unwrap() >= reported);
    assert!(done["latency"]["read"]["max_ns"].as_u64().unwrap() >= 1_000_000_000);
}

#[test]
fn where_a_long_stall_waits_is_told() {
    let directory = tempdir().unwrap();
    let mut agent = at_work(&directory);
    let frozen = FrozenThread::new(agent.child.id(), "task-0");
    let waiting = agent.wait_for("waiting");
    drop(frozen);
    assert_eq!(
        (&json!("task-0"), &json!("t")),
        (
            &waiting["threads"][0]["name"],
            &waiting["threads"][0]["state"]
        )
    );
    assert_eq!(1, waiting["threads"].as_array().unwrap().len(), "{waiting}");
}

/// A job of two tasks that read zeros until they are stopped.
fn endless_pair(directory: &TempDir) -> Value {
    let job = endless_job(directory);
    symlink("/dev/zero", directory.path().join("zero2")).unwrap();
    changed(
        job,
        json!({ "tasks": 2, "files": ["zero", "zero2"], "outage_threshold_s": 1.0 }),
    )
}

/// Freezes tasks of an agent for longer than the threshold, and returns its last line.
fn freeze(mut agent: Agent, tasks: &[&str]) -> Value {
    let process = agent.child.id();
    agent.wait_for("second");
    let frozen: Vec<_> = tasks
        .iter()
        .map(|task| FrozenThread::new(process, task))
        .collect();
    sleep(Duration::from_millis(1300));
    drop(frozen);
    agent.wait_for("second");
    agent.send(&json!({ "cancel": true }));
    agent.wait_for("done")
}

#[test]
fn the_client_is_out_only_when_all_of_its_tasks_are() {
    let directory = tempdir().unwrap();
    let job = endless_pair(&directory);
    let start = || {
        let mut agent = Agent::ready(&job);
        agent.go();
        agent
    };
    let one = freeze(start(), &["task-1"]);
    assert_eq!(json!([]), one["client_outages"]);
    let outages = one["outages"].as_array().unwrap();
    assert_eq!(1, outages.len(), "{outages:?}");
    assert_eq!(
        (&json!(1), &json!(false)),
        (&outages[0]["task"], &outages[0]["open"])
    );
    let both = freeze(start(), &["task-0", "task-1"]);
    assert_eq!(2, both["outages"].as_array().unwrap().len());
    let client = both["client_outages"].as_array().unwrap();
    assert_eq!(1, client.len(), "{client:?}");
    let latest_start = both["outages"][1]["start_boottime_ns"].as_u64();
    assert_eq!(latest_start, client[0]["start_boottime_ns"].as_u64());
    let ends = [0, 1].map(|task: usize| both["outages"][task]["end_boottime_ns"].as_u64());
    assert_eq!(
        ends.into_iter().min().unwrap(),
        client[0]["end_boottime_ns"].as_u64()
    );
}

#[test]
fn an_outage_that_ends_in_an_error_stays_open() {
    let directory = tempdir().unwrap();
    let names = json!({
        "protocol": 3, "run_id": "1", "client": "c", "client_index": 0, "tasks": 1,
        "directory": directory.path(), "files": ["t"], "tree": { "items_per_directory": 1000 },
        "phase": "create", "outage_threshold_s": 1.0,
    });
    assert_eq!(0, Agent::run(&names).1);
    let stat = changed(names, json!({ "phase": "stat", "arrivals_per_s": 20.0 }));
    let mut agent = Agent::ready(&stat);
    agent.go();
    agent.wait_for("second");
    let frozen = FrozenThread::new(agent.child.id(), "task-0");
    fs::remove_dir_all(directory.path().join("t")).unwrap();
    sleep(Duration::from_millis(1300));
    drop(frozen);
    let done = agent.wait_for("done");
    assert_eq!("ENOENT", done["errors"][0]["name"]);
    for outages in [&done["outages"], &done["client_outages"]] {
        let outages = outages.as_array().unwrap();
        assert_eq!(
            1,
            outages.len(),
            "only the freeze, and not what had to wait: {outages:?}"
        );
        assert_eq!(json!(true), outages[0]["open"]);
        assert_eq!(done["end_boottime_ns"], outages[0]["end_boottime_ns"]);
    }
}

#[test]
fn a_task_that_never_stops_does_not_keep_the_agent() {
    let directory = tempdir().unwrap();
    let mut agent = at_work(&directory);
    let frozen = FrozenThread::new(agent.child.id(), "task-0");
    agent.send(&json!({ "cancel": true }));
    let abandoned = agent.wait_for("abandoned");
    assert_eq!(json!("zero"), abandoned["tasks"][0]["file"]);
    // As long as a thread of it is traced, the agent cannot be buried.
    drop(frozen);
    assert_eq!(3, agent.exit_code());
}
