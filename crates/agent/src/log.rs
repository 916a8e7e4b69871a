//! `seatrial-agent log`: prints an operation log, so that other programs need not know its format.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use seatrial_log::{Log, Operation, Outcome, Record};
use serde_json::{Value, json};

use crate::ending::{Ending, complain};

/// The arguments of `log`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The log
    file: PathBuf,
}

/// Prints one line per record, and at the end of each task whether that is all.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let log = match Log::read(&arguments.file) {
        Ok(log) => log,
        Err(error) => {
            complain(&format!("`{}`: {error}", arguments.file.display()));
            return Ok(Ending::WrongUse);
        }
    };
    let mut stdout = BufWriter::new(io::stdout().lock());
    for (task, records) in &log.tasks {
        for record in &records.records {
            writeln!(stdout, "{}", record_json(*task, record))?;
        }
        let end = json!({
            "task": task,
            "records": records.records.len(),
            "complete": records.is_complete,
            "pages_missing": records.pages_missing,
        });
        writeln!(stdout, "{end}")?;
    }
    let run = log.run.map(|run| format!("{run:016x}"));
    let head: Option<Value> = log
        .head
        .as_deref()
        .and_then(|head| serde_json::from_str(head).ok());
    let end = json!({
        "run_id": run,
        "version": log.version,
        "head": head,
        "tasks": log.tasks.len(),
        "pages_unreadable": log.pages_unreadable,
    });
    writeln!(stdout, "{end}")?;
    stdout.flush()?;
    let is_whole = log.pages_unreadable == 0
        && (log.version == 1 || log.head.is_some())
        && log.tasks.values().all(|task| task.is_complete);
    Ok(if is_whole { Ending::Ok } else { Ending::Damage })
}

fn record_json(task: u16, record: &Record) -> Value {
    let mut line = json!({
        "task": task,
        "operation": operation_name(record.operation),
        "outcome": outcome_name(record.outcome),
        "file_index": record.file_index,
        "generation": record.generation,
        "offset": record.offset,
        "length": record.length_bytes,
        "boottime_ns": record.boottime_ns,
    });
    if record.errno != 0 {
        line["errno"] = record.errno.into();
    }
    line
}

const fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Write => "write",
        Operation::Read => "read",
        Operation::Sync => "fsync",
        Operation::Close => "close",
        Operation::Create => "create",
        Operation::Mkdir => "mkdir",
        Operation::Remove => "remove",
        Operation::Rmdir => "rmdir",
        Operation::Rename => "rename",
        Operation::Utime => "utime",
        Operation::Truncate => "truncate",
    }
}

const fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Fail => "fail",
        Outcome::Unknown => "unknown",
    }
}
