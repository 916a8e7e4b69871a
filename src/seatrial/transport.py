"""The one door to other machines: the system's own OpenSSH, so that the site's configuration is honoured.

ProxyJump, Kerberos, smart cards and known_hosts are the user's; a lab brings an ssh_config of its own. Every
command has a time limit. Nothing here knows what it carries.
"""

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol, TypeVar, runtime_checkable

from seatrial.basics.errors import RunError

CONNECT_TIMEOUT_S = 20
"""where the ssh configuration says none of its own"""
STDERR_TIMEOUT_S = 5
SSH_FAILED = 255
"""ssh's own exit code: the connection failed, not the command."""
NOT_BEGUN = ("kex_exchange_identification: ", "during banner exchange")
"""what ssh says where sshd was reached and did not serve: busy, or dropping at random (sshd_config(5), MaxStartups)"""
RETRY_AFTER_S = (1.0, 3.0, 9.0)


@dataclass(frozen=True)
class Completed:
    """What a command said and how it ended."""

    node: str
    exit_code: int
    stdout: str
    stderr: str


class Transport(Protocol):
    """Runs shell commands on nodes; the fake one of the tests answers from a script."""

    def run(self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60) -> Completed:
        """Run `command` in the node's login shell; RunError when the node cannot be reached or takes too long."""

    def stream(self, node: str, command: str) -> "Stream":
        """Start `command` and follow its lines."""


@runtime_checkable
class SharedConnections(Protocol):
    """A transport whose commands share a connection, which outlives a node that has lost its power."""

    def forget(self, node: str) -> None:
        """Close the connection: the next command makes a new one. What runs over it ends."""


@runtime_checkable
class ConnectsAnew(Protocol):
    """A transport to other machines, of whose handshakes one can be asked for."""

    def connect_anew(self, node: str, timeout_s: float) -> None:
        """Make a connection that nothing shares, and end it; RunError when it cannot be made."""


class Stream:
    """A running remote command: lines in, lines out."""

    def __init__(self, node: str, process: "subprocess.Popen[str]") -> None:
        self.node = node
        self._process = process
        self._stderr: str | None = None
        self._finishing = threading.Lock()
        self._followed = False

    def send(self, line: str) -> None:
        """Send one line; a command that is gone is noticed by its exit code later, not here."""
        try:
            _pipe(self._process.stdin).write(line + "\n")
            _pipe(self._process.stdin).flush()
        except (BrokenPipeError, ValueError):
            pass

    def lines(self) -> Iterator[str]:
        """The command's output, line by line, until it ends."""
        self._followed = True
        with _pipe(self._process.stdout) as stdout:
            for line in stdout:
                yield line.rstrip("\n")

    def read_line(self) -> str | None:
        """The next line, or None at the end."""
        line = _pipe(self._process.stdout).readline()
        return line.rstrip("\n") if line else None

    def finish(self, timeout_s: float = 30) -> tuple[int, str]:
        """Wait for the end, at most so long, then end it by force: exit code and stderr. Threads take turns."""
        with self._finishing:
            return self._finish(timeout_s)

    def _finish(self, timeout_s: float) -> tuple[int, str]:
        with contextlib.suppress(OSError, ValueError):
            _pipe(self._process.stdin).close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            _tell(self._process, signal.SIGKILL)
            self._process.wait()
        if self._stderr is None:
            self._stderr = self._read_stderr()
            if not self._followed:  # whoever follows the lines closes them at their end
                _pipe(self._process.stdout).close()
        return self._process.returncode, self._stderr

    def _read_stderr(self) -> str:
        """What was said, at once if the pipe can be read to its end.

        A shared connection holds the pipe open as long as the remote command lives, and one that waits for a dead
        server in the kernel lives on after it was told to end.
        """
        said: list[str] = []

        def read() -> None:
            with _pipe(self._process.stderr) as stderr:
                said.append(stderr.read())

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(STDERR_TIMEOUT_S)
        return "".join(said)

    def stop(self) -> None:
        """End the local ssh; the remote command sees its pipes close."""
        if self._process.poll() is None:
            _tell(self._process, signal.SIGTERM)


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise RuntimeError("the stream was opened without this pipe")
    return pipe


LINGER_S = 3.0
"""how long output may come after a command has ended"""
GLANCE_S = 0.5


def _communicate(process: "subprocess.Popen[bytes]", timeout_s: float) -> tuple[bytes, bytes]:
    """What a command says, until it has ended; TimeoutExpired when that takes longer.

    The pipes may stay open behind it: the shared connection of a command that was killed, a daemon that it started.
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


def _bytes(said: Any) -> bytes:
    return said if isinstance(said, bytes) else b""


class _Processes:
    """Runs a command that a subclass builds; the machinery that all real transports share."""

    def _argv(self, node: str, command: str) -> list[str]:
        raise NotImplementedError

    def run(self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60) -> Completed:
        """See `Transport.run`."""
        return self._run(node, command, self._argv(node, command), stdin=stdin, timeout_s=timeout_s)

    def _run(self, node: str, command: str, argv: list[str], *, stdin: bytes = b"", timeout_s: float) -> Completed:
        with tempfile.TemporaryFile() as source:  # a pipe would have to be filled while it is waited
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
        except subprocess.TimeoutExpired:
            raise RunError(f"{node}: no end after {timeout_s:.0f} s: {_short(command)}", "is the node stuck?") from None
        finally:
            _running.discard(process)
            _end(process)
        return Completed(node, process.returncode, stdout.decode(errors="replace"), stderr.decode(errors="replace"))

    def stream(self, node: str, command: str) -> Stream:
        """See `Transport.stream`."""
        process = subprocess.Popen(
            self._argv(node, command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return Stream(node, process)


class Local(_Processes):
    """Any node is the machine at hand: for `seatrial bench` and for tests of what a node would do."""

    def _argv(self, node: str, command: str) -> list[str]:  # noqa: ARG002 - every node is this machine
        return ["sh", "-c", command]


HERE = "localhost"
"""the node that is the machine at hand"""
SUDO = "sudo -n /bin/sh"
"""all that a login which is not root's has to be allowed; it never asks for a password"""
AS_ROOTS_LOGIN = "PATH=$PATH:/usr/sbin:/sbin; umask 022; "
"""what a sudoers without secure_path, and the login's own umask, which sudo keeps, would make another of"""


def by_sudo(command: str) -> str:
    """The command of a login that runs this one as root."""
    return f"{SUDO} -c {shlex.quote(AS_ROOTS_LOGIN + command)}"


class OpenSsh(_Processes):
    """Transport over `ssh`, with one shared connection per node where the configuration asks for it.

    A node called `localhost` is the machine at hand, without ssh, unless the study brings an `ssh_config` of its own.
    With `sudo` every command, there too, is root's by `SUDO`. Labs make these, and are asked for theirs.
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

    def terminal(self, node: str, words: Sequence[str]) -> list[str]:
        """What gives the terminal at hand a shell on the node, or runs a command there, with the rights of `run`."""
        command = " ".join(words)
        if self._sudo:
            command = by_sudo(command) if words else SUDO
        if self._is_here(node):
            return _here(command, sudo=self._sudo) if command else ["sh"]
        wanted = ["-t"] if self._sudo and not words else []
        return ["ssh", *self._file, *wanted, "--", node, *([command] if command else [])]

    def run(self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60) -> Completed:
        """See `Transport.run`; RunError also when ssh itself fails.

        What cannot have begun is tried again, as long as the command may take.
        """
        if self._is_here(node):
            return super().run(node, command, stdin=stdin, timeout_s=timeout_s)
        limit_s = time.monotonic() + timeout_s
        for pause_s in (*RETRY_AFTER_S, float("inf")):
            done = super().run(node, command, stdin=stdin, timeout_s=timeout_s)
            if done.exit_code != SSH_FAILED:
                return done
            reason = (done.stderr.strip().splitlines() or ["connection failed"])[-1].removeprefix("ssh: ")
            begun = not any(words in reason for words in NOT_BEGUN)
            if begun or time.monotonic() + pause_s > limit_s:
                break
            time.sleep(pause_s)
        by_hand = f"try it by hand: {shlex.join([*self._base, node, 'true'])}"
        raise RunError(f"{node}: ssh: {reason}{_about_key(done.stderr, node)}", by_hand)

    def forget(self, node: str) -> None:
        """See `SharedConnections.forget`; nothing happens where no connection is shared."""
        command = [*self._base, "-O", "exit", "--", node]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=10, check=False)

    def connect_anew(self, node: str, timeout_s: float) -> None:
        """See `ConnectsAnew.connect_anew`."""
        if self._is_here(node):
            raise RunError(f"{node}: is reached without a connection")
        argv = ["ssh", "-o", "ControlPath=none", *self._base[1:], "--", node, "true"]
        done = self._run(node, "a connection of its own", argv, timeout_s=timeout_s)
        if done.exit_code != 0:
            raise RunError(f"{node}: no connection of its own: {done.stderr.strip()}")


BY_SUDO_HERE = f"exec {SUDO}"


def _here(command: str, *, sudo: bool) -> list[str]:
    """By a shell with sudo too, which says that it is missing."""
    return ["sh", "-c", f"exec {command}" if sudo else command]


def _about_key(said: str, node: str) -> str:
    """What to do where ssh does not trust a host's key, as the end of the reason: in batch mode it cannot ask."""
    if "Host key verification failed" not in said:
        return ""
    name = shlex.quote(node)
    if "HAS CHANGED" in said:
        return f" It has another key than before: find out why; where it was installed anew, ssh-keygen -R {name}"
    return (
        f" Its key is not known here: ssh {name} once by hand and compare the fingerprint with the host's own (there: "
        "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub); of many, ssh-keyscan, compare, add to ~/.ssh/known_hosts"
    )


def _says_timeout(ssh_config: Path | None) -> bool:
    """An option of the command line would come before the file's own."""
    if ssh_config is None or not ssh_config.is_file():
        return False
    lines = ssh_config.read_text(errors="replace").splitlines()
    return any(line.lower().replace("=", " ").split()[:1] == ["connecttimeout"] for line in lines)


_running: "set[subprocess.Popen[bytes]]" = set()
"""what threads wait for; adding and removing one is atomic"""


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill what still runs, with the proxy that it started (the group is ours alone)."""
    if process.poll() is None:
        _tell(process, signal.SIGTERM, with_all=True)
        process.wait()
    # A wait that ran out leaves them open.
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def _tell(process: "subprocess.Popen[Any]", number: signal.Signals, *, with_all: bool = False) -> None:
    """Send a signal to a process, or to its whole group.

    What sudo has made root's on this machine gets it from root, with its group: of that, a user reaches sudo alone.
    """
    if _is_roots(process):
        kill = [*SUDO.split(), "-c", f"kill -s {number.name.removeprefix('SIG')} -- -{process.pid}"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(kill, capture_output=True, stdin=subprocess.DEVNULL, timeout=10, check=False)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if with_all:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


def _is_roots(process: "subprocess.Popen[Any]") -> bool:
    """As `_here` begins it."""
    return isinstance(process.args, list) and process.args[-1].startswith(BY_SUDO_HERE)


def _short(command: str) -> str:
    return command if len(command) < 80 else command[:77] + "..."


Answer = TypeVar("Answer")


def on_every(nodes: Iterable[str], action: Callable[[str], Answer], at_once: int = 64) -> dict[str, Answer]:
    """Run `action` for all nodes, or whatever has a name, at once; the first error is raised after all have ended.

    `at_once`: no more than so many. Of one node, sshd takes ten on a shared connection (MaxSessions).
    """
    names = list(nodes)
    if not names:
        return {}
    with ThreadPoolExecutor(max_workers=min(len(names), at_once)) as pool:
        answers = [pool.submit(action, name) for name in names]
        try:
            wait(answers)
        except BaseException:
            # Interrupted: a command may wait for a server that hangs, and would be waited for as long as it may take.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in tuple(_running):
                _tell(process, signal.SIGTERM, with_all=True)
            raise
        return {name: answer.result() for name, answer in zip(names, answers, strict=True)}


def answer_of(transport: Transport, node: str, command: str, timeout_s: float = 60) -> str | None:
    """What a command says; None where the node does not answer in time, or the command fails."""
    try:
        done = transport.run(node, command, timeout_s=timeout_s)
    except RunError:
        return None
    return done.stdout if done.exit_code == 0 else None


def put(transport: Transport, node: str, data: bytes, path: str, *, mode: str = "755", timeout_s: float = 120) -> None:
    """Write a file on the node, whole or not at all."""
    quoted = shlex.quote(path)
    folder = shlex.quote(str(PurePosixPath(path).parent))
    command = f"mkdir -p {folder} && cat >{quoted}.new && chmod {mode} {quoted}.new && mv {quoted}.new {quoted}"
    done = transport.run(node, command, stdin=data, timeout_s=timeout_s)
    if done.exit_code:
        raise RunError(f"{node}: cannot write {path}: {done.stderr.strip()}")


@contextmanager
def following(streams: list[Stream]) -> Iterator[list[Stream]]:
    """Stop whatever still runs when the block is left, however it is left."""
    try:
        yield streams
    finally:
        for stream in streams:
            stream.stop()
        for stream in streams:
            stream.finish(timeout_s=10)
