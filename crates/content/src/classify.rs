//! Naming the damage of a block.

use crate::block_size::BLOCK_BYTES_MAX;
use crate::dissect::torn_pieces;
use crate::finding::Finding;
use crate::header::Header;
use crate::stamp::Stamp;

/// What a reader knows about the blocks that it should find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What the blocks were written with.
    pub stamp: Stamp,
    /// Whether any writer is right: several wrote the file, or the writer is unknown.
    pub any_writer: bool,
}

/// Classifies `block`, read from `offset`. It may be shorter than a block where the file ends; the
/// caller reports the missing bytes as [`Finding::Missing`].
///
/// The order of the questions matters: a block that is whole is never called torn, and a block is
/// only called corrupt when nothing that a storage system does by mistake would explain it.
pub fn classify(expectation: &Expectation, offset: u64, block: &[u8]) -> Finding {
    let expected = &expectation.stamp;
    if block.is_empty() {
        return Finding::Missing;
    }
    if expected.is_intact(offset, block) {
        return Finding::Valid;
    }
    if block.iter().all(|&byte| byte == 0) {
        return Finding::Zero;
    }
    let header = Header::from_bytes(block).ok();
    if let Some(header) = header {
        let own_bytes = block.len().min(header.block_bytes as usize);
        if Stamp::of_header(&header).is_intact(header.offset, &block[..own_bytes])
            && let Some(finding) = compare_identity(expectation, offset, &header)
        {
            return finding;
        }
    }
    if let Some(pieces) = torn_pieces(expected, offset, block) {
        return Finding::Torn { pieces };
    }
    let written_as = match header {
        Some(header) if (header.run, header.file) == (expected.run, expected.file) => {
            Stamp::of_header(&header)
        }
        _ => *expected,
    };
    count_differences(&written_as, offset, block)
}

/// Classifies `block`, read from `offset`, when nothing is known about the file. It cannot be valid
/// then.
pub fn classify_unknown(offset: u64, block: &[u8]) -> Finding {
    if block.iter().all(|&byte| byte == 0) {
        Finding::Zero
    } else {
        Finding::Corrupt {
            wrong_bytes: block.len() as u64,
            first_wrong_at: offset,
        }
    }
}

/// What a block is that is undamaged in itself, or `None` when only its block size is another.
fn compare_identity(expectation: &Expectation, offset: u64, header: &Header) -> Option<Finding> {
    let expected = &expectation.stamp;
    if header.run != expected.run {
        Some(Finding::ForeignRun {
            run: header.run,
            file: header.file,
        })
    } else if header.file != expected.file {
        Some(Finding::ForeignFile {
            file: header.file,
            belongs_at: header.offset,
        })
    } else if header.offset != offset {
        Some(Finding::Misplaced {
            belongs_at: header.offset,
        })
    } else if header.generation != expected.generation {
        Some(Finding::Stale {
            found: header.generation,
            expected: expected.generation,
        })
    } else if header.writer != expected.writer && !expectation.any_writer {
        Some(Finding::OtherWriter {
            found: header.writer,
            expected: expected.writer,
        })
    } else if header.block_bytes as usize != expected.block_bytes {
        None
    } else {
        Some(Finding::Valid)
    }
}

/// Compares with the expected content, byte by byte.
fn count_differences(written_as: &Stamp, offset: u64, block: &[u8]) -> Finding {
    let mut reference = [0; BLOCK_BYTES_MAX];
    let reference = &mut reference[..written_as.block_bytes];
    written_as.fill(offset - offset % written_as.block_bytes as u64, reference);
    let mut wrong = block
        .iter()
        .zip(reference.iter())
        .enumerate()
        .filter(|(_, (found, expected))| found != expected)
        .map(|(position, _)| position as u64);
    let first = wrong.next();
    Finding::Corrupt {
        wrong_bytes: wrong.count() as u64 + u64::from(first.is_some()),
        first_wrong_at: offset + first.unwrap_or(0),
    }
}
