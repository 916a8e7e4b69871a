//! An open loop shows the delays of users while the storage did not answer.

mod common;
#[path = "common/freeze.rs"]
mod freeze;

use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Agent, changed, endless_job, write_job};
use freeze::FrozenThread;
use serde_json::{Value, json};
use tempfile::tempdir;

const RATE_PER_S: f64 = 500.0;
const LENGTH_S: f64 = 5.0;

#[test]
fn a_freeze_shows_in_the_percentiles_as_it_was_felt() {
    freeze_shows(&json!({}), "plain");
}

#[test]
fn a_freeze_shows_when_several_operations_may_be_under_way() {
    freeze_shows(
        &json!({ "queue_depth": 4, "engine": "io-uring" }),
        "io-uring",
    );
}

#[test]
fn what_never_began_before_the_time_was_over_is_counted() {
    let records = json!({
        "tasks": 1, "files": ["a"], "file_bytes": 8192 * 4000, "fsync": "none",
    });
    let names = json!({
        "phase": "create", "tasks": 1, "files": ["t"], "tree": { "items_per_directory": 4000 },
        "fsync": "none", "file_bytes": 0,
    });
    let deep = json!({ "queue_depth": 4, "engine": "io-uring" });
    for kind in [&records, &changed(records.clone(), deep), &names] {
        let directory = tempdir().unwrap();
        let changes = json!({ "arrivals_per_s": RATE_PER_S, "time_limit_s": 2.0 });
        let job = changed(write_job(directory.path()), changes);
        let mut agent = Agent::ready(&changed(job, kind.clone()));
        agent.go();
        agent.wait_for("second");
        let frozen = FrozenThread::new(agent.child.id(), "task-0");
        sleep(Duration::from_millis(1500));
        drop(frozen);
        let done = agent.wait_for("done");
        // Each arrival was served or is told: there were a thousand, whoever was late.
        let (served, unserved) = (&done["operations"], &done["unserved"]);
        assert!(unserved.as_u64().unwrap() >= 100, "{done}");
        assert_eq!(
            Some(1000),
            served.as_u64().zip(unserved.as_u64()).map(|(a, b)| a + b)
        );
    }
}

/// Freezes an open loop, and checks its report of the freeze.
fn freeze_shows(queue: &Value, engine: &str) {
    let directory = tempdir().unwrap();
    let changes = json!({ "arrivals_per_s": RATE_PER_S, "time_limit_s": LENGTH_S });
    let job = changed(endless_job(&directory), changes);
    let mut agent = Agent::ready(&changed(job, queue.clone()));
    agent.go();
    agent.wait_for("second");
    let begun = Instant::now();
    let frozen = FrozenThread::new(agent.child.id(), "task-0");
    sleep(Duration::from_millis(1500));
    drop(frozen);
    let freeze_s = begun.elapsed().as_secs_f64();
    let done = agent.wait_for("done");
    assert_eq!(engine, done["engine"]);
    // Whoever arrives t before the end of the freeze waits for t: of all arrivals, a share of
    // freeze / length waits, evenly from nothing to the whole freeze.
    let implied_s = freeze_s - (1.0 - 0.9) * LENGTH_S;
    let p90_s = done["latency"]["read"]["p90_ns"].as_f64().unwrap() / 1e9;
    assert!(
        (p90_s / implied_s - 1.0).abs() < 0.1,
        "{p90_s} s, implied are {implied_s} s"
    );
    // Nobody is left out: all that should arrive has arrived.
    let operations = done["operations"].as_f64().unwrap();
    assert!(
        (operations / (RATE_PER_S * LENGTH_S) - 1.0).abs() < 0.01,
        "{operations}"
    );
    assert_eq!(json!(0), done["unserved"], "there was time to catch up");
    // It is one outage, although a thousand operations took longer than a second.
    for outages in ["outages", "client_outages"] {
        let outages = done[outages].as_array().unwrap();
        assert_eq!(1, outages.len(), "{outages:?}");
        let length = |name: &str| outages[0][name].as_u64().unwrap();
        assert!(length("end_boottime_ns") - length("start_boottime_ns") >= 1_400_000_000);
    }
    // A closed loop would have seen one slow operation, and so do the times of service.
    let service = &done["latency"]["service"];
    assert!(
        service["p90_ns"].as_u64().unwrap() < 100_000_000,
        "{service}"
    );
}
