//! `seatrial-agent generate` and `check`, alone on files and streams.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

const MIB: u64 = 1 << 20;

fn agent() -> Command {
    Command::new(env!("CARGO_BIN_EXE_seatrial-agent"))
}

fn generate(path: &Path, arguments: &[&str]) {
    agent()
        .arg("generate")
        .args(arguments)
        .arg(path)
        .assert()
        .code(0)
        .stdout("");
}

/// The output of `check --json`, and its exit code.
fn check(path: &Path, arguments: &[&str]) -> (Value, i32) {
    let output = agent()
        .args(["check", "--json"])
        .args(arguments)
        .arg(path)
        .output()
        .unwrap();
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (report, output.status.code().unwrap())
}

/// The damage in a report: class, offset, length.
fn damage(report: &Value) -> Vec<(String, u64, u64)> {
    let extents = report["extents"].as_array().unwrap().iter();
    extents
        .filter(|extent| extent["class"] != "valid")
        .map(|extent| {
            (
                extent["class"].as_str().unwrap().to_owned(),
                extent["offset"].as_u64().unwrap(),
                extent["length"].as_u64().unwrap(),
            )
        })
        .collect()
}

/// A file of one MiB with bytes that `spoil` changes.
fn spoiled(directory: &TempDir, spoil: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let path = directory.path().join("data");
    generate(&path, &["--size", "1MiB"]);
    let mut bytes = fs::read(&path).unwrap();
    spoil(&mut bytes);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_generated_file_is_valid() {
    let directory = tempdir().unwrap();
    for (size, blocks) in [
        ("64MiB", 16384),
        ("4096", 1),
        ("1", 1),
        ("1000000", 245),
        ("10k", 3),
    ] {
        let path = directory.path().join("data");
        generate(&path, &["--size", size]);
        let (report, code) = check(&path, &[]);
        let length = fs::metadata(&path).unwrap().len();
        // A byte is not enough to say what the file is, but with a name to hope for it is.
        if size == "1" {
            assert_eq!(1, code);
            assert_eq!(0, check(&path, &["--run", "0", "--file-name", "data"]).1);
            continue;
        }
        assert_eq!(0, code, "{size}");
        let valid = json!({ "class": "valid", "offset": 0, "length": length, "detail": "" });
        assert_eq!(json!({ "blocks": blocks, "extents": [valid] }), report);
    }
}

#[test]
fn a_file_shorter_than_a_header_is_known_by_its_name_and_length() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("data");
    let identity = ["--run", "0", "--file-name", "data"];
    for size in [1, 40, 50, 63] {
        generate(&path, &["--size", &size.to_string()]);
        assert_eq!(0, check(&path, &identity).1, "{size} bytes");
        let stream = fs::read(&path).unwrap();
        agent()
            .arg("check")
            .args(identity)
            .arg("-")
            .write_stdin(stream)
            .assert()
            .code(0);
        let (report, code) = check(&path, &[&identity[..], &["--generation", "2"]].concat());
        let corrupt = vec![("corrupt".to_owned(), 0, size)];
        assert_eq!((1, corrupt), (code, damage(&report)), "{size} bytes");
    }
}

#[test]
fn the_name_may_change_but_not_when_it_is_asked_for() {
    let directory = tempdir().unwrap();
    let (path, copy) = (directory.path().join("data"), directory.path().join("copy"));
    generate(
        &path,
        &[
            "--size",
            "64KiB",
            "--run",
            "ab",
            "--generation",
            "4",
            "--writer",
            "3:1",
        ],
    );
    fs::rename(&path, &copy).unwrap();
    assert_eq!(0, check(&copy, &[]).1);
    let identity = [
        "--run",
        "ab",
        "--file-name",
        "data",
        "--generation",
        "4",
        "--writer",
        "3:1",
    ];
    assert_eq!(0, check(&copy, &identity).1);
    for (position, other, class) in [
        (1, "ac", "foreign-run"),
        (3, "copy", "foreign-file"),
        (5, "5", "stale"),
        (7, "3:2", "misplaced"),
    ] {
        let mut identity = identity;
        identity[position] = other;
        let (report, code) = check(&copy, &identity);
        assert_eq!(
            (1, vec![(class.to_owned(), 0, 65536)]),
            (code, damage(&report))
        );
    }
}

#[test]
fn each_kind_of_damage_is_named() {
    let directory = tempdir().unwrap();
    let other = directory.path().join("other");
    let foreign = |arguments: &[&str]| {
        generate(&other, &[&["--size", "1MiB"], arguments].concat());
        fs::read(&other).unwrap()
    };
    let old = foreign(&["--file-name", "data", "--generation", "0"]);
    let file = foreign(&[]);
    let run = foreign(&["--file-name", "data", "--run", "77"]);
    let path = spoiled(&directory, |bytes| {
        bytes[4096..8192].copy_from_slice(&old[4096..8192]);
        bytes[14336..16384].copy_from_slice(&old[14336..16384]);
        bytes[20480..28672].fill(0);
        bytes.copy_within(65536..69632, 36864);
        bytes[49152..53248].copy_from_slice(&file[49152..53248]);
        bytes[57344..61440].copy_from_slice(&run[57344..61440]);
        bytes[100_000] ^= 0x10;
        bytes.truncate(1_000_000);
    });
    let (report, code) = check(&path, &[]);
    assert_eq!(1, code);
    let expected = [
        ("stale", 4096, 4096),
        ("torn", 12288, 4096),
        ("zero", 20480, 8192),
        ("misplaced", 36864, 4096),
        ("foreign-file", 49152, 4096),
        ("foreign-run", 57344, 4096),
        ("corrupt", 98304, 4096),
        ("missing", 1_000_000, MIB - 1_000_000),
    ];
    let expected = expected.map(|(class, offset, length)| (class.to_owned(), offset, length));
    assert_eq!(expected.to_vec(), damage(&report));
    assert_eq!(256, report["blocks"]);
    let detail = |class| {
        let extents = report["extents"].as_array().unwrap().iter();
        extents
            .filter(|extent| extent["class"] == class)
            .map(|extent| &extent["detail"])
            .next()
    };
    assert_eq!(
        Some(&json!("generation 0, expected 1: 1 behind")),
        detail("stale")
    );
    assert_eq!(Some(&json!("belongs at offset 65536")), detail("misplaced"));
    assert_eq!(
        Some(&json!("1 byte differs, at offset 100000")),
        detail("corrupt")
    );
}

#[test]
fn a_stream_is_checked_like_a_file() {
    let directory = tempdir().unwrap();
    let path = spoiled(&directory, |bytes| bytes[8192..12288].fill(0));
    let bytes = fs::read(&path).unwrap();
    let output = agent()
        .args(["check", "--json", "-"])
        .write_stdin(bytes)
        .output()
        .unwrap();
    assert_eq!(Some(1), output.status.code());
    assert_eq!(
        check(&path, &[]).0,
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    );
    let stream = agent()
        .args(["generate", "--size", "5MiB", "-"])
        .output()
        .unwrap()
        .stdout;
    assert_eq!(5 * MIB, stream.len() as u64);
    agent()
        .args(["check", "-"])
        .write_stdin(stream)
        .assert()
        .code(0);
}

#[test]
fn nothing_and_foreign_files_are_not_valid() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("data");
    for (content, class) in [
        (Vec::new(), "missing"),
        (vec![0; 10_000], "zero"),
        (b"hello".repeat(5000), "corrupt"),
    ] {
        fs::write(&path, &content).unwrap();
        let (report, code) = check(&path, &[]);
        assert_eq!((1, class), (code, damage(&report)[0].0.as_str()));
    }
}

#[test]
fn the_size_that_should_be_there_can_be_said() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("data");
    generate(&path, &["--size", "64KiB"]);
    let (report, code) = check(&path, &["--size", "128KiB"]);
    assert_eq!(
        (1, vec![("missing".to_owned(), 65536, 65536)]),
        (code, damage(&report))
    );
    assert_eq!(32, report["blocks"]);
}

#[test]
fn generating_again_shortens_the_file() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("data");
    generate(&path, &["--size", "1MiB"]);
    generate(&path, &["--size", "8KiB", "--generation", "2"]);
    assert_eq!(8192, fs::metadata(&path).unwrap().len());
    assert_eq!(0, check(&path, &["--generation", "2"]).1);
}

#[test]
fn wrong_use_is_told_from_damage() {
    let directory = tempdir().unwrap();
    let missing = directory.path().join("missing");
    agent()
        .arg("check")
        .arg(&missing)
        .assert()
        .code(2)
        .stdout("");
    agent().arg("check").arg(directory.path()).assert().code(2);
    agent().arg("check").assert().code(2);
    agent()
        .args(["generate", "--size", "much"])
        .arg(&missing)
        .assert()
        .code(2);
    agent().arg("generate").arg(&missing).assert().code(2);
    agent()
        .args(["generate", "--size", "1MiB", "/nowhere/data"])
        .assert()
        .code(3);
    agent()
        .args(["generate", "--size", "1MiB", "/dev/full"])
        .assert()
        .code(3);
}

#[test]
fn people_get_sentences() {
    let directory = tempdir().unwrap();
    let path = spoiled(&directory, |bytes| bytes[8192..12288].fill(0));
    agent()
        .arg("check")
        .arg(&path)
        .assert()
        .code(1)
        .stdout("zero 4096 bytes at 8192\n256 blocks, not all valid\n");
}

#[test]
fn the_version_names_the_protocol() {
    let output = agent().args(["version", "--json"]).output().unwrap();
    let version: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = json!({ "name": "seatrial-agent", "version": "0.1.0", "protocol": 3 });
    assert_eq!(expected, version);
}

#[test]
fn each_line_is_answered_with_the_time() {
    let output = agent().arg("clock").write_stdin("\n\n\n").output().unwrap();
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(3, answers.len());
    assert!(answers.is_sorted_by_key(|answer| answer["boottime_ns"].as_u64().unwrap()));
    assert!(answers[0]["wall_ns"].as_u64().unwrap() > 1_700_000_000_000_000_000);
    assert_eq!(answers[0]["boot"].as_str().unwrap().len(), 36);
}
