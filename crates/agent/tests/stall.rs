//! A task that hangs is reported while it does, and the outage is in the figures afterwards.

mod common;
#[path = "common/freeze.rs"]
mod freeze;

use common::{Agent, endless_job};
use freeze::FrozenThread;
use serde_json::json;
use tempfile::tempdir;

#[test]
fn a_stall_is_reported_while_it_lasts() {
    let directory = tempdir().unwrap();
    let mut agent = Agent::ready(&endless_job(&directory));
    agent.go();
    agent.wait_for("second");
    let frozen = FrozenThread::new(agent.child.id(), "task-0");
    let stall = agent.wait_for("stall");
    assert_eq!(json!("zero"), stall["tasks"][0]["file"]);
    let since = stall["tasks"][0]["since_unix_ns"].as_u64().unwrap();
    let reported = stall["unix_ns"].as_u64().unwrap();
    assert!(reported - since >= 1_000_000_000, "too early");
    drop(frozen);
    agent.wait_for("second");
    agent.send(&json!({ "cancel": true }));
    let done = agent.wait_for("done");
    let outages = done["outages"].as_array().unwrap();
    assert_eq!(1, outages.len(), "{outages:?}");
    assert!(
        outages[0]["start_unix_ns"]
            .as_u64()
            .unwrap()
            .abs_diff(since)
            < 1_000_000
    );
    assert!(outages[0]["end_unix_ns"].as_u64().unwrap() >= reported);
    assert!(done["latency"]["read"]["max_ns"].as_u64().unwrap() >= 1_000_000_000);
}

#[test]
fn a_task_that_never_stops_does_not_keep_the_agent() {
    let directory = tempdir().unwrap();
    let mut agent = Agent::ready(&endless_job(&directory));
    agent.go();
    agent.wait_for("second");
    let frozen = FrozenThread::new(agent.child.id(), "task-0");
    agent.send(&json!({ "cancel": true }));
    let abandoned = agent.wait_for("abandoned");
    assert_eq!(json!("zero"), abandoned["tasks"][0]["file"]);
    // As long as a thread of it is traced, the agent cannot be buried.
    drop(frozen);
    assert_eq!(3, agent.exit_code());
}
