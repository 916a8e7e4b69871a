//! What a read must find among reads and writes that are mixed: a record holds the generation
//! before until its task has written it, and the new one from then on.

use seatrial_job::{Job, Phase};

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// The generation before.
    Old,
    /// The generation of the phase.
    New,
    /// One of the two, block by block: writing it has failed.
    Either,
}

/// The contents of a task's transfers.
#[derive(Debug)]
pub(super) struct Mixture {
    /// A bit for each record; none when no record is touched twice.
    written: Vec<u64>,
    failed: Vec<u64>,
}

impl Mixture {
    /// The mixture of a job with tasks that have shares of `records` transfers; `None` when nothing
    /// is mixed, or when nothing is verified.
    pub(super) fn new(job: &Job, records: u64) -> Option<Self> {
        if !job.verify || !matches!(job.phase, Phase::Mixed { .. }) {
            return None;
        }
        let words = if job.touches_twice() {
            records.div_ceil(64) as usize
        } else {
            0
        };
        Some(Self {
            written: vec![0; words],
            failed: vec![0; words],
        })
    }

    /// Notes that a record was written, well or not.
    pub(super) fn note(&mut self, record: u64, is_well: bool) {
        let (word, bit) = place(record);
        if word >= self.written.len() {
            return;
        }
        if is_well {
            self.written[word] |= bit;
            self.failed[word] &= !bit;
        } else {
            self.failed[word] |= bit;
        }
    }

    /// What a record holds. One that was written before holds the same after a failure.
    pub(super) fn holds(&self, record: u64) -> Holds {
        let (word, bit) = place(record);
        let is_set = |bits: &[u64]| bits.get(word).is_some_and(|word| word & bit != 0);
        match (is_set(&self.written), is_set(&self.failed)) {
            (true, _) => Holds::New,
            (false, true) => Holds::Either,
            (false, false) => Holds::Old,
        }
    }
}

/// Where the bit of a record is.
const fn place(record: u64) -> (usize, u64) {
    ((record / 64) as usize, 1 << (record % 64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mixture(pattern: &str) -> Mixture {
        let job = json!({
            "protocol": 3, "run_id": "1", "client": "c", "client_index": 0, "tasks": 1,
            "phase": { "mixed": { "read_percent": 50.0 } }, "transfer_bytes": 4096,
            "file_bytes": 4096 * 100, "directory": "/", "files": ["a"], "verify": true,
            "pattern": pattern,
        });
        Mixture::new(&Job::from_json(&job.to_string()).unwrap(), 100).unwrap()
    }

    #[test]
    fn a_record_is_new_once_it_is_written() {
        let mut mixture = mixture("random-with-replacement");
        mixture.note(64, true);
        mixture.note(3, false);
        assert_eq!(Holds::New, mixture.holds(64));
        assert_eq!(Holds::Either, mixture.holds(3));
        assert_eq!(Holds::Old, mixture.holds(0));
        mixture.note(64, false);
        mixture.note(3, true);
        assert_eq!(
            (Holds::New, Holds::New),
            (mixture.holds(64), mixture.holds(3))
        );
    }

    #[test]
    fn where_each_record_is_touched_once_what_is_read_is_old() {
        let mut mixture = mixture("random");
        mixture.note(99, true);
        assert_eq!(Holds::Old, mixture.holds(99));
        assert!(mixture.written.is_empty());
    }
}
