//! `seatrial-agent version`: lets a controller find out whom it is talking to.

use std::io::{self, Write};

use serde_json::json;

use crate::ending::Ending;

/// The arguments of `version`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints name, version and protocol.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let protocol = seatrial_job::PROTOCOL_VERSION;
    let text = if arguments.json {
        json!({ "name": name, "version": version, "protocol": protocol }).to_string()
    } else {
        format!("{name} {version} (protocol {protocol})")
    };
    writeln!(io::stdout(), "{text}")?;
    Ok(Ending::Ok)
}
