//! The input of a group: one JSON document a line, the same for every client.

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Version of the requests and of the output lines.
pub(crate) const PROTOCOL: u32 = 1;

/// The first line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hello {
    /// Version of the requests.
    group: u32,
    /// All clients, in the order of the ranks.
    pub(crate) clients: Vec<String>,
}

/// Any later line: requests for any number of clients, in the order of the fields.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Request {
    /// Inputs of commands in base64. Many clients get the same script, which is here once.
    pub(crate) inputs: Vec<String>,
    /// Commands to start.
    pub(crate) open: Vec<Open>,
    /// Lines for the input of running commands: stream and line.
    pub(crate) send: Vec<(u64, String)>,
    /// Commands that get no more input.
    pub(crate) close: Vec<u64>,
    /// Commands to end.
    pub(crate) end: Vec<u64>,
}

/// A command of one client.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Open {
    /// Its client; every other client ignores it.
    pub(crate) client: String,
    /// Number of the command, unique in the group.
    pub(crate) stream: u64,
    /// Text for `sh -c`.
    pub(crate) command: String,
    /// Index of its first input in `inputs`.
    #[serde(default)]
    pub(crate) input: Option<usize>,
}

impl Hello {
    pub(crate) fn from_json(line: &str) -> Result<Self, String> {
        let hello: Self = parsed(line)?;
        if hello.group == PROTOCOL {
            return Ok(hello);
        }
        let Self { group, .. } = hello;
        Err(format!(
            "the group has protocol {group}, this agent {PROTOCOL}"
        ))
    }
}

impl Request {
    pub(crate) fn from_json(line: &str) -> Result<Self, String> {
        parsed(line)
    }
}

fn parsed<T: DeserializeOwned>(line: &str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| format!("wrong request: {error}"))
}
