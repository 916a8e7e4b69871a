//! Taking in a log.

use seatrial_job::{Job, LogHead, Phase};
use seatrial_log::{LogReader, Record, Step};

use crate::history::{Adding, History, HistoryError, contradiction};
use crate::names::Names;
use crate::transfers::Transfers;

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
    /// Tasks with the end of their log, and with every page before it.
    pub tasks_complete: u16,
}

impl History {
    /// Adds the contents of a log. The clock of its client is `ahead_ns` ahead of the clock that
    /// all logs are compared by. The order in which logs are added does not matter.
    ///
    /// # Errors
    /// When the log does not say what job it belongs to, or contradicts itself. What was added of
    /// it before that shows is not taken back: such a history is of no use any more.
    pub fn add(&mut self, log: &LogReader, ahead_ns: i64) -> Result<LogSummary, HistoryError> {
        let Some(head) = &log.head else {
            return Err(match log.version {
                1 => HistoryError::Version1,
                _ => HistoryError::NoHead,
            });
        };
        let LogHead {
            boottime_ns, job, ..
        } = LogHead::from_json(head)?;
        check(log, &job)?;
        let behind = |time_ns: u64| time_ns.wrapping_sub(ahead_ns.cast_unsigned());
        let adding = Adding {
            log: self.logs,
            begun_ns: behind(boottime_ns),
            job: &job,
        };
        self.logs += 1;
        let mut tasks: Vec<_> = (0..job.tasks)
            .map(|task| self.task(&adding, task))
            .collect();
        log.replay(|task, step| match (&mut tasks[usize::from(task)], step) {
            (Adder::Transfers(transfers), Step::Gap) => {
                transfers.forget_unsynced();
                Ok(())
            }
            (Adder::Names(_), Step::Gap) => Ok(()),
            (adder, Step::Record(record)) => {
                let boottime_ns = behind(record.boottime_ns);
                let record = Record {
                    boottime_ns,
                    ..record
                };
                match adder {
                    Adder::Transfers(transfers) => transfers.take(self, &record),
                    Adder::Names(names) => names.take(self, &record),
                }
            }
        })?;
        let is_complete = |task| log.tasks.get(&task).is_some_and(|task| task.is_complete);
        for (task, adder) in (0..).zip(tasks) {
            match adder {
                Adder::Transfers(transfers) => transfers.finish(self, is_complete(task)),
                Adder::Names(names) => names.finish(self, is_complete(task)),
            }
        }
        Ok(LogSummary {
            run: job.run_id.0,
            client_index: job.client_index,
            phase: job.phase.name(),
            generation: job.generation,
            tasks: job.tasks,
            tasks_complete: log.tasks.values().filter(|task| task.is_complete).count() as u16,
        })
    }

    /// The receiver of the log records of a task.
    fn task<'a>(&self, adding: &'a Adding<'a>, task: u16) -> Adder<'a> {
        let phase = &adding.job.phase;
        if phase.is_transfer() || matches!(phase, Phase::Copy(_)) {
            Adder::Transfers(Transfers::new(adding, task, self.options))
        } else {
            Adder::Names(Box::new(Names::new(adding, task)))
        }
    }
}

/// Takes the log records of one task.
enum Adder<'a> {
    Transfers(Transfers<'a>),
    Names(Box<Names<'a>>),
}

/// Checks that a log can be one of its job.
fn check(log: &LogReader, job: &Job) -> Result<(), HistoryError> {
    if log.run != Some(job.run_id.0) {
        return contradiction("the pages are of another run");
    }
    match log.tasks.keys().next_back() {
        Some(&task) if task >= job.tasks => contradiction(format!("task {task} of {}", job.tasks)),
        _ => Ok(()),
    }
}
