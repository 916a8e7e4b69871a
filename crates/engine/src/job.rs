//! The job: what the controller asks an agent to do.
//!
//! One JSON object; an unknown key is an error. `docs/agent.md` describes each field for users.

use std::collections::HashSet;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use seatrial_content::{BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, block_bytes_for};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// Version of the conversation between controller and agent. A job of another one is refused.
pub const PROTOCOL_VERSION: u32 = 1;

/// Bytes of the largest record.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// The longest time limit, in seconds: some thirty years.
const TIME_LIMIT_S_MAX: f64 = 1e9;

/// What one agent is to do in one phase.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// [`PROTOCOL_VERSION`] of the controller.
    pub protocol: u32,
    /// The run that all blocks name.
    pub run_id: RunId,
    /// Name of this client, for reports.
    pub client: String,
    /// Number of this client among those of the run.
    pub client_index: u16,
    /// Threads on this client.
    pub tasks: u16,
    /// What is done.
    pub phase: Phase,
    /// In which order records are touched.
    pub pattern: Pattern,
    /// How records lie in files.
    pub layout: Layout,
    /// Bytes of a record: what one operation reads or writes.
    pub record_bytes: u64,
    /// Bytes of each file.
    pub file_bytes: u64,
    /// Directory on the storage under test.
    pub directory: PathBuf,
    /// Names of the files, relative to the directory; one per task.
    pub files: Vec<String>,
    /// For each file, the index of the client that wrote it; empty when this client did.
    #[serde(default)]
    pub writer_client_indexes: Vec<u16>,
    /// Whether the page cache is passed by (`O_DIRECT`).
    #[serde(default)]
    pub direct: bool,
    /// When written data is made durable.
    #[serde(default)]
    pub fsync: Fsync,
    /// Whether closing the file counts into the time of a task.
    #[serde(default)]
    pub close_in_timing: bool,
    /// How many times the files have been written, this time included; when reading, the last.
    #[serde(default = "first_generation")]
    pub generation: u32,
    /// Where random orders start from. Each client and task derives its own.
    #[serde(default)]
    pub seed: u64,
    /// Whether each block is checked while reading.
    #[serde(default)]
    pub verify: bool,
    /// Where the operation log goes: a path on a local disk of the client.
    #[serde(default)]
    pub log: Option<PathBuf>,
    /// After how many seconds tasks stop, finished or not.
    #[serde(default)]
    pub time_limit_s: Option<f64>,
    /// Bytes of a block of content; by default what [`block_bytes_for`] says. Needed to read
    /// with other records than those that the file was written with.
    #[serde(default)]
    pub block_bytes: Option<usize>,
    /// What happens to a file that is there already; by default as the pattern wants it.
    #[serde(default)]
    pub existing: Option<Existing>,
}

/// What a phase does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Write the files.
    Write,
    /// Read the files.
    Read,
}

/// In which order the records of a file are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// From the first to the last.
    Sequential,
    /// Each once, in random order.
    Random,
}

/// How the records of the tasks lie in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Each task has a file of its own.
    NN,
}

/// When written data is made durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fsync {
    /// Not by the job.
    #[default]
    None,
    /// Once per file, after its last record, inside the timing.
    File,
    /// After each record, as part of the operation.
    Record,
}

/// What happens to a file that is there already when it is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Existing {
    /// It is emptied before the start.
    Truncate,
    /// Its content stays and is overwritten in place.
    Keep,
}

/// The number of a run, 16 hexadecimal digits in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunId(pub u64);

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

impl std::str::FromStr for RunId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).map(Self)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| {
            de::Error::custom(format!(
                "`{text}` is not a number of at most 16 hexadecimal digits"
            ))
        })
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What is wrong with a job, in one sentence that names the field.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum JobError {
    /// The text is not a job.
    #[error("wrong job: {0}")]
    Unreadable(String),
    /// A field has a value that makes no sense.
    #[error("wrong job: field `{field}` {problem}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
}

const fn first_generation() -> u32 {
    1
}

impl Job {
    /// Reads a job and checks that it makes sense.
    ///
    /// # Errors
    /// Says in one sentence which field is wrong and why.
    pub fn from_json(text: &str) -> Result<Self, JobError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let job: Self = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let field = error.path().to_string();
            let problem = error.into_inner().to_string();
            JobError::Unreadable(match field.as_str() {
                "." | "?" => problem,
                _ => format!("field `{field}`: {problem}"),
            })
        })?;
        deserializer
            .end()
            .map_err(|error| JobError::Unreadable(error.to_string()))?;
        job.check()?;
        Ok(job)
    }

    /// Bytes of a block of content.
    pub fn content_block_bytes(&self) -> usize {
        self.block_bytes
            .or_else(|| block_bytes_for(self.record_bytes))
            .unwrap_or(BLOCK_BYTES_MAX)
    }

    /// Records of one file.
    pub const fn records_per_file(&self) -> u64 {
        self.file_bytes / self.record_bytes
    }

    /// Index of the client that wrote, or is to write, a file.
    pub fn writer_client_index(&self, file_index: usize) -> u16 {
        self.writer_client_indexes
            .get(file_index)
            .copied()
            .unwrap_or(self.client_index)
    }

    /// What happens to files that are there when the phase begins.
    pub fn existing_files(&self) -> Existing {
        self.existing.unwrap_or(match self.pattern {
            Pattern::Sequential => Existing::Truncate,
            Pattern::Random => Existing::Keep,
        })
    }

    /// Checks what the types cannot express.
    fn check(&self) -> Result<(), JobError> {
        if self.protocol != PROTOCOL_VERSION {
            return field_error(
                "protocol",
                format!("is {}, this agent speaks {PROTOCOL_VERSION}", self.protocol),
            );
        }
        if self.tasks == 0 {
            return field_error("tasks", "must be at least 1".into());
        }
        if let Some(limit_s) = self.time_limit_s
            && !(limit_s > 0.0 && limit_s <= TIME_LIMIT_S_MAX)
        {
            return field_error(
                "time_limit_s",
                "must be above 0 and at most 1e9, or null".into(),
            );
        }
        self.check_sizes()?;
        self.check_files()
    }

    fn check_sizes(&self) -> Result<(), JobError> {
        let record_bytes = self.record_bytes;
        if record_bytes > RECORD_BYTES_MAX || block_bytes_for(record_bytes).is_none() {
            return field_error(
                "record_bytes",
                format!("is {record_bytes}, must be a multiple of 512 up to {RECORD_BYTES_MAX}"),
            );
        }
        if self.file_bytes == 0 || !self.file_bytes.is_multiple_of(record_bytes) {
            return field_error(
                "file_bytes",
                format!(
                    "is {}, must be whole records of {record_bytes}",
                    self.file_bytes
                ),
            );
        }
        let block_bytes = self.content_block_bytes();
        let is_block = block_bytes.is_power_of_two()
            && (BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX).contains(&block_bytes);
        if !is_block || !record_bytes.is_multiple_of(block_bytes as u64) {
            return field_error(
                "block_bytes",
                format!(
                    "is {block_bytes}, must be a power of two from 512 to 4096 that divides \
                     `record_bytes`"
                ),
            );
        }
        Ok(())
    }

    fn check_files(&self) -> Result<(), JobError> {
        if self.files.len() != usize::from(self.tasks) {
            return field_error(
                "files",
                format!("has {} names for {} tasks", self.files.len(), self.tasks),
            );
        }
        let mut seen = HashSet::new();
        for name in &self.files {
            let is_plain = !name.is_empty()
                && Path::new(name)
                    .components()
                    .all(|part| matches!(part, Component::Normal(_)));
            if !is_plain {
                return field_error("files", format!("has `{name}`, which leaves the directory"));
            }
            if !seen.insert(name) {
                return field_error("files", format!("names `{name}` twice"));
            }
        }
        let writers = self.writer_client_indexes.len();
        if writers != 0 && writers != self.files.len() {
            return field_error(
                "writer_client_indexes",
                format!("has {writers} entries for {} files", self.files.len()),
            );
        }
        Ok(())
    }
}

/// Shortens the many returns above.
fn field_error(field: &'static str, problem: String) -> Result<(), JobError> {
    Err(JobError::Field { field, problem })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn valid() -> Value {
        json!({
            "protocol": 1, "run_id": "00000000000000ff", "client": "c1", "client_index": 1,
            "tasks": 2, "phase": "write", "pattern": "sequential", "layout": "n-n",
            "record_bytes": 8192, "file_bytes": 65536, "directory": "/mnt", "files": ["a", "b"],
            "writer_client_indexes": [1, 1], "direct": false, "fsync": "file",
            "close_in_timing": true, "generation": 1, "seed": 7, "verify": false, "log": null,
            "time_limit_s": null,
        })
    }

    fn message_after(field: &str, value: Value) -> String {
        let mut job = valid();
        job[field] = value;
        Job::from_json(&job.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn a_job_is_read() {
        let job = Job::from_json(&valid().to_string()).unwrap();
        assert_eq!(RunId(255), job.run_id);
        assert_eq!(8, job.records_per_file());
        assert_eq!(4096, job.content_block_bytes());
        assert_eq!(Existing::Truncate, job.existing_files());
    }

    #[test]
    fn each_mistake_names_its_field() {
        for (field, value) in [
            ("protocol", json!(2)),
            ("run_id", json!("xyz")),
            ("client_index", json!(-1)),
            ("tasks", json!(0)),
            ("phase", json!("wriet")),
            ("pattern", json!("spiral")),
            ("layout", json!("n-m")),
            ("record_bytes", json!(1000)),
            ("record_bytes", json!(128 << 20)),
            ("record_bytes", json!("8KiB")),
            ("file_bytes", json!(65537)),
            ("file_bytes", json!(0)),
            ("files", json!(["a"])),
            ("files", json!(["a", "a"])),
            ("files", json!(["a", "../b"])),
            ("files", json!(["a", "/b"])),
            ("files", json!(["a", ""])),
            ("writer_client_indexes", json!([1])),
            ("fsync", json!("often")),
            ("time_limit_s", json!(0)),
            ("block_bytes", json!(3000)),
            ("colour", json!("red")),
        ] {
            let message = message_after(field, value);
            assert!(
                message.contains(&format!("`{field}`")),
                "{field}: {message}"
            );
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn a_missing_field_is_named() {
        let mut job = valid();
        job.as_object_mut().unwrap().remove("record_bytes");
        let message = Job::from_json(&job.to_string()).unwrap_err().to_string();
        assert!(message.contains("`record_bytes`"), "{message}");
    }

    #[test]
    fn text_that_is_no_job_is_refused() {
        for text in ["", "[]", "{", "{}", "hello", "{} {}"] {
            assert!(Job::from_json(text).is_err(), "{text}");
        }
    }
}
