//! Truncate: bytes that a truncation removed read as zeros after the file is extended, and so do
//! holes. A client that opens the file after a close sees the new size.
//!
//! In even turns, each client writes the next generation into its own file. In odd turns, it opens
//! and reads the file of its neighbour. So no client writes a file while another client reads it.

use rustix::fs::{OFlags, fsync, ftruncate};
use rustix::io::Result;
use serde_json::json;

use crate::alone::Turns;
use crate::consistency_test::Kind;
use crate::files::{close, open_or_make, write_at};
use crate::job::Job;
use crate::meter::{Meter, ok_or_error};
use crate::pair::{InEvenTurns, Pair, look_outcome};
use crate::stamp::{STAMP_BYTES, generation_of};

pub(crate) const KIND: Kind = Kind {
    name: "truncate",
    turns_late: 0.25,
    prepare: |job, meter| Ok(Box::new(Truncate::prepare(job, meter)?)),
};

/// Bytes that are written first. Most of them are cut off again.
const FILLED_BYTES: usize = 12_288;

/// Bytes to which the file is extended by a truncation.
const EXTENDED_BYTES: usize = 16_384;

/// Where the tail is written: between it and the extended end is a hole that nothing was written
/// to.
const TAIL_AT: usize = 20_480;

/// Sizes repeat after this number of generations.
const SIZES: u64 = 1000;

pub(crate) struct Truncate {
    pair: Pair,
}

/// What a reader found.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    /// The generation in the tail; `None` when it is no tail of this file.
    generation: Option<u64>,
    /// Whether the bytes that no truncation cut off are those of the generation.
    is_head_whole: bool,
    /// Bytes between head and tail that are not zero.
    dirty_bytes: usize,
}

impl Truncate {
    /// Makes generation 0, so that no client remembers that the name is not there.
    fn prepare(job: &Job, meter: &mut Meter) -> Result<Self> {
        let mut prepared = Self {
            pair: Pair::new(job, "truncate"),
        };
        prepared.write(meter)?;
        Ok(prepared)
    }
}

impl InEvenTurns for Truncate {
    fn turns(&self) -> &Turns {
        &self.pair.turns
    }

    fn write(&mut self, meter: &mut Meter) -> Result<()> {
        let generation = self.pair.generation;
        let tail = self.pair.own_stamp();
        let filled = vec![letter(generation); FILLED_BYTES];
        let called = meter.call("truncate", (&self.pair.own, FILLED_BYTES), &[], || {
            let file = open_or_make(&self.pair.own_path, OFlags::empty())?;
            write_at(&file, &filled, 0)?;
            ftruncate(&file, head_bytes(generation) as u64)?;
            ftruncate(&file, EXTENDED_BYTES as u64)?;
            write_at(&file, &tail, TAIL_AT as u64)?;
            ftruncate(&file, size_bytes(generation))?;
            fsync(&file)?;
            close(file)
        });
        let fields = json!({ "generation": generation });
        meter.note("rewrite", &called, ok_or_error(&called), fields);
        self.pair.generation += 1;
        called.result
    }

    fn read(&self, meter: &mut Meter) {
        let (called, mut fields) = self.pair.look.read(meter);
        if let Ok(content) = &called.result {
            let found = examine(self.pair.run, self.pair.neighbour, content);
            fields["generation"] = json!(found.generation);
            fields["head_whole"] = json!(found.is_head_whole);
            fields["dirty_bytes"] = json!(found.dirty_bytes);
        }
        meter.note("read", &called, look_outcome(&called), fields);
    }
}

/// Bytes that are left of those that were written first: in no way aligned.
const fn head_bytes(generation: u64) -> usize {
    1000 + (generation * 37 % 3000) as usize
}

/// Size of the file in the end.
const fn size_bytes(generation: u64) -> u64 {
    (TAIL_AT + STAMP_BYTES) as u64 + generation % SIZES
}

/// What the head is made of.
const fn letter(generation: u64) -> u8 {
    b'a' + (generation % 26) as u8
}

fn examine(run: u64, client: u16, content: &[u8]) -> Found {
    let found = content.get(TAIL_AT..TAIL_AT + STAMP_BYTES);
    let generation = found.and_then(|found| generation_of(run, client, found));
    let Some(known) = generation else {
        return Found {
            generation,
            is_head_whole: false,
            dirty_bytes: 0,
        };
    };
    let (head, rest) = content.split_at(head_bytes(known));
    let hole = &rest[..TAIL_AT - head.len()];
    let end = &content[TAIL_AT + STAMP_BYTES..];
    Found {
        generation,
        is_head_whole: head.iter().all(|&byte| byte == letter(known)),
        dirty_bytes: hole.iter().chain(end).filter(|&&byte| byte != 0).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamp::stamp;

    fn content(generation: u64) -> Vec<u8> {
        let mut content = vec![letter(generation); head_bytes(generation)];
        content.resize(TAIL_AT, 0);
        content.extend(stamp(7, 3, generation));
        content.resize(size_bytes(generation) as usize, 0);
        content
    }

    #[test]
    fn what_was_cut_off_is_seen_where_it_comes_back() {
        let clean = |generation| Found {
            generation: Some(generation),
            is_head_whole: true,
            dirty_bytes: 0,
        };
        for generation in [0, 1, 999, 1000, 123_456] {
            assert_eq!(clean(generation), examine(7, 3, &content(generation)));
        }
        let mut dirty = content(5);
        dirty[head_bytes(5)] = letter(4);
        dirty[TAIL_AT - 1] = 1;
        *dirty.last_mut().unwrap() = 1;
        assert_eq!(3, examine(7, 3, &dirty).dirty_bytes);
        let mut cut = content(5);
        cut[head_bytes(5) - 1] = 0;
        assert!(!examine(7, 3, &cut).is_head_whole);
    }

    #[test]
    fn a_tail_of_another_file_is_none() {
        assert_eq!(None, examine(7, 4, &content(5)).generation);
        assert_eq!(None, examine(7, 3, &content(5)[..TAIL_AT]).generation);
        assert_eq!(None, examine(7, 3, b"").generation);
    }
}
