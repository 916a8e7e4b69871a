//! One operation in 32 bytes.

/// Bytes of a record.
pub const RECORD_BYTES: usize = 32;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// A record was written; without a later [`Operation::Sync`] only as durable as the protocol
    /// promises.
    Write = 1,
    /// A record was read.
    Read = 2,
    /// All that this task wrote to the file so far was made durable (`fsync`).
    Sync = 3,
    /// The file was closed.
    Close = 4,
    /// A file was created.
    Create = 5,
    /// A directory was made.
    Mkdir = 6,
    /// A file was removed.
    Remove = 7,
    /// A directory was removed.
    Rmdir = 8,
    /// A file was renamed.
    Rename = 9,
    /// The times of a file were set.
    Utime = 10,
    /// Before the start, the file was cut to `offset` bytes, if it was longer.
    Truncate = 11,
}

impl Operation {
    /// All operations, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Write,
        Self::Read,
        Self::Sync,
        Self::Close,
        Self::Create,
        Self::Mkdir,
        Self::Remove,
        Self::Rmdir,
        Self::Rename,
        Self::Utime,
        Self::Truncate,
    ];

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|&operation| operation as u8 == number)
    }
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Outcome {
    /// It was acknowledged.
    Ok = 1,
    /// It was refused, and the error means that it did not happen. The place of a failed write may
    /// nevertheless hold the old or the new data, block by block. A client may report an error of
    /// an earlier write with a later one, and keep the later one.
    Fail = 2,
    /// There was no answer, or one that does not show the effect: complete, partial or none.
    Unknown = 3,
}

impl Outcome {
    fn from_number(number: u8) -> Option<Self> {
        [Self::Ok, Self::Fail, Self::Unknown]
            .into_iter()
            .find(|&outcome| outcome as u8 == number)
    }
}

/// One operation of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was done.
    pub operation: Operation,
    /// How it ended.
    pub outcome: Outcome,
    /// The error that it ended with, by its number on Linux; 0 without one, and in every record
    /// of a log of version 1.
    pub errno: u16,
    /// Which of the job's files, by index.
    pub file_index: u32,
    /// Generation that was written or expected.
    pub generation: u32,
    /// Bytes that were written or read.
    pub length_bytes: u32,
    /// Where in the file, in bytes.
    pub offset: u64,
    /// When it ended: nanoseconds since 1970, by this client's clock.
    pub boottime_ns: u64,
}

impl Record {
    /// The log record as bytes, least significant first.
    pub fn to_bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[0] = self.operation as u8;
        bytes[1] = self.outcome as u8;
        bytes[2..4].copy_from_slice(&self.errno.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.file_index.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.generation.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.length_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.boottime_ns.to_le_bytes());
        bytes
    }

    /// Reads a record; `None` when it names an operation or outcome that does not exist.
    pub fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Option<Self> {
        Some(Self {
            operation: Operation::from_number(bytes[0])?,
            outcome: Outcome::from_number(bytes[1])?,
            errno: u16::from_le_bytes([bytes[2], bytes[3]]),
            file_index: read_u32(bytes, 4),
            generation: read_u32(bytes, 8),
            length_bytes: read_u32(bytes, 12),
            offset: read_u64(bytes, 16),
            boottime_ns: read_u64(bytes, 24),
        })
    }
}

/// The 32-bit number at `position`; the caller knows that it is inside.
pub(crate) fn read_u32(bytes: &[u8], position: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[position..position + 4]);
    u32::from_le_bytes(number)
}

/// The 64-bit number at `position`; the caller knows that it is inside.
pub(crate) fn read_u64(bytes: &[u8], position: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[position..position + 8]);
    u64::from_le_bytes(number)
}
