//! `seatrial-agent check`: separates valid blocks from all others.

mod report;
mod scan;

use std::io::{self, Write};
use std::path::PathBuf;

use seatrial_content::Expectation;

use crate::ending::{Ending, complain};
use crate::identity::{Identity, default_stamp};
use crate::input::Input;
use crate::size::parse_size;

/// The arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Expected bytes; by default the size that the blocks state
    #[arg(long, value_parser = parse_size)]
    size: Option<u64>,
    #[command(flatten)]
    identity: Identity,
    /// File or block device, or `-` for standard input
    file: PathBuf,
}

/// Checks the file and prints its contents.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let name = arguments.file.display();
    let mut input = match Input::open(&arguments.file) {
        Ok(input) => input,
        Err(error) => {
            complain(&format!("cannot open `{name}`: {error}"));
            return Ok(Ending::WrongUse);
        }
    };
    let expectation = expectation_of(arguments, &input);
    let report = scan::check(&mut input, expectation.as_ref(), arguments.size);
    let text = if arguments.json {
        report.to_json().to_string()
    } else {
        report.to_text()
    };
    writeln!(io::stdout(), "{text}")?;
    Ok(if report.is_valid() {
        Ending::Ok
    } else {
        Ending::Damage
    })
}

/// The expected file: the options of the command line, and for the rest the majority of the blocks.
/// `None` when neither has anything.
fn expectation_of(arguments: &Arguments, input: &Input) -> Option<Expectation> {
    let identity = &arguments.identity;
    let claimed = match input.ballot.winner() {
        Some(claimed) => claimed.stamp,
        None if identity.is_sufficient() => {
            // No block is long enough to say how long the file was to become.
            let length_bytes = arguments.size.or(input.length_bytes);
            default_stamp(0, length_bytes.unwrap_or(0))
        }
        None => return None,
    };
    Some(Expectation {
        stamp: identity.apply(&claimed),
        any_writer: identity.writer.is_none(),
    })
}
