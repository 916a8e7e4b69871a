//! The memory that an hour of a phase needs, and the length of the line that reports it.

use std::io::Write;
use std::process::Command;

use seatrial_content::{Finding, SplitMix64};
use seatrial_job::Job;
use serde_json::json;

use super::{Outcome, Spans};
use crate::collector::Collector;
use crate::damage::{Damage, Verified, What};
use crate::gaps::Gaps;
use crate::kind::Kind;
use crate::meter::TaskResult;
use crate::tally::Tally;
use crate::units::{Bytes, Nanoseconds};
use crate::window::{Event, Stonewall, Window};

const TASKS: usize = 16;
const SECONDS: u64 = 3600;

/// The next test measures this load: an hour of 16 tasks of an open loop that writes and syncs,
/// with latencies from 1 µs to 10 s and a steady window. Each task was silent, and found damage,
/// more often than the report shows.
#[test]
#[ignore = "run in a process of its own by the test below"]
fn an_hour_of_sixteen_tasks() {
    let (collector, stonewall) = (Collector::new(true), Stonewall::default());
    let window = Window {
        from_ns: 5 * Nanoseconds::SECOND,
        until_ns: Nanoseconds::MAX,
    };
    let tally = |_| Tally::new(&collector, &stonewall, Some(window), Nanoseconds(0));
    let mut tallies: Vec<_> = (0..TASKS).map(tally).collect();
    let mut random = SplitMix64::new(14);
    let mut told = 0;
    for second in 0..SECONDS {
        for tally in &mut tallies {
            for operation in 0..10 {
                for kind in [Kind::Write, Kind::Fsync, Kind::Service] {
                    let bits = random.next_u64() % 24;
                    tally.count(Event {
                        kind,
                        ended_ns: second * Nanoseconds::SECOND + Nanoseconds(operation),
                        latency_ns: Nanoseconds(
                            (1000 << bits) + random.next_u64() % (1000 << bits),
                        ),
                        bytes: Bytes(1),
                        operations: 1,
                    });
                }
            }
        }
        let seconds = collector.take_seconds(second.saturating_sub(1));
        told += seconds.iter().map(|it| it.operations).sum::<u64>();
    }
    tallies.into_iter().for_each(Tally::finish);
    let rest = collector.take_seconds(u64::MAX);
    told += rest.iter().map(|it| it.operations).sum::<u64>();
    assert_eq!(SECONDS * TASKS as u64 * 30, told);
    let spans = Spans {
        window: Some(window),
        stonewall_ns: None,
    };
    let results = (0..TASKS as u64).map(troubled).collect();
    let outcome = Outcome::collect(&job(), spans, None, results, &collector);
    assert_eq!(0, outcome.seconds_omitted);
    assert!(outcome.outages_omitted > 0 && outcome.verification.extents_omitted > 0);
    let line = serde_json::to_string(&outcome).unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|it| it.starts_with("VmHWM")).unwrap();
    writeln!(std::io::stdout(), "{peak}\nline: {} kB", line.len() / 1000).unwrap();
}

/// A task that completed something once a second, and that found every other block damaged.
fn troubled(task: u64) -> (TaskResult, Verified) {
    let second_ns = Nanoseconds::SECOND.0;
    let mut gaps = Gaps::new(second_ns / 10, task);
    (0..SECONDS).for_each(|second| gaps.complete(second * second_ns + task));
    let result = TaskResult {
        ended_ns: SECONDS * Nanoseconds::SECOND,
        gaps: gaps.finish(true),
        ..TaskResult::default()
    };
    let damage = |block: u64| Damage {
        file: None,
        offset: block * 8192,
        length: 4096,
        what: What::Content(Finding::Zero),
    };
    let verified = Verified {
        damage: (0..200).map(damage).collect(),
        ..Verified::default()
    };
    (result, verified)
}

fn job() -> Job {
    let files: Vec<_> = (0..TASKS).map(|task| format!("c/task-{task}")).collect();
    let job = json!({
        "protocol": 3, "run_id": "1", "client": "c", "client_index": 0, "tasks": TASKS,
        "phase": "write", "transfer_bytes": 4096, "file_bytes": 4096, "directory": "/",
        "files": files, "outage_threshold_s": 0.1,
    });
    Job::from_json(&job.to_string()).unwrap()
}

#[test]
fn an_hour_needs_little_memory_and_is_told_in_one_line() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "outcome::memory::an_hour_of_sixteen_tasks"])
        .args(["--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    let figure = |name: &str| -> u64 {
        let line = said.lines().find_map(|line| line.split_once(name));
        let figure = line.and_then(|(_, figure)| figure.split_whitespace().next());
        figure.unwrap_or_else(|| panic!("{said}")).parse().unwrap()
    };
    let (peak_kib, line_kb) = (figure("VmHWM:"), figure("line:"));
    assert!(peak_kib < 32 << 10, "{peak_kib} KiB");
    assert!(line_kb < 10_000, "{line_kb} kB");
}
