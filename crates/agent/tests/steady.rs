//! What all tasks do while all of them are at work: the steady window and the stonewall.

mod common;
#[path = "common/freeze.rs"]
mod freeze;

use common::{Agent, changed, endless_job, write_job};
use freeze::FrozenThread;
use serde_json::{Value, json};
use tempfile::tempdir;

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("`{value}` is no number"))
}

#[test]
fn the_stonewall_stands_where_the_first_task_ends() {
    stonewall_stands(true);
}

#[test]
fn the_stonewall_stands_there_when_closing_does_not_count() {
    stonewall_stands(false);
}

/// Lets one task finish before the other begins.
fn stonewall_stands(close_in_timing: bool) {
    let directory = tempdir().unwrap();
    let closing = json!({ "close_in_timing": close_in_timing });
    let mut agent = Agent::ready(&changed(write_job(directory.path()), closing));
    let frozen = FrozenThread::new(agent.child.id(), "task-1");
    agent.go();
    let mut operations = 0;
    while operations < 8 {
        operations += number(&agent.wait_for("second")["operations"]);
    }
    // One more line, so that the task that is done has had the time to say so.
    agent.wait_for("second");
    drop(frozen);
    let done = agent.wait_for("done");
    assert_eq!(
        (16, 131_072),
        (number(&done["operations"]), number(&done["bytes"]))
    );
    let stonewall = &done["stonewall"];
    assert_eq!(
        (8, 65_536),
        (
            number(&stonewall["operations"]),
            number(&stonewall["bytes"])
        )
    );
    assert_eq!(
        (json!(0), json!(true)),
        (stonewall["task"].clone(), stonewall["complete"].clone())
    );
    assert!(number(&stonewall["elapsed_ns"]) < number(&done["elapsed_ns"]));
    let rate = 65_536e9 / stonewall["elapsed_ns"].as_f64().unwrap();
    assert!((stonewall["rate_bytes_per_s"].as_f64().unwrap() / rate - 1.0).abs() < 1e-9);
    assert_eq!(None, done.get("steady"), "nobody asked for it");
}

#[test]
fn the_steady_window_begins_after_the_warm_up_and_has_its_length() {
    let directory = tempdir().unwrap();
    let changes = json!({
        "arrivals_per_s": 200.0, "warm_up_s": 0.5, "window_s": 1.0, "time_limit_s": 2.0,
    });
    let (done, _) = Agent::run(&changed(endless_job(&directory), changes));
    let steady = &done["steady"];
    let (from, to) = (
        number(&steady["from_boottime_ns"]),
        number(&steady["to_boottime_ns"]),
    );
    assert_eq!(1_000_000_000, to - from);
    assert!(
        from <= number(&done["start_boottime_ns"]) + 500_000_000,
        "it begins with the requested start"
    );
    assert!(from > number(&done["start_boottime_ns"]));
    let operations = number(&steady["operations"]);
    assert!(0 < operations && operations < number(&done["operations"]));
    assert_eq!(operations * 8192, number(&steady["bytes"]));
    for kind in ["read", "service"] {
        assert_eq!(operations, number(&steady["latency"][kind]["count"]));
        assert!(steady["latency"][kind]["histogram"].is_string());
    }
    let rate = steady["operations_per_s"].as_f64().unwrap();
    assert!((rate - operations as f64).abs() < 1e-6, "of one second");
    let bytes_rate = steady["rate_bytes_per_s"].as_f64().unwrap();
    assert!((bytes_rate - rate * 8192.0).abs() < 1e-3);
}

#[test]
fn the_steady_window_ends_with_the_first_task() {
    let directory = tempdir().unwrap();
    let write = changed(write_job(directory.path()), json!({ "warm_up_s": 0 }));
    let (done, _) = Agent::run(&write);
    let steady = &done["steady"];
    let length_ns = number(&steady["to_boottime_ns"]) - number(&steady["from_boottime_ns"]);
    assert!(length_ns >= number(&done["stonewall"]["elapsed_ns"]));
    assert_eq!(done["stonewall"]["bytes"], steady["bytes"]);
    assert_eq!(done["stonewall"]["operations"], steady["operations"]);
}

#[test]
fn a_phase_that_is_over_before_it_is_warm_has_no_steady_rate() {
    let directory = tempdir().unwrap();
    let (done, code) = Agent::run(&changed(
        write_job(directory.path()),
        json!({ "warm_up_s": 1e6 }),
    ));
    assert_eq!(0, code);
    let steady = &done["steady"];
    assert_eq!(steady["from_boottime_ns"], steady["to_boottime_ns"]);
    assert_eq!(
        (0, &json!(null)),
        (number(&steady["operations"]), &steady["rate_bytes_per_s"])
    );
    assert_eq!(json!({}), steady["latency"]);
}

#[test]
fn a_task_that_fails_ends_the_window_too() {
    let directory = tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", directory.path().join("a")).unwrap();
    let (done, code) = Agent::run(&write_job(directory.path()));
    assert_eq!(1, code);
    let failed_first = done["stonewall"]["task"] == 0;
    assert_eq!(
        !failed_first,
        done["stonewall"]["complete"].as_bool().unwrap()
    );
}
