//! What the engine itself costs, measured against a target that does nothing.

use std::sync::Arc;

use crate::clock::Instants;
use crate::job::{Fsync, Job, Phase};
use crate::progress::Progress;
use crate::storage::NullStorage;
use crate::task::{Control, Task};
use crate::transfer::Transfer;

/// How long the measurement may take, in seconds. Short enough that nobody waits for it, long
/// enough for some ten thousand operations.
const MEASURE_S: f64 = 0.002;

/// Records of the file that is not there: more than there is time for.
const RECORDS: u64 = 1 << 30;

/// Operations per second that one task of `job` could do if the storage took no time: the loop,
/// the order of records, the clock and the histogram, but not making or checking content.
pub fn measure_null_target(job: &Job) -> f64 {
    let job = Arc::new(Job {
        phase: Phase::Read,
        verify: false,
        fsync: Fsync::None,
        time_limit_s: Some(MEASURE_S),
        file_bytes: job.record_bytes * RECORDS,
        ..job.clone()
    });
    let mut task = Task::new(
        job,
        0,
        Arc::new(Progress::new(1)),
        Arc::new(Control::default()),
        None,
        Instants::now(),
    );
    let result = Transfer::new(&mut task, &NullStorage).run();
    let elapsed_ns = (result.ended_ns - result.started_ns).max(1);
    result.operations as f64 * 1e9 / elapsed_ns as f64
}
