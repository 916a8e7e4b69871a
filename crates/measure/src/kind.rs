//! The kinds of operations that are timed.

use seatrial_job::Phase;
use seatrial_log as log;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Kind {
    /// Reading a record.
    Read,
    /// Writing a record.
    Write,
    /// Making the writes durable.
    Fsync,
    /// Creating a file, and filling it.
    Create,
    /// Making a directory.
    Mkdir,
    /// Asking for attributes.
    Stat,
    /// Setting times.
    Utime,
    /// Giving another name.
    Rename,
    /// Opening and closing a file.
    OpenClose,
    /// Opening a file, reading all of it, and closing it.
    ReadFiles,
    /// Listing a directory.
    Readdir,
    /// An entry of a directory, with the size of the file if the name matches.
    Find,
    /// Removing a file.
    Remove,
    /// Removing a directory.
    Rmdir,
    /// A whole file, from opening it on.
    Copy,
    /// From when an operation of an open loop really began, which may be later than intended.
    Service,
}

impl Kind {
    /// Number of kinds.
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// All kinds, by their numbers.
    pub(crate) const ALL: [Self; 16] = [
        Self::Read,
        Self::Write,
        Self::Fsync,
        Self::Create,
        Self::Mkdir,
        Self::Stat,
        Self::Utime,
        Self::Rename,
        Self::OpenClose,
        Self::ReadFiles,
        Self::Readdir,
        Self::Find,
        Self::Remove,
        Self::Rmdir,
        Self::Copy,
        Self::Service,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Fsync => "fsync",
            Self::Create => "create",
            Self::Mkdir => "mkdir",
            Self::Stat => "stat",
            Self::Utime => "utime",
            Self::Rename => "rename",
            Self::OpenClose => "open-close",
            Self::ReadFiles => "read-files",
            Self::Readdir => "readdir",
            Self::Find => "find",
            Self::Remove => "remove",
            Self::Rmdir => "rmdir",
            Self::Copy => "copy",
            Self::Service => "service",
        }
    }

    /// The kind of most operations of a phase.
    pub const fn of_phase(phase: &Phase) -> Self {
        match phase {
            Phase::Write => Self::Write,
            Phase::Read | Phase::Mixed { .. } => Self::Read,
            Phase::Create => Self::Create,
            Phase::Mkdir => Self::Mkdir,
            Phase::Stat => Self::Stat,
            Phase::Utime => Self::Utime,
            Phase::Rename => Self::Rename,
            Phase::OpenClose => Self::OpenClose,
            Phase::ReadFiles => Self::ReadFiles,
            Phase::Readdir => Self::Readdir,
            Phase::Find { .. } => Self::Find,
            Phase::Remove => Self::Remove,
            Phase::Rmdir => Self::Rmdir,
            Phase::Copy(_) => Self::Copy,
        }
    }

    /// How the operation log calls it; `None` for kinds that change nothing and are not logged.
    pub(crate) const fn logged(self) -> Option<log::Operation> {
        match self {
            Self::Write => Some(log::Operation::Write),
            Self::Fsync => Some(log::Operation::Sync),
            Self::Create => Some(log::Operation::Create),
            Self::Mkdir => Some(log::Operation::Mkdir),
            Self::Utime => Some(log::Operation::Utime),
            Self::Rename => Some(log::Operation::Rename),
            Self::Remove => Some(log::Operation::Remove),
            Self::Rmdir => Some(log::Operation::Rmdir),
            Self::Read
            | Self::Stat
            | Self::OpenClose
            | Self::ReadFiles
            | Self::Readdir
            | Self::Find
            | Self::Copy
            | Self::Service => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_numbers() {
        for (number, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(number, kind as usize);
        }
    }
}
