//! A page: as many records as fit into what a disk writes at once, and a checksum.

use crate::record::{RECORD_BYTES, Record, read_u32, read_u64};

/// Bytes of a page: a disk sector, which is written as a whole or not at all.
pub const PAGE_BYTES: usize = 512;

/// Bytes before the first record.
const HEADER_BYTES: usize = 32;

/// Records in a full page.
pub const RECORDS_PER_PAGE: usize = (PAGE_BYTES - HEADER_BYTES) / RECORD_BYTES;

/// The first bytes of every page; the last one is the version of the format.
const MAGIC: [u8; 8] = *b"STLOG\0\0\x01";

/// Flag of the last page of a task.
const FLAG_LAST: u16 = 1;

/// What a page holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The run that it belongs to: a log file that is used again must not show old pages.
    pub run: u64,
    /// The task that wrote it.
    pub task: u16,
    /// Its number among this task's pages, from 0.
    pub sequence: u32,
    /// Whether the task wrote no page after it.
    pub is_last: bool,
    /// The records, oldest first, at most [`RECORDS_PER_PAGE`].
    pub records: Vec<Record>,
}

impl Page {
    /// The page as bytes. Unused records are zero.
    pub fn to_bytes(&self) -> [u8; PAGE_BYTES] {
        let mut bytes = [0; PAGE_BYTES];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&self.run.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[20..22].copy_from_slice(&self.task.to_le_bytes());
        let flags = if self.is_last { FLAG_LAST } else { 0 };
        bytes[22..24].copy_from_slice(&flags.to_le_bytes());
        bytes[24] = self.records.len() as u8;
        // Bytes 25 to 27 are reserved and zero.
        let slots = bytes[HEADER_BYTES..].chunks_exact_mut(RECORD_BYTES);
        for (slot, record) in slots.zip(&self.records) {
            slot.copy_from_slice(&record.to_bytes());
        }
        let checksum = checksum(&bytes);
        bytes[28..32].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a page; `None` when any of its bytes is not as it was written.
    pub fn from_bytes(bytes: &[u8; PAGE_BYTES]) -> Option<Self> {
        if bytes[0..8] != MAGIC || read_u32(bytes, 28) != checksum(bytes) {
            return None;
        }
        let count = bytes[24] as usize;
        if count > RECORDS_PER_PAGE {
            return None;
        }
        let records = bytes[HEADER_BYTES..]
            .as_chunks::<RECORD_BYTES>()
            .0
            .iter()
            .take(count)
            .map(Record::from_bytes)
            .collect::<Option<Vec<_>>>()?;
        Some(Self {
            run: read_u64(bytes, 8),
            task: u16::from_le_bytes([bytes[20], bytes[21]]),
            sequence: read_u32(bytes, 16),
            is_last: u16::from_le_bytes([bytes[22], bytes[23]]) & FLAG_LAST != 0,
            records,
        })
    }
}

/// CRC-32C over a page, its own four bytes left out.
fn checksum(bytes: &[u8; PAGE_BYTES]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&bytes[..28]), &bytes[HEADER_BYTES..])
}
