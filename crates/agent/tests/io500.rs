//! The sizes and phases of IO500: transfers of 47,008 bytes, files of 3901 bytes, and `find`.

mod common;

use std::fs;
use std::path::Path;

use common::{Agent, PROGRAM};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Bytes of a transfer of `ior-hard`, and of a file of `mdtest-hard`.
const HARD_TRANSFER_BYTES: u64 = 47_008;
const HARD_FILE_BYTES: u64 = 3901;

/// Transfers of each task.
const TRANSFERS: u64 = 5;

fn changed(job: &Value, changes: Value) -> Value {
    common::changed(job.clone(), changes)
}

/// The part of client `client` of two, each with two tasks, of one shared file.
fn shared_file(directory: &Path, client: u16, phase: &str) -> Value {
    json!({
        "protocol": 3, "run_id": "1", "client": format!("c{client}"), "client_index": client,
        "tasks": 2, "phase": phase, "directory": directory, "files": ["shared"],
        "layout": { "n-1-interleaved": {
            "first_rank": 2 * client, "ranks": 4, "chunk_bytes": HARD_TRANSFER_BYTES,
        } },
        "transfer_bytes": HARD_TRANSFER_BYTES, "file_bytes": 4 * TRANSFERS * HARD_TRANSFER_BYTES,
        "verify": phase == "read", "existing": "keep",
    })
}

fn write_shared_file(directory: &Path) {
    for client in [0, 1] {
        let (done, code) = Agent::run(&shared_file(directory, client, "write"));
        assert_eq!(
            (0, 2 * TRANSFERS),
            (code, done["operations"].as_u64().unwrap())
        );
    }
}

/// The read of client 0, which takes the part of client 1.
fn read_neighbour(directory: &Path) -> (Value, i32) {
    let job = changed(
        &shared_file(directory, 1, "read"),
        json!({ "client_index": 0, "writer_client_indexes": [1, 1] }),
    );
    Agent::run(&job)
}

#[test]
fn every_byte_of_transfers_of_47008_bytes_is_verified() {
    let directory = tempdir().unwrap();
    write_shared_file(directory.path());
    let path = directory.path().join("shared");
    let content = fs::read(&path).unwrap();
    assert_eq!(4 * TRANSFERS * HARD_TRANSFER_BYTES, content.len() as u64);
    let (done, code) = read_neighbour(directory.path());
    assert_eq!(0, code, "{done}");
    let blocks = 2 * TRANSFERS * HARD_TRANSFER_BYTES / 3616;
    assert_eq!(
        blocks,
        done["verification"]["blocks_checked"].as_u64().unwrap()
    );
    // The first and the last byte of a transfer of client 1, and the one before it.
    let transfer = 2 * HARD_TRANSFER_BYTES;
    for (at, is_found) in [
        (transfer - 1, false),
        (transfer, true),
        (transfer + HARD_TRANSFER_BYTES - 1, true),
    ] {
        let mut damaged = content.clone();
        damaged[at as usize] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let (done, code) = read_neighbour(directory.path());
        assert_eq!(i32::from(is_found), code, "byte {at}: {done}");
        let damaged = u64::from(is_found);
        assert_eq!(
            damaged,
            done["verification"]["blocks_damaged"].as_u64().unwrap()
        );
    }
}

#[test]
fn check_finds_the_blocks_of_transfers_of_47008_bytes_without_a_job() {
    let directory = tempdir().unwrap();
    write_shared_file(directory.path());
    let path = directory.path().join("shared");
    let check = || {
        assert_cmd::Command::new(PROGRAM)
            .arg("check")
            .arg(&path)
            .assert()
    };
    check().code(0);
    let mut content = fs::read(&path).unwrap();
    content[0] ^= 1;
    fs::write(&path, &content).unwrap();
    check().code(1);
}

#[test]
fn transfers_of_any_divisible_size_are_verified() {
    for transfer_bytes in [513, 777, 3901, 4100, 5000, 47_008, 1_000_000] {
        let directory = tempdir().unwrap();
        let job = json!({
            "protocol": 3, "run_id": "1", "client": "c0", "client_index": 0, "tasks": 1,
            "phase": "write", "directory": directory.path(), "files": ["a"],
            "transfer_bytes": transfer_bytes, "file_bytes": 3 * transfer_bytes,
        });
        assert_eq!(0, Agent::run(&job).1, "{transfer_bytes}");
        let (done, code) = Agent::run(&changed(&job, json!({ "phase": "read", "verify": true })));
        assert_eq!(0, code, "{transfer_bytes}: {done}");
        let path = directory.path().join("a");
        let mut content = fs::read(&path).unwrap();
        *content.last_mut().unwrap() ^= 0x80;
        fs::write(&path, &content).unwrap();
        let (done, code) = Agent::run(&changed(&job, json!({ "phase": "read", "verify": true })));
        assert_eq!(1, code, "{transfer_bytes}: {done}");
        assert_eq!(1, done["verification"]["blocks_damaged"]);
    }
}

#[test]
fn logs_verify_transfers_of_47008_bytes_and_files_of_3901_bytes() {
    let directory = tempdir().unwrap();
    let logs = tempdir().unwrap();
    let storage = directory.path();
    let (data_log, names_log) = (logs.path().join("data"), logs.path().join("names"));
    let write = json!({ "log": data_log, "fsync": "file" });
    let two_tasks_of_two = json!({ "layout": { "n-1-interleaved": {
        "first_rank": 0, "ranks": 2, "chunk_bytes": HARD_TRANSFER_BYTES,
    } }, "file_bytes": 60 * HARD_TRANSFER_BYTES });
    let write = changed(
        &changed(&shared_file(storage, 0, "write"), write),
        two_tasks_of_two,
    );
    assert_eq!(0, Agent::run(&write).1);
    let create = changed(&small_files(storage, "create"), json!({ "log": names_log }));
    assert_eq!(0, Agent::run(&create).1);
    let verify = || {
        let mut command = assert_cmd::Command::new(PROGRAM);
        command.arg("verify").arg("--directory").arg(storage);
        command
            .arg("--log")
            .arg(&data_log)
            .arg("--log")
            .arg(&names_log);
        command.assert()
    };
    verify().code(0);
    let path = storage.join("t1").join("f0.1.3");
    let mut content = fs::read(&path).unwrap();
    *content.last_mut().unwrap() ^= 1;
    fs::write(&path, &content).unwrap();
    verify().code(1);
}

/// The small files of two tasks, ten each.
fn small_files(directory: &Path, phase: &str) -> Value {
    json!({
        "protocol": 3, "run_id": "1", "client": "c0", "client_index": 0, "tasks": 2,
        "phase": phase, "directory": directory, "files": ["t0", "t1"], "fsync": "file",
        "transfer_bytes": 4096, "file_bytes": HARD_FILE_BYTES,
        "tree": { "items_per_directory": 10 },
    })
}

#[test]
fn small_files_are_read_whole_and_verified() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let (done, code) = Agent::run(&small_files(path, "create"));
    assert_eq!(
        (0, 20 * HARD_FILE_BYTES),
        (code, done["bytes"].as_u64().unwrap())
    );
    let file = path.join("t1").join("f0.1.3");
    assert_eq!(HARD_FILE_BYTES, fs::metadata(&file).unwrap().len());
    let read = changed(
        &small_files(path, "read-files"),
        json!({ "verify": true, "fsync": "none" }),
    );
    let (done, code) = Agent::run(&read);
    assert_eq!(0, code, "{done}");
    assert_eq!("read-files", done["phase"]);
    assert_eq!(
        (20, 20),
        (
            done["operations"].as_u64().unwrap(),
            done["latency"]["read-files"]["count"].as_u64().unwrap(),
        )
    );
    assert_eq!(20 * HARD_FILE_BYTES, done["bytes"].as_u64().unwrap());
    // A name and a block of each file.
    assert_eq!(40, done["verification"]["blocks_checked"]);
    let content = fs::read(&file).unwrap();
    let mut flipped = content.clone();
    flipped[3900] ^= 1;
    let other = fs::read(path.join("t1").join("f0.1.4")).unwrap();
    for (damaged, class) in [
        (flipped, "corrupt"),
        (content[..3000].to_vec(), "missing"),
        ([&content[..], b"x"].concat(), "unexpected"),
        (vec![0; 3901], "zero"),
        (other, "foreign-file"),
    ] {
        fs::write(&file, damaged).unwrap();
        let (done, code) = Agent::run(&read);
        assert_eq!(1, code, "{class}: {done}");
        assert_eq!(class, done["verification"]["extents"][0]["class"], "{done}");
        assert_eq!("t1/f0.1.3", done["verification"]["extents"][0]["file"]);
    }
    fs::remove_file(&file).unwrap();
    let (done, code) = Agent::run(&read);
    assert_eq!((1, 19), (code, done["operations"].as_u64().unwrap()));
    assert_eq!("missing", done["verification"]["extents"][0]["class"]);
}

#[test]
fn renamed_and_empty_files_can_be_read() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    for phase in ["create", "rename"] {
        assert_eq!(0, Agent::run(&small_files(path, phase)).1);
    }
    let read = json!({ "verify": true, "fsync": "none" });
    let mut job = changed(&small_files(path, "read-files"), read);
    job["tree"]["renamed"] = true.into();
    let (done, code) = Agent::run(&job);
    assert_eq!(
        (0, 20),
        (code, done["operations"].as_u64().unwrap()),
        "{done}"
    );
    let directory = tempdir().unwrap();
    let empty = json!({ "file_bytes": 0, "verify": true, "fsync": "none" });
    let path = directory.path();
    assert_eq!(
        0,
        Agent::run(&changed(&small_files(path, "create"), empty.clone())).1
    );
    let (done, code) = Agent::run(&changed(&small_files(path, "read-files"), empty));
    assert_eq!(
        (0, 20),
        (code, done["operations"].as_u64().unwrap()),
        "{done}"
    );
}

fn find(directory: &Path, changes: Value) -> (Value, i32) {
    let job = changed(
        &small_files(directory, "stat"),
        json!({ "phase": { "find": { "name_pattern": "*01*" } }, "verify": true, "fsync": "none" }),
    );
    Agent::run(&changed(&job, changes))
}

#[test]
fn find_counts_every_entry_and_checks_the_size_of_those_that_match() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    // Items 0 to 149: of task 1, `f0.1.01`, and so on, are no names; 101 is the only match.
    let tree = json!({ "tree": { "items_per_directory": 150 } });
    assert_eq!(
        0,
        Agent::run(&changed(&small_files(path, "create"), tree.clone())).1
    );
    let (done, code) = find(path, tree.clone());
    assert_eq!(0, code, "{done}");
    assert_eq!("find", done["phase"]);
    assert_eq!(
        (300, 300),
        (
            done["operations"].as_u64().unwrap(),
            done["latency"]["find"]["count"].as_u64().unwrap(),
        )
    );
    // Every entry of both tasks, and the sizes of f0.0.101 and f0.1.101.
    assert_eq!(302, done["verification"]["blocks_checked"]);
    let other = path.join("t0").join("f0.0.102");
    fs::write(&other, "short").unwrap();
    assert_eq!(0, find(path, tree.clone()).1, "its name does not match");
    let matching = path.join("t0").join("f0.0.101");
    fs::write(&matching, "short").unwrap();
    let (done, code) = find(path, tree.clone());
    assert_eq!(
        (1, "t0/f0.0.101"),
        (
            code,
            done["verification"]["extents"][0]["file"].as_str().unwrap(),
        )
    );
    fs::remove_file(&matching).unwrap();
    let (done, code) = find(path, tree);
    assert_eq!(
        (1, "missing", 299),
        (
            code,
            done["verification"]["extents"][0]["class"]
                .as_str()
                .unwrap(),
            done["operations"].as_u64().unwrap(),
        )
    );
}

#[test]
fn tasks_share_the_entries_of_one_directory() {
    let directory = tempdir().unwrap();
    let path = directory.path();
    let shared = json!({ "files": ["all", "all"] });
    for client in [0, 1] {
        let client = json!({ "client_index": client });
        let create = changed(
            &changed(&small_files(path, "create"), shared.clone()),
            client,
        );
        assert_eq!(0, Agent::run(&create).1);
    }
    let neighbour = json!({ "files": ["all", "all"], "writer_client_indexes": [1, 1] });
    let (done, code) = find(path, neighbour.clone());
    assert_eq!(
        (0, 20),
        (code, done["operations"].as_u64().unwrap()),
        "{done}"
    );
    fs::write(path.join("all").join("core"), "").unwrap();
    let (done, code) = find(path, neighbour);
    assert_eq!(
        (1, "unexpected"),
        (
            code,
            done["verification"]["extents"][0]["class"]
                .as_str()
                .unwrap(),
        )
    );
}

#[test]
fn a_find_without_a_possible_pattern_is_refused() {
    let job = small_files("/nowhere".as_ref(), "stat");
    for (changes, word) in [
        (
            json!({ "phase": { "find": { "name_pattern": "" } } }),
            "`phase`",
        ),
        (
            json!({ "phase": { "find": { "name_pattern": "a/b" } } }),
            "`phase`",
        ),
        (
            json!({ "phase": { "find": { "name_pattern": "*" } }, "arrivals_per_s": 1.0 }),
            "`arrivals_per_s`",
        ),
        (
            json!({ "phase": "read-files", "file_bytes": 65 << 20 }),
            "`file_bytes`",
        ),
    ] {
        let job = changed(&job, changes);
        let assert = assert_cmd::Command::new(PROGRAM)
            .arg("run")
            .write_stdin(format!("{job}\n"))
            .assert();
        let output = assert.code(2).stdout("").get_output().clone();
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(word), "{complaint}");
    }
}
