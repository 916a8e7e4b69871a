//! Blocks of any shape are valid where they belong, and noise never is.

use std::thread;

use seatrial_content::{
    Ballot, Class, Expectation, Finding, HEADER_BYTES, SplitMix64, Stamp, classify,
};

/// Blocks of each kind; the long form has ten times as many.
const BLOCKS: u64 = 1_000_000;

/// Threads that share the work.
const WORKERS: u64 = 2;

fn blocks() -> u64 {
    let is_soak = std::env::var_os("SEATRIAL_SOAK").is_some();
    if is_soak { 10 * BLOCKS } else { BLOCKS }
}

/// Calls `judge` with a separate number for each block, on several threads.
fn for_each_block(judge: impl Fn(&mut SplitMix64) + Sync) {
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let judge = &judge;
            scope.spawn(move || {
                let mut numbers = SplitMix64::new(worker);
                (0..blocks() / WORKERS).for_each(|_| judge(&mut numbers));
            });
        }
    });
}

/// A number with any number of digits: small ones are as likely as large ones.
fn of_any_size(numbers: &mut SplitMix64) -> u64 {
    let bits = numbers.next_u64() % 65;
    numbers
        .next_u64()
        .checked_shr(64 - bits as u32)
        .unwrap_or(0)
}

/// A stamp of any kind, and an offset.
fn any_stamp(numbers: &mut SplitMix64) -> (Stamp, u64) {
    let block_bytes = match numbers.next_u64() % 2 {
        0 => 512 << (numbers.next_u64() % 4),
        _ => 512 + (numbers.next_u64() % 3585) as usize,
    };
    let stamp = Stamp {
        run: of_any_size(numbers),
        file: numbers.next_u64(),
        generation: of_any_size(numbers) as u32,
        writer: of_any_size(numbers) as u32,
        file_bytes: of_any_size(numbers),
        block_bytes,
    };
    let offset = of_any_size(numbers);
    (stamp, offset - offset % block_bytes as u64)
}

fn expectation(stamp: Stamp) -> Expectation {
    Expectation {
        stamp,
        any_writer: false,
    }
}

#[test]
fn every_clean_block_is_valid() {
    for_each_block(|numbers| {
        let (stamp, offset) = any_stamp(numbers);
        let mut buffer = [0; 4096];
        let block = &mut buffer[..stamp.block_bytes];
        stamp.fill(offset, block);
        // Now and then the end of the file cuts the block off.
        let length = match numbers.next_u64() % 8 {
            0 => 1 + numbers.next_u64() as usize % block.len(),
            _ => block.len(),
        };
        let found = classify(&expectation(stamp), offset, &block[..length]);
        assert_eq!(
            Finding::Valid,
            found,
            "{length} bytes at {offset} of {stamp:?}"
        );
    });
}

#[test]
fn noise_is_never_valid() {
    for_each_block(|numbers| {
        let (stamp, offset) = any_stamp(numbers);
        let mut buffer = [0; 4096];
        let block = &mut buffer[..stamp.block_bytes];
        fill_with_noise(numbers, block);
        if numbers.next_u64().is_multiple_of(2) {
            // With a good header, the noise comes as close as it can.
            block[..HEADER_BYTES].copy_from_slice(&stamp.header(offset).to_bytes());
        }
        let found = classify(&expectation(stamp), offset, block).class();
        assert_eq!(Class::Corrupt, found, "at {offset} of {stamp:?}");
        assert_eq!(None, Ballot::default().vote(block), "noise has a vote");
    });
}

fn fill_with_noise(numbers: &mut SplitMix64, block: &mut [u8]) {
    for word in block.chunks_mut(8) {
        word.copy_from_slice(&numbers.next_u64().to_le_bytes()[..word.len()]);
    }
}
