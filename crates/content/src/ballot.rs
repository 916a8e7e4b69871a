//! Finding out what a file of unknown origin claims to be: a vote among its blocks.

use std::collections::HashMap;

use crate::classify::Expectation;
use crate::header::Header;
use crate::stamp::Stamp;

/// Counts which run, file and generation the undamaged blocks of a sample name.
#[derive(Clone, Debug, Default)]
pub struct Ballot {
    votes: HashMap<Stamp, u64>,
}

impl Ballot {
    /// Lets a block vote; returns its header, or `None` when it is no undamaged block. Bytes after
    /// the block are ignored, so that the caller need not know its size.
    pub fn vote(&mut self, bytes: &[u8]) -> Option<Header> {
        let header = Header::from_bytes(bytes).ok()?;
        let block = bytes.get(..header.block_bytes as usize).unwrap_or(bytes);
        let stamp = Stamp::of_header(&header);
        stamp.is_intact(header.offset, block).then(|| {
            *self.votes.entry(stamp).or_default() += 1;
            header
        })
    }

    /// What most blocks agree on, the writer aside. Of equally many, the later generation wins,
    /// and then the smaller numbers, so that the answer does not depend on the order.
    pub fn winner(&self) -> Option<Expectation> {
        let mut tallies: HashMap<Stamp, (u64, Stamp)> = HashMap::new();
        for (&stamp, &votes) in &self.votes {
            let anonymous = Stamp { writer: 0, ..stamp };
            let (tally, example) = tallies.entry(anonymous).or_insert((0, stamp));
            *tally += votes;
            example.writer = example.writer.min(stamp.writer);
        }
        let (_, (_, stamp)) = tallies.into_iter().max_by_key(|(anonymous, (votes, _))| {
            (
                *votes,
                anonymous.generation,
                std::cmp::Reverse((anonymous.run, anonymous.file)),
            )
        })?;
        Some(Expectation {
            stamp,
            any_writer: true,
        })
    }
}
