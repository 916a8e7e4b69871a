//! Taking in a log.

use seatrial_job::{Job, LogHead, Phase};
use seatrial_log::{Log, TaskRecords};

use crate::history::{Adding, History, HistoryError, contradiction};

/// What a log is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSummary {
    /// Number of the run.
    pub run: u64,
    /// Number of the client.
    pub client_index: u16,
    /// What the job did, in a word.
    pub phase: &'static str,
    /// Its generation.
    pub generation: u32,
    /// Tasks of the job.
    pub tasks: u16,
    /// Tasks of which the log has the end, and all before it.
    pub tasks_complete: u16,
}

impl History {
    /// Adds what a log says, whose client's clock is `ahead_ns` ahead of the one that all logs are
    /// compared by. The order in which logs are added does not matter.
    ///
    /// # Errors
    /// When the log does not say what job it belongs to, or contradicts itself. What was added of
    /// it before that shows is not taken back: such a history is of no use any more.
    pub fn add(&mut self, mut log: Log, ahead_ns: i64) -> Result<LogSummary, HistoryError> {
        let Some(head) = &log.head else {
            return Err(match log.version {
                1 => HistoryError::Version1,
                _ => HistoryError::NoHead,
            });
        };
        let LogHead {
            boottime_ns, job, ..
        } = LogHead::from_json(head)?;
        check(&log, &job)?;
        let behind = |time_ns: u64| time_ns.wrapping_sub(ahead_ns.cast_unsigned());
        for record in log.tasks.values_mut().flat_map(|task| &mut task.records) {
            record.boottime_ns = behind(record.boottime_ns);
        }
        let adding = Adding {
            log: self.logs,
            begun_ns: behind(boottime_ns),
            job: &job,
        };
        self.logs += 1;
        let nothing = TaskRecords::default();
        for task in 0..job.tasks {
            let records = log.tasks.get(&task).unwrap_or(&nothing);
            if job.phase.is_transfer() || matches!(job.phase, Phase::Copy(_)) {
                self.add_transfer(&adding, task, records)?;
            } else {
                self.add_names(&adding, task, records)?;
            }
        }
        let is_complete = |task: &&TaskRecords| task.is_complete;
        Ok(LogSummary {
            run: job.run_id.0,
            client_index: job.client_index,
            phase: job.phase.name(),
            generation: job.generation,
            tasks: job.tasks,
            tasks_complete: log.tasks.values().filter(is_complete).count() as u16,
        })
    }
}

/// Checks that a log can be one of its job.
fn check(log: &Log, job: &Job) -> Result<(), HistoryError> {
    if log.run != Some(job.run_id.0) {
        return contradiction("the pages are of another run");
    }
    match log.tasks.keys().next_back() {
        Some(&task) if task >= job.tasks => contradiction(format!("task {task} of {}", job.tasks)),
        _ => Ok(()),
    }
}
