//! `seatrial-agent clock`: the far end of a measurement of clock offsets.
//!
//! The controller sends a line, notes when it did, and reads the answer: half the round trip
//! bounds the error, as in the Network Time Protocol.

use std::fs;
use std::io::{self, BufRead, Write};

use seatrial_engine::WallClock;
use serde_json::json;

use crate::Ending;

/// Differs from boot to boot: times of two boots cannot be compared by their clock.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Answers each line at once; ends with the input.
pub(crate) fn run() -> anyhow::Result<Ending> {
    let boot = fs::read_to_string(BOOT_ID)?.trim().to_owned();
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
