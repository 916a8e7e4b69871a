//! A long log is judged in little memory.

mod common;

use std::path::Path;
use std::process::Command;

use common::PROGRAM;
use seatrial_job::{Order, Pattern};
use seatrial_log::{LogWriter, Operation, Outcome, Record, Survives};
use serde_json::{Value, json};
use tempfile::tempdir;

const RECORD_BYTES: u64 = 4096;
const TASKS: u16 = 2;

/// The log of tasks that wrote `records` records each, in an order, and synced them in the end.
fn write_log(path: &Path, pattern: Pattern, records: u64) {
    let head = json!({ "boottime_ns": 1, "job": {
        "protocol": 3, "run_id": "ab", "client": "c", "client_index": 0, "tasks": TASKS,
        "phase": "write", "pattern": pattern,
        "transfer_bytes": RECORD_BYTES, "file_bytes": RECORD_BYTES * records,
        "directory": "/mnt", "files": ["a", "b"],
    }});
    let log = LogWriter::create(path, 0xab, &head.to_string(), Survives::Kill).unwrap();
    let mut tasks: Vec<_> = (0..TASKS).map(|task| (task, log.task(task))).collect();
    let truncated = [(Operation::Truncate, RECORD_BYTES * records)];
    let order = Order::new(pattern, records, 0, 7);
    let written = order.map(|record| (Operation::Write, record * RECORD_BYTES));
    let settled = [(Operation::Sync, 0), (Operation::Close, 0)];
    let operations = truncated.into_iter().chain(written).chain(settled);
    for (now_ns, (operation, offset)) in (2..).zip(operations) {
        for (task, log) in &mut tasks {
            let record = Record {
                operation,
                outcome: Outcome::Ok,
                errno: 0,
                file_index: u32::from(*task),
                generation: 1,
                length_bytes: RECORD_BYTES as u32,
                offset,
                boottime_ns: now_ns,
            };
            log.push(record).unwrap();
        }
    }
    for (_, task) in tasks {
        task.finish().unwrap();
    }
}

/// Compares a log with missing files, with at most `memory_kib` of memory.
fn judge(log: &Path, directory: &Path, memory_kib: u64) -> Value {
    let limited = "ulimit -v $0 && exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, &memory_kib.to_string(), PROGRAM, "verify"])
        .arg("--json")
        .args([Path::new("--directory"), directory, Path::new("--log"), log])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn half_a_million_operations_need_little_memory() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("log");
    let records = 250_000;
    for (pattern, memory_kib) in [(Pattern::Sequential, 24 << 10), (Pattern::Random, 48 << 10)] {
        write_log(&log, pattern, records);
        let report = judge(&log, directory.path(), memory_kib);
        let lost = u64::from(TASKS) * records;
        assert_eq!(
            json!([lost, lost, 0]),
            json!([report["must"], report["lost"], report["wrong"]])
        );
        assert_eq!(2, report["extents"].as_array().unwrap().len());
    }
}
