//! `seatrial-agent clock`: the far end of a measurement of clock offsets.
//!
//! The controller sends a line, notes when it did, and reads the answer: half the round trip
//! bounds the error, as in the Network Time Protocol.

use std::io::{self, BufRead, Write};

use seatrial_measure::{WallClock, boot_id};
use serde_json::json;

use crate::ending::Ending;

/// Answers each line at once; ends with the input.
pub(crate) fn run() -> anyhow::Result<Ending> {
    let boot = boot_id();
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        line?;
        let now = WallClock::read();
        let answer = json!({
            "boottime_ns": now.boottime_ns,
            "wall_ns": now.wall_ns(),
            "boot": boot,
        });
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(Ending::Ok)
}
