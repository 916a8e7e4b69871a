//! `seatrial-agent group`: one agent of many that a launcher of the cluster started as one step.
//!
//! A launcher (srun, mpirun, flux) copies one standard input to all of its tasks and mixes their
//! outputs. So every task reads the same requests, does those for its own client, and prefixes each
//! output line with the name of this client. With `--connect` the task reads and writes a
//! connection to the controller in their place. `docs/launchers.md` describes both directions.

mod child;
mod connection;
mod frame;
mod name;
mod request;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;
use seatrial_measure::{boot_id, boottime_ns};
use serde_json::json;

use self::child::Children;
use self::frame::{Kind, Output};
use self::name::Identity;
use self::request::{Hello, PROTOCOL, Request};
use crate::ending::{Ending, complain};
use crate::run::conversation::Conversation;
use crate::signals::Signals;

/// Interval of the lines that show that this agent lives.
const BEAT: Duration = Duration::from_secs(3);

/// The options of `seatrial-agent group`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Connect to the controller, at the first of these addresses that answers, in place of
    /// standard input and output; `SEATRIAL_GROUP_KEY` has the key of the step
    #[arg(long, value_name = "HOST:PORT")]
    connect: Vec<String>,
}

/// Serves requests until the input ends, a signal asks to stop, or the output has no reader.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    if !arguments.connect.is_empty()
        && let Err(sentence) = connection::connect(&arguments.connect)
    {
        complain(&sentence);
        return Ok(Ending::NotDone);
    }
    let mut conversation = Conversation::new(Signals::block()?);
    let Some(line) = conversation.next_line()? else {
        complain("no input: the launcher must copy its standard input to every task");
        return Ok(Ending::NotDone);
    };
    let hello = match Hello::from_json(&line) {
        Ok(hello) => hello,
        Err(sentence) => return Ok(wrong(&sentence)),
    };
    let identity = Identity::of_this_task();
    let client = match identity.client_among(&hello.clients) {
        Ok(client) => client.to_owned(),
        Err(sentence) => return Ok(wrong(&sentence)),
    };
    let output = Arc::new(Output::new(client.clone()));
    let about = json!({
        "protocol": PROTOCOL,
        "host": identity.host(),
        "rank": identity.rank(),
        "boot": boot_id(),
        "namespace": name::mount_namespace(),
        "boottime_ns": boottime_ns(),
    });
    if output.print(0, Kind::Hello, &about.to_string()).is_err() {
        return Ok(Ending::NotDone);
    }
    beat(&output)?;
    let mut children = Children::new(Arc::clone(&output));
    while let Some(line) = conversation.next_line()? {
        match Request::from_json(&line) {
            Ok(request) => children.serve(request, &client),
            Err(sentence) => {
                children.end_all();
                return Ok(wrong(&sentence));
            }
        }
    }
    children.end_all();
    let _reader_may_be_gone = output.print(0, Kind::Bye, "");
    Ok(Ending::Ok)
}

fn wrong(sentence: &str) -> Ending {
    complain(sentence);
    Ending::WrongUse
}

/// Prints a line at regular intervals, in a thread that ends with the process.
fn beat(output: &Arc<Output>) -> std::io::Result<()> {
    let output = Arc::clone(output);
    let beats = move || {
        while output.print(0, Kind::Beat, "").is_ok() {
            thread::sleep(BEAT);
        }
    };
    thread::Builder::new().name("beat".into()).spawn(beats)?;
    Ok(())
}
