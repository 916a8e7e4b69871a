//! Logs and files as agents would leave them, made by hand.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use seatrial_content::{Stamp, file_id};
use seatrial_log::{Log, LogWriter, Operation, Outcome, Record, Survives};
use seatrial_verify::{History, Options, Report};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Bytes of a record, which is two blocks.
pub const RECORD_BYTES: u64 = 8192;

/// Records of a file.
pub const RECORDS: u64 = 16;

/// When the first log begins.
pub const START_NS: u64 = 1_000_000_000_000;

const RUN: u64 = 0xab;

/// A directory, and what clients did to it.
pub struct Scene {
    pub directory: TempDir,
    pub options: Options,
    logs: Vec<Log>,
}

/// The acts of one task, which the scene takes.
pub struct Story {
    pub job: Value,
    begun_ns: u64,
    now_ns: u64,
    records: Vec<Record>,
    is_complete: bool,
}

impl Scene {
    pub fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            options: Options::default(),
            logs: Vec::new(),
        }
    }

    /// Takes in a story.
    pub fn add(&mut self, story: Story) {
        self.logs.push(story.into_log());
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes the content of a record as it would be written.
    pub fn put(&self, client: u16, generation: u32, record: u64) {
        let mut bytes = vec![0; RECORD_BYTES as usize];
        stamp(client, generation).fill(record * RECORD_BYTES, &mut bytes);
        self.put_bytes(record * RECORD_BYTES, &bytes);
    }

    pub fn put_bytes(&self, offset: u64, bytes: &[u8]) {
        let mut options = fs::OpenOptions::new();
        let file = options.create(true).truncate(false).write(true);
        let file = file.open(self.path("a")).unwrap();
        file.write_all_at(bytes, offset).unwrap();
    }

    pub fn report(&self) -> Report {
        let mut history = History::new(self.options);
        for log in &self.logs {
            history.add(&log.clone().into(), 0).unwrap();
        }
        history.verify(self.directory.path()).unwrap()
    }

    /// Class, rule, first transfer and number of bytes of everything that is lost or wrong.
    pub fn damage(&self) -> Vec<(&'static str, &'static str, u64, u64)> {
        let report = self.report();
        assert_eq!(report.extents.is_empty(), report.lost + report.wrong == 0);
        let extents = report.extents.iter().map(|extent| {
            assert_eq!("a", extent.file);
            (
                extent.class,
                extent.rule.name(),
                extent.offset / RECORD_BYTES,
                extent.length,
            )
        });
        extents.collect()
    }

    pub fn assert_clean(&self, what: &str) {
        let report = self.report();
        assert!(report.is_clean(), "{what}: {report:?}");
    }
}

/// The stamp of what a client writes.
pub fn stamp(client: u16, generation: u32) -> Stamp {
    Stamp {
        run: RUN,
        file: file_id("a"),
        generation,
        writer: Stamp::writer_of(client, 0),
        file_bytes: RECORDS * RECORD_BYTES,
        block_bytes: 4096,
    }
}

impl Story {
    /// A client that writes generation `generation` from `START_NS` + `after_s` seconds on. The
    /// first generation empties the file, later ones overwrite.
    pub fn write(client: u16, generation: u32, after_s: u64) -> Self {
        let job = json!({
            "protocol": 3, "run_id": format!("{RUN:x}"), "client": format!("c{client}"),
            "client_index": client, "tasks": 1, "phase": "write",
            "pattern": if generation == 1 { "sequential" } else { "rewrite" },
            "transfer_bytes": RECORD_BYTES, "file_bytes": RECORDS * RECORD_BYTES,
            "directory": "/mnt", "files": ["a"], "generation": generation,
        });
        let mut story = Self::of_job(job, after_s);
        let cut_to_bytes = if generation == 1 {
            0
        } else {
            RECORDS * RECORD_BYTES
        };
        story.push(Operation::Truncate, Outcome::Ok, 0, cut_to_bytes, 0);
        story
    }

    /// A client that deals with four names.
    pub fn names(phase: &str, after_s: u64) -> Self {
        let job = json!({
            "protocol": 3, "run_id": format!("{RUN:x}"), "client": "c0", "client_index": 0,
            "tasks": 1, "phase": phase, "directory": "/mnt", "files": ["t"],
            "tree": { "items_per_directory": 4 },
        });
        Self::of_job(job, after_s)
    }

    pub fn of_job(job: Value, after_s: u64) -> Self {
        let begun_ns = START_NS + after_s * 1_000_000_000;
        Self {
            job,
            begun_ns,
            now_ns: begun_ns,
            records: Vec::new(),
            is_complete: true,
        }
    }

    fn push(
        &mut self,
        operation: Operation,
        outcome: Outcome,
        errno: u16,
        offset: u64,
        length_bytes: u64,
    ) {
        // Each operation takes a millisecond.
        self.now_ns += 1_000_000;
        self.records.push(Record {
            operation,
            outcome,
            errno,
            file_index: 0,
            generation: self.job["generation"].as_u64().unwrap_or(1) as u32,
            length_bytes: length_bytes as u32,
            offset,
            boottime_ns: self.now_ns,
        });
    }

    pub fn wrote(mut self, records: impl IntoIterator<Item = u64>, outcome: Outcome) -> Self {
        let errno = if outcome == Outcome::Ok { 0 } else { 5 };
        for record in records {
            let offset = record * RECORD_BYTES;
            self.push(Operation::Write, outcome, errno, offset, RECORD_BYTES);
        }
        self
    }

    pub fn did(mut self, operation: Operation, outcome: Outcome) -> Self {
        self.push(operation, outcome, 0, 0, 0);
        self
    }

    pub fn synced(self) -> Self {
        self.did(Operation::Sync, Outcome::Ok)
    }

    pub fn closed(self) -> Self {
        self.did(Operation::Close, Outcome::Ok)
    }

    pub fn named(mut self, operation: Operation, item: u64, outcome: Outcome, errno: u16) -> Self {
        self.push(operation, outcome, errno, item, 0);
        self
    }

    /// The log ends here, without the mark that this is all.
    pub fn cut(mut self) -> Self {
        self.is_complete = false;
        self
    }

    pub const fn is_cut(&self) -> bool {
        !self.is_complete
    }

    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.job[key] = value;
        self
    }

    pub fn into_log(self) -> Log {
        Log::from_bytes(&self.into_bytes()).unwrap()
    }

    pub fn into_bytes(self) -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let head = json!({ "boottime_ns": self.begun_ns, "job": self.job }).to_string();
        let writer = LogWriter::create(&path, RUN, &head, Survives::Kill).unwrap();
        let mut task = writer.task(0);
        for record in self.records {
            task.push(record).unwrap();
        }
        if self.is_complete {
            task.finish().unwrap();
        } else {
            task.flush().unwrap();
        }
        fs::read(&path).unwrap()
    }
}
