//! The commands that a group runs for its client.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};
use std::{mem, ptr};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::frame::{Kind, Output};
use super::request::{Open, Request};

/// How long a command may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(3);
/// How long output may come after the end of a command: a daemon of it may hold the pipes open.
const LINGER: Duration = Duration::from_secs(3);
/// Exit code of a shell for a command that it cannot start.
const NOT_STARTED: i32 = 127;
/// Exit codes of a shell for a command that signal N ended are 128 + N.
const SIGNALLED: i32 = 128;

/// All commands of this client.
pub(crate) struct Children {
    output: Arc<Output>,
    running: HashMap<u64, Running>,
}

struct Running {
    /// None after the input was closed.
    input: Option<Sender<Vec<u8>>>,
    group: ProcessGroup,
}

/// The processes of one command. A signal goes to them until the command has been waited for.
#[derive(Clone)]
struct ProcessGroup {
    id: libc::pid_t,
    is_over: Arc<AtomicBool>,
    /// Held for reading while a signal is sent, and for writing while the command is waited for.
    reaping: Arc<RwLock<()>>,
}

impl Children {
    pub(crate) fn new(output: Arc<Output>) -> Self {
        let running = HashMap::new();
        Self { output, running }
    }

    /// Does what a request asks of this client. Must be called by the main thread, because the
    /// commands are ended when the thread that started them ends.
    pub(crate) fn serve(&mut self, request: Request, client: &str) {
        self.running.retain(|_, command| !command.group.is_over());
        let inputs = &request.inputs;
        for open in request.open.into_iter().filter(|it| it.client == client) {
            let input = open.input.and_then(|index| inputs.get(index));
            if let Err(error) = self.open(&open, input) {
                let text = format!("cannot start: {error}");
                let _shown = self.output.print(open.stream, Kind::ErrorLine, &text);
                print_exit(&self.output, open.stream, NOT_STARTED);
            }
        }
        for (stream, line) in request.send {
            if let Some(command) = self.running.get(&stream) {
                command.send(format!("{line}\n").into_bytes());
            }
        }
        for stream in request.close {
            if let Some(command) = self.running.get_mut(&stream) {
                command.input = None;
            }
        }
        for stream in request.end {
            if let Some(command) = self.running.get_mut(&stream) {
                command.input = None;
                let group = command.group.clone();
                thread::spawn(move || end(&[group]));
            }
        }
    }

    /// Ends all commands; returns when they have ended, or cannot be ended.
    pub(crate) fn end_all(&mut self) {
        let commands = self.running.drain().map(|(_, command)| command.group);
        end(&commands.collect::<Vec<_>>());
    }

    fn open(&mut self, open: &Open, input: Option<&String>) -> io::Result<()> {
        let data = input.map_or_else(|| Ok(Vec::new()), |text| BASE64.decode(text));
        let data = data.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let mut child = start(&open.command)?;
        let (sender, receiver) = mpsc::channel();
        let group = ProcessGroup {
            id: child.id().cast_signed(),
            is_over: Arc::default(),
            reaping: Arc::default(),
        };
        if let Some(stdin) = child.stdin.take() {
            thread::spawn(move || feed(stdin, &receiver));
        }
        follow(child, open.stream, &self.output, group.clone());
        let input = Some(sender);
        let command = Running { input, group };
        command.send(data);
        self.running.insert(open.stream, command);
        Ok(())
    }
}

impl Running {
    /// Queues input; the command may have ended meanwhile.
    fn send(&self, data: Vec<u8>) {
        if let Some(input) = &self.input {
            let _has_ended = input.send(data);
        }
    }
}

impl ProcessGroup {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    fn signal(&self, number: libc::c_int) {
        let _not_reaped = self.reaping.read().unwrap_or_else(PoisonError::into_inner);
        if !self.is_over() {
            #[expect(unsafe_code, reason = "there is no safe wrapper")]
            // SAFETY: the call has no requirements, and the group is that of our own child.
            unsafe {
                libc::kill(-self.id, number);
            }
        }
    }
}

/// Starts a shell with all three pipes, in a process group that ends with this agent.
fn start(command: &str) -> io::Result<Child> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).process_group(0);
    shell.stdin(Stdio::piped());
    shell.stdout(Stdio::piped());
    shell.stderr(Stdio::piped());
    #[expect(
        unsafe_code,
        reason = "the agent blocks signals, which a child would inherit"
    )]
    // SAFETY: the closure only makes system calls that are allowed between fork and exec.
    unsafe {
        shell.pre_exec(|| {
            let mut none = mem::MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(none.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
            Ok(())
        });
    }
    shell.spawn()
}

/// Writes the input of a command until there is no more, or the command does not read it.
fn feed(mut stdin: ChildStdin, input: &Receiver<Vec<u8>>) {
    for data in input {
        if stdin.write_all(&data).is_err() {
            return;
        }
    }
}

/// Prints the output and the end of a command, in threads that end with it.
fn follow(mut child: Child, stream: u64, output: &Arc<Output>, group: ProcessGroup) {
    let (ended, ends) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        let (output, ended) = (Arc::clone(output), ended.clone());
        thread::spawn(move || {
            copy(stdout, stream, Kind::Part, Kind::Line, &output);
            let _not_awaited = ended.send(());
        });
    }
    if let Some(stderr) = child.stderr.take() {
        let output = Arc::clone(output);
        thread::spawn(move || {
            copy(stderr, stream, Kind::ErrorPart, Kind::ErrorLine, &output);
            let _not_awaited = ended.send(());
        });
    }
    let output = Arc::clone(output);
    thread::spawn(move || {
        let status = wait(&mut child, &group);
        let limit = Instant::now() + LINGER;
        for _pipe in 0..2 {
            let left = limit.saturating_duration_since(Instant::now());
            let _may_linger = ends.recv_timeout(left);
        }
        print_exit(&output, stream, status.map_or(NOT_STARTED, exit_code));
    });
}

/// Waits for the end of a command without freeing its process id, then frees it.
fn wait(child: &mut Child, group: &ProcessGroup) -> io::Result<ExitStatus> {
    let mut found = mem::MaybeUninit::<libc::siginfo_t>::uninit();
    #[expect(unsafe_code, reason = "there is no safe wrapper")]
    // SAFETY: the pointer is valid; the result is not read.
    unsafe {
        let options = libc::WEXITED | libc::WNOWAIT;
        let id = group.id.cast_unsigned();
        while libc::waitid(libc::P_PID, id, found.as_mut_ptr(), options) == -1
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
    let _no_signal_now = group
        .reaping
        .write()
        .unwrap_or_else(PoisonError::into_inner);
    group.is_over.store(true, Ordering::Release);
    child.wait()
}

fn exit_code(status: ExitStatus) -> i32 {
    let signalled = || SIGNALLED + status.signal().unwrap_or_default();
    status.code().unwrap_or_else(signalled)
}

fn print_exit(output: &Output, stream: u64, code: i32) {
    let _reader_may_be_gone = output.print(stream, Kind::Exit, &code.to_string());
}

/// Prints each line of a pipe. A last line without its end is of the kind `part`.
fn copy(pipe: impl Read, stream: u64, part: Kind, last: Kind, output: &Output) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    while matches!(pipe.read_until(b'\n', &mut line), Ok(1..)) {
        let is_whole = line.pop_if(|byte| *byte == b'\n').is_some();
        let text = String::from_utf8_lossy(&line);
        let ending = if is_whole { last } else { part };
        if output.print_long(stream, part, ending, &text).is_err() {
            return;
        }
        line.clear();
    }
}

/// Asks commands to end, and kills those that do not.
fn end(commands: &[ProcessGroup]) {
    for command in commands {
        command.signal(libc::SIGTERM);
    }
    let limit = Instant::now() + GRACE;
    while Instant::now() < limit && !commands.iter().all(ProcessGroup::is_over) {
        thread::sleep(Duration::from_millis(20));
    }
    for command in commands {
        command.signal(libc::SIGKILL);
    }
}
