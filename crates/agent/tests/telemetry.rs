//! How busy the machine is: in the lines of a run, and alone.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use common::{Agent, PROGRAM, changed, endless_job};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Interval of `watch` in these tests.
const INTERVAL_MS: u64 = 100;

/// Checks the share of busy processors.
fn check_share(telemetry: &Value) {
    let share = telemetry["cpus_busy_share"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&share), "{share}");
}

/// Checks the other figures that every Linux has.
fn check(telemetry: &Value) {
    assert!(telemetry["memory_available_bytes"].as_u64().unwrap() > 0);
    assert!(telemetry["memory_dirty_bytes"].is_u64());
    for name in [
        "network_received_bytes",
        "network_sent_bytes",
        "retransmitted_segments",
    ] {
        assert!(telemetry[name].is_u64(), "{name}: {telemetry}");
    }
}

#[test]
fn each_second_says_how_busy_the_client_is() {
    let directory = tempdir().unwrap();
    let job = changed(endless_job(&directory), json!({ "time_limit_s": 1.5 }));
    let mut agent = Agent::ready(&job);
    agent.go();
    let second = agent.wait_for("second");
    check(&second["telemetry"]);
    check_share(&second["telemetry"]);
    let share = second["telemetry"]["cpus_busy_share"].as_f64().unwrap();
    assert!(share > 0.0, "one task does nothing but read");
}

#[test]
fn a_server_is_watched_until_nobody_asks_any_more() {
    let mut child = Command::new(PROGRAM)
        .args(["watch", "--interval-ms", &INTERVAL_MS.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut boottime_ns = 0;
    let mut whole_intervals = 0;
    for line in lines {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!("telemetry", line["event"]);
        check(&line["telemetry"]);
        assert!(
            line["disks"]
                .as_object()
                .unwrap()
                .contains_key("busy_share")
        );
        assert!(line["boottime_ns"].as_u64().unwrap() > boottime_ns);
        boottime_ns = line["boottime_ns"].as_u64().unwrap();
        let interval_ns = line["interval_ns"].as_u64().unwrap();
        assert!(interval_ns > 0);
        // After a late line the next interval is shorter, and may contain no clock tick.
        if interval_ns >= INTERVAL_MS * 1_000_000 / 2 {
            check_share(&line["telemetry"]);
            whole_intervals += 1;
        }
        if whole_intervals == 3 {
            break;
        }
    }
    drop(child.stdin.take());
    assert_eq!(Some(0), child.wait().unwrap().code());
}
