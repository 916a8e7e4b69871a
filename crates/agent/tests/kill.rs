//! A thousand agents are killed, and no log that they leave has anything that is not true.

mod common;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use common::{Agent, changed, write_job};
use seatrial_content::{SplitMix64, Stamp, file_id};
use seatrial_log::{Log, Operation, Outcome};
use serde_json::json;
use tempfile::tempdir;

const KILLS: u64 = 1000;
const WORKERS: u64 = 4;
const RECORD_BYTES: u64 = 8192;
const RECORDS: u64 = 400;
/// Long enough that some agents end before they are killed, and some do not even begin.
const DELAY_US_MAX: u64 = 12_000;

/// What became of an agent.
#[derive(Debug, Default)]
struct Tally {
    cut: u64,
    complete: u64,
    records: u64,
}

#[test]
fn a_thousand_kills_leave_no_log_that_lies() {
    let workers = (0..WORKERS).map(|worker| thread::spawn(move || kill_some(worker)));
    let tallies: Vec<_> = workers
        .collect::<Vec<_>>()
        .into_iter()
        .map(thread::JoinHandle::join)
        .collect();
    let mut sum = Tally::default();
    for tally in tallies {
        let tally = tally.unwrap();
        sum.cut += tally.cut;
        sum.complete += tally.complete;
        sum.records += tally.records;
    }
    assert_eq!(KILLS * 2, sum.cut + sum.complete);
    assert!(
        sum.cut > 100 && sum.records > 1000,
        "the kills came at the wrong time: {sum:?}"
    );
}

fn kill_some(worker: u64) -> Tally {
    let mut delays = SplitMix64::new(worker);
    let mut tally = Tally::default();
    for number in 0..KILLS / WORKERS {
        let directory = tempdir().unwrap();
        let fsync = ["none", "file", "transfer"][number as usize % 3];
        let job = changed(
            write_job(directory.path()),
            json!({
                "log": directory.path().join("log"), "fsync": fsync, "pattern": "random",
                "file_bytes": RECORDS * RECORD_BYTES,
            }),
        );
        let mut agent = Agent::ready(&job);
        agent.go();
        thread::sleep(Duration::from_micros(delays.next_u64() % DELAY_US_MAX));
        agent.child.kill().unwrap();
        agent.child.wait().unwrap();
        check_log(directory.path(), fsync, &mut tally);
    }
    tally
}

/// Compares the log with the files.
fn check_log(directory: &Path, fsync: &str, tally: &mut Tally) {
    let log = Log::read(&directory.join("log")).unwrap();
    for (task, name) in [(0, "a"), (1, "b")] {
        let Some(records) = log.tasks.get(&task) else {
            tally.cut += 1;
            continue;
        };
        let content = fs::read(directory.join(name)).unwrap();
        let stamp = Stamp {
            run: 0x5ea0_0000_0000_000f,
            file: file_id(name),
            generation: 1,
            writer: Stamp::writer_of(1, task),
            file_bytes: RECORDS * RECORD_BYTES,
            block_bytes: 4096,
        };
        let mut writes = 0;
        for record in &records.records {
            assert_eq!(Outcome::Ok, record.outcome);
            if record.operation == Operation::Write {
                writes += 1;
                let start = record.offset as usize;
                let found = &content[start..start + RECORD_BYTES as usize];
                assert_eq!(None, stamp.first_damaged(record.offset, found), "not there");
            }
        }
        tally.records += writes;
        if records.is_complete {
            tally.complete += 1;
            assert_eq!(RECORDS, writes, "called complete");
            let operations = records.records.iter().rev().map(|record| record.operation);
            let last: Vec<_> = operations.take(2).collect();
            assert_eq!(Operation::Close, last[0]);
            assert_eq!(fsync == "none", last[1] == Operation::Write);
        } else {
            tally.cut += 1;
        }
    }
}
