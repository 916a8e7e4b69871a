//! `seatrial-agent run`: one job, from its line on standard input to its last line of output.

pub(crate) mod conversation;
pub(crate) mod prepare;
pub(crate) mod supervise;

use std::sync::Arc;

use seatrial_engine::{PrepareError, Prepared, measure_null_target};
use seatrial_job::Job;
use seatrial_measure::{Progress, StopReason};

use self::conversation::{Conversation, Start};
use self::prepare::{Unprepared, prepare};
use self::supervise::{Load, Supervisor, Waker, Watched};
use crate::cpu::CpuTime;
use crate::ending::{Ending, complain};
use crate::events::{Done, Event};
use crate::signals::Signals;

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
    let waker = Waker::new()?;
    let Some((prepared, null_operations_per_s)) = prepare_load(&job, &waker, &mut conversation)?
    else {
        return Ok(Ending::NotDone);
    };
    if Event::ready(&job, null_operations_per_s).print().is_err() {
        return Ok(Ending::NotDone);
    }
    let start_boottime_ns = match conversation.wait_for_start()? {
        Start::At(start_boottime_ns) => start_boottime_ns,
        Start::Never => return Ok(Ending::NotDone),
        Start::Wrong(sentence) => {
            complain(&sentence);
            return Ok(Ending::WrongUse);
        }
    };
    let cpu_before = CpuTime::now();
    let supervisor = Supervisor::new(start_boottime_ns, &waker);
    let running = prepared.start(start_boottime_ns);
    let load = Load {
        job: &job,
        running: &running,
    };
    let outcome = match supervisor.watch(&load, &mut conversation)? {
        Watched::Finished(stop_reason) => running.join(stop_reason),
        Watched::Abandoned => return Ok(Ending::NotDone),
    };
    let printed = Event::Done(Box::new(Done {
        protocol: job.protocol,
        run_id: job.run_id,
        client: &job.client,
        client_index: job.client_index,
        phase: job.phase.name(),
        requested_start_boottime_ns: start_boottime_ns,
        start_late_ns: outcome.start_boottime_ns.saturating_sub(start_boottime_ns),
        outcome: &outcome,
        cpu: CpuTime::now().since(cpu_before),
        null_operations_per_s,
    }))
    .print();
    Ok(match outcome.stopped_by {
        _ if printed.is_err() => Ending::NotDone,
        Some(StopReason::Signal | StopReason::Cancelled) => Ending::NotDone,
        _ if outcome.is_clean() => Ending::Ok,
        _ => Ending::Damage,
    })
}

/// Opens what the job needs, and measures the engine alone; `None` when the agent is to end
/// instead.
fn prepare_load(
    job: &Job,
    waker: &Waker,
    conversation: &mut Conversation,
) -> anyhow::Result<Option<(Prepared, Option<f64>)>> {
    let progress = Arc::new(Progress::new(usize::from(job.tasks)));
    let unprepared = Unprepared {
        progress: &progress,
        file_of_task: &|task| job.file_of_task(task),
    };
    let (job, wake, shared) = (job.clone(), waker.sender()?, Arc::clone(&progress));
    prepare(conversation, &unprepared, move || {
        let prepared = Prepared::new(job.clone(), shared, wake)?;
        Ok::<_, PrepareError>((prepared, measure_null_target(&job)))
    })
}
