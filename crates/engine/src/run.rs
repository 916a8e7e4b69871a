//! From a job to running tasks and back.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rustix::thread::set_current_timer_slack;
use seatrial_job::{Job, LogHead, Phase};
use seatrial_log::{LogWriter, Survives};
use seatrial_measure::{
    Collector, Control, Nanoseconds, Outcome, Progress, SecondReport, Setting, Spans, Stonewall,
    StopReason, TaskResult, Verified, Window, boot_id, boottime_ns, sleep_until_ns,
};

use crate::prepare_error::PrepareError;
use crate::task::{Surroundings, Task};

/// The gate before which prepared tasks wait.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
enum GateState {
    #[default]
    Closed,
    OpenAt {
        start_boottime_ns: Nanoseconds,
        window: Option<Window>,
    },
    Cancelled,
}

impl Gate {
    fn set(&self, state: GateState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        self.changed.notify_all();
    }

    /// Waits for the instant to start, and passes on the steady window; `Err` when there will be
    /// none.
    fn wait(&self) -> Result<Option<Window>, Cancelled> {
        let guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let guard = self
            .changed
            .wait_while(guard, |state| matches!(state, GateState::Closed))
            .unwrap_or_else(PoisonError::into_inner);
        let state = *guard;
        drop(guard);
        match state {
            GateState::OpenAt {
                start_boottime_ns,
                window,
            } => {
                sleep_until_ns(start_boottime_ns);
                Ok(window)
            }
            GateState::Closed | GateState::Cancelled => Err(Cancelled),
        }
    }
}

/// There will be no start.
#[derive(Debug)]
struct Cancelled;

/// What all threads of a job share.
struct Shared {
    job: Arc<Job>,
    gate: Gate,
    control: Arc<Control>,
    progress: Arc<Progress>,
    stonewall: Stonewall,
    collector: Collector,
    tasks_left: AtomicUsize,
    when_finished: Box<dyn Fn() + Send + Sync>,
}

type TaskHandle = JoinHandle<Option<(TaskResult, Verified)>>;

/// A job with open files and waiting threads. Dropping it cancels the job.
pub struct Prepared {
    shared: Arc<Shared>,
    threads: Vec<TaskHandle>,
}

impl Prepared {
    /// Starts a thread per task and opens all files. `progress` has as many tasks as the job; each
    /// is busy in it until its file is open. `when_finished` is called once, by the task that ends
    /// last.
    ///
    /// # Errors
    /// When a file, the log or a thread cannot be created or opened; nothing runs then.
    pub fn new(
        job: Job,
        progress: Arc<Progress>,
        when_finished: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, PrepareError> {
        let log = create_log(&job)?;
        let tasks = job.tasks;
        check_mappings(tasks)?;
        let shared = Arc::new(Shared {
            collector: Collector::new(job.seconds),
            job: Arc::new(job),
            gate: Gate::default(),
            control: Arc::new(Control::default()),
            progress,
            stonewall: Stonewall::default(),
            tasks_left: AtomicUsize::new(usize::from(tasks)),
            when_finished: Box::new(when_finished),
        });
        let mut prepared = Self {
            shared,
            threads: Vec::new(),
        };
        let (ready, answers) = mpsc::channel();
        for index in 0..tasks {
            let progress = prepared.shared.progress.task(usize::from(index));
            progress.begin(boottime_ns());
            let started = prepared.spawn(index, log.as_ref(), ready.clone());
            let thread = started.map_err(|error| PrepareError::Thread {
                number: index + 1,
                threads: tasks,
                error,
            })?;
            prepared.threads.push(thread);
        }
        answers
            .into_iter()
            .take(usize::from(tasks))
            .try_for_each(|answer| answer)?;
        Ok(prepared)
    }

    fn spawn(
        &self,
        index: u16,
        log: Option<&Arc<LogWriter>>,
        ready: Sender<Result<(), PrepareError>>,
    ) -> std::io::Result<TaskHandle> {
        let shared = Arc::clone(&self.shared);
        let log = log.cloned();
        thread::Builder::new()
            .name(format!("task-{index}"))
            .spawn(move || run_task(&shared, index, log.as_ref(), &ready))
    }

    /// Lets all tasks go at `start_boottime_ns` by the clock of this machine, or at once when that
    /// is past.
    pub fn start(mut self, start_boottime_ns: Nanoseconds) -> Running {
        let window = Window::of(&self.shared.job, start_boottime_ns.max(boottime_ns()));
        self.shared.gate.set(GateState::OpenAt {
            start_boottime_ns,
            window,
        });
        Running {
            window,
            shared: Arc::clone(&self.shared),
            threads: std::mem::take(&mut self.threads),
        }
    }
}

/// Mappings of memory that a thread has: its stack and the one for signals, each with a guard page,
/// and its buffers.
const MAPPINGS_PER_THREAD: u64 = 5;

/// For everything else: the program, the operation log, the rings.
const MAPPINGS_OTHER: u64 = 500;

/// The standard library ends the process where a thread that has begun cannot map its stacks.
fn check_mappings(tasks: u16) -> Result<(), PrepareError> {
    let setting = std::fs::read_to_string("/proc/sys/vm/max_map_count");
    let Some(mappings_max) = setting.ok().and_then(|text| text.trim().parse().ok()) else {
        return Ok(());
    };
    let tasks_max = u64::saturating_sub(mappings_max, MAPPINGS_OTHER) / MAPPINGS_PER_THREAD;
    if u64::from(tasks) > tasks_max {
        return Err(PrepareError::Mappings {
            tasks,
            mappings_max,
            tasks_max,
        });
    }
    Ok(())
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.shared.gate.set(GateState::Cancelled);
            if matches!(self.shared.job.phase, Phase::Copy(_)) {
                // They remove their local files, which must not outlive the process.
                self.threads
                    .drain(..)
                    .for_each(|thread| drop(thread.join()));
            }
        }
    }
}

/// A job at work.
pub struct Running {
    shared: Arc<Shared>,
    window: Option<Window>,
    threads: Vec<TaskHandle>,
}

impl Running {
    /// The tasks' counters.
    pub fn progress(&self) -> &Progress {
        &self.shared.progress
    }

    /// Whether all tasks have ended.
    pub fn is_finished(&self) -> bool {
        self.shared.tasks_left.load(Ordering::Acquire) == 0
    }

    /// Asks all tasks to end after the operation at hand.
    pub fn stop(&self) {
        self.shared.control.stop();
    }

    /// Takes the figures of the seconds before number `until`, if the job wants them, as far as
    /// tasks have passed them and they were not taken before.
    pub fn take_seconds(&self, until: u64) -> Vec<SecondReport> {
        self.shared.collector.take_seconds(until)
    }

    /// Waits for all tasks and sums up. `stop_reason` is why [`Running::stop`] was called.
    ///
    /// # Panics
    /// When a task did.
    pub fn join(self, stop_reason: Option<StopReason>) -> Outcome {
        let results = self
            .threads
            .into_iter()
            .filter_map(|thread| thread.join().expect("tasks do not panic"))
            .collect();
        let spans = Spans {
            window: self.window,
            stonewall_ns: self.shared.stonewall.at_ns(),
        };
        Outcome::collect(
            &self.shared.job,
            spans,
            stop_reason,
            results,
            &self.shared.collector,
        )
    }
}

fn create_log(job: &Job) -> Result<Option<Arc<LogWriter>>, PrepareError> {
    let Some(path) = &job.log else {
        return Ok(None);
    };
    let survives = if job.log_sync {
        Survives::PowerCut
    } else {
        Survives::Kill
    };
    let head = LogHead {
        boottime_ns: boottime_ns().0,
        boot: boot_id(),
        job: job.clone(),
    };
    match LogWriter::create(path, job.run_id.0, &head.to_json(), survives) {
        Ok(log) => Ok(Some(log)),
        Err(error) => Err(PrepareError::Log {
            path: path.clone(),
            error,
        }),
    }
}

/// The life of a task's thread.
fn run_task(
    shared: &Shared,
    index: u16,
    log: Option<&Arc<LogWriter>>,
    ready: &Sender<Result<(), PrepareError>>,
) -> Option<(TaskResult, Verified)> {
    be_punctual();
    // Nobody listens any more when another task could not be prepared.
    let stepped = || {
        shared
            .progress
            .task(usize::from(index))
            .begin(boottime_ns());
    };
    let task = Task::prepare(&shared.job, index, &stepped);
    shared.progress.task(usize::from(index)).end();
    let task = match task {
        Ok(task) => {
            let _ = ready.send(Ok(()));
            task
        }
        Err(error) => {
            let _ = ready.send(Err(error));
            return None;
        }
    };
    let window = shared.gate.wait().ok()?;
    let result = task.run(Surroundings {
        setting: Setting {
            progress: shared.progress.task(usize::from(index)),
            stonewall: &shared.stonewall,
            collector: &shared.collector,
            window,
            outage_threshold_ns: Nanoseconds::from_s(shared.job.outage_threshold_s),
        },
        control: &shared.control,
        log: log.map(|writer| writer.task(index)),
    });
    if shared.tasks_left.fetch_sub(1, Ordering::AcqRel) == 1 {
        (shared.when_finished)();
    }
    Some(result)
}

/// Has this thread wake up when it wants to: the kernel's usual 50 µs of slack would be in each
/// latency that counts from an appointed time.
fn be_punctual() {
    // Without it, the figures are that much worse, and true.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

#[cfg(test)]
mod tests {
    use rustix::thread::current_timer_slack;
    use serde_json::json;

    use super::*;

    #[test]
    fn tasks_wake_up_when_they_want_to() {
        let directory = tempfile::tempdir().unwrap();
        let job = json!({
            "protocol": 3, "run_id": "1", "client": "c", "client_index": 0, "tasks": 1,
            "phase": "write", "transfer_bytes": 4096, "file_bytes": 4096,
            "directory": directory.path(), "files": ["a"],
        });
        let job = Job::from_json(&job.to_string()).unwrap();
        let (slack, slacks) = mpsc::channel();
        // The task itself calls it.
        let when_finished = move || slack.send(current_timer_slack()).unwrap();
        let prepared = Prepared::new(job, Arc::new(Progress::new(1)), when_finished).unwrap();
        prepared.start(boottime_ns()).join(None);
        assert_eq!(Ok(1), slacks.recv().unwrap());
    }
}
