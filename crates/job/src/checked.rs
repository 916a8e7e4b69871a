//! The result of a check of a job.

use crate::job::JobError;

/// Nothing, or the first mistake.
pub(crate) type Checked = Result<(), JobError>;

/// A mistake in a field.
pub(crate) fn wrong(field: &'static str, problem: impl Into<String>) -> Checked {
    Err(JobError::Field {
        field,
        problem: problem.into(),
    })
}
