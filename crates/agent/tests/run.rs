//! `seatrial-agent run`: jobs that go well, and all the ways in which they do not.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use assert_cmd::prelude::*;
use common::{Agent, PROGRAM, changed, endless_job, read_job, write_job};
use serde_json::{Value, json};
use tempfile::tempdir;

#[test]
fn what_was_written_is_read_back_valid() {
    let directory = tempdir().unwrap();
    let (written, code) = Agent::run(&write_job(directory.path()));
    assert_eq!(0, code);
    assert_eq!(
        (131_072, 16),
        (
            written["bytes"].as_u64().unwrap(),
            written["operations"].as_u64().unwrap()
        )
    );
    assert_eq!(16, written["latency"]["write"]["count"]);
    assert_eq!(2, written["latency"]["fsync"]["count"]);
    assert_eq!(true, written["complete"]);
    for task in written["tasks"].as_array().unwrap() {
        let figure = |name: &str| task[name].as_u64().unwrap();
        assert_eq!(65_536, figure("bytes"));
        assert!(figure("fsync_ns") > 0 && figure("close_ns") > 0);
        assert!(figure("elapsed_ns") >= figure("fsync_ns") + figure("close_ns"));
        assert!(figure("first_operation_boottime_ns") < figure("last_operation_boottime_ns"));
        assert!(
            figure("first_operation_boottime_ns") >= written["start_boottime_ns"].as_u64().unwrap()
        );
    }
    for pattern in ["sequential", "random"] {
        let job = changed(read_job(directory.path()), json!({ "pattern": pattern }));
        let (read, code) = Agent::run(&job);
        assert_eq!(0, code);
        assert_eq!(32, read["verification"]["blocks_checked"]);
        assert_eq!(json!([]), read["verification"]["extents"]);
        assert!(read["null_operations_per_s"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn random_writes_leave_the_same_file_as_sequential_ones() {
    let directory = tempdir().unwrap();
    Agent::run(&write_job(directory.path()));
    let sequential = fs::read(directory.path().join("a")).unwrap();
    Agent::run(&changed(
        write_job(directory.path()),
        json!({ "pattern": "random" }),
    ));
    assert!(sequential == fs::read(directory.path().join("a")).unwrap());
}

#[test]
fn small_records_and_direct_io_are_valid_too() {
    // On disk: not every kernel's tmpfs takes O_DIRECT.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let changes = json!({ "transfer_bytes": 512, "direct": true, "fsync": "transfer" });
    let (written, code) = Agent::run(&changed(write_job(directory.path()), changes));
    assert_eq!(0, code);
    assert_eq!(256, written["latency"]["fsync"]["count"]);
    let changes = json!({ "transfer_bytes": 8192, "block_bytes": 512, "direct": true });
    let (read, code) = Agent::run(&changed(read_job(directory.path()), changes));
    assert_eq!(
        (0, 256),
        (
            code,
            read["verification"]["blocks_checked"].as_u64().unwrap()
        )
    );
}

#[test]
fn records_of_the_smallest_and_the_largest_size_are_valid() {
    // On disk: not every kernel's tmpfs takes O_DIRECT.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (transfer_bytes, block_bytes) in [(512, 512), (64_u64 << 20, 4096)] {
        let file_bytes = 2 * transfer_bytes;
        for (direct, queue_depth) in [(false, 1), (true, 2)] {
            let changes = json!({
                "transfer_bytes": transfer_bytes, "file_bytes": file_bytes, "tasks": 1, "files": ["a"],
                "direct": direct, "queue_depth": queue_depth,
            });
            let (written, code) =
                Agent::run(&changed(write_job(directory.path()), changes.clone()));
            let figure = |name: &str| written[name].as_u64().unwrap();
            assert_eq!(
                (0, 2, file_bytes),
                (code, figure("operations"), figure("bytes"))
            );
            let (read, code) = Agent::run(&changed(read_job(directory.path()), changes));
            let verification = &read["verification"];
            assert_eq!((0, &json!([])), (code, &verification["extents"]));
            assert_eq!(
                file_bytes / block_bytes,
                verification["blocks_checked"].as_u64().unwrap()
            );
        }
        // The last byte of the last record is looked at, too.
        let path = directory.path().join("a");
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        let changes = json!({
            "transfer_bytes": transfer_bytes, "file_bytes": file_bytes, "tasks": 1, "files": ["a"],
        });
        let (read, code) = Agent::run(&changed(read_job(directory.path()), changes));
        let extents = read["verification"]["extents"].as_array().unwrap();
        assert_eq!((1, 1), (code, extents.len()));
        assert_eq!(
            file_bytes - block_bytes,
            extents[0]["offset"].as_u64().unwrap()
        );
    }
}

#[test]
fn a_neighbours_file_is_checked_for_who_wrote_it() {
    let directory = tempdir().unwrap();
    Agent::run(&write_job(directory.path()));
    let reader = changed(read_job(directory.path()), json!({ "client_index": 2 }));
    let (_, code) = Agent::run(&changed(
        reader.clone(),
        json!({ "writer_client_indexes": [1, 1] }),
    ));
    assert_eq!(0, code);
    let (read, code) = Agent::run(&changed(reader, json!({ "writer_client_indexes": [1, 3] })));
    assert_eq!(1, code);
    let extents = read["verification"]["extents"].as_array().unwrap();
    assert_eq!(1, extents.len());
    assert_eq!(
        ("misplaced", "b"),
        (text(&extents[0], "class"), text(&extents[0], "file"))
    );
}

#[test]
fn damage_is_named_and_the_run_goes_on() {
    let directory = tempdir().unwrap();
    Agent::run(&write_job(directory.path()));
    let path = directory.path().join("a");
    let mut bytes = fs::read(&path).unwrap();
    bytes[5000] ^= 1;
    bytes[8192..12288].fill(0);
    let (left, right) = bytes.split_at_mut(32768);
    left[16384..20480].swap_with_slice(&mut right[..4096]);
    bytes.truncate(61440);
    fs::write(&path, bytes).unwrap();
    fs::copy(directory.path().join("b"), directory.path().join("b2")).unwrap();
    fs::rename(directory.path().join("b2"), directory.path().join("b")).unwrap();
    let (read, code) = Agent::run(&read_job(directory.path()));
    assert_eq!(1, code);
    let found: Vec<_> = read["verification"]["extents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|extent| (text(extent, "class"), extent["offset"].as_u64().unwrap()))
        .collect();
    let expected = vec![
        ("corrupt", 4096),
        ("zero", 8192),
        ("misplaced", 16384),
        ("misplaced", 32768),
        ("missing", 61440),
    ];
    assert_eq!(expected, found);
    assert_eq!(true, read["complete"]);
    assert_eq!(5, read["verification"]["blocks_damaged"]);
}

#[test]
fn an_older_generation_is_stale() {
    let directory = tempdir().unwrap();
    Agent::run(&write_job(directory.path()));
    let (read, code) = Agent::run(&changed(
        read_job(directory.path()),
        json!({ "generation": 3 }),
    ));
    assert_eq!(1, code);
    let extent = &read["verification"]["extents"][0];
    assert_eq!("stale", text(extent, "class"));
    assert_eq!("generation 1, expected 3: 2 behind", text(extent, "detail"));
    assert_eq!(65_536, extent["length"]);
}

#[test]
fn a_task_goes_on_after_the_errors_that_it_is_told() {
    for queue in [json!({}), json!({ "queue_depth": 4, "engine": "io-uring" })] {
        let directory = tempdir().unwrap();
        symlink("/dev/full", directory.path().join("a")).unwrap();
        let told = json!({ "go_on_after": ["ENOSPC"], "fsync": "none", "existing": "keep" });
        let job = changed(changed(write_job(directory.path()), told), queue);
        let (written, code) = Agent::run(&job);
        assert_eq!(1, code);
        let error = &written["errors"][0];
        assert_eq!(
            ("ENOSPC", 8),
            (text(error, "name"), error["count"].as_i64().unwrap())
        );
        assert_eq!(Value::Null, written["stopped_by"]);
        assert_eq!(0, written["tasks"][0]["bytes"]);
        assert_eq!(65_536, written["tasks"][1]["bytes"]);
        // Any other error ends its task.
        let other = changed(job, json!({ "go_on_after": ["EDQUOT"] }));
        let (written, _) = Agent::run(&other);
        assert_eq!("error", text(&written, "stopped_by"));
    }
}

#[test]
fn a_task_goes_on_with_the_next_name() {
    let directory = tempdir().unwrap();
    let job = changed(
        write_job(directory.path()),
        json!({
            "phase": "create", "tasks": 1, "files": ["t"], "fsync": "none",
            "tree": { "items_per_directory": 5 }, "go_on_after": ["EEXIST"],
        }),
    );
    assert_eq!(0, Agent::run(&job).1);
    let (again, code) = Agent::run(&job);
    assert_eq!((1, Value::Null), (code, again["stopped_by"].clone()));
    assert_eq!(
        ("EEXIST", 5),
        (
            text(&again["errors"][0], "name"),
            again["errors"][0]["count"].as_i64().unwrap()
        )
    );
}

#[test]
fn a_full_disk_ends_its_task_and_no_other() {
    let directory = tempdir().unwrap();
    symlink("/dev/full", directory.path().join("a")).unwrap();
    let (written, code) = Agent::run(&write_job(directory.path()));
    assert_eq!(1, code);
    let error = &written["errors"][0];
    assert_eq!(
        ("write", "ENOSPC"),
        (text(error, "operation"), text(error, "name"))
    );
    assert_eq!(
        (28, "a", 0),
        (
            error["errno"].as_i64().unwrap(),
            text(error, "file"),
            error["offset"].as_u64().unwrap()
        )
    );
    assert_eq!("error", text(&written, "stopped_by"));
    assert_eq!(0, written["tasks"][0]["bytes"]);
    assert_eq!(65_536, written["tasks"][1]["bytes"]);
    assert_eq!(true, written["tasks"][1]["complete"]);
}

#[test]
fn a_limit_on_file_sizes_is_an_error_and_not_the_end() {
    let directory = tempdir().unwrap();
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("ulimit -f 32; exec {PROGRAM} run"));
    let mut agent = Agent::start_command(&mut command);
    agent.send(&changed(
        write_job(directory.path()),
        json!({ "file_bytes": 1 << 20 }),
    ));
    agent.go();
    let done = agent.wait_for("done");
    assert_eq!("EFBIG", text(&done["errors"][0], "name"));
    assert_eq!(1, agent.exit_code());
}

#[test]
fn a_wrong_job_is_refused_with_the_name_of_the_field() {
    for (job, word) in [
        (
            json!({ "transfer_bytes": 500 }),
            "`transfer_bytes` is 500, must have a divisor from 512 to 4096, and be at most 67108864",
        ),
        (
            json!({ "transfer_bytes": 65 << 20, "file_bytes": 65 << 20 }),
            "`transfer_bytes` is 68157440, must have a divisor from 512 to 4096, and be at \
             most 67108864",
        ),
        (
            json!({ "transfer_bytes": 47_008, "file_bytes": 47_008, "direct": true }),
            "`direct` cannot move 47008 bytes, which are not whole sectors",
        ),
        (json!({ "recordbytes": 4096 }), "`recordbytes`"),
        (json!({ "protocol": 99 }), "`protocol`"),
        (json!({ "directory": "" }), "`directory` must not be empty"),
    ] {
        let job = changed(write_job("/nowhere".as_ref()), job);
        let assert = assert_cmd::Command::new(PROGRAM)
            .arg("run")
            .write_stdin(format!("{job}\n"))
            .assert();
        let output = assert.code(2).stdout("").get_output().clone();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(word), "{complaint}");
        assert_eq!(1, complaint.lines().count(), "{complaint}");
    }
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    let job = write_job("/nowhere".as_ref());
    let assert = assert_cmd::Command::new(PROGRAM)
        .arg("run")
        .write_stdin(format!("{job}\n"))
        .assert();
    let output = assert.code(3).get_output().clone();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("`/nowhere/"), "{complaint}");
}

#[test]
fn nothing_runs_before_the_start_is_named() {
    let directory = tempdir().unwrap();
    let job = write_job(directory.path());
    let mut cancelled = Agent::ready(&job);
    cancelled.send(&json!({ "cancel": true }));
    assert_eq!(3, cancelled.exit_code());
    let mut deserted = Agent::ready(&job);
    deserted.close_input();
    assert_eq!(3, deserted.exit_code());
    let terminated = Agent::ready(&job);
    terminated.signal("-TERM");
    assert_eq!(3, terminated.exit_code());
    let mut confused = Agent::ready(&job);
    confused.send(&json!({ "begin": 1 }));
    assert_eq!(2, confused.exit_code());
    assert_eq!(0, fs::metadata(directory.path().join("a")).unwrap().len());
    Command::new(PROGRAM)
        .arg("run")
        .stdin(std::process::Stdio::null())
        .assert()
        .code(3);
}

#[test]
fn tasks_start_at_the_agreed_instant_and_not_before() {
    let directory = tempdir().unwrap();
    let mut agent = Agent::ready(&write_job(directory.path()));
    let start_boottime_ns = seatrial_measure::boottime_ns().0 + 100_000_000;
    agent.send(&json!({ "start_boottime_ns": start_boottime_ns }));
    let done = agent.wait_for("done");
    let started = done["start_boottime_ns"].as_u64().unwrap();
    assert!(started >= start_boottime_ns);
    assert_eq!(
        started - start_boottime_ns,
        done["start_late_ns"].as_u64().unwrap()
    );
}

#[test]
fn the_lines_of_the_seconds_sum_up_to_the_whole() {
    let directory = tempdir().unwrap();
    let job = changed(endless_job(&directory), json!({ "time_limit_s": 1.2 }));
    let mut agent = Agent::ready(&job);
    agent.go();
    let mut bytes = 0;
    let mut ended_ns = None;
    let done = loop {
        let event = agent.event();
        match event["event"].as_str().unwrap() {
            "second" => {
                bytes += event["bytes"].as_u64().unwrap();
                let boottime_ns = event["boottime_ns"].as_u64().unwrap();
                let begun_ns = boottime_ns - event["interval_ns"].as_u64().unwrap();
                assert_eq!(begun_ns, ended_ns.unwrap_or(begun_ns), "a gap");
                ended_ns = Some(boottime_ns);
            }
            "done" => break event,
            _ => {}
        }
    };
    assert_eq!(done["bytes"].as_u64().unwrap(), bytes);
    assert_eq!(
        ("time", false),
        (
            text(&done, "stopped_by"),
            done["complete"].as_bool().unwrap()
        )
    );
    assert!(done["elapsed_ns"].as_u64().unwrap() >= 1_200_000_000);
    assert_eq!(0, agent.exit_code());
}

#[test]
fn a_signal_or_a_word_stops_the_tasks_and_the_figures_are_kept() {
    for (signal, reason) in [(true, "signal"), (false, "cancelled")] {
        let directory = tempdir().unwrap();
        let mut agent = Agent::ready(&endless_job(&directory));
        agent.go();
        agent.wait_for("second");
        if signal {
            agent.signal("-HUP");
        } else {
            agent.send(&json!({ "cancel": true }));
        }
        let done = agent.wait_for("done");
        assert_eq!(reason, text(&done, "stopped_by"));
        assert!(done["operations"].as_u64().unwrap() > 0);
        assert_eq!(3, agent.exit_code());
    }
}

#[test]
fn an_agent_that_nobody_listens_to_ends() {
    let directory = tempdir().unwrap();
    let mut agent = Agent::ready(&endless_job(&directory));
    agent.go();
    agent.close_output();
    assert_eq!(3, agent.exit_code());
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}
