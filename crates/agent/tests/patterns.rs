//! Patterns, layouts and mixtures on real files: everything that they write is stored, and nothing
//! else.

mod common;

use std::fs;
use std::io::Write;
use std::process::Command;

use common::{Agent, changed, read_job, write_job};
use seatrial_log::{Log, Operation};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Runs a job that must go well.
fn run(job: &Value) -> Value {
    let (done, code) = Agent::run(job);
    assert_eq!(0, code, "{done}");
    done
}

/// The offsets that a one-task job wrote, in order, by its log.
fn offsets_written(job: &Value) -> Vec<u64> {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    let only_one = json!({ "log": path, "tasks": 1, "files": ["a"], "fsync": "none" });
    run(&changed(job.clone(), only_one));
    let log = Log::read(&path).unwrap();
    assert!(log.tasks[&0].is_complete);
    let writes = log.tasks[&0].records.iter();
    writes
        .filter(|record| record.operation == Operation::Write)
        .map(|record| record.offset / 8192)
        .collect()
}

#[test]
fn each_pattern_writes_its_records_in_its_order() {
    let directory = tempdir().unwrap();
    let job = write_job(directory.path());
    for (pattern, expected) in [
        (json!("sequential"), vec![0, 1, 2, 3, 4, 5, 6, 7]),
        (json!("rewrite"), vec![0, 1, 2, 3, 4, 5, 6, 7]),
        (json!("backward"), vec![7, 6, 5, 4, 3, 2, 1, 0]),
        (
            json!({ "strided": { "skip_transfers": 2 } }),
            vec![0, 3, 6, 1, 4, 7, 2, 5],
        ),
    ] {
        let job = changed(job.clone(), json!({ "pattern": pattern }));
        assert_eq!(expected, offsets_written(&job), "{pattern}");
    }
    let semi_random = json!({ "next_transfers": 2, "working_set_transfers": 4 });
    for pattern in [json!("random"), json!({ "semi-random": semi_random })] {
        let mut written = offsets_written(&changed(job.clone(), json!({ "pattern": pattern })));
        assert_ne!((0..8).collect::<Vec<_>>(), written);
        written.sort_unstable();
        assert_eq!((0..8).collect::<Vec<_>>(), written);
    }
    let job = changed(job, json!({ "pattern": "random-with-replacement" }));
    assert_eq!(8, offsets_written(&job).len());
}

#[test]
fn each_pattern_reads_back_valid() {
    let directory = tempdir().unwrap();
    run(&write_job(directory.path()));
    for pattern in [
        json!("backward"),
        json!("random-with-replacement"),
        json!({ "strided": { "skip_transfers": 3 } }),
        json!({ "semi-random": { "next_transfers": 1, "working_set_transfers": 4 } }),
    ] {
        let done = run(&changed(
            read_job(directory.path()),
            json!({ "pattern": pattern }),
        ));
        assert_eq!(32, done["verification"]["blocks_checked"]);
    }
}

#[test]
fn append_goes_on_where_the_file_ends() {
    let directory = tempdir().unwrap();
    let job = changed(write_job(directory.path()), json!({ "file_bytes": 65536 }));
    run(&changed(job.clone(), json!({ "file_bytes": 32768 })));
    let appended = offsets_written(&changed(job, json!({ "pattern": "append" })));
    assert_eq!(vec![4, 5, 6, 7], appended);
    assert_eq!(
        65536,
        fs::metadata(directory.path().join("a")).unwrap().len()
    );
    run(&changed(
        read_job(directory.path()),
        json!({ "tasks": 1, "files": ["a"] }),
    ));
}

#[test]
fn overwriting_keeps_what_it_does_not_touch() {
    let directory = tempdir().unwrap();
    run(&write_job(directory.path()));
    let changes = json!({ "generation": 2, "file_bytes": 65536, "pattern": "backward",
        "fsync": "none", "arrivals_per_s": 100.0, "time_limit_s": 0.025 });
    let (written, _) = Agent::run(&changed(write_job(directory.path()), changes));
    assert_eq!(
        (false, "time"),
        (
            written["complete"].as_bool().unwrap(),
            written["stopped_by"].as_str().unwrap()
        )
    );
    let (read, code) = Agent::run(&changed(
        read_job(directory.path()),
        json!({ "generation": 2 }),
    ));
    assert_eq!(1, code);
    let extents = read["verification"]["extents"].as_array().unwrap();
    assert!(
        extents
            .iter()
            .all(|extent| extent["class"] == "stale" && extent["offset"] == 0)
    );
}

#[test]
fn a_new_file_keeps_nothing_of_the_old_one() {
    let directory = tempdir().unwrap();
    run(&write_job(directory.path()));
    let changes = json!({
        "generation": 2, "fsync": "none", "arrivals_per_s": 100.0, "time_limit_s": 0.025,
    });
    let (written, _) = Agent::run(&changed(write_job(directory.path()), changes));
    assert_eq!(false, written["complete"]);
    assert!(fs::metadata(directory.path().join("a")).unwrap().len() < 65536);
}

#[test]
fn clients_share_a_file_and_read_what_the_other_wrote() {
    for interleaved in [false, true] {
        let directory = tempdir().unwrap();
        let layout = |first_rank: u64| {
            if interleaved {
                json!({ "n-1-interleaved":
                    { "first_rank": first_rank, "ranks": 4, "chunk_bytes": 8192 } })
            } else {
                json!({ "n-1-segmented": { "first_rank": first_rank, "ranks": 4 } })
            }
        };
        let job = |client: u64, neighbour: u64| {
            json!({
                "client_index": client, "layout": layout(2 * neighbour), "files": ["shared"],
                "writer_client_indexes": [neighbour, neighbour], "file_bytes": 1 << 18,
            })
        };
        // Both must be ready before either begins, or one would empty the other's file.
        let write = write_job(directory.path());
        let mut agents =
            [0, 1].map(|client| Agent::ready(&changed(write.clone(), job(client, client))));
        for agent in &mut agents {
            agent.go();
            assert_eq!(true, agent.wait_for("done")["complete"]);
        }
        for client in [0, 1] {
            let read = changed(read_job(directory.path()), job(client, 1 - client));
            assert_eq!(32, run(&read)["verification"]["blocks_checked"]);
            let wrong = json!({ "writer_client_indexes": [client, client] });
            assert_eq!(1, Agent::run(&changed(read, wrong)).1);
        }
        assert_eq!(
            1 << 18,
            fs::metadata(directory.path().join("shared")).unwrap().len()
        );
    }
}

#[test]
fn a_mixture_reads_and_writes_and_checks_both() {
    let directory = tempdir().unwrap();
    let size = json!({ "file_bytes": 1 << 20 });
    run(&changed(write_job(directory.path()), size.clone()));
    let mixture = json!({
        "phase": { "mixed": { "read_percent": 70.0 } }, "generation": 2, "verify": true,
        "pattern": "random-with-replacement",
    });
    let job = changed(changed(write_job(directory.path()), size), mixture);
    let done = run(&job);
    let count = |kind: &str| done["latency"][kind]["count"].as_u64().unwrap();
    assert_eq!(256, count("read") + count("write"));
    assert!(
        (140..220).contains(&count("read")),
        "{} of 256",
        count("read")
    );
    // What holds neither generation is damage.
    let (_, code) = Agent::run(&changed(job, json!({ "generation": 9 })));
    assert_eq!(1, code);
}

#[test]
fn hints_and_synchronous_writes_change_nothing_but_the_time() {
    let directory = tempdir().unwrap();
    let hints =
        json!({ "hints": ["sequential", "will-need"], "hint_ahead_transfers": 3, "o_sync": true });
    run(&changed(write_job(directory.path()), hints.clone()));
    let read = changed(read_job(directory.path()), hints);
    assert_eq!(
        32,
        run(&changed(read, json!({ "pattern": "random" })))["verification"]["blocks_checked"]
    );
}

#[test]
fn several_operations_at_once_touch_the_same_records() {
    // On disk: the engine is chosen by the file system.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let deep = json!({ "queue_depth": 32, "engine": "io-uring", "file_bytes": 8192 * 300 });
    let log = directory.path().join("log");
    let changes = json!({ "log": log, "pattern": "random", "direct": true });
    let write = changed(changed(write_job(directory.path()), deep.clone()), changes);
    let written = run(&write);
    assert_eq!("io-uring", written["engine"]);
    assert_eq!(600, written["operations"]);
    assert_eq!(2, written["latency"]["fsync"]["count"]);
    let log = Log::read(&log).unwrap();
    let mut operations: Vec<_> = log.tasks[&1]
        .records
        .iter()
        .map(|record| (record.operation, record.offset))
        .collect();
    assert_eq!(Some((Operation::Close, 0)), operations.pop());
    assert_eq!(
        Some((Operation::Sync, 0)),
        operations.pop(),
        "the fsync comes last"
    );
    let writes = operations
        .iter()
        .filter(|(operation, _)| *operation == Operation::Write);
    let mut offsets: Vec<_> = writes.map(|&(_, offset)| offset).collect();
    offsets.sort_unstable();
    assert!(offsets.into_iter().eq((0..300).map(|record| record * 8192)));
    for (engine, name) in [
        ("io-uring", "io-uring"),
        ("auto", "io-uring"),
        ("plain", "plain"),
    ] {
        let depth = if engine == "plain" { 1 } else { 7 };
        let read = changed(read_job(directory.path()), deep.clone());
        let done = run(&changed(
            read,
            json!({ "engine": engine, "queue_depth": depth }),
        ));
        assert_eq!(
            (name, 1200),
            (
                done["engine"].as_str().unwrap(),
                done["verification"]["blocks_checked"].as_u64().unwrap()
            )
        );
    }
}

#[test]
fn several_operations_at_once_arrive_on_their_own_time() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let deep = json!({ "queue_depth": 8, "engine": "io-uring", "arrivals_per_s": 40.0 });
    let written = run(&changed(write_job(directory.path()), deep.clone()));
    assert_eq!(
        ("io-uring", 16),
        (
            written["engine"].as_str().unwrap(),
            written["operations"].as_u64().unwrap(),
        )
    );
    assert_eq!(16, written["latency"]["service"]["count"]);
    // The last of sixteen arrives fifteen fortieths of a second after the first.
    assert!(written["elapsed_ns"].as_u64().unwrap() >= 375_000_000);
    let read = run(&changed(read_job(directory.path()), deep.clone()));
    assert_eq!(32, read["verification"]["blocks_checked"]);
    let cut = changed(read_job(directory.path()), deep);
    // The client with number 1 begins 0.618 of a fortieth later than that with number 0: the fifth
    // comes after 115 ms, and the sixth after 140.
    let (done, _) = Agent::run(&changed(cut, json!({ "time_limit_s": 0.139 })));
    assert_eq!(
        (json!("time"), json!(5)),
        (done["stopped_by"].clone(), done["operations"].clone())
    );
}

#[test]
fn a_task_that_waits_for_work_is_not_out() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for engine in ["plain", "io-uring"] {
        // Each task has an arrival a second.
        let rare = json!({
            "engine": engine, "arrivals_per_s": 2.0, "file_bytes": 8192 * 2,
            "outage_threshold_s": 0.5,
        });
        let done = run(&changed(write_job(directory.path()), rare));
        assert_eq!(
            (engine, 4),
            (
                done["engine"].as_str().unwrap(),
                done["operations"].as_u64().unwrap(),
            )
        );
        for outages in ["outages", "client_outages"] {
            assert_eq!(json!([]), done[outages], "{engine}");
        }
    }
}

#[test]
fn an_operation_begins_when_it_arrives_whatever_is_under_way() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    // Open for both, so that neither side waits for the other.
    let mut pipe = fs::File::options()
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    let job = changed(
        read_job(directory.path()),
        json!({
            "tasks": 1, "files": ["a"], "file_bytes": 8192 * 4, "verify": false,
            "queue_depth": 4, "engine": "io-uring", "arrivals_per_s": 20.0,
        }),
    );
    let mut agent = Agent::ready(&job);
    agent.go();
    // Nothing is there to be read for a second, while all four arrive.
    assert_eq!(0, agent.wait_for("second")["operations"]);
    pipe.write_all(&vec![0; 8192 * 4]).unwrap();
    let done = agent.wait_for("done");
    assert_eq!(
        (4, 4 * 8192),
        (
            done["operations"].as_u64().unwrap(),
            done["bytes"].as_u64().unwrap()
        )
    );
    let shortest_ns = done["latency"]["service"]["min_ns"].as_u64().unwrap();
    assert!(
        shortest_ns > 500_000_000,
        "one waited for another: {shortest_ns} ns"
    );
}

#[test]
fn several_operations_at_once_go_with_announcements() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    run(&write_job(directory.path()));
    let deep = json!({ "queue_depth": 4, "engine": "io-uring", "hint_ahead_transfers": 3 });
    let read = changed(read_job(directory.path()), deep);
    assert_eq!(32, run(&read)["verification"]["blocks_checked"]);
}

#[test]
fn several_operations_at_once_find_damage_and_the_end() {
    let directory = tempdir().unwrap();
    run(&write_job(directory.path()));
    let path = directory.path().join("b");
    let mut bytes = fs::read(&path).unwrap();
    bytes[20000] ^= 1;
    bytes.truncate(60000);
    fs::write(&path, bytes).unwrap();
    let deep = json!({ "queue_depth": 4, "engine": "io-uring" });
    let (done, code) = Agent::run(&changed(read_job(directory.path()), deep));
    assert_eq!(1, code);
    let classes: Vec<_> = done["verification"]["extents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|extent| extent["class"].as_str().unwrap())
        .collect();
    assert_eq!(vec!["corrupt", "missing"], classes);
}

#[test]
fn an_error_among_several_operations_ends_the_task() {
    let directory = tempdir().unwrap();
    std::os::unix::fs::symlink("/dev/full", directory.path().join("a")).unwrap();
    let deep = json!({ "queue_depth": 4, "engine": "io-uring" });
    let (done, code) = Agent::run(&changed(write_job(directory.path()), deep));
    assert_eq!((1, 1), (code, done["errors"].as_array().unwrap().len()));
    assert_eq!("ENOSPC", done["errors"][0]["name"]);
    assert_eq!(
        (false, true),
        (
            done["tasks"][0]["complete"] == true,
            done["tasks"][1]["complete"] == true
        )
    );
}

#[test]
fn a_file_system_in_memory_gets_plain_calls() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    let deep = json!({ "queue_depth": 8 });
    assert_eq!(
        "plain",
        run(&changed(write_job(directory.path()), deep))["engine"]
    );
}

#[test]
fn figures_are_told_for_each_second() {
    let directory = tempdir().unwrap();
    let changes = json!({ "seconds": true, "arrivals_per_s": 10.0, "fsync": "none" });
    let mut agent = Agent::ready(&changed(write_job(directory.path()), changes));
    agent.go();
    let mut operations = std::collections::BTreeMap::<u64, u64>::new();
    let done = loop {
        let event = agent.event();
        if event["event"] == "latencies" {
            assert!(event["histograms"]["write"].is_string(), "{event}");
            let count = event["operations"].as_u64().unwrap();
            *operations
                .entry(event["second"].as_u64().unwrap())
                .or_default() += count;
        }
        if event["event"] == "done" {
            break event;
        }
    };
    assert_eq!(vec![0, 1], operations.keys().copied().collect::<Vec<_>>());
    assert_eq!(16, operations.values().sum::<u64>());
    assert_eq!(
        (json!(0), Value::Null),
        (done["seconds_omitted"].clone(), done["seconds"].clone())
    );
}
