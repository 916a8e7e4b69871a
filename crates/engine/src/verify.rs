//! Checking records as they are read.

use seatrial_content::{Expectation, ExtentList, Finding, classify};
use seatrial_measure::{Damage, Verified};

/// Extents of damage that are kept per file; the rest is counted.
const EXTENTS_MAX: usize = 1000;

/// Checks the records of one file.
#[derive(Debug)]
pub(crate) struct Verifier {
    expectation: Expectation,
    also_generation: Option<u32>,
    checks_content: bool,
    damage: ExtentList,
    blocks_checked: u64,
    blocks_damaged: u64,
}

impl Verifier {
    /// A verifier of a file that should hold what `expectation` says. Without `checks_content`
    /// it only notices what is not there at all.
    pub(crate) const fn new(expectation: Expectation, checks_content: bool) -> Self {
        Self {
            expectation,
            also_generation: None,
            checks_content,
            damage: ExtentList::new(EXTENTS_MAX),
            blocks_checked: 0,
            blocks_damaged: 0,
        }
    }

    /// Says what is expected from now on: blocks of `generation`, or of `also_generation`.
    pub(crate) const fn expect(&mut self, generation: u32, also_generation: Option<u32>) {
        self.expectation.stamp.generation = generation;
        self.also_generation = also_generation;
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
        let stamp = self.expectation.stamp;
        self.blocks_checked += (found.len() as u64).div_ceil(stamp.block_bytes as u64);
        let Some(first) = stamp.first_damaged(offset, found) else {
            return;
        };
        let mut block_offset = offset + first as u64;
        for block in found[first..].chunks(stamp.block_bytes) {
            let finding = classify(&self.expectation, block_offset, block);
            if !self.is_acceptable(&finding) {
                self.blocks_damaged += 1;
                self.damage.push(block_offset, block.len() as u64, finding);
            }
            block_offset += block.len() as u64;
        }
    }

    fn is_acceptable(&self, finding: &Finding) -> bool {
        match finding {
            Finding::Valid => true,
            Finding::Stale { found, .. } => Some(*found) == self.also_generation,
            _ => false,
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
