//! Storage that compresses or deduplicates finds nothing to save in the written blocks.

use std::collections::HashSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use seatrial_content::{Stamp, file_id};

/// Bytes of each stream that is compressed.
const STREAM_BYTES: usize = 1 << 20;

/// What deduplicating storage compares at least: a sector.
const SECTOR_BYTES: usize = 512;

fn stamp(block_bytes: usize) -> Stamp {
    Stamp {
        run: 0x5ea_741a1,
        file: file_id("c0/data"),
        generation: 1,
        writer: Stamp::writer_of(0, 0),
        file_bytes: STREAM_BYTES as u64,
        block_bytes,
    }
}

/// One file, a file in several generations, and several files of several clients.
fn kinds(block_bytes: usize) -> [(&'static str, Vec<Stamp>); 3] {
    let stamp = stamp(block_bytes);
    let of_client = |client| Stamp {
        file: file_id(&format!("c{client}/data")),
        writer: Stamp::writer_of(client, 0),
        ..stamp
    };
    let of_generation = |generation| Stamp {
        generation,
        ..stamp
    };
    [
        ("one file", vec![stamp]),
        ("generations", (1..=4).map(of_generation).collect()),
        ("files", (0..4).map(of_client).collect()),
    ]
}

/// Blocks of all stamps in turn: those of the same offset are adjacent, where a compressor with a
/// small window sees them together.
fn stream_of(stamps: &[Stamp]) -> Vec<u8> {
    let block_bytes = stamps[0].block_bytes;
    let mut stream = vec![0; STREAM_BYTES];
    for (index, block) in stream.chunks_exact_mut(block_bytes).enumerate() {
        let offset = index / stamps.len() * block_bytes;
        stamps[index % stamps.len()].fill(offset as u64, block);
    }
    stream
}

/// The stream's bytes after each compressor: one that looks for long, one that is quick.
fn compressed_bytes(stream: &[u8]) -> [(&'static str, usize); 2] {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(stream).unwrap();
    [
        ("deflate", deflate.finish().unwrap().len()),
        ("LZ4", lz4_flex::compress(stream).len()),
    ]
}

/// Whether compression saves no more than a thousandth.
const fn is_as_long(compressed_bytes: usize) -> bool {
    compressed_bytes * 1000 >= STREAM_BYTES * 999
}

#[test]
fn no_stream_of_blocks_can_be_compressed() {
    for block_bytes in [512, 1024, 2048, 4096] {
        for (kind, stamps) in kinds(block_bytes) {
            for (compressor, bytes) in compressed_bytes(&stream_of(&stamps)) {
                let share = bytes as f64 / STREAM_BYTES as f64;
                assert!(
                    is_as_long(bytes),
                    "{kind}, blocks of {block_bytes} bytes: {share:.4} after {compressor}"
                );
            }
        }
    }
}

#[test]
fn the_compressors_would_find_what_blocks_have_in_common() {
    for block_bytes in [512, 4096] {
        let mut stream = stream_of(&[stamp(block_bytes)]);
        let common = stream[..48].to_vec();
        for block in stream.chunks_exact_mut(block_bytes) {
            block[..48].copy_from_slice(&common);
        }
        for (compressor, bytes) in compressed_bytes(&stream) {
            assert!(!is_as_long(bytes), "{block_bytes}: {compressor}");
        }
    }
}

#[test]
fn no_sector_occurs_twice() {
    let mut streams = Vec::new();
    for block_bytes in [512, 4096] {
        for stamp in many_stamps(block_bytes) {
            let mut stream = vec![0; STREAM_BYTES / 8];
            stamp.fill(0, &mut stream);
            streams.push(stream);
        }
    }
    let mut seen = HashSet::new();
    let sectors = streams
        .iter()
        .flat_map(|stream| stream.chunks(SECTOR_BYTES));
    for sector in sectors {
        assert!(seen.insert(sector), "a sector occurs twice");
    }
}

/// Small numbers in many combinations, where a weak mixture of them would repeat itself.
fn many_stamps(block_bytes: usize) -> impl Iterator<Item = Stamp> {
    (0..2 * 4 * 8 * 2).map(move |number| Stamp {
        run: u64::from(number % 2),
        file: file_id(&format!("c{}/data", number / 2 % 4)),
        generation: 1 + number / 8 % 8,
        writer: Stamp::writer_of(number as u16 / 64, 0),
        ..stamp(block_bytes)
    })
}
