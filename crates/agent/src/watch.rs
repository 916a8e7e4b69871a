//! `seatrial-agent watch`: the load of a machine, line by line, until standard input ends.

use std::io::{self, Write};

use seatrial_measure::{Nanoseconds, boottime_ns};
use serde::Serialize;

use crate::ending::Ending;
use crate::stdin::ends_before;
use crate::telemetry::{DiskSampler, Disks, Sampler, Telemetry};
use crate::wall_clock::Watcher;

/// What to print, and how often.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Time from line to line, in milliseconds
    #[arg(long, value_name = "NUMBER", default_value_t = 1000,
          value_parser = clap::value_parser!(u64).range(10..=3_600_000))]
    interval_ms: u64,
}

/// One line.
#[derive(Debug, Serialize)]
struct Line {
    event: &'static str,
    boottime_ns: Nanoseconds,
    interval_ns: Nanoseconds,
    telemetry: Telemetry,
    disks: Disks,
}

/// Prints a line at the end of each interval; ends with standard input.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let interval_ns = arguments.interval_ms * Nanoseconds(1_000_000);
    let (mut sampler, mut disk_sampler) = (Sampler::new(), DiskSampler::new());
    let mut wall_clock = Watcher::new();
    let mut sampled_ns = boottime_ns();
    let mut next_ns = sampled_ns + interval_ns;
    while !ends_before(next_ns)? {
        let now_ns = boottime_ns();
        let line = Line {
            event: "telemetry",
            boottime_ns: boottime_ns(),
            interval_ns: now_ns - sampled_ns,
            telemetry: sampler.sample(),
            disks: disk_sampler.sample(),
        };
        if print(&line).is_err() || wall_clock.tell().is_err() {
            // Nobody reads any more.
            return Ok(Ending::NotDone);
        }
        sampled_ns = now_ns;
        // A machine that could not keep up leaves lines out.
        next_ns += (now_ns.saturating_sub(next_ns).0 / interval_ns.0 + 1) * interval_ns;
    }
    Ok(Ending::Ok)
}

fn print(line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(&text)?;
    stdout.flush()
}
