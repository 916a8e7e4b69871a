//! Checking records as they are read.

use std::ops::RangeInclusive;

use seatrial_content::{Expectation, ExtentList, Finding, classify};
use seatrial_measure::{Damage, Verified};

/// Extents of damage that are kept per file; the rest is counted.
const EXTENTS_MAX: usize = 1000;

/// Checks the transfers of one file.
#[derive(Debug)]
pub(crate) struct Verifier {
    /// Its generation is that of the block that was right last: neighbours often have the same.
    expectation: Expectation,
    generations: RangeInclusive<u32>,
    checks_content: bool,
    damage: ExtentList,
    blocks_checked: u64,
    blocks_damaged: u64,
}

impl Verifier {
    /// A verifier of a file with the content of `expectation`. Without `checks_content` it only
    /// notices missing data.
    pub(crate) const fn new(expectation: Expectation, checks_content: bool) -> Self {
        let generation = expectation.stamp.generation;
        Self {
            expectation,
            generations: generation..=generation,
            checks_content,
            damage: ExtentList::new(EXTENTS_MAX),
            blocks_checked: 0,
            blocks_damaged: 0,
        }
    }

    /// Sets the expected content from now on: blocks of any of these generations.
    pub(crate) const fn expect(&mut self, generations: RangeInclusive<u32>) {
        let known = self.expectation.stamp.generation;
        if known < *generations.start() || *generations.end() < known {
            self.expectation.stamp.generation = *generations.end();
        }
        self.generations = generations;
    }

    /// Checks `found`, read from `offset`, where `wanted_bytes` should have been.
    pub(crate) fn check(&mut self, offset: u64, found: &[u8], wanted_bytes: u64) {
        if self.checks_content {
            self.check_content(offset, found);
        }
        let missing_bytes = wanted_bytes - found.len() as u64;
        if missing_bytes > 0 {
            let block_bytes = self.expectation.stamp.block_bytes as u64;
            self.blocks_damaged += missing_bytes.div_ceil(block_bytes);
            self.damage
                .push(offset + found.len() as u64, missing_bytes, Finding::Missing);
        }
    }

    fn check_content(&mut self, offset: u64, found: &[u8]) {
        let block_bytes = self.expectation.stamp.block_bytes;
        self.blocks_checked += (found.len() as u64).div_ceil(block_bytes as u64);
        let mut position = 0;
        loop {
            let (stamp, rest) = (self.expectation.stamp, &found[position..]);
            let Some(first) = stamp.first_damaged(offset + position as u64, rest) else {
                return;
            };
            position += first;
            let block_offset = offset + position as u64;
            let block = &rest[first..rest.len().min(first + block_bytes)];
            let finding = classify(&self.expectation, block_offset, block);
            match finding {
                Finding::Valid => {}
                Finding::Stale { found, .. } if self.generations.contains(&found) => {
                    // Once more: all else has to be right, too.
                    self.expectation.stamp.generation = found;
                    continue;
                }
                _ => {
                    self.blocks_damaged += 1;
                    self.damage.push(block_offset, block.len() as u64, finding);
                }
            }
            position += block.len();
        }
    }

    /// What was seen.
    pub(crate) fn finish(self) -> Verified {
        let (extents, extents_omitted) = self.damage.finish();
        Verified {
            blocks_checked: self.blocks_checked,
            blocks_damaged: self.blocks_damaged,
            damage: extents.into_iter().map(Damage::from).collect(),
            extents_omitted,
        }
    }
}

#[cfg(test)]
mod tests {
    use seatrial_content::{Stamp, file_id};

    use super::*;

    const BLOCK_BYTES: usize = 512;

    fn stamp(generation: u32, writer: u32) -> Stamp {
        Stamp {
            run: 1,
            file: file_id("a"),
            generation,
            writer,
            file_bytes: 8 * BLOCK_BYTES as u64,
            block_bytes: BLOCK_BYTES,
        }
    }

    /// How many of these blocks, by generation and writer, are damaged where generations 3 to 5 of
    /// writer 7 may be.
    fn damaged(blocks: &[(u32, u32)]) -> u64 {
        let expectation = Expectation {
            stamp: stamp(5, 7),
            any_writer: false,
        };
        let mut verifier = Verifier::new(expectation, true);
        verifier.expect(3..=5);
        let mut found = vec![0; blocks.len() * BLOCK_BYTES];
        for (number, &(generation, writer)) in blocks.iter().enumerate() {
            let start = number * BLOCK_BYTES;
            let block = &mut found[start..start + BLOCK_BYTES];
            stamp(generation, writer).fill(start as u64, block);
        }
        verifier.check(0, &found, found.len() as u64);
        let counts = verifier.finish();
        assert_eq!(blocks.len() as u64, counts.blocks_checked);
        counts.blocks_damaged
    }

    #[test]
    fn any_pass_is_right_and_nothing_else() {
        assert_eq!(0, damaged(&[(5, 7), (4, 7), (4, 7), (3, 7), (5, 7)]));
        assert_eq!(2, damaged(&[(2, 7), (4, 7), (6, 7), (5, 7)]));
        assert_eq!(2, damaged(&[(4, 8), (4, 7), (3, 8), (3, 7)]));
    }
}
