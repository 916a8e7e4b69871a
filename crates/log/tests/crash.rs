//! A log that is cut, damaged or left behind by a killed writer is never misjudged.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use seatrial_log::{Log, LogWriter, Operation, Outcome, PAGE_BYTES, Record, TaskLog};

const RUN: u64 = 0xabcd;

fn record(number: u64) -> Record {
    Record {
        operation: Operation::ALL[number as usize % Operation::ALL.len()],
        outcome: [Outcome::Ok, Outcome::Fail, Outcome::Unknown][number as usize % 3],
        file_index: number as u32,
        generation: 1,
        length_bytes: 8192,
        offset: number * 8192,
        unix_ns: 1_000_000_000 + number,
    }
}

/// Writes `records` of each of two tasks, in turns, and finishes both; returns the file.
fn two_tasks(records: u64, flush_every: u64) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let writer = LogWriter::create(&path, RUN).unwrap();
    let mut tasks: Vec<TaskLog> = (0..2).map(|task| writer.task(task)).collect();
    for number in 0..records {
        for task in &mut tasks {
            task.push(record(number)).unwrap();
            if number % flush_every == flush_every - 1 {
                task.flush().unwrap();
            }
        }
    }
    for task in tasks {
        task.finish().unwrap();
    }
    fs::read(&path).unwrap()
}

/// What must hold of any log, however damaged: the records of a task come in their order, none is
/// invented, and only a log with all of them is complete.
fn assert_not_misjudged(log: &Log, records: u64) {
    for task in log.tasks.values() {
        let mut numbers = task
            .records
            .iter()
            .map(|record| u64::from(record.file_index));
        assert!(numbers.clone().is_sorted_by(|before, after| before < after));
        assert!(numbers.all(|number| number < records));
        assert!(
            task.records
                .iter()
                .all(|found| *found == record(u64::from(found.file_index)))
        );
        assert!(
            !task.is_complete || task.records.len() as u64 == records,
            "called complete without all its records"
        );
    }
}

#[test]
fn a_whole_log_is_complete() {
    for (records, flush_every) in [(0, 1), (1, 1), (15, 4), (16, 99), (1000, 7), (1000, 9999)] {
        let log = Log::from_bytes(&two_tasks(records, flush_every)).unwrap();
        assert_eq!(Some(RUN), log.run);
        assert_eq!(0, log.pages_unreadable);
        assert_eq!(2, log.tasks.len());
        for task in log.tasks.values() {
            assert!(task.is_complete);
            assert_eq!(records as usize, task.records.len());
        }
        assert_not_misjudged(&log, records);
    }
}

#[test]
fn a_cut_at_every_byte_is_seen() {
    let bytes = two_tasks(40, 13);
    for length in 0..bytes.len() {
        let log = Log::from_bytes(&bytes[..length]).unwrap();
        assert_not_misjudged(&log, 40);
        let complete = log.tasks.values().filter(|task| task.is_complete).count();
        assert!(complete < 2, "cut at {length} of {}", bytes.len());
    }
}

#[test]
fn a_flipped_bit_at_every_byte_is_seen() {
    let mut bytes = two_tasks(40, 13);
    for position in 0..bytes.len() {
        bytes[position] ^= 1 << (position % 8);
        let log = Log::from_bytes(&bytes).unwrap();
        assert_eq!(1, log.pages_unreadable, "byte {position}");
        assert_not_misjudged(&log, 40);
        let complete = log.tasks.values().filter(|task| task.is_complete).count();
        assert!(complete < 2, "byte {position}");
        bytes[position] ^= 1 << (position % 8);
    }
}

#[test]
fn a_lost_page_at_every_place_is_seen() {
    // What a power cut leaves when pages reached the disk out of order.
    let bytes = two_tasks(100, 9);
    for page in 0..bytes.len() / PAGE_BYTES {
        let mut holed = bytes.clone();
        holed[page * PAGE_BYTES..(page + 1) * PAGE_BYTES].fill(0);
        let log = Log::from_bytes(&holed).unwrap();
        assert_not_misjudged(&log, 100);
        assert!(
            log.tasks.values().any(|task| !task.is_complete),
            "page {page}"
        );
    }
}

#[test]
fn a_writer_that_dies_leaves_what_it_flushed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let writer = LogWriter::create(&path, RUN).unwrap();
    let mut task = writer.task(0);
    for number in 0..10 {
        task.push(record(number)).unwrap();
    }
    task.flush().unwrap();
    task.push(record(10)).unwrap();
    drop(task);
    let log = Log::read(&path).unwrap();
    assert_eq!(10, log.tasks[&0].records.len());
    assert!(!log.tasks[&0].is_complete);
}

#[test]
fn pages_of_another_run_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    for run in [1, 2] {
        let path = directory.path().join("log");
        let writer = LogWriter::create(&path, run).unwrap();
        Arc::clone(&writer).task(0).finish().unwrap();
        bytes.extend(fs::read(&path).unwrap());
    }
    assert!(Log::from_bytes(&bytes).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
        let log = Log::from_bytes(&bytes).unwrap();
        prop_assert!(log.tasks.is_empty());
    }

    #[test]
    fn any_damage_is_never_misjudged(
        cut in 0_usize..=100, start in 0_usize..10_000,
        bytes in prop::collection::vec(any::<u8>(), 1..2000),
    ) {
        let mut log = two_tasks(60, 11);
        let length = log.len();
        for (target, byte) in log[start % length..].iter_mut().zip(bytes) {
            *target = byte;
        }
        log.truncate(length * cut / 100);
        assert_not_misjudged(&Log::from_bytes(&log).unwrap(), 60);
    }
}
