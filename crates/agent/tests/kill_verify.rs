//! Agents are killed at random times in the middle of all kinds of work. What they leave is never
//! called lost or wrong, and one block that is spoilt afterwards always is.

mod common;

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use common::{Agent, PROGRAM, changed, write_job};
use seatrial_content::SplitMix64;
use seatrial_job::{Job, copied_files};
use seatrial_log::{Log, LogReader, Operation, Outcome};
use seatrial_verify::{History, Options, Report};
use serde_json::{Value, json};
use tempfile::tempdir;

const KILLS: u64 = 400;
const KILLS_SOAK: u64 = 20_000;
const WORKERS: u64 = 4;
const RECORD_BYTES: u64 = 8192;
const RECORDS: u64 = 200;
/// Long enough that some agents end before they are killed, and some do not even begin.
const DELAY_US_MAX: u64 = 12_000;

/// What became of the agents.
#[derive(Debug, Default)]
struct Tally {
    cut: u64,
    must: u64,
    may: u64,
    names: u64,
    spoilt: u64,
}

#[test]
fn no_kill_gives_a_false_alarm_and_no_spoilt_block_goes_unseen() {
    let is_soak = std::env::var_os("SEATRIAL_SOAK").is_some();
    let kills = if is_soak { KILLS_SOAK } else { KILLS };
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| thread::spawn(move || kill_some(worker, kills / WORKERS)))
        .collect();
    let mut sum = Tally::default();
    for worker in workers {
        let tally = worker.join().unwrap();
        sum.cut += tally.cut;
        sum.must += tally.must;
        sum.may += tally.may;
        sum.names += tally.names;
        sum.spoilt += tally.spoilt;
    }
    assert!(
        sum.cut > kills / 10 && sum.must > kills && sum.may > kills && sum.names > kills,
        "the kills came at the wrong time: {sum:?}"
    );
    assert!(sum.spoilt > kills / 10, "too little to spoil: {sum:?}");
}

fn kill_some(worker: u64, kills: u64) -> Tally {
    let mut numbers = SplitMix64::new(worker);
    let mut tally = Tally::default();
    for number in 0..kills {
        // On disk: there, several operations at once take the way that they take on servers.
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let jobs = jobs(directory.path(), number);
        let (last, earlier) = jobs.split_last().unwrap();
        for job in earlier {
            assert_eq!(0, Agent::run(job).1);
        }
        let mut agent = Agent::ready(last);
        agent.go();
        thread::sleep(Duration::from_micros(numbers.next_u64() % DELAY_US_MAX));
        agent.child.kill().unwrap();
        agent.child.wait().unwrap();
        let logs: Vec<_> = jobs.iter().map(log_of).collect();
        let report = verify(directory.path(), &logs);
        assert!(report.is_clean(), "{last}: {report:?}");
        tally.must += report.must;
        tally.may += report.may;
        tally.names += report.names_checked;
        let log = Log::read(logs.last().unwrap()).unwrap();
        let complete = log.tasks.values().filter(|task| task.is_complete).count();
        tally.cut += u64::from(complete < 2);
        if last["phase"] == "write" || last["phase"].is_object() {
            let job = Job::from_json(&last.to_string()).unwrap();
            let is_spoilt = spoil(directory.path(), &job, &log, &mut numbers, &logs);
            tally.spoilt += u64::from(is_spoilt);
        }
    }
    tally
}

/// The jobs of a life of files. The test will kill the last one.
fn jobs(directory: &Path, number: u64) -> Vec<Value> {
    let job = |log: &str, changes: Value| {
        let log = json!({
            "log": directory.join(log), "file_bytes": RECORDS * RECORD_BYTES,
        });
        changed(changed(write_job(directory), log), changes)
    };
    let names = |log: &str, phase: &str| {
        let changes = json!({
            "phase": phase, "tree": { "items_per_directory": 100 }, "files": ["t", "u"],
            "file_bytes": RECORD_BYTES,
            "fsync": if number.is_multiple_of(2) { "none" } else { "file" },
        });
        job(log, changes)
    };
    let again = |changes: Value| {
        let changes = changed(json!({ "generation": 2, "fsync": "transfer" }), changes);
        vec![job("log1", json!({})), job("log2", changes)]
    };
    let copies = |log: &str, changes: Value| {
        let copying = json!({ "copy": {
            "direction": "to-storage", "local_directory": directory,
            "sizes": [{ "file_bytes": 30_000, "files": 20 }, { "file_bytes": 8192, "files": 9 }],
        } });
        job(
            log,
            changed(json!({ "phase": copying, "files": ["t", "u"] }), changes),
        )
    };
    match number % 10 {
        0 => vec![job(
            "log1",
            json!({ "pattern": "random", "fsync": "transfer" }),
        )],
        1 => vec![job("log1", json!({ "o_sync": true, "fsync": "none" }))],
        2 => again(json!({ "pattern": "random" })),
        3 => again(json!({ "existing": "truncate" })),
        4 => again(json!({
            "pattern": "random", "queue_depth": 16, "engine": "io-uring", "fsync": "file",
        })),
        5 => vec![names("log1", "create")],
        6 => vec![names("log1", "create"), names("log2", "rename")],
        7 => vec![copies("log1", json!({ "fsync": "transfer" }))],
        8 => vec![
            copies("log1", json!({})),
            copies(
                "log2",
                json!({ "generation": 2, "existing": "keep", "fsync": "file" }),
            ),
        ],
        _ => vec![names("log1", "create"), names("log2", "remove")],
    }
}

fn log_of(job: &Value) -> PathBuf {
    job["log"].as_str().unwrap().into()
}

fn verify(directory: &Path, logs: &[PathBuf]) -> Report {
    let mut history = History::new(Options::default());
    for log in logs {
        history.add(&LogReader::open(log).unwrap(), 0).unwrap();
    }
    history.verify(directory).unwrap()
}

/// Spoils a block that was synced, when there is one, and asks for it.
fn spoil(
    directory: &Path,
    job: &Job,
    log: &Log,
    numbers: &mut SplitMix64,
    logs: &[PathBuf],
) -> bool {
    let Some(task) = log.tasks.get(&0) else {
        return false;
    };
    let is_sync = |operation: Operation| operation == Operation::Sync;
    let last_sync = task
        .records
        .iter()
        .rposition(|record| is_sync(record.operation));
    let Some(last_sync) = last_sync else {
        return false;
    };
    let file_index = task.records[last_sync].file_index;
    let synced = &task.records[..last_sync];
    let writes: Vec<_> = synced
        .iter()
        .filter(|record| record.operation == Operation::Write && record.outcome == Outcome::Ok)
        .filter(|record| record.file_index == file_index)
        .collect();
    if writes.is_empty() {
        return false;
    }
    let write = writes[numbers.next_u64() as usize % writes.len()];
    let halves = u64::from(write.length_bytes).div_ceil(4096);
    let offset = write.offset + numbers.next_u64() % halves * 4096;
    let (name, file_bytes) = copied_files(job, 0).nth(file_index as usize).map_or_else(
        || ("a".to_owned(), RECORDS * RECORD_BYTES),
        |file| (file.name, file.file_bytes),
    );
    let file = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(directory.join(&name))
        .unwrap();
    let mut bytes = [0; 4096];
    let block = &mut bytes[..(file_bytes - offset).min(4096) as usize];
    match numbers.next_u64() % 3 {
        0 => {}
        1 => {
            // The block of another place.
            let other = (offset + 4096) % file_bytes / 4096 * 4096;
            let _ = file.read_at(block, other).unwrap();
        }
        _ => {
            file.read_exact_at(block, offset).unwrap();
            block[numbers.next_u64() as usize % block.len()] ^= 1;
        }
    }
    file.write_all_at(block, offset).unwrap();
    let report = verify(directory, logs);
    assert_eq!((1, 0), (report.lost, report.wrong), "{offset}: {report:?}");
    assert_eq!(
        (name.as_str(), offset),
        (report.extents[0].file.as_str(), report.extents[0].offset)
    );
    true
}

#[test]
fn the_program_says_what_is_lost() {
    let directory = tempdir().unwrap();
    let log = directory.path().join("log");
    let job = changed(write_job(directory.path()), json!({ "log": log }));
    assert_eq!(0, Agent::run(&job).1);
    let verify = |arguments: &[&str]| {
        let output = std::process::Command::new(PROGRAM)
            .arg("verify")
            .args(arguments)
            .arg("--directory")
            .arg(directory.path())
            .arg("--log")
            .arg(&log)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (text, output.status.code().unwrap())
    };
    let (text, code) = verify(&[]);
    assert_eq!(0, code);
    let clean = "32 blocks, 0 of 32 that must be there lost, 0 wrong; 0 names, 0 wrong\n";
    assert_eq!(clean, text);

    let path = directory.path().join("b");
    let mut bytes = fs::read(&path).unwrap();
    bytes[8192..20480].fill(0);
    fs::write(&path, bytes).unwrap();
    let (text, code) = verify(&["--json"]);
    assert_eq!(1, code);
    let expected = json!({
        "logs": [{
            "log": log, "run_id": "5ea000000000000f", "client_index": 1, "phase": "write",
            "generation": 1, "tasks": 2, "tasks_complete": 2,
        }],
        "files": 2, "blocks": 32, "must": 32, "may": 0, "lost": 3, "wrong": 0,
        "extents": [{
            "class": "zero", "file": "b", "offset": 8192, "length": 12288, "rule": "must",
            "detail": "must hold generation 1 of client 1 task 1",
        }],
        "names_checked": 0, "names": [],
    });
    assert_eq!(expected, serde_json::from_str::<Value>(&text).unwrap());
    assert!(
        verify(&[])
            .0
            .starts_with("zero         12288 bytes at 8192 of `b`: must hold")
    );
}

#[test]
fn what_a_directory_held_is_lost_with_it() {
    let places = tempdir().unwrap();
    let [directory, log] = ["load", "log"].map(|name| places.path().join(name));
    fs::create_dir(&directory).unwrap();
    let job = changed(write_job(&directory), json!({ "log": log }));
    assert_eq!(0, Agent::run(&job).1);
    fs::remove_dir_all(&directory).unwrap();
    let verify = |arguments: &[&str]| {
        let output = std::process::Command::new(PROGRAM)
            .arg("verify")
            .args(arguments)
            .arg("--directory")
            .arg(&directory)
            .arg("--log")
            .arg(&log)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (text, output.status.code().unwrap())
    };
    assert_eq!(2, verify(&[]).1, "a directory may have been misspelt");
    let (text, code) = verify(&["--may-be-gone", "--json"]);
    assert_eq!(1, code);
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (32, 32),
        (
            told["must"].as_u64().unwrap(),
            told["lost"].as_u64().unwrap()
        )
    );

    // What is there and cannot be looked into is not gone.
    std::os::unix::fs::symlink(&directory, &directory).unwrap();
    assert_eq!(2, verify(&["--may-be-gone"]).1);
    fs::remove_file(&directory).unwrap();
    fs::write(&directory, "a file").unwrap();
    assert_eq!(2, verify(&["--may-be-gone"]).1);
}

#[test]
fn wrong_use_is_told_from_a_log_that_cannot_be_read() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("log");
    let code = |arguments: &[&Path]| {
        let output = std::process::Command::new(PROGRAM)
            .arg("verify")
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let [option, log] = ["--directory", "--log"].map(Path::new);
    assert_eq!(2, code(&[option, directory.path()]).0);
    assert_eq!(2, code(&[option, Path::new("/nowhere"), log, &path]).0);
    let (status, sentence) = code(&[option, directory.path(), log, &path]);
    assert_eq!(3, status);
    assert!(sentence.contains("cannot read the log"), "{sentence}");
    for content in [vec![], vec![0; 4096]] {
        fs::write(&path, content).unwrap();
        let (status, sentence) = code(&[option, directory.path(), log, &path]);
        assert_eq!(3, status);
        assert!(
            sentence.contains("the head is missing or damaged"),
            "{sentence}"
        );
    }
}
