//! `seatrial-agent burn`: keeps a processor busy for a share of the time, as other work on a server
//! would.

use std::hint;
use std::io::{self, Write};

use seatrial_measure::{Nanoseconds, boottime_ns};

use crate::ending::Ending;
use crate::stdin::ends_before;

/// Short against a request's time on a network, long against a change of context.
const SLICE_NS: Nanoseconds = Nanoseconds(20_000_000);

/// How busy.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Of one processor, from above 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = share)]
    share: f64,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1.0 => Ok(value),
        _ => Err("a share is above 0 and at most 1".to_owned()),
    }
}

/// Prints a line when it has begun, and ends with standard input.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{{\"event\":\"burning\"}}")?;
    stdout.flush()?;
    let busy_ns = busy_ns(arguments.share);
    let mut begin_ns = boottime_ns();
    while !ends_before(begin_ns)? {
        while boottime_ns() < begin_ns + busy_ns {
            hint::spin_loop();
        }
        // What came late is not made up for: other work would not do that either.
        begin_ns = (begin_ns + SLICE_NS).max(boottime_ns());
    }
    Ok(Ending::Ok)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of 20 ms"
)]
fn busy_ns(share: f64) -> Nanoseconds {
    Nanoseconds((share * SLICE_NS.0 as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_above_nothing_and_at_most_all() {
        for text in ["0", "-1", "1.01", "NaN", "half"] {
            assert!(share(text).is_err(), "{text}");
        }
        assert_eq!(share("1"), Ok(1.0));
        assert_eq!(2 * busy_ns(0.5), SLICE_NS);
    }
}
