//! Whether a failed operation happened, as far as its error shows.

use rustix::io::Errno;
use seatrial_log as log;

/// Errors with which the kernel or the server refuses an operation before it changes anything.
/// Every other error means that the answer was lost, or has no certain meaning (`EIO`, `ETIMEDOUT`,
/// `ESTALE`, …).
const REFUSALS: [Errno; 25] = [
    Errno::PERM,
    Errno::NOENT,
    Errno::BADF,
    Errno::ACCESS,
    Errno::BUSY,
    Errno::EXIST,
    Errno::XDEV,
    Errno::NOTDIR,
    Errno::ISDIR,
    Errno::INVAL,
    Errno::NFILE,
    Errno::MFILE,
    Errno::TXTBSY,
    Errno::FBIG,
    Errno::NOSPC,
    Errno::SPIPE,
    Errno::ROFS,
    Errno::MLINK,
    Errno::NAMETOOLONG,
    Errno::NOSYS,
    Errno::NOTEMPTY,
    Errno::LOOP,
    Errno::OVERFLOW,
    Errno::OPNOTSUPP,
    Errno::DQUOT,
];

/// An operation that did not end well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The error number of the kernel.
    pub errno: Errno,
    /// Whether a part of the operation was done before.
    pub is_partial: bool,
}

impl Failure {
    /// A failure after a part of the operation was done.
    pub const fn partial(errno: Errno) -> Self {
        Self {
            errno,
            is_partial: true,
        }
    }

    /// Its name in the log: `fail` only when the error means that nothing happened.
    pub(crate) fn outcome(self) -> log::Outcome {
        if !self.is_partial && REFUSALS.contains(&self.errno) {
            log::Outcome::Fail
        } else {
            log::Outcome::Unknown
        }
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self {
            errno,
            is_partial: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_error_that_excludes_it_is_a_fail() {
        for errno in [
            Errno::NOSPC,
            Errno::DQUOT,
            Errno::ACCESS,
            Errno::ROFS,
            Errno::EXIST,
        ] {
            assert_eq!(
                log::Outcome::Fail,
                Failure::from(errno).outcome(),
                "{errno}"
            );
            assert_eq!(
                log::Outcome::Unknown,
                Failure::partial(errno).outcome(),
                "{errno}"
            );
        }
        for errno in [
            Errno::IO,
            Errno::TIMEDOUT,
            Errno::INTR,
            Errno::STALE,
            Errno::REMOTEIO,
            Errno::CONNRESET,
            Errno::NOTCONN,
            Errno::NXIO,
            Errno::NOMEM,
            Errno::AGAIN,
            Errno::from_raw_os_error(4000),
        ] {
            assert_eq!(
                log::Outcome::Unknown,
                Failure::from(errno).outcome(),
                "{errno}"
            );
        }
    }
}
