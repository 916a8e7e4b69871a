//! Opening files and making directories, which takes as long as the storage likes.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use seatrial_measure::{Nanoseconds, Progress, boottime_ns};

use super::conversation::Conversation;
use super::supervise::{GRACE_NS, Waker};
use crate::events::{Event, StalledTask};
use crate::waiting;

/// The preparation, as far as it can be reported.
pub(crate) struct Unprepared<'a> {
    /// Tasks are busy in it until they are prepared.
    pub(crate) progress: &'a Progress,
    /// The file of a task.
    pub(crate) file_of_task: &'a dyn Fn(usize) -> &'a str,
}

/// Prepares with `prepare`, in a separate thread, and prints each second that it is not done yet.
/// Otherwise the controller would consider the agent dead. `None` when the agent must end instead.
pub(crate) fn prepare<T, E>(
    conversation: &mut Conversation,
    unprepared: &Unprepared<'_>,
    prepare: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> anyhow::Result<Option<T>>
where
    T: Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let waker = Waker::new()?;
    let (wake, (sender, answer)) = (waker.sender()?, mpsc::channel());
    // It may be waited for in vain: the process ends without it.
    let thread = thread::Builder::new().name("prepare".into());
    thread.spawn(move || {
        // Nobody listens any more when the wait was given up.
        let _ = sender.send(prepare());
        wake();
    })?;
    let mut next_ns = boottime_ns() + Nanoseconds::SECOND;
    let mut waiting_told = waiting::Teller::default();
    loop {
        let timeout_ns = next_ns.saturating_sub(boottime_ns());
        let happened = conversation.wait(Some(waker.reader()), Some(timeout_ns))?;
        if happened.woken {
            return Ok(Some(answer.recv()??));
        }
        let mut is_wanted = !happened.signal && !happened.reader_gone && !conversation.is_over();
        if is_wanted && boottime_ns() >= next_ns {
            next_ns += Nanoseconds::SECOND;
            is_wanted = unprepared.tell(&mut waiting_told).is_ok();
        }
        if !is_wanted {
            // What is prepared in time can be taken back.
            return match answer.recv_timeout(Duration::from_nanos(GRACE_NS.0)) {
                Err(RecvTimeoutError::Disconnected) => Err(RecvTimeoutError::Disconnected.into()),
                Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => Ok(None),
                Ok(Err(error)) => Err(error.into()),
            };
        }
    }
}

impl Unprepared<'_> {
    /// Prints the files that are not prepared yet, and now and then where the preparation waits.
    fn tell(&self, waiting_told: &mut waiting::Teller) -> io::Result<()> {
        let now_ns = boottime_ns();
        let stalls = self.progress.stalls(now_ns, Nanoseconds(0));
        let tasks = stalls.iter().map(|stall| StalledTask {
            task: stall.task,
            file: (self.file_of_task)(stall.task),
            since_boottime_ns: stall.since_ns,
            stalled_ns: now_ns.saturating_sub(stall.since_ns),
        });
        let preparing = Event::Preparing {
            boottime_ns: boottime_ns(),
            tasks: tasks.collect(),
        };
        preparing.print()?;
        waiting_told
            .due(&stalls, now_ns)
            .map_or(Ok(()), |threads| Event::waiting(threads).print())
    }
}
