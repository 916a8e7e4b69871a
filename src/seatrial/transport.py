"""All access to other machines: the system's own OpenSSH, so that the site's configuration applies.

ProxyJump, Kerberos, smart cards and known_hosts are the user's; a lab brings its own ssh_config.
Every command has a time limit. This module does not interpret commands or their output.
"""

import contextlib
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, TypeVar, runtime_checkable

from seatrial.basics.command_log import CommandRecord, recorded
from seatrial.basics.errors import RunError
from seatrial.basics.pacing import Pacer
from seatrial.streams import NOT_BEGUN, RETRY_AFTER_S, SSH_FAILED, SUDO, Stream, signal_process

CONNECT_TIMEOUT_S = 20
"""seconds; used when the ssh configuration sets no ConnectTimeout"""
_connections = Pacer(burst=64, per_s=100)
"""new connections: a bastion host drops what exceeds its MaxStartups (sshd_config(5))"""


@dataclass(frozen=True)
class Completed:
    """The output of a command and its exit code."""

    node: str
    exit_code: int
    stdout: str
    stderr: str


class TimedOut(RunError):  # noqa: N818 - the word for it
    """A command that did not end in time; `stdout` and `stderr` have its output until then."""

    def __init__(self, message: str, hint: str | None, stdout: str, stderr: str) -> None:
        super().__init__(message, hint)
        self.stdout = stdout
        self.stderr = stderr


class Transport(Protocol):
    """Runs shell commands on nodes; tests use a fake one that answers from a script."""

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """Run `command` in the login shell; RunError when unreachable or after `timeout_s`."""

    def stream(self, node: str, command: str) -> "Stream":
        """Start `command` and return its stream of lines."""


@runtime_checkable
class SharedConnections(Protocol):
    """Optional: commands share one connection per node, which survives a power cut of the node."""

    def forget(self, node: str) -> None:
        """Close the connection; commands that use it end, and the next one makes a new one."""


@runtime_checkable
class GathersRequests(Protocol):
    """Optional: each request goes to all nodes, so that many requests together cost less."""

    def gathered(self) -> contextlib.AbstractContextManager[None]:
        """Send the requests of the body as one."""


def gathered(transport: Transport) -> contextlib.AbstractContextManager[None]:
    """For the body, which starts streams or sends lines to many of them and waits for nothing."""
    if isinstance(transport, GathersRequests):
        return transport.gathered()
    return contextlib.nullcontext()


@runtime_checkable
class ConnectsAnew(Protocol):
    """Optional: a transport that can be asked for a new connection with its handshake."""

    def connect_anew(self, node: str, timeout_s: float) -> None:
        """Make a connection that nothing shares and close it; RunError when it cannot be made."""


LINGER_S = 3.0
"""seconds for which output may arrive after a command has ended"""
GLANCE_S = 0.5


def _communicate(process: "subprocess.Popen[bytes]", timeout_s: float) -> tuple[bytes, bytes]:
    """The stdout and stderr of a command until its end; TimeoutExpired when that takes too long.

    The pipes may stay open after the end: by the shared connection of a killed command, or by a
    daemon that it has started.
    """
    limit_s = time.monotonic() + timeout_s
    ended_s = None
    while True:
        try:
            return process.communicate(timeout=min(GLANCE_S, timeout_s))
        except subprocess.TimeoutExpired as unfinished:
            now_s = time.monotonic()
            if process.poll() is not None:
                ended_s = ended_s or now_s
                if now_s - ended_s > LINGER_S:
                    return _bytes(unfinished.stdout), _bytes(unfinished.stderr)
            elif now_s > limit_s:
                raise


def _bytes(output: Any) -> bytes:
    return output if isinstance(output, bytes) else b""


def _text(output: bytes) -> str:
    return output.decode(errors="replace")


class _Processes:
    """Runs commands as local processes; a subclass builds the command line."""

    def _argv(self, node: str, command: str) -> list[str]:
        raise NotImplementedError

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """See `Transport.run`."""
        return self._run(node, command, self._argv(node, command), stdin=stdin, timeout_s=timeout_s)

    def _run(
        self, node: str, command: str, argv: list[str], *, stdin: bytes = b"", timeout_s: float
    ) -> Completed:
        with recorded(node, command) as record:
            done = self._completed(node, command, argv, stdin=stdin, timeout_s=timeout_s)
            record.ended(done.exit_code, done.stderr)
        return done

    def _completed(
        self, node: str, command: str, argv: list[str], *, stdin: bytes, timeout_s: float
    ) -> Completed:
        with tempfile.TemporaryFile() as source:  # a pipe would have to be filled during the wait
            source.write(stdin)
            source.seek(0)
            process = subprocess.Popen(
                argv,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        _running.add(process)
        try:
            stdout, stderr = _communicate(process, timeout_s)
        except subprocess.TimeoutExpired as unfinished:
            problem = f"{node}: no end after {timeout_s:.0f} s: {shortened_command(command)}"
            printed = _text(_bytes(unfinished.stdout)), _text(_bytes(unfinished.stderr))
            raise TimedOut(problem, "is the node stuck?", *printed) from None
        finally:
            _running.discard(process)
            _end(process)
        return Completed(node, process.returncode, _text(stdout), _text(stderr))

    def command_line(self, node: str, command: str) -> str:
        """The shell command on this machine that runs `command` on the node."""
        return shlex.join(self._argv(node, command))

    def stream(self, node: str, command: str) -> Stream:
        """See `Transport.stream`."""
        return Stream(node, self._streaming(node, command), record=CommandRecord(node, command))

    def _streaming(self, node: str, command: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self._argv(node, command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


class Local(_Processes):
    """Every node is this machine: for `seatrial bench`, and for tests of commands for nodes."""

    def _argv(self, node: str, command: str) -> list[str]:  # noqa: ARG002 - every node is this machine
        return ["sh", "-c", command]


HERE = "localhost"
"""the node that is this machine"""
AS_ROOTS_LOGIN = "PATH=$PATH:/usr/sbin:/sbin; umask 022; "
"""umask and path of a root login; sudo keeps the login's umask, and sudoers may lack secure_path"""


def by_sudo(command: str) -> str:
    """The shell command by which a login runs `command` as root."""
    return f"{SUDO} -c {shlex.quote(AS_ROOTS_LOGIN + command)}"


class OpenSsh(_Processes):
    """Transport over `ssh`, with one shared connection per node when the configuration has it.

    A node called `localhost` is this machine, without ssh, unless there is an `ssh_config`. With
    `sudo` every command, also on this machine, runs as root by `SUDO`. Only labs create these.
    """

    def __init__(self, ssh_config: Path | None, *, sudo: bool = False) -> None:
        timeout = () if _says_timeout(ssh_config) else ("-o", f"ConnectTimeout={CONNECT_TIMEOUT_S}")
        self._file = [] if ssh_config is None else ["-F", str(ssh_config)]
        self._base = ["ssh", "-o", "BatchMode=yes", *timeout, *self._file]
        self._sudo = sudo

    def _is_here(self, node: str) -> bool:
        return node == HERE and not self._file

    def _argv(self, node: str, command: str) -> list[str]:
        if self._sudo:
            command = by_sudo(command)
        if self._is_here(node):
            return _here(command, sudo=self._sudo)
        return [*self._base, "--", node, command]

    def terminal(self, node: str, arguments: Sequence[str]) -> list[str]:
        """The local command for an interactive shell on the node, or for one command there.

        It has the same rights as `run`.
        """
        command = " ".join(arguments)
        if self._sudo:
            command = by_sudo(command) if arguments else SUDO
        if self._is_here(node):
            return _here(command, sudo=self._sudo) if command else ["sh"]
        options = ["-t"] if self._sudo and not arguments else []
        return ["ssh", *self._file, *options, "--", node, *([command] if command else [])]

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """See `Transport.run`; RunError also when ssh itself fails.

        A connection that was dropped before the command began is retried within `timeout_s`.
        """
        if self._is_here(node):
            return super().run(node, command, stdin=stdin, timeout_s=timeout_s)
        limit_s = time.monotonic() + timeout_s
        for pause_s in (*RETRY_AFTER_S, float("inf")):
            done = super().run(node, command, stdin=stdin, timeout_s=timeout_s)
            if done.exit_code != SSH_FAILED:
                return done
            reason = (done.stderr.strip().splitlines() or ["connection failed"])[-1].removeprefix(
                "ssh: "
            )
            has_begun = not any(text in reason for text in NOT_BEGUN)
            if has_begun or time.monotonic() + pause_s > limit_s:
                break
            time.sleep(pause_s)
        by_hand = f"try it by hand: {shlex.join([*self._base, node, 'true'])}"
        raise RunError(f"{node}: ssh: {reason}{_about_key(done.stderr, node)}", by_hand)

    def stream(self, node: str, command: str) -> Stream:
        """See `Transport.stream`; a connection that was dropped before the command began is
        retried.
        """
        if self._is_here(node):
            return super().stream(node, command)

        def start() -> "subprocess.Popen[str]":
            _connections.wait()
            return self._streaming(node, command)

        record = CommandRecord(node, command)
        return Stream(node, start(), restart=start, record=record)

    def forget(self, node: str) -> None:
        """See `SharedConnections.forget`; without a shared connection nothing happens."""
        command = [*self._base, "-O", "exit", "--", node]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                command, capture_output=True, stdin=subprocess.DEVNULL, timeout=10, check=False
            )

    def connect_anew(self, node: str, timeout_s: float) -> None:
        """See `ConnectsAnew.connect_anew`."""
        if self._is_here(node):
            raise RunError(f"{node}: is reached without a connection")
        argv = ["ssh", "-o", "ControlPath=none", *self._base[1:], "--", node, "true"]
        done = self._run(node, "a separate connection", argv, timeout_s=timeout_s)
        if done.exit_code != 0:
            raise RunError(f"{node}: no separate connection: {done.stderr.strip()}")


def _here(command: str, *, sudo: bool) -> list[str]:
    """The local command; a shell also runs sudo, because it reports when sudo is missing."""
    return ["sh", "-c", f"exec {command}" if sudo else command]


def _about_key(stderr: str, node: str) -> str:
    """Advice, as the end of an error message, when ssh does not trust the host's key.

    In batch mode ssh cannot ask the user.
    """
    if "Host key verification failed" not in stderr:
        return ""
    name = shlex.quote(node)
    if "HAS CHANGED" in stderr:
        remove = f"ssh-keygen -R {name}"
        return f" Its host key has changed: find out why; after a reinstallation run {remove}"
    return (
        f" Its host key is unknown: run ssh {name} once and compare the fingerprint with the "
        "host's own (there: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub); "
        "for many hosts run ssh-keyscan, compare, and append to ~/.ssh/known_hosts"
    )


def _says_timeout(ssh_config: Path | None) -> bool:
    """Whether the file sets a connection timeout, which a command-line option would override."""
    if ssh_config is None or not ssh_config.is_file():
        return False
    lines = ssh_config.read_text(errors="replace").splitlines()
    return any(line.lower().replace("=", " ").split()[:1] == ["connecttimeout"] for line in lines)


_running: "set[subprocess.Popen[bytes]]" = set()
"""processes that threads wait for; adding and removing one is atomic"""
interruptible: set[Callable[[], None]] = set()
"""each ends the wait for a command that is no local process; adding and removing one is atomic"""


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process if it still runs, and the proxy that it started (they form a group)."""
    if process.poll() is None:
        signal_process(process, signal.SIGTERM, with_all=True)
        process.wait()
    # They are still open when the wait has timed out.
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def shortened_command(command: str) -> str:
    """The begin of a command, for messages."""
    return command if len(command) < 80 else command[:77] + "..."


Answer = TypeVar("Answer")


def on_every(
    nodes: Iterable[str], action: Callable[[str], Answer], at_once: int = 64
) -> dict[str, Answer]:
    """Run `action` for all nodes (or other names) in parallel: name -> result.

    The first error is raised after all have ended. At most `at_once` run at a time; sshd accepts
    ten sessions on a shared connection (MaxSessions).
    """
    names = list(nodes)
    if not names:
        return {}
    with ThreadPoolExecutor(max_workers=min(len(names), at_once)) as pool:
        # A thread has the purpose of its caller in the controller's log.
        answers = [pool.submit(copy_context().run, action, name) for name in names]
        try:
            wait(answers)
        except BaseException:
            # Interrupted: a command may wait for a hung server until its time limit.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in tuple(_running):
                signal_process(process, signal.SIGTERM, with_all=True)
            for interrupt in tuple(interruptible):
                interrupt()
            raise
        return {name: answer.result() for name, answer in zip(names, answers, strict=True)}


def answer_of(transport: Transport, node: str, command: str, timeout_s: float = 60) -> str | None:
    """The stdout of a command; None when the node does not answer in time or the command fails."""
    try:
        done = transport.run(node, command, timeout_s=timeout_s)
    except RunError:
        return None
    return done.stdout if done.exit_code == 0 else None


def put(
    transport: Transport,
    node: str,
    data: bytes,
    path: str,
    *,
    mode: str = "755",
    timeout_s: float = 120,
) -> None:
    """Write a file on the node atomically: the complete file or none. `mode` is octal.

    The temporary name has the process id of the shell, as nodes may share a machine.
    """
    quoted = shlex.quote(path)
    folder = shlex.quote(str(PurePosixPath(path).parent))
    written = f"{quoted}.new.$$"
    command = (
        f"mkdir -p {folder} && cat >{written} && chmod {mode} {written} && mv {written} {quoted}"
    )
    done = transport.run(node, command, stdin=data, timeout_s=timeout_s)
    if done.exit_code:
        raise RunError(f"{node}: cannot write {path}: {done.stderr.strip()}")


@contextmanager
def following(streams: list[Stream], transport: Transport | None = None) -> Iterator[list[Stream]]:
    """Stop all streams that still run when the block is left, also by an exception.

    `transport`: that of the streams, which then stops them together.
    """
    try:
        yield streams
    finally:
        with contextlib.nullcontext() if transport is None else gathered(transport):
            for stream in streams:
                stream.stop()
        for stream in streams:
            stream.finish(timeout_s=10)
