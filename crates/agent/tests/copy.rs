//! Copying files of several sizes to the storage and back from it.

mod common;

use std::fs;
use std::path::Path;

use common::{Agent, PROGRAM, changed};
use seatrial_log::LogReader;
use seatrial_verify::{History, Options};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// A storage and a local disk.
struct Places {
    storage: TempDir,
    local: TempDir,
}

impl Places {
    fn new() -> Self {
        Self {
            storage: tempdir().unwrap(),
            local: tempdir().unwrap(),
        }
    }

    /// A copy of two sizes by two tasks.
    fn job(&self, direction: &str) -> Value {
        json!({
            "protocol": 3, "run_id": "c0b1", "client": "c3", "client_index": 3, "tasks": 2,
            "transfer_bytes": 4096, "directory": self.storage.path(), "files": ["t0", "t/1"],
            "phase": { "copy": {
                "direction": direction, "local_directory": self.local.path(), "discard": 2,
                "sizes": [
                    { "file_bytes": 10_000, "files": 3 }, { "file_bytes": 1, "files": 1 },
                ],
            } },
        })
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.storage.path().join(name)
    }

    fn local_is_empty(&self) -> bool {
        fs::read_dir(self.local.path()).unwrap().next().is_none()
    }
}

/// Runs a job that must go well.
fn run(job: &Value) -> Value {
    let (done, code) = Agent::run(job);
    assert_eq!(0, code, "{done}");
    assert_eq!(json!(true), done["complete"]);
    done
}

/// Whether `check` finds every byte of a file as it should be.
fn is_valid(path: &Path, name: &str, writer: &str) -> bool {
    let status = std::process::Command::new(PROGRAM)
        .args([
            "check",
            "--json",
            "--run",
            "c0b1",
            "--file-name",
            name,
            "--writer",
            writer,
        ])
        .arg(path)
        .output()
        .unwrap()
        .status;
    status.code() == Some(0)
}

/// Files of both tasks, and the bytes in them: 5 of 10 000 bytes and 3 of one byte each.
const BYTES: u64 = 2 * (5 * 10_000 + 3);

#[test]
fn a_copy_to_the_storage_is_valid_and_leaves_nothing_behind() {
    let places = Places::new();
    let done = run(&places.job("to-storage"));
    assert_eq!("copy", done["phase"]);
    assert_eq!(BYTES, done["bytes"]);
    assert_eq!(2 * (5 * 3 + 3), done["operations"], "records");
    assert_eq!(done["operations"], done["latency"]["write"]["count"]);
    assert_eq!(
        2 * (3 + 1),
        done["latency"]["copy"]["count"],
        "files that count"
    );
    let copy = done["copy"].as_array().unwrap();
    let figures: Vec<_> = copy
        .iter()
        .map(|size| {
            let discarded = size["discarded_s"].as_array().unwrap().len();
            (
                size["file_bytes"].as_u64().unwrap(),
                size["files"].as_u64().unwrap(),
                discarded,
            )
        })
        .collect();
    assert_eq!(vec![(10_000, 6, 4), (1, 2, 4)], figures);
    let first = |name: &str| copy[0][name].as_f64().unwrap();
    assert!(0.0 < first("min_s") && first("min_s") <= first("mean_s"));
    assert!(first("mean_s") <= first("max_s") && first("deviation_s") > 0.0);
    assert!((first("rate_bytes_per_s") * first("mean_s") / 10_000.0 - 1.0).abs() < 1e-9);
    for (name, task) in [
        ("t0/c3.0.10000.0", 0),
        ("t/1/c3.1.10000.4", 1),
        ("t/1/c3.1.1.2", 1),
    ] {
        assert!(
            is_valid(&places.file(name), name, &format!("3:{task}")),
            "{name}"
        );
    }
    assert_eq!(
        10_000,
        fs::metadata(places.file("t0/c3.0.10000.4")).unwrap().len()
    );
    assert!(places.local_is_empty());
}

#[test]
fn another_client_copies_back_what_was_copied() {
    let places = Places::new();
    run(&places.job("to-storage"));
    let back = json!({ "client_index": 8, "writer_client_indexes": [3, 3], "verify": true });
    let back = changed(places.job("from-storage"), back);
    let done = run(&back);
    assert_eq!(BYTES, done["bytes"]);
    assert_eq!(2 * (5 * 3 + 3), done["verification"]["blocks_checked"]);
    assert_eq!(done["operations"], done["latency"]["read"]["count"]);
    assert_eq!(6, done["copy"][0]["files"]);
    assert!(places.local_is_empty());
    // Part of the sizes, with another order of the job, finds the same files.
    let mut other = back.clone();
    other["phase"]["copy"]["sizes"] = json!([{ "file_bytes": 1, "files": 2 }]);
    other["phase"]["copy"]["discard"] = json!(0);
    assert_eq!(4, run(&other)["bytes"]);
    let wrong = changed(back, json!({ "generation": 2 }));
    let (done, code) = Agent::run(&wrong);
    assert_eq!(
        (1, "stale"),
        (
            code,
            done["verification"]["extents"][0]["class"]
                .as_str()
                .unwrap()
        )
    );
}

#[test]
fn damage_is_named_with_the_file_in_which_it_is() {
    let places = Places::new();
    run(&places.job("to-storage"));
    let mut bytes = fs::read(places.file("t/1/c3.1.10000.3")).unwrap();
    bytes[5000] ^= 1;
    bytes.truncate(9000);
    fs::write(places.file("t/1/c3.1.10000.3"), bytes).unwrap();
    let (done, code) = Agent::run(&changed(
        places.job("from-storage"),
        json!({ "verify": true }),
    ));
    assert_eq!((1, true), (code, done["complete"] == true));
    let extents = done["verification"]["extents"].as_array().unwrap();
    let found: Vec<_> = extents
        .iter()
        .map(|extent| {
            assert_eq!("t/1/c3.1.10000.3", extent["file"]);
            (
                extent["class"].as_str().unwrap(),
                extent["offset"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(vec![("corrupt", 4096), ("missing", 9000)], found);
    fs::remove_file(places.file("t0/c3.0.10000.1")).unwrap();
    let (done, code) = Agent::run(&places.job("from-storage"));
    assert_eq!(1, code);
    let error = &done["errors"][0];
    assert_eq!(
        (&json!("open"), &json!("ENOENT"), &json!("t0/c3.0.10000.1")),
        (&error["operation"], &error["name"], &error["file"])
    );
    assert!(places.local_is_empty(), "also after an error");
}

#[test]
fn a_copy_may_be_durable_direct_and_repeated() {
    // On disk: not every kernel's tmpfs takes O_DIRECT.
    let storage = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let places = Places {
        storage,
        ..Places::new()
    };
    let durable = json!({ "fsync": "file", "close_in_timing": true });
    let first = run(&changed(places.job("to-storage"), durable.clone()));
    assert_eq!(2 * (5 + 3), first["latency"]["fsync"]["count"]);
    assert!(first["tasks"][0]["fsync_ns"].as_u64().unwrap() > 0);
    assert!(first["tasks"][0]["close_ns"].as_u64().unwrap() > 0);
    let again = json!({ "fsync": "transfer", "generation": 2 });
    let again = run(&changed(places.job("to-storage"), again));
    assert_eq!(again["operations"], again["latency"]["fsync"]["count"]);
    // A direct read of a file that does not end with a sector.
    let direct = json!({ "direct": true, "verify": true, "generation": 2 });
    let done = run(&changed(places.job("from-storage"), direct));
    assert_eq!(BYTES, done["bytes"]);
}

#[test]
fn what_was_copied_and_synced_must_be_there() {
    let places = Places::new();
    let log = tempdir().unwrap();
    let path = log.path().join("log");
    let changes = json!({ "log": path, "log_sync": true, "fsync": "file" });
    run(&changed(places.job("to-storage"), changes));
    let verify = || {
        let mut history = History::new(Options::default());
        history.add(&LogReader::open(&path).unwrap(), 0).unwrap();
        history.verify(places.storage.path()).unwrap()
    };
    let report = verify();
    // Of 10 000 bytes each, three blocks; of one byte, one.
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(
        (2 * (5 + 3), 2 * (5 * 3 + 3), 2 * (5 * 3 + 3)),
        (report.files, report.blocks, report.must)
    );
    let cut = "t/1/c3.1.10000.4";
    let file = fs::File::options().write(true).open(places.file(cut));
    file.unwrap().set_len(8192).unwrap();
    let zeroed = "t0/c3.0.1.0";
    fs::write(places.file(zeroed), [0]).unwrap();
    fs::remove_file(places.file("t0/c3.0.1.2")).unwrap();
    let report = verify();
    let extents = report.extents.iter();
    let found: Vec<_> = extents
        .map(|found| (found.file.as_str(), found.class, found.offset, found.length))
        .collect();
    let expected = vec![
        (cut, "missing", 8192, 10_000 - 8192),
        (zeroed, "zero", 0, 1),
        ("t0/c3.0.1.2", "missing", 0, 1),
    ];
    assert_eq!((3, 0, expected), (report.lost, report.wrong, found));
}

#[test]
fn a_copy_that_is_cancelled_leaves_nothing_local() {
    let places = Places::new();
    let mut job = places.job("to-storage");
    // So many that removing them takes longer than leaving.
    job["phase"]["copy"]["sizes"] = json!([{ "file_bytes": 1, "files": 3000 }]);
    let mut agent = Agent::ready(&job);
    assert!(!places.local_is_empty());
    agent.send(&json!({ "cancel": true }));
    assert_eq!(3, agent.exit_code());
    assert!(places.local_is_empty());
}

#[test]
fn a_copy_for_which_there_is_no_time_is_not_complete() {
    let places = Places::new();
    let mut job = changed(places.job("to-storage"), json!({ "time_limit_s": 1e-9 }));
    job["phase"]["copy"]["sizes"] = json!([{ "file_bytes": 1 << 20, "files": 50 }]);
    let (done, code) = Agent::run(&job);
    assert_eq!((0, "time"), (code, done["stopped_by"].as_str().unwrap()));
    assert_eq!(
        (&json!(0), &json!(null)),
        (&done["copy"][0]["files"], &done["copy"][0]["mean_s"])
    );
    assert!(
        done["copy"][0]["discarded_s"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_is_there_already_is_removed_or_overwritten() {
    let places = Places::new();
    run(&places.job("to-storage"));
    let name = "t0/c3.0.10000.2";
    fs::hard_link(places.file(name), places.file("old")).unwrap();
    let lengthen = || {
        fs::File::options()
            .write(true)
            .open(places.file(name))
            .unwrap()
            .set_len(20_000)
    };
    lengthen().unwrap();
    let again = json!({ "existing": "keep", "generation": 2 });
    run(&changed(places.job("to-storage"), again));
    assert_eq!(10_000, fs::metadata(places.file("old")).unwrap().len());
    assert!(
        is_valid(&places.file("old"), name, "3:0"),
        "the same file, overwritten"
    );
    lengthen().unwrap();
    run(&changed(
        places.job("to-storage"),
        json!({ "generation": 3 }),
    ));
    assert_eq!(
        20_000,
        fs::metadata(places.file("old")).unwrap().len(),
        "another file"
    );
    assert!(is_valid(&places.file(name), name, "3:0"));
}
