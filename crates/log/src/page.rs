//! A page: as many records as fit into what a disk writes at once, and a checksum.

use crate::record::{RECORD_BYTES, Record, read_u32, read_u64};

/// Bytes of a page: a disk sector, which is written as a whole or not at all.
pub const PAGE_BYTES: usize = 512;

/// Bytes before the first record.
const HEADER_BYTES: usize = 32;

/// Records in a full page.
pub const RECORDS_PER_PAGE: usize = (PAGE_BYTES - HEADER_BYTES) / RECORD_BYTES;

/// Bytes of the head in a full page of it.
pub(crate) const HEAD_BYTES_PER_PAGE: usize = PAGE_BYTES - HEADER_BYTES;

/// The first bytes of every page. The version of the format follows them.
const MAGIC: [u8; 7] = *b"STLOG\0\0";

/// The version that is written. Version 1 had no head and no numbers of errors, and called an
/// operation `fail` that may have happened.
pub const LOG_VERSION: u8 = 2;

/// Flag of the last page of a task, or of the head.
const FLAG_LAST: u16 = 1;

/// Kind of a page that holds records, the only one of version 1.
const KIND_RECORDS: u8 = 0;

/// Kind of a page that holds a part of the head.
const KIND_HEAD: u8 = 1;

/// What a page holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The version of the format.
    pub version: u8,
    /// The run that it belongs to: a log file that is used again must not show old pages.
    pub run: u64,
    /// The task that wrote it; 0 for the head.
    pub task: u16,
    /// Its number among this task's pages, or those of the head, from 0.
    pub sequence: u32,
    /// Whether there is none after it.
    pub is_last: bool,
    /// What is in it.
    pub content: PageContent,
}

/// The two kinds of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageContent {
    /// Records, oldest first, at most [`RECORDS_PER_PAGE`].
    Records(Vec<Record>),
    /// A part of the head, at most [`HEAD_BYTES_PER_PAGE`].
    Head(Vec<u8>),
}

impl Page {
    /// The page as bytes. What is not used is zero.
    pub fn to_bytes(&self) -> [u8; PAGE_BYTES] {
        let mut bytes = [0; PAGE_BYTES];
        bytes[0..7].copy_from_slice(&MAGIC);
        bytes[7] = self.version;
        bytes[8..16].copy_from_slice(&self.run.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[20..22].copy_from_slice(&self.task.to_le_bytes());
        let flags = if self.is_last { FLAG_LAST } else { 0 };
        bytes[22..24].copy_from_slice(&flags.to_le_bytes());
        match &self.content {
            PageContent::Records(records) => {
                bytes[24] = records.len() as u8;
                bytes[25] = KIND_RECORDS;
                let slots = bytes[HEADER_BYTES..].chunks_exact_mut(RECORD_BYTES);
                for (slot, record) in slots.zip(records) {
                    slot.copy_from_slice(&record.to_bytes());
                }
            }
            PageContent::Head(part) => {
                bytes[25] = KIND_HEAD;
                bytes[26..28].copy_from_slice(&(part.len() as u16).to_le_bytes());
                bytes[HEADER_BYTES..HEADER_BYTES + part.len()].copy_from_slice(part);
            }
        }
        let checksum = checksum(&bytes);
        bytes[28..32].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a page; `None` when any of its bytes is not as it was written.
    pub fn from_bytes(bytes: &[u8; PAGE_BYTES]) -> Option<Self> {
        let version = bytes[7];
        let is_known = bytes[0..7] == MAGIC && (1..=LOG_VERSION).contains(&version);
        if !is_known || read_u32(bytes, 28) != checksum(bytes) {
            return None;
        }
        let content = match bytes[25] {
            KIND_RECORDS => PageContent::Records(read_records(bytes)?),
            KIND_HEAD if version > 1 => PageContent::Head(read_head(bytes)?),
            _ => return None,
        };
        Some(Self {
            version,
            run: read_u64(bytes, 8),
            task: u16::from_le_bytes([bytes[20], bytes[21]]),
            sequence: read_u32(bytes, 16),
            is_last: u16::from_le_bytes([bytes[22], bytes[23]]) & FLAG_LAST != 0,
            content,
        })
    }
}

fn read_records(bytes: &[u8; PAGE_BYTES]) -> Option<Vec<Record>> {
    let count = usize::from(bytes[24]);
    if count > RECORDS_PER_PAGE {
        return None;
    }
    let slots = bytes[HEADER_BYTES..].as_chunks::<RECORD_BYTES>().0;
    slots.iter().take(count).map(Record::from_bytes).collect()
}

fn read_head(bytes: &[u8; PAGE_BYTES]) -> Option<Vec<u8>> {
    let length = usize::from(u16::from_le_bytes([bytes[26], bytes[27]]));
    bytes[HEADER_BYTES..].get(..length).map(<[u8]>::to_vec)
}

/// CRC-32C over a page, its own four bytes left out.
fn checksum(bytes: &[u8; PAGE_BYTES]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&bytes[..28]), &bytes[HEADER_BYTES..])
}
