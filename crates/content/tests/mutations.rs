//! Images of valid blocks are flipped, cut, doubled, moved and mixed. No reader panics, and none
//! calls a block valid that differs from the written one in any byte.

use seatrial_content::{
    Ballot, Expectation, Extent, ExtentList, Finding, Header, SplitMix64, Stamp, classify,
    classify_unknown,
};

const CASES: u64 = 50_000;
const CASES_SOAK: u64 = 5_000_000;

/// Blocks of an image.
const BLOCKS: usize = 6;

fn cases() -> u64 {
    match std::env::var_os("SEATRIAL_SOAK") {
        Some(_) => CASES_SOAK,
        None => CASES,
    }
}

fn below(numbers: &mut SplitMix64, bound: usize) -> usize {
    numbers.next_u64() as usize % bound
}

/// A stamp that differs from that of others in few ways.
fn some_stamp(numbers: &mut SplitMix64, block_bytes: usize) -> Stamp {
    Stamp {
        run: numbers.next_u64() % 2,
        file: numbers.next_u64() % 2,
        generation: (numbers.next_u64() % 3) as u32,
        writer: (numbers.next_u64() % 2) as u32,
        file_bytes: numbers.next_u64() % 2 * 4096,
        block_bytes,
    }
}

fn image(stamp: &Stamp) -> Vec<u8> {
    let mut bytes = vec![0; BLOCKS * stamp.block_bytes];
    stamp.fill(0, &mut bytes);
    bytes
}

/// Changes an image in one way.
fn mutate(numbers: &mut SplitMix64, bytes: &mut Vec<u8>, other: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let start = below(numbers, bytes.len());
    let length = 1 + below(numbers, (bytes.len() - start).min(5000));
    // Damage by machines is aligned as often as not.
    let unit = [1, 8, 512, 4096][below(numbers, 4)];
    let (from, to) = (start - start % unit, (start + length).min(bytes.len()));
    match numbers.next_u64() % 8 {
        0 => bytes[start] ^= 1 << below(numbers, 8),
        1 => bytes.truncate(from),
        2 => bytes[from..to].fill(0),
        3 => bytes[from..to]
            .iter_mut()
            .for_each(|byte| *byte = numbers.next_u64() as u8),
        4 => {
            let piece = bytes[from..to].to_vec();
            bytes.splice(from..from, piece);
        }
        5 => drop(bytes.drain(from..to)),
        6 => {
            let target = below(numbers, bytes.len());
            let room = bytes.len() - target;
            bytes.copy_within(from..to.min(from + room), target);
        }
        _ => {
            let end = to.min(other.len());
            if from < end {
                bytes[from..end].copy_from_slice(&other[from..end]);
            }
        }
    }
}

/// Reads an image as `check` does, and compares each answer with the written block.
fn read(expected: &Stamp, any_writer: bool, bytes: &[u8]) {
    let expectation = Expectation {
        stamp: *expected,
        any_writer,
    };
    let mut list = ExtentList::new(8);
    let mut offset = 0;
    let mut reference = vec![0; expected.block_bytes];
    for block in bytes.chunks(expected.block_bytes) {
        let finding = classify(&expectation, offset as u64, block);
        let _ = (finding.to_string(), finding.class().name());
        let _ = classify_unknown(offset as u64, block);
        // A block that the end cuts off may be so short that it fits by chance: it is valid.
        expected.fill(offset as u64, &mut reference);
        let is_true = reference[..block.len()] == *block;
        if is_true {
            assert_eq!(Finding::Valid, finding, "at {offset}");
        } else if finding == Finding::Valid {
            assert_is_another_valid_block(&expectation, offset as u64, block);
        }
        list.push(offset as u64, block.len() as u64, finding);
        offset += block.len();
    }
    let (extents, omitted) = list.finish();
    let covered: u64 = extents.iter().map(|extent| extent.length).sum();
    assert!(extents.is_sorted_by(|one, next| Extent::end(one) <= next.offset));
    assert_eq!(omitted == 0, covered == bytes.len() as u64);
}

/// A block that is not the expected one can only be valid when its header explains each of its
/// bytes, and differs from the expected header in nothing that matters.
fn assert_is_another_valid_block(expectation: &Expectation, offset: u64, block: &[u8]) {
    let header = Header::from_bytes(block).expect("valid without a header");
    let stamp = Stamp::of_header(&header);
    let mut reference = vec![0; stamp.block_bytes];
    stamp.fill(header.offset, &mut reference);
    assert_eq!(reference[..block.len()], *block, "valid, and yet altered");
    let wanted = Stamp {
        file_bytes: stamp.file_bytes,
        writer: if expectation.any_writer {
            stamp.writer
        } else {
            expectation.stamp.writer
        },
        ..expectation.stamp
    };
    assert_eq!(
        (wanted, offset),
        (stamp, header.offset),
        "valid, and yet another's"
    );
}

#[test]
fn no_change_of_an_image_is_taken_for_what_was_written() {
    let mut numbers = SplitMix64::new(5);
    for _ in 0..cases() {
        let block_bytes = 512 << below(&mut numbers, 4);
        let stamp = some_stamp(&mut numbers, block_bytes);
        let other_block_bytes = 512 << below(&mut numbers, 4);
        let other = image(&some_stamp(&mut numbers, other_block_bytes));
        let mut bytes = image(&stamp);
        for _ in 0..below(&mut numbers, 4) {
            mutate(&mut numbers, &mut bytes, &other);
        }
        read(&stamp, numbers.next_u64().is_multiple_of(2), &bytes);
        let mut ballot = Ballot::default();
        for block in bytes.chunks(4096) {
            ballot.vote(block);
        }
        let _ = ballot.winner();
    }
}

#[test]
fn any_bytes_are_read_to_their_end() {
    let mut numbers = SplitMix64::new(6);
    for _ in 0..cases() {
        let block_bytes = 512 << below(&mut numbers, 4);
        let stamp = some_stamp(&mut numbers, block_bytes);
        let length = below(&mut numbers, 10_000);
        // Few different bytes make long runs, which random ones never do.
        let mask = [0xff, 0x01, 0x00][below(&mut numbers, 3)];
        let bytes: Vec<_> = (0..length)
            .map(|_| numbers.next_u64() as u8 & mask)
            .collect();
        read(&stamp, true, &bytes);
    }
}
