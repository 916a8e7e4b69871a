//! What a machine does not have: memory, threads, `O_DIRECT`. The agent ends with its documented
//! exit code and one sentence.

mod common;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{PROGRAM, changed, write_job};
use serde_json::{Value, json};
use tempfile::tempdir;

/// Runs a job to its end, in a shell that sets `limit` first.
fn run_limited(limit: &str, job: &Value) -> Output {
    let directory = tempdir().unwrap();
    let input = directory.path().join("input");
    std::fs::write(&input, format!("{job}\n{{\"start_boottime_ns\":0}}\n")).unwrap();
    Command::new("sh")
        .arg("-c")
        .arg(format!("{limit}; exec \"$0\" run <\"$1\""))
        .arg(PROGRAM)
        .arg(input)
        .stdout(Stdio::null())
        .output()
        .unwrap()
}

fn job_of(tasks: u16, transfer_bytes: u64, directory: &Path) -> Value {
    let files: Vec<String> = (0..tasks).map(|task| format!("f{task}")).collect();
    changed(
        write_job(directory),
        json!({
            "tasks": tasks, "files": files, "transfer_bytes": transfer_bytes,
            "file_bytes": transfer_bytes,
        }),
    )
}

/// The one sentence on standard error of an agent that ended with exit code 3.
fn sentence(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(Some(3), output.status.code(), "{text}");
    assert_eq!(1, text.lines().count(), "{text}");
    text
}

#[test]
fn without_memory_it_says_what_to_do() {
    // Few tasks, so that their buffers and not their threads' stacks are what has no room.
    let directory = tempdir().unwrap();
    let output = run_limited("ulimit -v 220000", &job_of(4, 64 << 20, directory.path()));
    let text = sentence(&output);
    assert!(text.contains("memory left for"), "{text}");
    assert!(text.contains("fewer tasks"), "{text}");
}

#[test]
fn more_tasks_than_mappings_are_refused_before_they_start() {
    let directory = tempdir().unwrap();
    let output = run_limited(":", &job_of(u16::MAX, 512, directory.path()));
    let text = sentence(&output);
    assert!(text.contains("vm.max_map_count"), "{text}");
    assert_eq!(0, std::fs::read_dir(directory.path()).unwrap().count());
}

#[test]
fn a_file_system_without_direct_io_is_named() {
    // The files of /proc take no O_DIRECT, and there is nobody who could not read them.
    let job = changed(
        write_job(Path::new("/proc")),
        json!({
            "phase": "read", "tasks": 1, "files": ["version"], "direct": true, "fsync": "none",
        }),
    );
    let text = sentence(&run_limited(":", &job));
    assert!(text.contains("`/proc/version` with O_DIRECT"), "{text}");
    assert!(text.contains("set `direct` to false"), "{text}");
}
