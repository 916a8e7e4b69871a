"""Running remote commands: lines in, lines out, and signals to their local processes."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple

from seatrial.basics.command_log import CommandRecord

STDERR_TIMEOUT_S = 5
SSH_FAILED = 255
"""exit code of ssh itself: the connection failed, not the command"""
NOT_BEGUN = ("kex_exchange_identification: ", "during banner exchange")
"""messages of ssh when sshd was reached but dropped the connection (sshd_config(5), MaxStartups)"""
RETRY_AFTER_S = (1.0, 3.0, 9.0)
SUDO = "sudo -n /bin/sh"
"""the only command that a login without root must be allowed; it never asks for a password"""
BY_SUDO_HERE = f"exec {SUDO}"


class CommandEnd(NamedTuple):
    """How a command ended."""

    exit_code: int
    stderr: str


class Stream:
    """A running remote command: one line in, one line out.

    A command that ssh could not begin is started again, with the same input.
    """

    def __init__(
        self,
        node: str,
        process: "subprocess.Popen[str]",
        restart: "Callable[[], subprocess.Popen[str]] | None" = None,
        record: CommandRecord | None = None,
    ) -> None:
        """`restart` starts the command once more; None: it is started once.

        `record`: for the controller's log, with the start and the end.
        """
        self.node = node
        self._record = record or CommandRecord(node, "")
        self._record.started()
        self._process = process
        self._restart = restart
        self._pauses_s = iter(RETRY_AFTER_S)
        self._unanswered: list[str] = []
        """the lines sent before the first answer"""
        self._stderr: str | None = None
        self._finishing = threading.Lock()
        self._followed = False

    def send(self, line: str) -> None:
        """Send one line. When the command has ended, its exit code shows this later."""
        if self._restart is not None:
            self._unanswered.append(line)
        try:
            _pipe(self._process.stdin).write(line + "\n")
            _pipe(self._process.stdin).flush()
        except (BrokenPipeError, ValueError):
            pass

    def lines(self) -> Iterator[str]:
        """The command's output, line by line, until it ends."""
        self._followed = True
        while True:
            with _pipe(self._process.stdout) as stdout:
                for line in stdout:
                    self._note_output()
                    yield line.rstrip("\n")
            if not self._begin_again():
                return

    def listen(
        self,
        receive: Callable[[str], None],
        end: Callable[[int, str], None],
        timeout_s: float,
    ) -> None:
        """Pass each line to `receive`, and then the exit code and stderr to `end`.

        The calls come from another thread. `timeout_s`: maximum time in s from the end of the
        output to the end of the command.
        """

        def follow() -> None:
            for line in self.lines():
                receive(line)
            end(*self.finish(timeout_s=timeout_s))

        threading.Thread(target=follow, daemon=True).start()

    def read_line(self) -> str | None:
        """The next line, or None at the end."""
        line = _pipe(self._process.stdout).readline()
        while not line and self._begin_again():
            line = _pipe(self._process.stdout).readline()
        self._note_output()
        return line.rstrip("\n") if line else None

    def _note_output(self) -> None:
        self._restart = None
        self._unanswered.clear()

    def _begin_again(self) -> bool:
        """Start the command once more, if ssh was dropped before it began."""
        with self._finishing:
            if self._restart is None or self._stderr is not None:
                return False
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STDERR_TIMEOUT_S)
            if self._process.returncode != SSH_FAILED:
                return False
            stderr = self._read_stderr()
            pause_s = next(self._pauses_s, None)
            if pause_s is None or not any(text in stderr for text in NOT_BEGUN):
                self._stderr = stderr
                return False
            time.sleep(pause_s)
            self._process = self._restart()
            sent = tuple(self._unanswered)
            self._unanswered.clear()
        for line in sent:
            self.send(line)
        return True

    def finish(self, timeout_s: float = 30) -> CommandEnd:
        """Wait at most `timeout_s` for the end, then kill the command.

        Several threads may call this.
        """
        with self._finishing:
            return self._finish(timeout_s)

    def _finish(self, timeout_s: float) -> CommandEnd:
        with contextlib.suppress(OSError, ValueError):
            _pipe(self._process.stdin).close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            signal_process(self._process, signal.SIGKILL)
            self._process.wait()
        if self._stderr is None:
            self._stderr = self._read_stderr()
            if not self._followed:  # otherwise `lines` closes it at its end
                _pipe(self._process.stdout).close()
        self._record.ended(self._process.returncode, self._stderr)
        return CommandEnd(self._process.returncode, self._stderr)

    def _read_stderr(self) -> str:
        """The text on stderr, at once when the pipe can be read to its end.

        A shared connection keeps the pipe open while the remote command lives. A command that waits
        in the kernel for a dead server survives its signal.
        """
        texts: list[str] = []

        def read() -> None:
            with _pipe(self._process.stderr) as stderr:
                texts.append(stderr.read())

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(STDERR_TIMEOUT_S)
        return "".join(texts)

    def stop(self) -> None:
        """End the local ssh; the remote command finds its pipes closed."""
        self._restart = None
        if self._process.poll() is None:
            signal_process(self._process, signal.SIGTERM)


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise RuntimeError("the stream was opened without this pipe")
    return pipe


def signal_process(
    process: "subprocess.Popen[Any]", number: signal.Signals, *, with_all: bool = False
) -> None:
    """Send a signal to a process, or to its whole process group.

    sudo makes a local command root's, so root must signal it, with its group: a user can signal
    only the sudo process itself.
    """
    if _is_roots(process):
        kill = [*SUDO.split(), "-c", f"kill -s {number.name.removeprefix('SIG')} -- -{process.pid}"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                kill, capture_output=True, stdin=subprocess.DEVNULL, timeout=10, check=False
            )
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if with_all:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


def _is_roots(process: "subprocess.Popen[Any]") -> bool:
    """Whether the process was started with sudo by `_here`."""
    return isinstance(process.args, list) and process.args[-1].startswith(BY_SUDO_HERE)
