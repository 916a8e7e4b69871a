//! What a task asks of the storage, in which order, with a storage that writes it down.

use std::cell::RefCell;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use rustix::io::Errno;
use seatrial_measure::{Collector, Nanoseconds, Progress, Setting, Stonewall, TaskResult};

const RECORD_BYTES: u64 = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Read(u64),
    Write(u64),
    WillNeed(u64),
    AllIsNeeded,
}

/// Notes the calls, by number of the transfer.
#[derive(Default)]
struct Notebook {
    calls: RefCell<Vec<Call>>,
    bytes: RefCell<Vec<u8>>,
    /// Acknowledges writes, and loses them.
    is_forgetful: bool,
    /// Refuses to overwrite data.
    is_particular: bool,
}

impl Notebook {
    /// What `job` finds when it begins: the generation before.
    fn of(job: &Job) -> Self {
        let stamp = Stamp {
            generation: job.generation - 1,
            ..stamp_of(job, job.client_index, 0)
        };
        let mut bytes = vec![0; job.file_bytes as usize];
        stamp.fill(0, &mut bytes);
        Self {
            bytes: RefCell::new(bytes),
            ..Self::default()
        }
    }

    fn note(&self, call: fn(u64) -> Call, offset: u64) {
        self.calls.borrow_mut().push(call(offset / RECORD_BYTES));
    }

    /// The numbers of the transfers of some calls, in order.
    fn records(&self, of: fn(Call) -> Option<u64>) -> Vec<u64> {
        self.calls.borrow().iter().copied().filter_map(of).collect()
    }
}

impl Storage for Notebook {
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        self.note(Call::Read, offset);
        let bytes = self.bytes.borrow();
        let found = &bytes[bytes.len().min(offset as usize)..];
        let count = buffer.len().min(found.len());
        buffer[..count].copy_from_slice(&found[..count]);
        Ok(count)
    }

    fn write(&self, buffer: &[u8], offset: u64) -> Result<(), Failure> {
        self.note(Call::Write, offset);
        if !self.is_forgetful {
            let place = offset as usize..offset as usize + buffer.len();
            let bytes = &mut self.bytes.borrow_mut()[place];
            assert!(!self.is_particular || bytes != buffer, "the same again");
            bytes.copy_from_slice(buffer);
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), Errno> {
        Ok(())
    }

    fn will_need(&self, offset: u64, length_bytes: u64) {
        if length_bytes == 0 {
            self.calls.borrow_mut().push(Call::AllIsNeeded);
            return;
        }
        assert_eq!(RECORD_BYTES, length_bytes);
        self.note(Call::WillNeed, offset);
    }
}

fn job(records: u64, changes: Value) -> Job {
    let mut job = json!({
        "protocol": 3, "run_id": "1", "client": "c", "client_index": 0, "tasks": 1,
        "phase": "read", "transfer_bytes": RECORD_BYTES, "file_bytes": RECORD_BYTES * records,
        "directory": "/", "files": ["a"], "generation": 2,
    });
    let Value::Object(changes) = changes else {
        unreachable!("changes are objects")
    };
    job.as_object_mut().unwrap().extend(changes);
    Job::from_json(&job.to_string()).unwrap()
}

fn work(job: &Job, storage: &Notebook) -> (TaskResult, Verified) {
    let progress = Progress::new(1);
    let (stonewall, collector) = (Stonewall::default(), Collector::new(false));
    let setting = Setting {
        progress: progress.task(0),
        stonewall: &stonewall,
        collector: &collector,
        window: None,
        outage_threshold_ns: Nanoseconds::from_s(job.outage_threshold_s),
    };
    let mut meter = Meter::new(setting, None, boottime_ns());
    let mut transfer = Transfer::new(Arc::new(job.clone()), 0, 0);
    transfer
        .run(storage, &Control::default(), &mut meter)
        .unwrap();
    (meter.finish(), transfer.finish())
}

fn touched(call: Call) -> Option<u64> {
    match call {
        Call::Read(record) | Call::Write(record) => Some(record),
        Call::WillNeed(_) | Call::AllIsNeeded => None,
    }
}

fn read(call: Call) -> Option<u64> {
    match call {
        Call::Read(record) => Some(record),
        _ => None,
    }
}

fn announced(call: Call) -> Option<u64> {
    match call {
        Call::WillNeed(record) => Some(record),
        _ => None,
    }
}

/// The patterns that touch each record once.
fn patterns() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("sequential")),
        Just(json!("backward")),
        Just(json!("random")),
        (0_u64..20).prop_map(|skip| json!({ "strided": { "skip_transfers": skip } })),
        (1_u64..9, 0_u64..9).prop_map(|(next, more)| json!({
            "semi-random": { "next_transfers": next, "working_set_transfers": next + more }
        })),
    ]
}

proptest! {
    #[test]
    fn each_record_is_announced_once_and_no_further_ahead_than_wanted(
        records in 1_u64..200, ahead in 1_u64..250, seed: u64, pattern in patterns(),
    ) {
        let job = job(records, json!({
            "pattern": pattern, "seed": seed, "hint_ahead_transfers": ahead,
        }));
        let storage = Notebook::of(&job);
        work(&job, &storage);
        let order = storage.records(touched);
        prop_assert_eq!(&order, &storage.records(announced));
        let mut known = 0;
        let mut done = 0;
        for call in storage.calls.borrow().iter() {
            if let Call::WillNeed(_) = call {
                known += 1;
                continue;
            }
            // This one, and as many as are wanted ahead of it.
            prop_assert_eq!(records.min(done + 1 + ahead), known);
            done += 1;
        }
        prop_assert_eq!(records, done);
    }

    #[test]
    fn reads_and_writes_together_touch_each_record_once(
        records in 1_u64..300, seed: u64, read_percent in 0.0..100.0, pattern in patterns(),
    ) {
        let job = job(records, json!({
            "phase": { "mixed": { "read_percent": read_percent } }, "pattern": pattern,
            "seed": seed, "verify": true,
        }));
        let storage = Notebook::of(&job);
        let (result, verified) = work(&job, &storage);
        let mut order = storage.records(touched);
        order.sort_unstable();
        prop_assert!(order.into_iter().eq(0..records));
        prop_assert_eq!(records, result.operations);
        prop_assert_eq!(storage.records(read).len() as u64, verified.blocks_checked);
        prop_assert_eq!(0, verified.blocks_damaged);
    }

    #[test]
    fn a_record_that_was_written_must_be_new(records in 20_u64..200, seed: u64) {
        let mixture = json!({
            "phase": { "mixed": { "read_percent": 50.0 } }, "seed": seed, "verify": true,
            "pattern": "random-with-replacement",
        });
        let job = job(records, mixture);
        let honest = Notebook::of(&job);
        prop_assert_eq!(0, work(&job, &honest).1.blocks_damaged);
        let forgetful = Notebook { is_forgetful: true, ..Notebook::of(&job) };
        let damaged = work(&job, &forgetful).1.blocks_damaged;
        let mut written = vec![false; records as usize];
        let mut expected = 0;
        for call in forgetful.calls.borrow().iter() {
            match call {
                Call::Write(record) => written[*record as usize] = true,
                Call::Read(record) => expected += u64::from(written[*record as usize]),
                Call::WillNeed(_) | Call::AllIsNeeded => {}
            }
        }
        prop_assert_eq!(expected, damaged);
    }

    #[test]
    fn passes_touch_each_record_as_often_as_there_are_passes(
        records in 1_u64..40, seed: u64, pattern in patterns(),
    ) {
        let job = job(records, json!({
            "pattern": pattern, "seed": seed, "time_based": true, "time_limit_s": 0.001,
            "phase": { "mixed": { "read_percent": 50.0 } }, "verify": true,
        }));
        let storage = Notebook::of(&job);
        let (result, verified) = work(&job, &storage);
        prop_assert_eq!(0, verified.blocks_damaged);
        let order = storage.records(touched);
        prop_assert_eq!(order.len() as u64, result.operations);
        for pass in order.chunks_exact(records as usize) {
            let mut pass = pass.to_vec();
            pass.sort_unstable();
            prop_assert!(pass.into_iter().eq(0..records));
        }
        prop_assert_eq!(order.len() as u64 >= records, result.is_through);
    }
}

#[test]
fn a_file_that_ends_before_its_records_ends_with_the_time() {
    let changes = json!({"time_based": true, "time_limit_s": 0.05, "verify": false});
    let (result, _) = work(&job(8, changes), &Notebook::default());
    assert_eq!(0, result.operations);
    assert!(result.ended_ns - result.started_ns >= Nanoseconds::from_s(0.05));
}

#[test]
fn no_pass_writes_what_is_there() {
    for phase in [json!("write"), json!({ "mixed": { "read_percent": 50.0 } })] {
        let changes = json!({ "phase": phase, "time_based": true, "time_limit_s": 0.02 });
        let storage = Notebook {
            is_particular: true,
            ..Notebook::default()
        };
        storage.bytes.borrow_mut().resize(4 * 512, 0);
        let (result, _) = work(&job(4, changes), &storage);
        assert!(result.error.is_none());
        assert!(storage.records(touched).len() > 12, "three passes");
    }
}

#[test]
fn a_file_is_announced_when_the_clock_runs_and_once() {
    let hinted = job(3, json!({ "hints": ["random", "will-need"] }));
    let storage = Notebook::of(&hinted);
    work(&hinted, &storage);
    let calls = storage.calls.borrow();
    assert_eq!(
        [
            Call::AllIsNeeded,
            Call::Read(0),
            Call::Read(1),
            Call::Read(2)
        ],
        calls[..]
    );
}
