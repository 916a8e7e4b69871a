//! Length by time: a task begins again after its last transfer.

mod common;

use std::path::Path;

use common::{Agent, changed, read_job, write_job};
use seatrial_log::{Log, Operation};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// A job of `operations` operations; a machine that is late leaves out the last ones.
fn job_of(operations: u64, arrivals_per_s: f64, directory: &Path, changes: &Value) -> Value {
    let limited = json!({
        "tasks": 1, "files": ["a"], "time_based": true, "log": directory.join("log"),
        "arrivals_per_s": arrivals_per_s,
        "time_limit_s": (operations as f64 - 0.5) / arrivals_per_s,
    });
    changed(changed(write_job(directory), limited), changes.clone())
}

/// Such a job, done at the highest rate at which this machine leaves out four operations at the
/// most.
fn two_passes(changes: &Value) -> (TempDir, Value) {
    for arrivals_per_s in [400.0, 100.0, 25.0, 5.0] {
        let directory = tempdir().unwrap();
        let job = job_of(20, arrivals_per_s, directory.path(), changes);
        let (done, code) = Agent::run(&job);
        assert_eq!(0, code, "{done}");
        if done["operations"].as_u64().unwrap() >= 16 {
            return (directory, done);
        }
    }
    panic!("not even five operations a second are kept up with");
}

/// Record numbers and generations in the order in which they were written.
fn written(directory: &Path) -> (Vec<u64>, Vec<u32>) {
    let log = Log::read(&directory.join("log")).unwrap();
    let writes = log.tasks[&0].records.iter();
    writes
        .filter(|record| record.operation == Operation::Write)
        .map(|record| (record.offset / 8192, record.generation))
        .unzip()
}

#[test]
fn each_pass_touches_each_of_the_eight_records() {
    let strided = json!({ "strided": { "skip_transfers": 2 } });
    for engine in ["plain", "io-uring"] {
        for pattern in [json!("sequential"), json!("random"), strided.clone()] {
            let changes = json!({ "pattern": pattern, "engine": engine });
            let (directory, done) = two_passes(&changes);
            assert_eq!(json!(true), done["complete"], "{done}");
            assert_eq!(Value::Null, done["stopped_by"]);
            let operations = done["operations"].as_u64().unwrap();
            assert!(operations <= 20, "{done}");
            assert_eq!(operations * 8192, done["bytes"]);
            assert_eq!(operations, done["latency"]["write"]["count"]);
            let (order, generations) = written(directory.path());
            let passes = (0..).map(|operation| 1 + operation / 8);
            assert!(passes.zip(&generations).all(|(pass, found)| pass == *found));
            assert_eq!(operations as usize, order.len());
            for pass in order.chunks(8) {
                let mut once = pass.to_vec();
                once.sort_unstable();
                once.dedup();
                assert_eq!(pass.len(), once.len(), "{order:?}");
            }
            let (first, second) = (&order[..8], &order[8..16]);
            assert_eq!(pattern == "random", first != second, "{order:?}");
            let last = generations[generations.len() - 1];
            let read = |from: u32, to: u32| {
                let changes = json!({
                    "tasks": 1, "files": ["a"], "generation_from": from, "generation": to,
                });
                let (read, _) = Agent::run(&changed(read_job(directory.path()), changes));
                assert_eq!(16, read["verification"]["blocks_checked"]);
                read["verification"]["blocks_damaged"].as_u64().unwrap()
            };
            assert_eq!(0, read(1, last));
            assert_eq!(0, read(last - 1, 99));
            // Of the passes before, nothing may be left; of the last, what it has come to.
            assert_eq!(16, read(1, last - 2));
            let rewritten = order.len() as u64 % 8 * 2;
            assert_eq!(rewritten, read(1, last - 1) % 16);
        }
    }
}

#[test]
fn who_has_no_time_for_one_pass_is_not_through() {
    for engine in ["plain", "io-uring"] {
        for asked in [7, 8, 9] {
            let directory = tempdir().unwrap();
            let job = job_of(asked, 400.0, directory.path(), &json!({ "engine": engine }));
            let (done, _) = Agent::run(&job);
            let operations = done["operations"].as_u64().unwrap();
            assert!(operations <= asked, "{done}");
            let complete = operations >= 8;
            assert_eq!(json!(complete), done["complete"], "{engine} {operations}");
            assert_eq!(complete, done["stopped_by"].is_null());
        }
    }
}

#[test]
fn a_closed_loop_ends_with_the_time_and_reads_all_again() {
    let directory = tempdir().unwrap();
    assert_eq!(0, Agent::run(&write_job(directory.path())).1);
    let endless = json!({ "time_based": true, "time_limit_s": 0.2, "pattern": "random" });
    let (done, code) = Agent::run(&changed(read_job(directory.path()), endless));
    assert_eq!((0, &json!(true)), (code, &done["complete"]));
    assert!(done["elapsed_ns"].as_u64().unwrap() >= 200_000_000);
    assert!(done["operations"].as_u64().unwrap() > 16);
    let checked = done["verification"]["blocks_checked"].as_u64();
    assert_eq!(done["operations"].as_u64().map(|count| 2 * count), checked);
}

#[test]
fn who_is_cancelled_is_not_through() {
    let directory = tempdir().unwrap();
    let endless = json!({ "time_based": true, "time_limit_s": 60.0, "seconds": true });
    let mut agent = Agent::ready(&changed(write_job(directory.path()), endless));
    agent.go();
    agent.wait_for("second");
    agent.send(&json!({ "cancel": true }));
    let done = agent.wait_for("done");
    assert_eq!(
        (json!(false), json!("cancelled")),
        (done["complete"].clone(), done["stopped_by"].clone())
    );
}
