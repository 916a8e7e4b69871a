//! `seatrial-agent`: loads storage and checks every byte.
//!
//! The controller pushes this program to each client. It talks to it through ssh or a launcher: one
//! job on standard input, one line a second on standard output. It never listens on a port.
//! `check`, `verify` and `generate` work alone, on local files. `docs/agent.md` is the manual.

mod burn;
mod check;
mod clock;
mod consistency_test;
mod cpu;
mod ending;
mod events;
mod generate;
mod group;
mod identity;
mod input;
mod limits;
mod log;
mod run;
mod signals;
mod size;
mod stdin;
mod telemetry;
mod verify;
mod version;
mod waiting;
mod wall_clock;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::ending::{Ending, complain};

#[global_allocator]
static ALLOCATOR: limits::Allocator = limits::Allocator;

/// Loads storage and checks every byte.
#[derive(Debug, Parser)]
#[command(name = "seatrial-agent", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Do one job, which comes as one line of JSON on standard input
    Run,
    /// Do a consistency test; each client keeps a history. The job is one line of JSON on standard
    /// input
    ConsistencyTest,
    /// Keep a processor busy for a share of the time, until standard input ends
    Burn(burn::Arguments),
    /// Answer each line on standard input with the time of this machine's clocks
    Clock,
    /// Check a file, stream or block device that `generate` or `run` wrote
    Check(check::Arguments),
    /// Write a file, stream or block device that `check` can check
    Generate(generate::Arguments),
    /// Serve one client of a group that a launcher (srun, mpirun) started as one step
    Group(group::Arguments),
    /// Print an operation log as lines of JSON
    Log(log::Arguments),
    /// Print how busy this machine is, line by line, until standard input ends
    Watch(watch::Arguments),
    /// Compare a directory with the operation logs of all clients that wrote to it
    Verify(verify::Arguments),
    /// Print name, version and protocol
    Version(version::Arguments),
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(limits::end_on_panic));
    let result = match Arguments::parse().command {
        Command::Run => run::run(),
        Command::ConsistencyTest => consistency_test::run(),
        Command::Burn(arguments) => burn::run(&arguments),
        Command::Clock => clock::run(),
        Command::Check(arguments) => check::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Group(arguments) => group::run(&arguments),
        Command::Log(arguments) => log::run(&arguments),
        Command::Watch(arguments) => watch::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Version(arguments) => version::run(&arguments),
    };
    let ending = result.unwrap_or_else(|error| {
        complain(&format!("{error:#}"));
        Ending::NotDone
    });
    ExitCode::from(ending as u8)
}
