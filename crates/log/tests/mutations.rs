//! Logs are flipped, cut, doubled and mixed, with and without a checksum that fits. The reader
//! never panics, believes no page that was altered, and calls no log whole that is not.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use seatrial_log::{
    Log, LogError, LogReader, LogWriter, Operation, Outcome, PAGE_BYTES, RECORD_BYTES, Record,
    Step, Survives, TaskSummary,
};

const CASES: u64 = 20_000;
const CASES_SOAK: u64 = 5_000_000;
const RUN: u64 = 7;

/// A stream of numbers; the log knows no other crate that has one.
struct Numbers(u64);

impl Numbers {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    const fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }
}

fn cases() -> u64 {
    match std::env::var_os("SEATRIAL_SOAK") {
        Some(_) => CASES_SOAK,
        None => CASES,
    }
}

fn any_record(numbers: &mut Numbers) -> Record {
    Record {
        operation: Operation::ALL[numbers.below(Operation::ALL.len())],
        outcome: [Outcome::Ok, Outcome::Fail, Outcome::Unknown][numbers.below(3)],
        errno: numbers.next() as u16,
        file_index: numbers.next() as u32,
        generation: numbers.next() as u32,
        length_bytes: numbers.next() as u32,
        offset: numbers.next(),
        boottime_ns: numbers.next(),
    }
}

/// A log of up to three tasks, and its contents.
fn any_log(numbers: &mut Numbers) -> (Vec<u8>, Log) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let head = "head".repeat(numbers.below(400));
    let writer = LogWriter::create(&path, RUN, &head, Survives::Kill).unwrap();
    let tasks = 1 + numbers.below(3) as u16;
    let mut logs: Vec<_> = (0..tasks).map(|task| writer.task(task)).collect();
    for _ in 0..numbers.below(150) {
        let task = numbers.below(logs.len());
        logs[task].push(any_record(numbers)).unwrap();
        if numbers.below(20) == 0 {
            logs[task].flush().unwrap();
        }
    }
    for log in logs {
        log.finish().unwrap();
    }
    let bytes = fs::read(&path).unwrap();
    let log = Log::from_bytes(&bytes).unwrap();
    assert!(log.head.as_deref() == Some(&head) && log.pages_unreadable == 0);
    assert!(log.tasks.values().all(|task| task.is_complete));
    (bytes, log)
}

fn mutate(numbers: &mut Numbers, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let unit = [1, RECORD_BYTES, PAGE_BYTES][numbers.below(3)];
    let at = |position: usize| position - position % unit;
    let from = at(numbers.below(bytes.len()));
    let to = (from + unit * (1 + numbers.below(3))).min(bytes.len());
    match numbers.below(7) {
        0 => bytes[from] ^= 1 << numbers.below(8),
        1 => bytes.truncate(from),
        2 => bytes[from..to].fill(0),
        3 => bytes[from..to]
            .iter_mut()
            .for_each(|byte| *byte = numbers.next() as u8),
        4 => {
            let piece = bytes[from..to].to_vec();
            let target = at(numbers.below(bytes.len()));
            bytes.splice(target..target, piece);
        }
        5 => drop(bytes.drain(from..to)),
        _ => {
            let target = at(numbers.below(bytes.len()));
            let room = bytes.len() - target;
            bytes.copy_within(from..to.min(from + room), target);
        }
    }
}

fn key(record: &Record) -> [u8; RECORD_BYTES] {
    record.to_bytes()
}

/// The result for an altered log may be less than the truth, and never anything else.
fn assert_not_misjudged(truth: &Log, found: &Log) {
    assert!(
        found.head.is_none() || found.head == truth.head,
        "another head"
    );
    for (number, task) in &found.tasks {
        let whole = &truth.tasks[number].records;
        let mut rest = whole.iter().map(key);
        for record in &task.records {
            assert!(
                rest.any(|next| next == key(record)),
                "a record from nowhere"
            );
        }
        assert!(
            !task.is_complete || task.records == *whole,
            "called complete"
        );
    }
}

type Steps = BTreeMap<u16, Vec<Step>>;

/// Everything that a reader returns.
fn told(log: &LogReader) -> (String, Steps) {
    let mut steps = Steps::new();
    let take = |task, step| {
        steps.entry(task).or_default().push(step);
        Ok::<_, io::Error>(())
    };
    log.replay(take).unwrap();
    let tasks = log.tasks.iter().map(|(number, task)| {
        let TaskSummary {
            records,
            is_complete,
            pages_missing,
            ..
        } = task;
        format!("{number} {records} {is_complete} {pages_missing}")
    });
    let tasks: Vec<_> = tasks.collect();
    let (run, version, head) = (log.run, log.version, &log.head);
    let whole = format!(
        "{run:?} {version} {head:?} {} {tasks:?}",
        log.pages_unreadable
    );
    (whole, steps)
}

/// Reading page by page gives the same as reading at once.
fn assert_read_alike(path: &Path, bytes: &[u8], log: &Result<Log, LogError>) {
    fs::write(path, bytes).unwrap();
    match (LogReader::open(path), log) {
        (Ok(reader), Ok(log)) => assert_eq!(told(&log.clone().into()), told(&reader)),
        (Err(found), Err(expected)) => assert_eq!(expected.to_string(), found.to_string()),
        (found, expected) => panic!("{found:?} instead of {expected:?}"),
    }
}

#[test]
fn no_altered_page_is_believed() {
    let mut numbers = Numbers(1);
    let file = tempfile::NamedTempFile::new().unwrap();
    let (mut bytes, mut truth) = any_log(&mut numbers);
    for case in 0..cases() {
        if case % 50 == 0 {
            (bytes, truth) = any_log(&mut numbers);
        }
        let mut altered = bytes.clone();
        for _ in 0..=numbers.below(4) {
            mutate(&mut numbers, &mut altered);
        }
        let found = Log::from_bytes(&altered);
        assert_read_alike(file.path(), &altered, &found);
        let found = found.unwrap();
        assert_not_misjudged(&truth, &found);
        let originals: HashSet<_> = bytes.chunks(PAGE_BYTES).collect();
        let good = altered
            .chunks(PAGE_BYTES)
            .filter(|page| originals.contains(page))
            .count();
        let unreadable = altered.len().div_ceil(PAGE_BYTES) - good;
        assert_eq!(unreadable as u64, found.pages_unreadable, "pages");
    }
}

#[test]
fn pages_with_a_checksum_that_fits_are_read_to_the_end() {
    let mut numbers = Numbers(2);
    let file = tempfile::NamedTempFile::new().unwrap();
    let (mut bytes, _) = any_log(&mut numbers);
    for case in 0..cases() {
        if case % 50 == 0 {
            (bytes, _) = any_log(&mut numbers);
        }
        let mut altered = bytes.clone();
        for _ in 0..=numbers.below(4) {
            mutate(&mut numbers, &mut altered);
        }
        for page in altered.chunks_exact_mut(PAGE_BYTES) {
            // The numbers that the reader calculates with are the first to be wrong.
            if numbers.below(2) == 0 {
                page[8 + numbers.below(20)] = numbers.next() as u8;
            }
            let checksum = crc32c::crc32c_append(crc32c::crc32c(&page[..28]), &page[32..]);
            page[28..32].copy_from_slice(&checksum.to_le_bytes());
        }
        let found = Log::from_bytes(&altered);
        assert_read_alike(file.path(), &altered, &found);
        if let Ok(log) = found {
            let records: usize = log.tasks.values().map(|task| task.records.len()).sum();
            assert!(records <= altered.len() / RECORD_BYTES);
        }
    }
}
