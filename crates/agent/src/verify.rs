//! `seatrial-agent verify`: compares a directory with the operation logs of all who wrote to it.

use std::convert::Infallible;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use seatrial_job::LogHead;
use seatrial_log::LogReader;
use seatrial_verify::{
    FileExtent, History, LogSummary, NameFinding, Options, Report, is_unreadable,
};
use serde_json::{Value, json};

use crate::ending::{Ending, complain};

/// Nanoseconds of a millisecond.
const NS_PER_MS: u64 = 1_000_000;

/// The arguments of `verify`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Where the jobs' directory is now
    #[arg(long)]
    directory: PathBuf,
    /// An operation log; those of all clients and jobs that wrote to the directory are needed. Each
    /// is timed by its client's time since boot; `AHEAD_NS:` is the distance by which that is ahead
    /// of the clock that they are compared by
    #[arg(
        long = "log",
        required = true,
        value_name = "[AHEAD_NS:]PATH",
        allow_hyphen_values = true
    )]
    logs: Vec<TimedLog>,
    /// A missing directory is lost with all its files; without this it is a mistake
    #[arg(long)]
    may_be_gone: bool,
    /// What the storage answers with an error of I/O is lost: for callers who know that every
    /// client gets it
    #[arg(long)]
    unreadable_is_lost: bool,
    /// Writes are durable once they are acknowledged, without an fsync
    #[arg(long)]
    acknowledged_is_durable: bool,
    /// Changes of names are not durable before an fsync
    #[arg(long)]
    names_need_sync: bool,
    /// How much the clocks of two clients may differ
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    clock_error_ms: u64,
}

/// A log, and what its times mean to others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TimedLog {
    /// `None`: not given.
    ahead_ns: Option<i64>,
    path: PathBuf,
}

impl FromStr for TimedLog {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (ahead_ns, path) = text
            .split_once(':')
            .and_then(|(ahead, path)| Some((Some(ahead.parse().ok()?), path)))
            .unwrap_or((None, text));
        Ok(Self {
            ahead_ns,
            path: path.into(),
        })
    }
}

/// Compares, and prints the lost and wrong content.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let directory = &arguments.directory;
    let complained = |problem: &str, ending| {
        complain(&format!("`{}` {problem}", directory.display()));
        Ok(ending)
    };
    match fs::metadata(directory) {
        Ok(found) if !found.is_dir() => {
            return complained("is not a directory", Ending::WrongUse);
        }
        Ok(_) => {}
        // Storage that does not answer, or a stale handle, has lost nothing yet.
        Err(error) if arguments.may_be_gone && error.kind() == io::ErrorKind::NotFound => {}
        Err(error) if arguments.unreadable_is_lost && is_unreadable(&error) => {}
        Err(error) => {
            let ending = ending_of(&error, Ending::WrongUse);
            return complained(&format!("cannot be looked into: {error}"), ending);
        }
    }
    let clock_error_ns = if is_comparable(&arguments.logs) {
        arguments.clock_error_ms.saturating_mul(NS_PER_MS)
    } else {
        u64::MAX
    };
    let mut history = History::new(Options {
        acknowledged_is_durable: arguments.acknowledged_is_durable,
        names_need_sync: arguments.names_need_sync,
        clock_error_ns,
        unreadable_is_lost: arguments.unreadable_is_lost,
    });
    let mut summaries = Vec::new();
    for TimedLog { ahead_ns, path } in &arguments.logs {
        match add(&mut history, path, ahead_ns.unwrap_or(0)) {
            Ok(summary) => summaries.push((path, summary)),
            Err(error) => {
                complain(&format!("`{}`: {error}", path.display()));
                return Ok(Ending::NotDone);
            }
        }
    }
    let report = match history.verify(directory) {
        Ok(report) => report,
        Err((file, error)) => {
            complain(&format!("cannot read `{file}`: {error}"));
            return Ok(ending_of(&error, Ending::NotDone));
        }
    };
    let text = if arguments.json {
        to_json(&summaries, &report).to_string()
    } else {
        to_text(&report)
    };
    writeln!(io::stdout(), "{text}")?;
    Ok(if report.is_clean() {
        Ending::Ok
    } else {
        Ending::Damage
    })
}

/// What an error means to the caller: who else can read it is worth asking.
fn ending_of(error: &io::Error, otherwise: Ending) -> Ending {
    if is_unreadable(error) {
        Ending::Unreadable
    } else {
        otherwise
    }
}

/// Whether the logs' times can be compared: their distances are given, or one boot counted them
/// all. Otherwise no operation of one client is certainly before one of another.
fn is_comparable(logs: &[TimedLog]) -> bool {
    if logs.len() == 1 || logs.iter().all(|log| log.ahead_ns.is_some()) {
        return true;
    }
    let boot = |log: &TimedLog| {
        LogHead::from_json(LogReader::open(&log.path).ok()?.head.as_ref()?)
            .ok()?
            .boot
    };
    let first = boot(&logs[0]);
    first.is_some() && logs.iter().all(|log| boot(log) == first)
}

fn add(history: &mut History, path: &Path, ahead_ns: i64) -> anyhow::Result<LogSummary> {
    Ok(history.add(&LogReader::open(path)?, ahead_ns)?)
}

fn to_json(summaries: &[(&PathBuf, LogSummary)], report: &Report) -> Value {
    let logs: Vec<_> = summaries
        .iter()
        .map(|(path, summary)| {
            json!({
                "log": path.display().to_string(),
                "run_id": format!("{:016x}", summary.run),
                "client_index": summary.client_index,
                "phase": summary.phase,
                "generation": summary.generation,
                "tasks": summary.tasks,
                "tasks_complete": summary.tasks_complete,
            })
        })
        .collect();
    let mut object = json!({
        "logs": logs,
        "files": report.files,
        "blocks": report.blocks,
        "must": report.must,
        "may": report.may,
        "lost": report.lost,
        "wrong": report.wrong,
        "extents": report.extents.iter().map(extent_json).collect::<Vec<_>>(),
        "names_checked": report.names_checked,
        "names": report.names.iter().map(name_json).collect::<Vec<_>>(),
    });
    if report.extents_omitted > 0 {
        object["extents_omitted"] = report.extents_omitted.into();
    }
    if report.names_omitted > 0 {
        object["names_omitted"] = report.names_omitted.into();
    }
    object
}

fn extent_json(extent: &FileExtent) -> Value {
    json!({
        "class": extent.class,
        "file": extent.file,
        "offset": extent.offset,
        "length": extent.length,
        "rule": extent.rule.name(),
        "detail": extent.detail,
    })
}

fn name_json(name: &NameFinding) -> Value {
    json!({
        "class": name.class,
        "file": name.file,
        "rule": name.rule.name(),
        "detail": name.detail,
    })
}

fn to_text(report: &Report) -> String {
    let mut lines: Vec<_> = report
        .extents
        .iter()
        .map(|extent| {
            format!(
                "{:<12} {} bytes at {} of `{}`: {}",
                extent.class, extent.length, extent.offset, extent.file, extent.detail
            )
        })
        .collect();
    let names = report.names.iter();
    lines.extend(names.map(|name| format!("{:<12} `{}`: {}", name.class, name.file, name.detail)));
    let omitted = report.extents_omitted + report.names_omitted;
    if omitted > 0 {
        lines.push(format!("and {omitted} more"));
    }
    lines.push(format!(
        "{} blocks, {} of {} that must be there lost, {} wrong; {} names, {} wrong",
        report.blocks,
        report.lost,
        report.must,
        report.wrong,
        report.names_checked,
        report.names.len() as u64 + report.names_omitted,
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use seatrial_log::{LogWriter, Survives};

    use super::*;

    #[test]
    fn logs_of_several_boots_need_their_distances() {
        let folder = tempfile::tempdir().unwrap();
        let log = |name: &str, boot: &Value, ahead_ns| {
            let path = folder.path().join(name);
            let job = json!({
                "protocol": 3, "run_id": "ff", "client": "c1", "client_index": 0, "tasks": 1,
                "phase": "write", "files": ["a"], "transfer_bytes": 4096, "file_bytes": 4096,
                "directory": "/mnt",
            });
            let head = json!({ "boottime_ns": 5, "boot": boot, "job": job }).to_string();
            drop(LogWriter::create(&path, 255, &head, Survives::Kill).unwrap());
            TimedLog { ahead_ns, path }
        };
        let (one, same) = (log("1", &json!("x"), None), log("2", &json!("x"), None));
        let other = log("3", &json!("y"), None);
        let unknown = log("4", &Value::Null, None);
        assert!(is_comparable(&[one.clone(), same]));
        assert!(is_comparable(std::slice::from_ref(&other)));
        assert!(!is_comparable(&[one.clone(), other]));
        assert!(!is_comparable(&[unknown.clone(), unknown]));
        let told = |log: &TimedLog| TimedLog {
            ahead_ns: Some(-3),
            ..log.clone()
        };
        assert!(is_comparable(&[told(&one), log("5", &json!("y"), Some(9))]));
        assert_eq!(Ok(told(&one)), format!("-3:{}", one.path.display()).parse());
        assert_eq!(Ok(one.clone()), one.path.display().to_string().parse());
    }
}
