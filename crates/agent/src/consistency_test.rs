//! `seatrial-agent consistency-test`: one client's part of a consistency test, in the conversation
//! of `run`.

use seatrial_consistency_test::{Job, Prepared, Running};
use seatrial_measure::{Nanoseconds, Progress, StopReason, boottime_ns};

use crate::cpu::CpuTime;
use crate::ending::{Ending, complain};
use crate::events::{Event, Tested};
use crate::run::conversation::{Conversation, Start};
use crate::run::prepare::{Unprepared, prepare};
use crate::run::supervise::{Supervisor, Waker, Watched, Work};
use crate::signals::Signals;

/// A consistency test at work.
struct Testing<'a> {
    job: &'a Job,
    running: &'a Running,
}

impl Work for Testing<'_> {
    fn is_finished(&self) -> bool {
        self.running.is_finished()
    }

    fn stop(&self) {
        self.running.stop();
    }

    fn progress(&self) -> &Progress {
        self.running.progress()
    }

    fn file_of_task(&self, _task: usize) -> &str {
        &self.job.consistency_test
    }
}

/// Does one job.
pub(crate) fn run() -> anyhow::Result<Ending> {
    let mut conversation = Conversation::new(Signals::block()?);
    let Some(line) = conversation.next_line()? else {
        return Ok(Ending::NotDone);
    };
    let job = match Job::from_json(&line) {
        Ok(job) => job,
        Err(error) => {
            complain(&error.to_string());
            return Ok(Ending::WrongUse);
        }
    };
    let progress = Progress::new(1);
    progress.task(0).begin(boottime_ns());
    let unprepared = Unprepared {
        progress: &progress,
        file_of_task: &|_| &job.consistency_test,
    };
    let copy = job.clone();
    let prepared = prepare(&mut conversation, &unprepared, || Prepared::new(copy))?;
    let Some(prepared) = prepared else {
        return Ok(Ending::NotDone);
    };
    if ready(&job).print().is_err() {
        return Ok(Ending::NotDone);
    }
    match conversation.wait_for_start()? {
        Start::At(start_boottime_ns) => work(&job, prepared, start_boottime_ns, &mut conversation),
        Start::Never => Ok(Ending::NotDone),
        Start::Wrong(sentence) => {
            complain(&sentence);
            Ok(Ending::WrongUse)
        }
    }
}

fn ready(job: &Job) -> Event<'_> {
    Event::Ready {
        protocol: job.protocol,
        run_id: job.run_id,
        client: &job.client,
        client_index: job.client_index,
        boottime_ns: boottime_ns(),
        null_operations_per_s: None,
    }
}

fn work(
    job: &Job,
    prepared: Prepared,
    start_boottime_ns: Nanoseconds,
    conversation: &mut Conversation,
) -> anyhow::Result<Ending> {
    let cpu_before = CpuTime::now();
    let waker = Waker::new()?;
    let supervisor = Supervisor::new(start_boottime_ns, &waker);
    let running = prepared.start(start_boottime_ns, waker.sender()?)?;
    let testing = Testing {
        job,
        running: &running,
    };
    let outcome = match supervisor.watch(&testing, conversation)? {
        Watched::Finished(stop_reason) => running.join(stop_reason),
        Watched::Abandoned => return Ok(Ending::NotDone),
    };
    let printed = Event::Tested(Box::new(Tested {
        protocol: job.protocol,
        run_id: job.run_id,
        client: &job.client,
        client_index: job.client_index,
        phase: &job.consistency_test,
        requested_start_boottime_ns: start_boottime_ns,
        start_late_ns: outcome.start_boottime_ns.saturating_sub(start_boottime_ns),
        outcome: &outcome,
        cpu: CpuTime::now().since(cpu_before),
    }))
    .print();
    Ok(match outcome.stopped_by {
        _ if printed.is_err() => Ending::NotDone,
        Some(StopReason::Signal | StopReason::Cancelled) => Ending::NotDone,
        _ if outcome.errors.is_empty() => Ending::Ok,
        _ => Ending::Damage,
    })
}
