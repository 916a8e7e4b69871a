//! From a line of JSON to a job that makes sense.

use crate::check::check;
use crate::job::{Job, JobError};

impl Job {
    /// Reads a job and checks that it makes sense.
    ///
    /// # Errors
    /// An error with one sentence that names the wrong field and the reason.
    pub fn from_json(text: &str) -> Result<Self, JobError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let job: Self = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let field = error.path().to_string();
            let problem = error.into_inner().to_string();
            JobError::Unreadable(match field.as_str() {
                "." | "?" => problem,
                _ => format!("field `{field}`: {problem}"),
            })
        })?;
        deserializer
            .end()
            .map_err(|error| JobError::Unreadable(error.to_string()))?;
        check(&job)?;
        Ok(job)
    }
}
