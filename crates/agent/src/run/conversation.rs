//! The agent's side of the conversation: lines from the controller, its departure, and signals.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use seatrial_measure::Nanoseconds;
use serde::Deserialize;

use crate::signals::Signals;

/// Bytes that are read from standard input at a time.
const READ_BYTES: usize = 64 << 10;

/// Lines that have come, and whatever else the agent must react to.
#[derive(Debug)]
pub(crate) struct Conversation {
    signals: Signals,
    buffer: Vec<u8>,
    /// Bytes at the start of the buffer in which there is no end of a line. A long line is thus
    /// searched once, and not after every read.
    searched: usize,
    is_at_end: bool,
}

/// What a wait has brought. Several things may have happened at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Happened {
    /// A signal asks to stop.
    pub(crate) signal: bool,
    /// The output has no reader any more.
    pub(crate) reader_gone: bool,
    /// The additional descriptor of the wait is readable.
    pub(crate) woken: bool,
}

/// When to start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At this instant.
    At(Nanoseconds),
    /// Not at all: cancelled, or the controller or a signal ended it.
    Never,
    /// The controller sent something that is not an answer; this is the mistake in it.
    Wrong(String),
}

/// The second line of the controller, and any later one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default)]
    start_boottime_ns: Option<Nanoseconds>,
    #[serde(default)]
    cancel: bool,
}

impl Conversation {
    /// A conversation that has not begun.
    pub(crate) const fn new(signals: Signals) -> Self {
        Self {
            signals,
            buffer: Vec::new(),
            searched: 0,
            is_at_end: false,
        }
    }

    /// The next line; `None` when there will be none, or none is needed any more.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(Some(line));
            }
            if self.is_at_end {
                return Ok(None);
            }
            let happened = self.wait(None, None)?;
            if happened.signal || happened.reader_gone {
                return Ok(None);
            }
        }
    }

    /// Waits for the controller to say when to start.
    pub(crate) fn wait_for_start(&mut self) -> io::Result<Start> {
        let Some(line) = self.next_line()? else {
            return Ok(Start::Never);
        };
        Ok(match serde_json::from_str(&line) {
            Ok(Answer { cancel: true, .. }) => Start::Never,
            Ok(Answer {
                start_boottime_ns: Some(instant),
                ..
            }) => Start::At(instant),
            Ok(_) => Start::Wrong("wrong start: field `start_boottime_ns` is missing".into()),
            Err(error) => Start::Wrong(format!("wrong start: {error}")),
        })
    }

    /// Whether the controller has asked to stop. Any other line while tasks run is ignored: a stray
    /// line does not end a run.
    pub(crate) fn is_cancelled(&mut self) -> bool {
        let mut lines = std::iter::from_fn(|| self.take_line());
        lines.any(|line| matches!(serde_json::from_str(&line), Ok(Answer { cancel: true, .. })))
    }

    /// Whether there will be no start: the controller has cancelled it, or closed the input.
    pub(crate) fn is_over(&self) -> bool {
        let mut lines = self.buffer.split(|&byte| byte == b'\n');
        let is_cancelled = lines.any(|line| {
            matches!(
                serde_json::from_slice(line),
                Ok(Answer { cancel: true, .. })
            )
        });
        is_cancelled || (self.is_at_end && self.buffer.is_empty())
    }

    /// Waits for a signal, for the reader of the output to leave, for input, for `other` to
    /// become readable, or for `timeout_ns`; without `timeout_ns` as long as it takes.
    pub(crate) fn wait(
        &mut self,
        other: Option<BorrowedFd<'_>>,
        timeout_ns: Option<Nanoseconds>,
    ) -> io::Result<Happened> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let mut descriptors = vec![
            PollFd::new(&self.signals, PollFlags::IN),
            // Nothing is asked for: errors and hang-ups are reported anyway.
            PollFd::new(&stdout, PollFlags::empty()),
        ];
        // A descriptor that is polled in vain would end every wait at once.
        let input = (!self.is_at_end).then(|| PollFd::new(&stdin, PollFlags::IN));
        let input_at = input.map(|input| push(&mut descriptors, input));
        let other_at = other.map(|other| {
            push(
                &mut descriptors,
                PollFd::from_borrowed_fd(other, PollFlags::IN),
            )
        });
        let timeout = timeout_ns.map(Timespec::from);
        match poll(&mut descriptors, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let events = |at: usize| descriptors[at].revents();
        let happened = Happened {
            signal: events(0).contains(PollFlags::IN),
            reader_gone: events(1).intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL),
            woken: other_at.is_some_and(|at| !events(at).is_empty()),
        };
        let has_input = input_at.is_some_and(|at| !events(at).is_empty());
        if has_input {
            self.read_input(stdin.as_fd())?;
        }
        Ok(happened)
    }

    /// Takes what standard input has.
    fn read_input(&mut self, stdin: BorrowedFd<'_>) -> io::Result<()> {
        let mut chunk = vec![0; READ_BYTES];
        match rustix::io::read(stdin, &mut chunk) {
            Ok(0) => self.is_at_end = true,
            Ok(count) => self.buffer.extend_from_slice(&chunk[..count]),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(errno) => return Err(errno.into()),
        }
        Ok(())
    }

    /// Takes a line out of the buffer. At the end of the input, the rest counts as a line.
    fn take_line(&mut self) -> Option<String> {
        let found = self.buffer[self.searched..]
            .iter()
            .position(|&byte| byte == b'\n');
        let end = match found {
            Some(end) => self.searched + end + 1,
            None if self.is_at_end && !self.buffer.is_empty() => self.buffer.len(),
            None => {
                self.searched = self.buffer.len();
                return None;
            }
        };
        self.searched = 0;
        let line = self.buffer.drain(..end).collect::<Vec<_>>();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }
}

/// Adds to a list and returns the index.
fn push<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len() - 1
}
