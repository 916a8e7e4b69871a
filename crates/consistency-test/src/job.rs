//! What the controller asks for.

use std::path::PathBuf;

use seatrial_job::RunId;
use serde::Deserialize;

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
    /// The name of its kind.
    pub consistency_test: String,
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
    /// Rename: errors by which the file system reports that it did nothing and must be asked again.
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
pub struct JobError(pub(crate) String);

impl Job {
    /// The client with the files that this one looks at: the next, or itself when it is alone.
    pub const fn neighbour(&self) -> u16 {
        (self.client_index + 1) % self.clients
    }
}
