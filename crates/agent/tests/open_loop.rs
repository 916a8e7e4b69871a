//! An open loop tells what users would have felt while the storage did not answer.

mod common;
#[path = "common/freeze.rs"]
mod freeze;

use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Agent, changed, endless_job};
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

/// Freezes an open loop, and checks what it says about that.
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
