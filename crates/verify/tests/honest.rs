//! Storage that keeps its promises is never accused, whatever clients did, whatever a crash left
//! of it, and whatever became of the logs; and storage that loses something durable always is.

mod common;

use common::{RECORDS, Scene, Story};
use seatrial_content::SplitMix64;
use seatrial_log::{Log, Outcome, PAGE_BYTES};
use seatrial_verify::{History, Options, Report};
use serde_json::json;

const CASES: u64 = 600;
const CASES_SOAK: u64 = 60_000;

fn cases() -> u64 {
    match std::env::var_os("SEATRIAL_SOAK") {
        Some(_) => CASES_SOAK,
        None => CASES,
    }
}

/// What a record may hold: who wrote it, as which generation; `None` for nothing.
type Content = Option<(u16, u32)>;

/// What storage that keeps its promises may hold after a crash.
struct Model {
    /// For each transfer, the durable content and every later one.
    candidates: Vec<Vec<Content>>,
    /// Whether an operation without an answer, which may come at any time, concerns a record.
    is_open: Vec<bool>,
}

impl Model {
    fn new() -> Self {
        Self {
            candidates: vec![vec![None]; RECORDS as usize],
            is_open: vec![false; RECORDS as usize],
        }
    }

    /// Plays a job of random writes and fsyncs; returns the story in its log.
    fn play(&mut self, numbers: &mut SplitMix64, generation: u32) -> Story {
        let client = (numbers.next_u64() % 2) as u16;
        let mut story = Story::write(client, generation, 100 * u64::from(generation));
        let mut cut_at = None;
        if generation == 1 || numbers.next_u64().is_multiple_of(4) {
            story = story.with("existing", json!("truncate"));
            story = story.did(seatrial_log::Operation::Truncate, Outcome::Ok);
            cut_at = Some(self.cut());
        }
        let mut unsynced = Vec::new();
        for _ in 0..numbers.next_u64() % 80 {
            let record = numbers.next_u64() % RECORDS;
            let candidates = &mut self.candidates[record as usize];
            match numbers.next_u64() % 8 {
                0 => {
                    story = story.synced();
                    if let Some(positions) = cut_at.take() {
                        self.settle_cut(positions);
                    }
                    unsynced.drain(..).for_each(|record| self.settle(record));
                }
                1 => {
                    let happened = [Outcome::Unknown, Outcome::Fail];
                    let outcome = happened[numbers.next_u64() as usize % 2];
                    story = story.wrote([record], outcome);
                    candidates.push(Some((client, generation)));
                    self.is_open[record as usize] = true;
                    unsynced.clear();
                    cut_at = None;
                }
                _ => {
                    story = story.wrote([record], Outcome::Ok);
                    candidates.push(Some((client, generation)));
                    unsynced.push(record as usize);
                }
            }
        }
        if numbers.next_u64().is_multiple_of(4) {
            return story.cut();
        }
        story.closed()
    }

    /// Empties the file; returns where among the candidates that is.
    fn cut(&mut self) -> Vec<usize> {
        let push = |record: &mut Vec<Content>| {
            record.push(None);
            record.len() - 1
        };
        self.candidates.iter_mut().map(push).collect()
    }

    /// The empty file is durable: earlier content cannot come back.
    fn settle_cut(&mut self, positions: Vec<usize>) {
        for (record, position) in self.candidates.iter_mut().zip(positions) {
            record.drain(..position);
        }
    }

    /// The last content of a transfer is durable: earlier content cannot come back.
    fn settle(&mut self, record: usize) {
        let last = self.candidates[record].pop();
        self.candidates[record].clear();
        self.candidates[record].extend(last);
    }

    /// Puts one of all possible outcomes of a crash onto the disk.
    fn crash(&self, numbers: &mut SplitMix64, scene: &Scene) {
        for (record, candidates) in (0_u64..).zip(&self.candidates) {
            match candidates[numbers.next_u64() as usize % candidates.len()] {
                Some((client, generation)) => scene.put(client, generation, record),
                None if record % 2 == 0 => {}
                None => scene.put_bytes(record * common::RECORD_BYTES, &[0; 8192]),
            }
        }
    }
}

fn verify(scene: &Scene, logs: &[Vec<u8>]) -> Option<Report> {
    let mut history = History::new(Options {
        clock_error_ns: 1_000_000_000,
        ..Options::default()
    });
    for log in logs {
        history.add(&Log::from_bytes(log).ok()?.into(), 0).ok()?;
    }
    Some(history.verify(scene.directory.path()).unwrap())
}

#[test]
fn honest_storage_is_never_accused_and_a_loss_always_is() {
    let mut numbers = SplitMix64::new(11);
    let mut must = 0;
    let mut losses = 0;
    let mut readable = 0;
    for case in 0..cases() {
        let mut model = Model::new();
        let jobs = 1 + (numbers.next_u64() % 3) as u32;
        let stories: Vec<_> = (1..=jobs)
            .map(|generation| model.play(&mut numbers, generation))
            .collect();
        let is_cut = stories.iter().any(Story::is_cut);
        let mut logs: Vec<_> = stories.into_iter().map(Story::into_bytes).collect();
        let scene = Scene::new();
        model.crash(&mut numbers, &scene);
        let report = verify(&scene, &logs).unwrap();
        assert!(report.is_clean(), "case {case}: {report:?}");
        must += report.must;

        // Something that can only be one thing is replaced by what nobody ever wrote there.
        let record = (numbers.next_u64() % RECORDS) as usize;
        let candidates = &model.candidates[record];
        if !is_cut && !model.is_open[record] && candidates.len() == 1 {
            let before = std::fs::read(scene.path("a")).unwrap();
            scene.put(5, 1, record as u64);
            let report = verify(&scene, &logs).unwrap();
            let expected = if candidates[0].is_some() {
                (2, 0)
            } else {
                (0, 2)
            };
            assert_eq!(expected, (report.lost, report.wrong), "case {case}");
            std::fs::write(scene.path("a"), before).unwrap();
            losses += 1;
        }

        for log in &mut logs {
            damage(&mut numbers, log);
        }
        if let Some(report) = verify(&scene, &logs) {
            assert!(report.is_clean(), "case {case}, damaged logs: {report:?}");
            readable += 1;
        }
    }
    assert!(must > cases(), "nothing was durable");
    assert!(
        losses > cases() / 20 && readable > cases() / 10,
        "{losses}, {readable}"
    );
}

/// Damages a log in its log records: without the head, a log is of no use.
fn damage(numbers: &mut SplitMix64, log: &mut Vec<u8>) {
    let pages = log.len() / PAGE_BYTES;
    let page = numbers.next_u64() as usize % pages;
    let position = numbers.next_u64() as usize % PAGE_BYTES;
    match numbers.next_u64() % 4 {
        0 => log.truncate(page * PAGE_BYTES + position),
        1 => log[page * PAGE_BYTES + position] ^= 1,
        2 => log[page * PAGE_BYTES..(page + 1) * PAGE_BYTES].fill(0),
        _ => {
            let copy = log[page * PAGE_BYTES..(page + 1) * PAGE_BYTES].to_vec();
            log.extend(copy);
        }
    }
}

#[test]
fn any_log_is_judged_without_a_panic_and_in_the_end() {
    let mut numbers = SplitMix64::new(12);
    let scene = Scene::new();
    (0..RECORDS / 2).for_each(|record| scene.put(0, 1, record));
    let mut judged = 0;
    for _ in 0..cases() {
        let mut model = Model::new();
        let mut logs = vec![
            model.play(&mut numbers, 1).into_bytes(),
            model.play(&mut numbers, 2).into_bytes(),
        ];
        for log in &mut logs {
            for _ in 0..=numbers.next_u64() % 4 {
                forge(&mut numbers, log);
            }
        }
        judged += u64::from(verify(&scene, &logs).is_some());
    }
    assert!(judged > cases() / 10, "{judged} of {} were judged", cases());
}

/// Changes a byte of a page and gives it the checksum that belongs to it.
fn forge(numbers: &mut SplitMix64, log: &mut [u8]) {
    let pages = log.len() / PAGE_BYTES;
    let page = numbers.next_u64() as usize % pages;
    let page = &mut log[page * PAGE_BYTES..(page + 1) * PAGE_BYTES];
    let position = 16 + numbers.next_u64() as usize % (PAGE_BYTES - 16);
    page[position] = numbers.next_u64() as u8;
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&page[..28]), &page[32..]);
    page[28..32].copy_from_slice(&checksum.to_le_bytes());
}
