//! The exit codes of the agent, and its last message.

/// How the agent ends: a contract with its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The work was done without a failure.
    Ok = 0,
    /// The work was done, but there were errors of I/O, or damage was found.
    Damage = 1,
    /// The job or the command line is wrong.
    WrongUse = 2,
    /// Cancelled, or it could not be done.
    NotDone = 3,
    /// The storage answered with an I/O error for data that had to be compared.
    Unreadable = 4,
}

/// Prints one sentence with the mistake on standard error.
#[expect(clippy::print_stderr, reason = "this is where errors go")]
pub(crate) fn complain(sentence: &str) {
    eprintln!("seatrial-agent: {sentence}");
}
