//! The places of a task's transfers in its file.

use crate::job::Job;
use crate::words::Layout;

/// Maps the transfers of one task's share to offsets in its file.
///
/// A share is made of chunks. The chunks of all ranks follow one another in turns, which begin at
/// multiples of `turn_bytes`. A separate file, or a segment, is a single chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    transfer_bytes: u64,
    records_per_chunk: u64,
    first_offset: u64,
    turn_bytes: u64,
    records: u64,
}

impl Placement {
    /// The share of task number `task` of this client.
    pub fn new(job: &Job, task: u64) -> Self {
        let (rank, ranks, chunk_bytes) = match job.layout {
            Layout::NN | Layout::OneOne => (0, 1, job.file_bytes),
            Layout::Segmented { first_rank, ranks } => {
                (first_rank + task, ranks, job.file_bytes / ranks)
            }
            Layout::Interleaved {
                first_rank,
                ranks,
                chunk_bytes,
            } => (first_rank + task, ranks, chunk_bytes),
        };
        Self {
            transfer_bytes: job.transfer_bytes,
            records_per_chunk: chunk_bytes / job.transfer_bytes,
            first_offset: rank * chunk_bytes,
            turn_bytes: ranks * chunk_bytes,
            records: job.file_bytes / ranks / job.transfer_bytes,
        }
    }

    /// Records of the share.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Offset in the file, in bytes, of a record of the share.
    pub const fn offset(&self, record: u64) -> u64 {
        if record < self.records_per_chunk {
            return self.first_offset + record * self.transfer_bytes;
        }
        let turn = record / self.records_per_chunk;
        let within = record % self.records_per_chunk;
        self.first_offset + turn * self.turn_bytes + within * self.transfer_bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const RECORD_BYTES: u64 = 4096;

    fn job(layout: &serde_json::Value, file_bytes: u64, tasks: u64) -> Job {
        let job = json!({
            "protocol": 3, "run_id": "1", "client": "c", "client_index": 0, "tasks": tasks,
            "phase": "write", "layout": layout, "transfer_bytes": RECORD_BYTES,
            "file_bytes": file_bytes, "directory": "/", "files": ["a"],
        });
        Job::from_json(&job.to_string()).unwrap()
    }

    /// The offsets of a rank, in the order of its transfers.
    fn offsets(job: &Job, task: u64) -> Vec<u64> {
        let placement = Placement::new(job, task);
        (0..placement.records())
            .map(|record| placement.offset(record))
            .collect()
    }

    proptest! {
        #[test]
        fn the_ranks_share_a_file_without_gap_or_overlap(
            ranks in 1_u64..9, records in 1_u64..50, records_per_chunk in 1_u64..5,
            is_segmented: bool,
        ) {
            let chunk_bytes = records_per_chunk * RECORD_BYTES;
            let file_bytes = ranks * records * chunk_bytes;
            let layout = if is_segmented {
                json!({ "n-1-segmented": { "first_rank": 0, "ranks": ranks } })
            } else {
                json!({ "n-1-interleaved": {
                    "first_rank": 0, "ranks": ranks, "chunk_bytes": chunk_bytes,
                } })
            };
            let job = job(&layout, file_bytes, ranks);
            let mut touched: Vec<_> = (0..ranks).flat_map(|task| offsets(&job, task)).collect();
            touched.sort_unstable();
            let all = (0..file_bytes).step_by(RECORD_BYTES as usize);
            prop_assert!(touched.into_iter().eq(all));
        }
    }

    #[test]
    fn a_file_of_ones_own_begins_at_its_start() {
        assert_eq!(
            vec![0, 4096, 8192],
            offsets(&job(&json!("n-n"), 12288, 1), 0)
        );
    }

    #[test]
    fn segments_are_contiguous_and_turns_are_not() {
        let layout = json!({ "n-1-segmented": { "first_rank": 1, "ranks": 4 } });
        assert_eq!(vec![8192, 12288], offsets(&job(&layout, 32768, 1), 0));
        let layout = json!({
            "n-1-interleaved": { "first_rank": 1, "ranks": 4, "chunk_bytes": 4096 }
        });
        assert_eq!(vec![4096, 20480], offsets(&job(&layout, 32768, 1), 0));
    }
}
