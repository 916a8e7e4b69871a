//! An agent under test: started as a controller would, and talked to line by line.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_seatrial-agent");

/// A job that writes two files of 64 KiB.
pub fn write_job(directory: &Path) -> Value {
    json!({
        "protocol": 3, "run_id": "5ea000000000000f", "client": "c1", "client_index": 1,
        "tasks": 2, "phase": "write", "pattern": "sequential", "layout": "n-n",
        "transfer_bytes": 8192, "file_bytes": 65536, "directory": directory, "files": ["a", "b"],
        "fsync": "file", "close_in_timing": true, "generation": 1, "seed": 7,
    })
}

/// The same files, read and checked.
pub fn read_job(directory: &Path) -> Value {
    changed(
        write_job(directory),
        json!({ "phase": "read", "verify": true, "fsync": "none" }),
    )
}

/// A job of one task that reads zeros until it is stopped.
pub fn endless_job(directory: &TempDir) -> Value {
    std::os::unix::fs::symlink("/dev/zero", directory.path().join("zero")).unwrap();
    changed(
        write_job(directory.path()),
        json!({
            "phase": "read", "tasks": 1, "files": ["zero"], "fsync": "none",
            "file_bytes": 1_u64 << 50,
        }),
    )
}

/// A job with other values for some fields.
pub fn changed(mut job: Value, changes: Value) -> Value {
    let Value::Object(changes) = changes else {
        panic!("changes are an object")
    };
    job.as_object_mut().unwrap().extend(changes);
    job
}

/// A running agent.
pub struct Agent {
    pub child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Agent {
    /// Starts `seatrial-agent run`.
    pub fn start() -> Self {
        Self::start_command(Command::new(PROGRAM).arg("run"))
    }

    /// Starts a command that becomes an agent.
    pub fn start_command(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().map(BufReader::new);
        Self {
            child,
            stdin,
            stdout,
        }
    }

    /// Starts an agent, gives it a job, and waits until it is ready.
    pub fn ready(job: &Value) -> Self {
        let mut agent = Self::start();
        agent.send(job);
        agent.wait_for("ready");
        agent
    }

    /// Starts an agent and lets it do a job; returns the last line and the exit code.
    pub fn run(job: &Value) -> (Value, i32) {
        let mut agent = Self::ready(job);
        agent.go();
        let done = agent.wait_for("done");
        (done, agent.exit_code())
    }

    /// Sends a line.
    pub fn send(&mut self, line: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Sends the start.
    pub fn go(&mut self) {
        self.send(&json!({ "start_boottime_ns": 0 }));
    }

    /// Hangs up.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Stops listening.
    pub fn close_output(&mut self) {
        self.stdout = None;
    }

    /// The next line.
    pub fn event(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("`{line}`: {error}"))
    }

    /// The next line of a kind; lines of other kinds are skipped.
    pub fn wait_for(&mut self, kind: &str) -> Value {
        loop {
            let event = self.event();
            if event["event"] == kind {
                return event;
            }
            assert_ne!("done", event["event"], "no `{kind}` came");
        }
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .arg(name)
            .arg(self.child.id().to_string())
            .status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end.
    pub fn exit_code(mut self) -> i32 {
        self.child
            .wait()
            .unwrap()
            .code()
            .expect("it ended by itself")
    }
}
