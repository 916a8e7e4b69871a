//! A log that is cut, damaged or left by a killed writer is never misjudged.

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use seatrial_log::{
    LOG_VERSION, Log, LogWriter, Operation, Outcome, PAGE_BYTES, Record, Survives, TaskLog,
    TaskRecords,
};

const RUN: u64 = 0xabcd;

/// As long as needs three pages.
const HEAD: &str = concat!(
    "{\"job\":\"",
    env!("CARGO_PKG_DESCRIPTION"),
    include_str!("../Cargo.toml"),
    "\"}",
);

fn record(number: u64) -> Record {
    Record {
        operation: Operation::ALL[number as usize % Operation::ALL.len()],
        outcome: [Outcome::Ok, Outcome::Fail, Outcome::Unknown][number as usize % 3],
        file_index: number as u32,
        generation: 1,
        length_bytes: 8192,
        offset: number * 8192,
        errno: [0, 28, 5][number as usize % 3],
        boottime_ns: 1_000_000_000 + number,
    }
}

/// Writes `records` of each of two tasks, in turns, and finishes both; returns the file.
fn two_tasks(records: u64, flush_every: u64) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let writer = LogWriter::create(&path, RUN, HEAD, Survives::Kill).unwrap();
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

/// The rules for any log, however damaged: the log records of a task come in their order, none is
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

/// Whether a log has all of its head and all of both tasks.
fn is_whole(log: &Log) -> bool {
    log.head.is_some() && log.tasks.len() == 2 && log.tasks.values().all(|task| task.is_complete)
}

/// Gives a page that was changed the checksum that belongs to it.
fn reseal(page: &mut [u8]) {
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&page[..28]), &page[32..PAGE_BYTES]);
    page[28..32].copy_from_slice(&checksum.to_le_bytes());
}

/// Bytes of the pages of the head.
fn head_bytes() -> usize {
    HEAD.len().div_ceil(PAGE_BYTES - 32) * PAGE_BYTES
}

#[test]
fn a_whole_log_is_complete() {
    for (records, flush_every) in [(0, 1), (1, 1), (15, 4), (16, 99), (1000, 7), (1000, 9999)] {
        let log = Log::from_bytes(&two_tasks(records, flush_every)).unwrap();
        assert_eq!(Some(RUN), log.run);
        assert_eq!(0, log.pages_unreadable);
        assert_eq!(LOG_VERSION, log.version);
        assert_eq!(Some(HEAD), log.head.as_deref());
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
        assert!(!is_whole(&log), "byte {position}");
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
        assert!(!is_whole(&log), "page {page}");
        for task in log.tasks.values() {
            assert_eq!(task.pages_missing, task.gaps.len() as u64, "page {page}");
        }
    }
}

#[test]
fn a_writer_that_dies_leaves_what_it_flushed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let writer = LogWriter::create(&path, RUN, HEAD, Survives::Kill).unwrap();
    let mut task = writer.task(0);
    for number in 0..10 {
        task.push(record(number)).unwrap();
    }
    task.flush().unwrap();
    task.push(record(10)).unwrap();
    drop(task);
    let log = Log::read(&path).unwrap();
    // The last one is there only if the second was over just then.
    assert!((10..=11).contains(&log.tasks[&0].records.len()));
    assert!(!log.tasks[&0].is_complete);
}

#[test]
fn what_a_task_did_before_it_stalls_reaches_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let writer = LogWriter::create(&path, RUN, HEAD, Survives::Kill).unwrap();
    let mut tasks: Vec<TaskLog> = (0..2).map(|task| writer.task(task)).collect();
    let all_there = |records| {
        let log = Log::read(&path).unwrap();
        let has_all = |task: &TaskRecords| task.records.len() == records;
        log.tasks.len() == 2 && log.tasks.values().all(has_all)
    };
    for number in 0..3 {
        for task in &mut tasks {
            task.push(record(number)).unwrap();
        }
        // Nobody does anything. That it takes a second at most is not for a test to measure.
        let given_up = Instant::now() + Duration::from_secs(60);
        while !all_there(number as usize + 1) && Instant::now() < given_up {
            thread::sleep(Duration::from_millis(10));
        }
        let is_there = all_there(number as usize + 1);
        assert!(is_there, "only the record after {number} would write it");
    }
    for task in tasks {
        task.finish().unwrap();
    }
    let log = Log::read(&path).unwrap();
    assert_not_misjudged(&log, 3);
    assert!(is_whole(&log));
}

#[test]
fn pages_of_another_run_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    for run in [1, 2] {
        let path = directory.path().join("log");
        let writer = LogWriter::create(&path, run, HEAD, Survives::Kill).unwrap();
        Arc::clone(&writer).task(0).finish().unwrap();
        bytes.extend(fs::read(&path).unwrap());
    }
    assert!(Log::from_bytes(&bytes).is_err());
}

#[test]
fn a_log_of_version_1_is_read() {
    // It had no head; its pages differ from later ones in their version only.
    let mut bytes = two_tasks(40, 13).split_off(head_bytes());
    for page in bytes.chunks_exact_mut(PAGE_BYTES) {
        page[7] = 1;
        reseal(page);
    }
    let log = Log::from_bytes(&bytes).unwrap();
    assert_eq!((1, None), (log.version, log.head.as_deref()));
    assert_eq!(0, log.pages_unreadable);
    assert!(log.tasks.values().all(|task| task.is_complete));
    assert_not_misjudged(&log, 40);
}

#[test]
fn a_later_version_is_not_guessed_at() {
    let mut bytes = two_tasks(0, 1);
    let last = bytes.len() - PAGE_BYTES;
    bytes[last + 7] = LOG_VERSION + 1;
    reseal(&mut bytes[last..]);
    let log = Log::from_bytes(&bytes).unwrap();
    assert_eq!((1, 1), (log.pages_unreadable, log.tasks.len()));
}

#[test]
fn pages_that_contradict_each_other_are_not_believed() {
    let mut bytes = two_tasks(40, 13);
    let page = head_bytes()..head_bytes() + PAGE_BYTES;
    let mut other = bytes[page].to_vec();
    bytes.extend_from_slice(&other);
    assert!(
        is_whole(&Log::from_bytes(&bytes).unwrap()),
        "a copy is no harm"
    );
    other[40] ^= 1;
    reseal(&mut other);
    bytes.extend_from_slice(&other);
    let log = Log::from_bytes(&bytes).unwrap();
    assert_eq!(2, log.pages_unreadable);
    assert_eq!(
        1,
        log.tasks.values().filter(|task| task.is_complete).count()
    );
    assert_not_misjudged(&log, 40);
}

#[test]
fn a_page_behind_the_last_makes_a_log_incomplete() {
    let mut bytes = two_tasks(0, 1);
    let last = bytes.len() - PAGE_BYTES;
    for sequence in [1, u32::MAX] {
        let mut page = bytes[last..last + PAGE_BYTES].to_vec();
        page[16..20].copy_from_slice(&sequence.to_le_bytes());
        reseal(&mut page);
        bytes.extend_from_slice(&page);
        let log = Log::from_bytes(&bytes).unwrap();
        assert!(log.tasks[&0].is_complete);
        assert!(!log.tasks[&1].is_complete);
    }
}

#[test]
fn a_log_that_survives_a_power_cut_reads_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let writer = LogWriter::create(&path, RUN, "", Survives::PowerCut).unwrap();
    let mut task = writer.task(7);
    task.push(record(0)).unwrap();
    task.settle().unwrap();
    assert_eq!(1, Log::read(&path).unwrap().tasks[&7].records.len());
    task.push(record(1)).unwrap();
    task.finish().unwrap();
    let log = Log::read(&path).unwrap();
    assert_eq!(Some(""), log.head.as_deref());
    assert_eq!(2, log.tasks[&7].records.len());
    assert!(log.tasks[&7].is_complete);
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
