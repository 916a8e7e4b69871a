//! Files that cannot be opened for a while: the agent reports it each second, and can be stopped.

mod common;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Agent, changed, read_job, write_job};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use tempfile::tempdir;

/// A job with a second file that does not open before the test writes to it.
fn hanging_job(directory: &Path) -> Value {
    fs::write(directory.join("a"), "").unwrap();
    let mode = Mode::RUSR | Mode::WUSR;
    mknodat(CWD, directory.join("b"), FileType::Fifo, mode, 0).unwrap();
    changed(read_job(directory), json!({ "verify": false }))
}

fn started(directory: &Path) -> Agent {
    let mut agent = Agent::start();
    agent.send(&hanging_job(directory));
    agent
}

#[test]
fn what_is_not_open_yet_is_told_each_second() {
    let directory = tempdir().unwrap();
    let mut agent = started(directory.path());
    let stalled_ns = [(); 2].map(|()| {
        let event = agent.event();
        assert_eq!("preparing", event["event"]);
        let tasks = event["tasks"].as_array().unwrap();
        assert_eq!((1, &json!("b")), (tasks.len(), &tasks[0]["file"]));
        tasks[0]["stalled_ns"].as_u64().unwrap()
    });
    let apart_ns = stalled_ns[1] - stalled_ns[0];
    assert!(
        (500_000_000..2_000_000_000).contains(&apart_ns),
        "{apart_ns}"
    );
    let writer = OpenOptions::new()
        .write(true)
        .open(directory.path().join("b"));
    agent.wait_for("ready");
    drop(writer);
}

#[test]
fn who_waits_for_a_file_can_be_cancelled() {
    let end: [fn(&mut Agent); 3] = [
        |agent| agent.send(&json!({ "cancel": true })),
        |agent| agent.close_input(),
        |agent| agent.signal("-TERM"),
    ];
    for end in end {
        let directory = tempdir().unwrap();
        let mut agent = started(directory.path());
        agent.wait_for("preparing");
        end(&mut agent);
        assert_eq!(3, agent.exit_code());
    }
}

#[test]
fn a_start_that_comes_early_is_kept() {
    let directory = tempdir().unwrap();
    let mut agent = started(directory.path());
    agent.go();
    agent.wait_for("preparing");
    let writer = OpenOptions::new()
        .write(true)
        .open(directory.path().join("b"));
    agent.wait_for("ready");
    agent.wait_for("done");
    drop(writer);
}

/// The message of an agent with a limit of `descriptors` to a job with several operations at once.
fn deep_with(descriptors: u32, directory: &Path) -> String {
    let job = changed(write_job(directory), json!({ "queue_depth": 8 }));
    let script = format!("ulimit -n {descriptors}; exec \"$0\" run");
    let mut child = Command::new("sh")
        .args(["-c", &script, common::PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // One that has given up reads no more.
    let _ = writeln!(input, "{job}\n{}", json!({ "start_boottime_ns": 0 }));
    drop(input);
    let said = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr)
}

#[test]
fn several_operations_at_once_are_never_one_after_the_other() {
    let directory = tempdir().unwrap();
    if !deep_with(64, directory.path()).contains("\"engine\":\"io-uring\"") {
        return; // in memory, or a kernel without it
    }
    let said = (4..24).map(|descriptors| deep_with(descriptors, directory.path()));
    let said = said.collect::<Vec<_>>();
    assert!(
        said.iter()
            .all(|text| !text.contains("\"engine\":\"plain\""))
    );
    assert!(
        said.iter().any(|text| text.contains("no io_uring for")),
        "{said:?}"
    );
}
