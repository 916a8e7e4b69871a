//! What `check` reads: a file, a block device, or a stream of unknown length.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;

use seatrial_content::{BLOCK_BYTES_MAX, Ballot};

/// Blocks that are asked what they are.
const SAMPLE_BLOCKS: u64 = 1024;

/// Something to check, from its first byte to its last.
pub(crate) struct Input {
    source: Box<dyn Read>,
    /// What was read ahead of a stream, to ask it what it is.
    ahead: io::Cursor<Vec<u8>>,
    /// What the blocks of a sample say about themselves.
    pub(crate) ballot: Ballot,
    /// Whether there are bytes behind the last one written, as on a block device.
    pub(crate) may_be_longer: bool,
}

impl Input {
    /// Opens `path`, or standard input for `-`, and takes a sample.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Self::of_stream(Box::new(io::stdin()));
        }
        let mut file = File::open(path)?;
        let kind = file.metadata()?.file_type();
        if kind.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !kind.is_file() && !kind.is_block_device() {
            return Self::of_stream(Box::new(file));
        }
        let length_bytes = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        Ok(Self {
            ballot: sample(&file, length_bytes)?,
            source: Box::new(file),
            ahead: io::Cursor::default(),
            may_be_longer: kind.is_block_device(),
        })
    }

    fn of_stream(mut source: Box<dyn Read>) -> io::Result<Self> {
        let mut ahead = Vec::new();
        source
            .by_ref()
            .take(SAMPLE_BLOCKS * BLOCK_BYTES_MAX as u64)
            .read_to_end(&mut ahead)?;
        let mut ballot = Ballot::default();
        for block in ahead.chunks(BLOCK_BYTES_MAX) {
            ballot.vote(block);
        }
        Ok(Self {
            source,
            ahead: io::Cursor::new(ahead),
            ballot,
            may_be_longer: false,
        })
    }

    /// Fills `buffer` as far as there is something; returns how far.
    pub(crate) fn read_full(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut done = self.ahead.read(buffer)?;
        while done < buffer.len() {
            match self.source.read(&mut buffer[done..]) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }
}

/// Lets blocks from all over a file vote.
fn sample(file: &File, length_bytes: u64) -> io::Result<Ballot> {
    let blocks = length_bytes.div_ceil(BLOCK_BYTES_MAX as u64);
    let step = blocks.div_ceil(SAMPLE_BLOCKS).max(1);
    let mut ballot = Ballot::default();
    let mut block = [0; BLOCK_BYTES_MAX];
    for index in (0..blocks).step_by(step as usize) {
        let count = file.read_at(&mut block, index * BLOCK_BYTES_MAX as u64)?;
        ballot.vote(&block[..count]);
    }
    Ok(ballot)
}
