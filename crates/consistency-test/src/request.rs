//! Reads what the controller asks for.

use seatrial_job::{PROTOCOL_VERSION, errno_named};

use crate::job::{Job, JobError};
use crate::kinds;

impl Job {
    /// Reads a job.
    ///
    /// # Errors
    /// When it is not one, or asks for what cannot be.
    pub fn from_json(line: &str) -> Result<Self, JobError> {
        let job: Self = serde_json::from_str(line).map_err(|error| JobError(error.to_string()))?;
        let wrong = |sentence: &str| Err(JobError(sentence.to_owned()));
        if job.protocol != PROTOCOL_VERSION {
            return wrong(&format!("protocol must be {PROTOCOL_VERSION}"));
        }
        let name = &job.consistency_test;
        if kinds::named(name).is_none() {
            let known = kinds::names();
            return wrong(&format!("consistency_test: `{name}` is none of {known}"));
        }
        if job.client_index >= job.clients {
            return wrong("client_index must be less than clients");
        }
        if !(job.arrivals_per_s > 0.0 && job.arrivals_per_s <= 1e4) {
            return wrong("arrivals_per_s must be above 0, and at most 10000");
        }
        if job.ranges == 0 || job.hold_ms > 10_000 {
            return wrong("ranges must be at least 1, and hold_ms at most 10000");
        }
        if !(job.outage_threshold_s >= 0.001 && job.outage_threshold_s <= 1e6) {
            return wrong("outage_threshold_s must be at least 0.001");
        }
        if let Some(name) = job
            .rename_again
            .iter()
            .find(|name| errno_named(name).is_none())
        {
            return wrong(&format!("rename_again: `{name}` is no error of storage"));
        }
        Ok(job)
    }
}
