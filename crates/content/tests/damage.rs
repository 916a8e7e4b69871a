//! Each kind of damage is planted, found and named.

use proptest::prelude::*;
use seatrial_content::{
    Ballot, Class, Expectation, Finding, HEADER_BYTES, Source, Stamp, classify, file_id,
};

const BLOCK_BYTES: usize = 4096;

/// What the tests expect to find.
fn stamp() -> Stamp {
    Stamp {
        run: 0x5ea_741a1,
        file: file_id("c1/data"),
        generation: 5,
        writer: Stamp::writer_of(1, 0),
        file_bytes: 1 << 20,
        block_bytes: BLOCK_BYTES,
    }
}

fn block_of(stamp: &Stamp, offset: u64) -> Vec<u8> {
    let mut block = vec![0; stamp.block_bytes];
    stamp.fill(offset, &mut block);
    block
}

fn find(offset: u64, block: &[u8]) -> Finding {
    classify(
        &Expectation {
            stamp: stamp(),
            any_writer: false,
        },
        offset,
        block,
    )
}

/// The blocks' content as one write leaves it and another begins to replace it.
fn torn(old: &Stamp, new: &Stamp, offset: u64, tear: usize) -> Vec<u8> {
    let mut block = block_of(old, offset);
    block[..tear].copy_from_slice(&block_of(new, offset)[..tear]);
    block
}

#[test]
fn a_whole_block_of_another_origin_is_named() {
    let stamp = stamp();
    let older = Stamp {
        generation: 3,
        ..stamp
    };
    assert_eq!(
        Finding::Stale {
            found: 3,
            expected: 5
        },
        find(8192, &block_of(&older, 8192))
    );
    assert_eq!(
        Finding::Misplaced { belongs_at: 4096 },
        find(8192, &block_of(&stamp, 4096))
    );
    let neighbour = Stamp { file: 9, ..stamp };
    assert_eq!(
        Finding::ForeignFile {
            file: 9,
            belongs_at: 0
        },
        find(8192, &block_of(&neighbour, 0))
    );
    let earlier = Stamp { run: 7, ..stamp };
    assert_eq!(
        Finding::ForeignRun {
            run: 7,
            file: stamp.file
        },
        find(0, &block_of(&earlier, 0))
    );
    let other = Stamp {
        writer: Stamp::writer_of(4, 2),
        ..stamp
    };
    let finding = find(0, &block_of(&other, 0));
    assert_eq!(Class::Misplaced, finding.class());
    assert_eq!(
        "written by client 4 task 2, expected client 1 task 0",
        finding.to_string()
    );
}

#[test]
fn another_intended_length_is_no_damage() {
    let longer = Stamp {
        file_bytes: 2 << 20,
        ..stamp()
    };
    assert_eq!(Finding::Valid, find(4096, &block_of(&longer, 4096)));
}

#[test]
fn zeros_and_nothing_are_told_apart() {
    assert_eq!(Finding::Zero, find(0, &[0; BLOCK_BYTES]));
    assert_eq!(Finding::Zero, find(0, &[0; 100]));
    assert_eq!(Finding::Missing, find(0, &[]));
}

#[test]
fn a_tear_names_both_generations() {
    let old = Stamp {
        generation: 4,
        ..stamp()
    };
    assert_eq!(
        "bytes 0-1535 generation 5, bytes 1536-4095 generation 4",
        find(0, &torn(&old, &stamp(), 0, 1536)).to_string()
    );
    let mut half = block_of(&stamp(), 0);
    half[2048..].fill(0);
    assert_eq!(
        "bytes 0-2047 generation 5, bytes 2048-4095 zero",
        find(0, &half).to_string()
    );
    let mut late = block_of(&stamp(), 0);
    late[..512].fill(0);
    assert_eq!(
        "bytes 0-511 zero, bytes 512-4095 generation 5",
        find(0, &late).to_string()
    );
}

#[test]
fn a_tear_within_the_header_is_corrupt() {
    let old = Stamp {
        generation: 4,
        ..stamp()
    };
    for tear in 1..HEADER_BYTES {
        let block = torn(&old, &stamp(), 8192, tear);
        assert_eq!(Class::Corrupt, find(8192, &block).class(), "after {tear}");
        let mut late = block_of(&stamp(), 8192);
        late[..tear].fill(0);
        assert_eq!(Class::Corrupt, find(8192, &late).class(), "after {tear}");
    }
    let between = torn(&old, &stamp(), 8192, HEADER_BYTES);
    assert_eq!(Class::Torn, find(8192, &between).class());
}

#[test]
fn a_flipped_bit_anywhere_in_the_header_is_corrupt() {
    for bit in 0..HEADER_BYTES * 8 {
        let mut block = block_of(&stamp(), 8192);
        block[bit / 8] ^= 1 << (bit % 8);
        let first_wrong_at = 8192 + bit as u64 / 8;
        assert_eq!(
            Finding::Corrupt {
                wrong_bytes: 1,
                first_wrong_at
            },
            find(8192, &block)
        );
        assert_eq!(None, Ballot::default().vote(&block), "bit {bit} has a vote");
    }
}

#[test]
fn a_piece_of_another_block_is_a_tear_of_unknown_origin() {
    let mut block = block_of(&stamp(), 4096);
    block[512..1024].copy_from_slice(&block_of(&stamp(), 8192)[512..1024]);
    let Finding::Torn { pieces } = find(4096, &block) else {
        panic!("not torn")
    };
    assert_eq!(
        vec![
            Source::Write { generation: 5 },
            Source::Elsewhere,
            Source::Write { generation: 5 }
        ],
        pieces.iter().map(|piece| piece.source).collect::<Vec<_>>()
    );
}

#[test]
fn a_flipped_bit_in_a_torn_block_is_not_passed_over() {
    let old = Stamp {
        generation: 4,
        ..stamp()
    };
    let mut block = torn(&old, &stamp(), 0, 2048);
    assert_eq!(Class::Torn, find(0, &block).class());
    block[1000] ^= 1;
    assert_eq!(Class::Corrupt, find(0, &block).class());
}

#[test]
fn a_vote_finds_the_majority_and_ignores_damage() {
    let mut ballot = Ballot::default();
    for offset in (0..10).map(|block| block * BLOCK_BYTES as u64) {
        assert!(ballot.vote(&block_of(&stamp(), offset)).is_some());
    }
    for offset in (0..3).map(|block| block * BLOCK_BYTES as u64) {
        ballot.vote(&block_of(
            &Stamp {
                generation: 9,
                ..stamp()
            },
            offset,
        ));
    }
    let mut damaged = block_of(&stamp(), 0);
    damaged[4000] ^= 1;
    assert_eq!(None, ballot.vote(&damaged));
    assert_eq!(
        Some(Expectation {
            stamp: stamp(),
            any_writer: true
        }),
        ballot.winner()
    );
    assert_eq!(None, Ballot::default().winner());
}

proptest! {
    #[test]
    fn a_flipped_bit_is_corrupt_and_its_place_is_named(
        bit in 0..BLOCK_BYTES * 8, block_index in 0_u64..256,
    ) {
        let offset = block_index * BLOCK_BYTES as u64;
        let mut block = block_of(&stamp(), offset);
        block[bit / 8] ^= 1 << (bit % 8);
        let first_wrong_at = offset + bit as u64 / 8;
        prop_assert_eq!(Finding::Corrupt { wrong_bytes: 1, first_wrong_at }, find(offset, &block));
    }

    #[test]
    fn any_tear_behind_the_header_is_torn_at_that_word(
        tear in HEADER_BYTES + 32..BLOCK_BYTES - 32, generation in 1_u32..5,
    ) {
        let old = Stamp { generation, ..stamp() };
        let Finding::Torn { pieces } = find(4096, &torn(&old, &stamp(), 4096, tear)) else {
            return Err(TestCaseError::fail("not torn"));
        };
        prop_assert_eq!(2, pieces.len());
        prop_assert_eq!(Source::Write { generation: 5 }, pieces[0].source);
        prop_assert_eq!(Source::Write { generation }, pieces[1].source);
        prop_assert!(pieces[0].end.abs_diff(tear) < 8, "{} for {}", pieces[0].end, tear);
    }

    #[test]
    fn random_bytes_are_corrupt(bytes in prop::collection::vec(1_u8.., 1..=BLOCK_BYTES)) {
        prop_assert_eq!(Class::Corrupt, find(0, &bytes).class());
    }

    #[test]
    fn damage_of_any_form_is_never_called_valid(
        start in 0..BLOCK_BYTES, bytes in prop::collection::vec(any::<u8>(), 1..600),
        cut in 1..=BLOCK_BYTES,
    ) {
        let clean = block_of(&stamp(), 0);
        let mut block = clean.clone();
        for (target, byte) in block[start..].iter_mut().zip(&bytes) {
            *target = *byte;
        }
        block.truncate(cut);
        let is_valid = find(0, &block) == Finding::Valid;
        prop_assert_eq!(block == clean[..cut], is_valid);
    }
}
