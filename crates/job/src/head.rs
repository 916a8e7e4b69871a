//! The head of an operation log: what its reader has to know of the job.

use serde_json::{Value, json};

use crate::job::{Job, JobError};

/// The head of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogHead {
    /// When the log was begun, by the clock of this client: before any file was opened.
    pub boottime_ns: u64,
    /// The boot that starts that clock, when it is known. Times of two boots cannot be compared.
    pub boot: Option<String>,
    /// The job of the agent.
    pub job: Job,
}

impl LogHead {
    /// The text of it.
    pub fn to_json(&self) -> String {
        json!({ "boottime_ns": self.boottime_ns, "boot": self.boot, "job": self.job }).to_string()
    }

    /// Reads a head.
    ///
    /// # Errors
    /// An error with one sentence that names the mistake.
    pub fn from_json(text: &str) -> Result<Self, JobError> {
        let head: Value = serde_json::from_str(text)
            .map_err(|error| JobError::Unreadable(format!("head of the log: {error}")))?;
        let boottime_ns = head["boottime_ns"]
            .as_u64()
            .ok_or_else(|| JobError::Unreadable("head of the log: no `boottime_ns`".into()))?;
        let job = Job::from_json(&head["job"].to_string())?;
        let boot = head["boot"].as_str().map(str::to_owned);
        Ok(Self {
            boottime_ns,
            boot,
            job,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_survives_the_head_of_a_log() {
        let job = json!({
            "protocol": 3, "run_id": "ff", "client": "c1", "client_index": 3, "tasks": 1,
            "phase": { "mixed": { "read_percent": 50.0 } }, "files": ["a/b"],
            "pattern": { "semi-random": { "next_transfers": 2, "working_set_transfers": 4 } },
            "layout": { "n-1-interleaved": { "first_rank": 2, "ranks": 4, "chunk_bytes": 4096 } },
            "transfer_bytes": 4096, "file_bytes": 65536, "directory": "/mnt", "fsync": "file",
            "existing": "keep", "hints": ["will-need"], "engine": "io-uring", "log": "/tmp/log",
        });
        let head = |boot| LogHead {
            boottime_ns: 7,
            boot,
            job: Job::from_json(&job.to_string()).unwrap(),
        };
        for head in [head(None), head(Some("b".into()))] {
            assert_eq!(Ok(&head), LogHead::from_json(&head.to_json()).as_ref());
        }
    }

    #[test]
    fn what_is_no_head_is_refused() {
        for text in [
            "",
            "{}",
            "[]",
            "{\"boottime_ns\":1}",
            "{\"boottime_ns\":1,\"job\":{}}",
        ] {
            assert!(LogHead::from_json(text).is_err(), "{text}");
        }
    }
}
