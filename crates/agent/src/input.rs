//! What `check` reads: a file, a block device, or a stream of unknown length.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;

use seatrial_content::{BLOCK_BYTES_MAX, Ballot, Header};

/// Blocks of the sample that identifies the file.
const SAMPLE_BLOCKS: u64 = 1024;

/// Bytes at the beginning in which a header is searched: some blocks may be damaged.
const HEAD_BYTES: usize = 16 * BLOCK_BYTES_MAX;

/// What can be read from any place.
pub(crate) trait ReadAt {
    /// Fills a part of `buffer` from `offset` on; returns how much, 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl ReadAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        FileExt::read_at(self, buffer, offset)
    }
}

/// Something to check, from its first byte to its last.
pub(crate) struct Input {
    source: Source,
    /// What the blocks of a sample say about themselves.
    pub(crate) ballot: Ballot,
    /// Its length, when it is known before the read.
    pub(crate) length_bytes: Option<u64>,
    /// Whether there are bytes after the last one written, as on a block device.
    pub(crate) may_be_longer: bool,
}

/// Where bytes come from.
enum Source {
    /// A file or a block device.
    Blocks(Box<dyn ReadAt>),
    /// A stream, and the bytes that were read ahead of it to identify it.
    Stream(Box<dyn Read>, io::Cursor<Vec<u8>>, Option<io::Error>),
}

impl Input {
    /// Opens `path`, or standard input for `-`, and takes a sample.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::of_stream(Box::new(io::stdin())));
        }
        let mut file = File::open(path)?;
        let kind = file.metadata()?.file_type();
        if kind.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !kind.is_file() && !kind.is_block_device() {
            return Ok(Self::of_stream(Box::new(file)));
        }
        let length_bytes = file.seek(SeekFrom::End(0))?;
        let is_device = kind.is_block_device();
        Ok(Self::of_blocks(Box::new(file), length_bytes, is_device))
    }

    /// Takes a sample of a source with `length_bytes`.
    pub(crate) fn of_blocks(
        blocks: Box<dyn ReadAt>,
        length_bytes: u64,
        may_be_longer: bool,
    ) -> Self {
        Self {
            ballot: sample(blocks.as_ref(), length_bytes),
            source: Source::Blocks(blocks),
            length_bytes: Some(length_bytes),
            may_be_longer,
        }
    }

    /// Takes a sample of the beginning of a stream.
    pub(crate) fn of_stream(mut source: Box<dyn Read>) -> Self {
        let mut ahead = Vec::new();
        let ahead_bytes_max = SAMPLE_BLOCKS * BLOCK_BYTES_MAX as u64;
        let read = source
            .by_ref()
            .take(ahead_bytes_max)
            .read_to_end(&mut ahead);
        let mut ballot = Ballot::default();
        for start in (0..ahead.len()).step_by(distance_bytes(&ahead)) {
            ballot.vote(&ahead[start..]);
        }
        let ahead_bytes = ahead.len() as u64;
        let has_ended = read.is_ok() && ahead_bytes < ahead_bytes_max;
        Self {
            source: Source::Stream(source, io::Cursor::new(ahead), read.err()),
            ballot,
            length_bytes: has_ended.then_some(ahead_bytes),
            may_be_longer: false,
        }
    }

    /// Whether what cannot be read can be left out.
    pub(crate) const fn can_skip(&self) -> bool {
        matches!(self.source, Source::Blocks(_))
    }

    /// Fills `buffer` from `offset`, as far as there are bytes. A stream ignores `offset` and
    /// continues at its position. Returns the number of bytes, and the error that stopped it.
    pub(crate) fn read_full(
        &mut self,
        buffer: &mut [u8],
        offset: u64,
    ) -> (usize, Option<io::Error>) {
        let mut done = 0;
        while done < buffer.len() {
            match self.source.read(&mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (done, Some(error)),
            }
        }
        (done, None)
    }
}

impl Source {
    fn read(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::Blocks(blocks) => blocks.read_at(buffer, offset),
            Self::Stream(stream, ahead, error) => match ahead.read(buffer)? {
                0 => error.take().map_or_else(|| stream.read(buffer), Err),
                count => Ok(count),
            },
        }
    }
}

/// Lets blocks from all over a file vote. Those that cannot be read have no vote.
fn sample(blocks: &dyn ReadAt, length_bytes: u64) -> Ballot {
    let mut head = vec![0; HEAD_BYTES];
    let head_bytes = blocks.read_at(&mut head, 0).unwrap_or(0);
    let distance_bytes = distance_bytes(&head[..head_bytes]) as u64;
    let count = length_bytes.div_ceil(distance_bytes);
    let step = count.div_ceil(SAMPLE_BLOCKS).max(1);
    let mut ballot = Ballot::default();
    let mut block = [0; BLOCK_BYTES_MAX];
    for index in (0..count).step_by(step as usize) {
        if let Ok(count) = blocks.read_at(&mut block, index * distance_bytes) {
            ballot.vote(&block[..count]);
        }
    }
    ballot
}

/// The distance of the blocks of a sample, such that each is the start of a block. The largest
/// block has it, where blocks are powers of two. Other blocks follow the first header in `head`.
fn distance_bytes(head: &[u8]) -> usize {
    let first = (0..head.len().min(HEAD_BYTES)).find_map(|start| {
        let header = Header::from_bytes(&head[start..]).ok()?;
        Some(header.block_bytes as usize)
    });
    first
        .filter(|bytes| !bytes.is_power_of_two())
        .unwrap_or(BLOCK_BYTES_MAX)
}
