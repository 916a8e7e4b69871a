//! What the controller asks for.

use std::path::PathBuf;

use seatrial_job::{PROTOCOL_VERSION, RunId, errno_named};
use serde::{Deserialize, Serialize};

/// Which consistency test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Byte-range locks on one file of all clients.
    Locks,
    /// Numbered records at the end of a file of one's own, which a neighbour reads.
    Append,
    /// All create the same names, of which each can be created once.
    Exclusive,
    /// Each renames its own names, each once.
    Rename,
    /// A file that is overwritten and closed, which a neighbour opens and reads.
    CloseToOpen,
}

impl Kind {
    /// As in the job.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Locks => "locks",
            Self::Append => "append",
            Self::Exclusive => "exclusive",
            Self::Rename => "rename",
            Self::CloseToOpen => "close-to-open",
        }
    }

    /// By how much of an interval its turns are late: a look counts the calls of its mount, and
    /// those of an `append` and a `close-to-open` side by side would be taken for one another's.
    pub(crate) const fn turns_late(self) -> f64 {
        match self {
            Self::CloseToOpen => 0.5,
            _ => 0.0,
        }
    }
}

/// One line of the controller.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Version of the conversation.
    pub protocol: u32,
    /// Number of the run.
    pub run_id: RunId,
    /// Name of this client.
    pub client: String,
    /// Its number in the consistency test, from 0.
    pub client_index: u16,
    /// How many clients do the consistency test.
    pub clients: u16,
    /// Which consistency test.
    pub consistency_test: Kind,
    /// On the storage under test; the same for all clients.
    pub directory: PathBuf,
    /// The history, on a local disk of the client.
    pub log: PathBuf,
    /// Whether the history survives a power cut of the client.
    #[serde(default)]
    pub log_sync: bool,
    /// The consistency test ends when the history has become longer.
    #[serde(default = "default_log_bytes_max")]
    pub log_bytes_max: u64,
    /// How often a second each client begins a turn.
    pub arrivals_per_s: f64,
    /// Locks: how many ranges all clients contend for.
    #[serde(default = "default_ranges")]
    pub ranges: u16,
    /// Locks: how long a range is held.
    #[serde(default = "default_hold_ms")]
    pub hold_ms: u64,
    /// Rename: errors by which the file system says that it did nothing and wants to be asked again.
    #[serde(default)]
    pub rename_again: Vec<String>,
    /// A longer time in which nothing completes is an outage.
    #[serde(default = "default_outage_threshold_s")]
    pub outage_threshold_s: f64,
}

const fn default_log_bytes_max() -> u64 {
    32 << 20
}

const fn default_ranges() -> u16 {
    2
}

const fn default_hold_ms() -> u64 {
    20
}

const fn default_outage_threshold_s() -> f64 {
    1.0
}

/// Why a job is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("wrong job: {0}")]
pub struct JobError(String);

impl Job {
    /// Reads a job.
    ///
    /// # Errors
    /// When it is not one, or asks for what cannot be.
    pub fn from_json(line: &str) -> Result<Self, JobError> {
        let job: Self = serde_json::from_str(line).map_err(|error| JobError(error.to_string()))?;
        let wrong = |sentence: &str| Err(JobError(sentence.to_owned()));
        if job.protocol != PROTOCOL_VERSION {
            return wrong(&format!("protocol must be {PROTOCOL_VERSION}"));
        }
        if job.client_index >= job.clients {
            return wrong("client_index must be less than clients");
        }
        if !(job.arrivals_per_s > 0.0 && job.arrivals_per_s <= 1e4) {
            return wrong("arrivals_per_s must be above 0, and at most 10000");
        }
        if job.ranges == 0 || job.hold_ms > 10_000 {
            return wrong("ranges must be at least 1, and hold_ms at most 10000");
        }
        if !(job.outage_threshold_s >= 0.001 && job.outage_threshold_s <= 1e6) {
            return wrong("outage_threshold_s must be at least 0.001");
        }
        if let Some(name) = job
            .rename_again
            .iter()
            .find(|name| errno_named(name).is_none())
        {
            return wrong(&format!("rename_again: `{name}` is no error of storage"));
        }
        Ok(job)
    }

    /// The client whose files this one looks at: the next, or itself when it is alone.
    pub const fn neighbour(&self) -> u16 {
        (self.client_index + 1) % self.clients
    }
}
