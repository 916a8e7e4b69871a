//! What was found where a block should be, and how two neighbouring findings become one.

use std::fmt;

use crate::dissect::Piece;

/// The kinds of findings, in the words that reports use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Every byte is as expected.
    Valid,
    /// All bytes are zero: never written, or lost and replaced by a hole.
    Zero,
    /// An undamaged block of the right place, but of another generation.
    Stale,
    /// Undamaged parts of several writes, or of a write and zeros, in one block.
    Torn,
    /// An undamaged block that belongs to another place, or came from another writer.
    Misplaced,
    /// An undamaged block of another file of this run.
    ForeignFile,
    /// An undamaged block of another run.
    ForeignRun,
    /// Bytes without a write.
    Corrupt,
    /// The file ends before this place.
    Missing,
}

impl Class {
    /// The name in reports: lower case, words joined by hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Zero => "zero",
            Self::Stale => "stale",
            Self::Torn => "torn",
            Self::Misplaced => "misplaced",
            Self::ForeignFile => "foreign-file",
            Self::ForeignRun => "foreign-run",
            Self::Corrupt => "corrupt",
            Self::Missing => "missing",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What was found in the place of a block, or of several neighbouring blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// See [`Class::Valid`].
    Valid,
    /// See [`Class::Zero`].
    Zero,
    /// See [`Class::Stale`].
    Stale {
        /// Generation that was found.
        found: u32,
        /// Expected generation.
        expected: u32,
    },
    /// See [`Class::Torn`].
    Torn {
        /// What the block consists of, in order.
        pieces: Vec<Piece>,
    },
    /// See [`Class::Misplaced`]: a block of another offset.
    Misplaced {
        /// Offset in this file where the first of these blocks belongs.
        belongs_at: u64,
    },
    /// See [`Class::Misplaced`]: the right block, but of another writer.
    OtherWriter {
        /// Writer that was found.
        found: u32,
        /// Writer that was expected.
        expected: u32,
    },
    /// See [`Class::ForeignFile`].
    ForeignFile {
        /// Identifier of the file that the block belongs to.
        file: u64,
        /// Offset in that file where the first of these blocks belongs.
        belongs_at: u64,
    },
    /// See [`Class::ForeignRun`].
    ForeignRun {
        /// The run that wrote the block.
        run: u64,
        /// Identifier of the file that the block belongs to.
        file: u64,
    },
    /// See [`Class::Corrupt`].
    Corrupt {
        /// Bytes that differ from the written ones.
        wrong_bytes: u64,
        /// Offset in the file of the first of them.
        first_wrong_at: u64,
    },
    /// See [`Class::Missing`].
    Missing,
    /// See [`Class::Missing`]: it may be stored, but the storage does not return it.
    Unreadable {
        /// The error number of the kernel.
        errno: i32,
    },
}

impl Finding {
    /// The kind of this finding.
    pub const fn class(&self) -> Class {
        match self {
            Self::Valid => Class::Valid,
            Self::Zero => Class::Zero,
            Self::Stale { .. } => Class::Stale,
            Self::Torn { .. } => Class::Torn,
            Self::Misplaced { .. } | Self::OtherWriter { .. } => Class::Misplaced,
            Self::ForeignFile { .. } => Class::ForeignFile,
            Self::ForeignRun { .. } => Class::ForeignRun,
            Self::Corrupt { .. } => Class::Corrupt,
            Self::Missing | Self::Unreadable { .. } => Class::Missing,
        }
    }

    /// Adds the finding at `distance_bytes` after the start of this finding, right after its end.
    /// Returns false, and changes nothing, when the two do not continue one another.
    pub(crate) fn absorb(&mut self, next: &Self, distance_bytes: u64) -> bool {
        match (&mut *self, next) {
            (
                Self::Misplaced { belongs_at },
                Self::Misplaced {
                    belongs_at: next_belongs_at,
                },
            ) => belongs_at.wrapping_add(distance_bytes) == *next_belongs_at,
            (
                Self::ForeignFile { file, belongs_at },
                Self::ForeignFile {
                    file: next_file,
                    belongs_at: next_belongs_at,
                },
            ) => file == next_file && belongs_at.wrapping_add(distance_bytes) == *next_belongs_at,
            (
                Self::Corrupt { wrong_bytes, .. },
                Self::Corrupt {
                    wrong_bytes: more_bytes,
                    ..
                },
            ) => {
                *wrong_bytes += more_bytes;
                true
            }
            (this, next) => *this == *next,
        }
    }
}

/// The particulars, in words; empty when the class is sufficient.
impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid | Self::Zero => Ok(()),
            Self::Stale { found, expected } => {
                let distance = found.abs_diff(*expected);
                let direction = if found < expected { "behind" } else { "ahead" };
                write!(
                    formatter,
                    "generation {found}, expected {expected}: {distance} {direction}"
                )
            }
            Self::Torn { pieces } => {
                for (index, piece) in pieces.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{piece}")?;
                }
                Ok(())
            }
            Self::Misplaced { belongs_at } => write!(formatter, "belongs at offset {belongs_at}"),
            Self::OtherWriter { found, expected } => write!(
                formatter,
                "written by {}, expected {}",
                WriterName(*found),
                WriterName(*expected)
            ),
            Self::ForeignFile { file, belongs_at } => {
                write!(
                    formatter,
                    "belongs to file {file:016x} at offset {belongs_at}"
                )
            }
            Self::ForeignRun { run, file } => {
                write!(formatter, "written by run {run:016x} to file {file:016x}")
            }
            Self::Corrupt {
                wrong_bytes: 1,
                first_wrong_at,
            } => write!(formatter, "1 byte differs, at offset {first_wrong_at}"),
            Self::Corrupt {
                wrong_bytes,
                first_wrong_at,
            } => write!(
                formatter,
                "{wrong_bytes} bytes differ, the first at offset {first_wrong_at}"
            ),
            Self::Missing => formatter.write_str("the file ends before"),
            Self::Unreadable { errno } => {
                let error = std::io::Error::from_raw_os_error(*errno);
                write!(formatter, "cannot be read: {error}")
            }
        }
    }
}

/// A writer in words.
struct WriterName(u32);

impl fmt::Display for WriterName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "client {} task {}",
            self.0 >> 16,
            self.0 & 0xffff
        )
    }
}
