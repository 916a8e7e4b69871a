"""A transport over one step of a launcher: one input for all nodes, one output from all nodes.

A launcher copies its standard input to every task and mixes their outputs. Where it does not, the
tasks connect to the controller instead (`seatrial.launchers.listener`). The agent of each task does
the requests for its own node and prefixes each line with the name of the node. So one process of
the launcher carries all commands to all nodes, and no node needs ssh or root.
"""

import atexit
import contextlib
import itertools
import json
import os
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO

from seatrial.basics.command_log import CommandRecord, recorded
from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import fold
from seatrial.basics.units import counted
from seatrial.launchers.base import StartedTask, shown
from seatrial.launchers.frames import (
    BEAT,
    BYE,
    HELLO,
    DamagedFrameError,
    Frame,
    parsed,
)
from seatrial.launchers.group_command import GroupCommand, Receivers
from seatrial.launchers.listener import KEY_VARIABLE, Listener
from seatrial.launchers.requests import Close, End, Open, Request, Send, document, hello
from seatrial.streams import SSH_FAILED, CommandEnd, Stream
from seatrial.transport import Completed, interruptible, shortened_command

BEAT_LOST_S = 30.0
"""an agent that sent nothing for this time in s is lost; it sends a line every 3 s"""
WATCH_S = 1.0
"""interval in s of the check for lost agents"""
CLOSE_S = 10.0
"""maximum time in s for the end of the step, then for its end by SIGTERM"""
KILLED_S = 5.0
"""maximum time in s for the end of a command that exceeded its time limit"""
MESSAGES_KEPT = 20
"""last lines of the launcher itself, for error messages"""
BATCH_MAX = 4096
"""with this number of requests a line is sent, although more of them wait"""


@dataclass
class _Node:
    """One node of the step, as received."""

    name: str
    task: StartedTask | None = None
    started: threading.Event = field(default_factory=threading.Event)
    number: int = 0
    """of its last line"""
    heard_s: float = 0.0
    lost: str | None = None
    """why nothing more is expected of it"""


class GroupStream(Stream):
    """A running command of a group: one line in, one line out."""

    def __init__(
        self, group: "GroupTransport", command: GroupCommand, record: CommandRecord
    ) -> None:
        self.node = command.node
        self._group = group
        self._command = command
        self._record = record
        self._is_stopped = False
        record.started()

    def send(self, line: str) -> None:
        """See `Stream.send`."""
        self._group.request(Send(self._command.stream, line))

    def lines(self) -> Iterator[str]:
        """See `Stream.lines`."""
        while (line := self.read_line()) is not None:
            yield line

    def read_line(self) -> str | None:
        """See `Stream.read_line`."""
        line = self._command.lines.get()
        if line is None:
            self._command.lines.put(None)  # for any other reader
            return None
        return line.rstrip("\n")

    def listen(
        self,
        receive: Callable[[str], None],
        end: Callable[[int, str], None],
        timeout_s: float,  # noqa: ARG002 - the output of a step ends with its command
    ) -> None:
        """See `Stream.listen`: without a thread for each stream."""
        self._command.listen(Receivers(receive, end))

    def finish(self, timeout_s: float = 30) -> CommandEnd:
        """See `Stream.finish`."""
        command = self._command
        if not command.ended.is_set() and not self._is_stopped:
            self._group.request(Close(command.stream))
        if not command.ended.wait(timeout_s):
            self._group.request(End(command.stream))
            command.ended.wait(CLOSE_S)
            command.end(SSH_FAILED, "the command was ended")
        self._group.forget_command(command)
        self._record.ended(command.exit_code, command.stderr)
        return CommandEnd(command.exit_code, command.stderr)

    def stop(self) -> None:
        """See `Stream.stop`: end the command on its node."""
        if not self._command.ended.is_set():
            self._is_stopped = True
            self._group.request(End(self._command.stream))


class GroupTransport:
    """The transport to the nodes of a step; see `seatrial.transport.Transport`."""

    def __init__(
        self,
        launcher: str,
        argv: Sequence[str],
        nodes: Sequence[str],
        start_timeout_s: float,
        listener: Listener | None = None,
    ) -> None:
        """Start the step; with a `listener` its tasks connect to it.

        RunError names every node on which no agent started within `start_timeout_s`.
        """
        self._launcher = launcher
        self._argv = tuple(argv)
        self._listener = listener
        self._nodes = {name: _Node(name) for name in nodes}
        self._commands: dict[int, GroupCommand] = {}
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._requests: queue.Queue[tuple[Request, ...] | None] = queue.Queue()
        self._held: list[Request] = []
        """requests that will be sent together"""
        self._holders = 0
        self._messages: deque[str] = deque(maxlen=MESSAGES_KEPT)
        self._is_over = threading.Event()
        self.damaged_lines = 0
        """lines that the launcher cut or mixed"""
        self._process = self._start()
        if listener is not None:
            listener.begin(self._take_line)
        for work in (self._write, self._read, self._read_messages, self._watch):
            threading.Thread(target=work, daemon=True, name=f"{launcher} {work.__name__}").start()
        atexit.register(self.close)
        try:
            self._await_start(start_timeout_s)
        except BaseException:
            self.close()
            raise

    @property
    def tasks(self) -> dict[str, StartedTask]:
        """See `GroupOfTasks.tasks`."""
        return {node.name: node.task for node in self._nodes.values() if node.task is not None}

    @property
    def command_line(self) -> str:
        """See `GroupOfTasks.command_line`."""
        return shown(self._argv)

    # ---- the interface of a transport

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """See `Transport.run`."""
        with recorded(node, command) as record:
            done = self._completed(node, command, stdin, timeout_s)
            record.ended(done.exit_code, done.stderr)
        return done

    def _completed(self, node: str, command: str, stdin: bytes, timeout_s: float) -> Completed:
        running = self._open(node, command, stdin)
        self.request(Close(running.stream))

        def interrupt() -> None:
            self.request(End(running.stream))
            running.end(SSH_FAILED, "interrupted")

        interruptible.add(interrupt)
        try:
            has_ended = running.ended.wait(timeout_s)
            if not has_ended:
                self.request(End(running.stream))
                running.ended.wait(KILLED_S)
        finally:
            interruptible.discard(interrupt)
            self.forget_command(running)
        if not has_ended:
            problem = f"{node}: no end after {timeout_s:.0f} s: {shortened_command(command)}"
            raise RunError(problem, "is the node stuck?")
        lost = self._lost(node)
        if lost:
            raise RunError(f"{node}: {lost}")
        return Completed(node, running.exit_code, running.stdout(), running.stderr)

    def stream(self, node: str, command: str) -> Stream:
        """See `Transport.stream`."""
        record = CommandRecord(node, command)
        return GroupStream(self, self._open(node, command, b""), record)

    def close(self) -> None:
        """End the step: its agents end with their input. A second call does nothing."""
        atexit.unregister(self.close)
        self._requests.put(None)
        process = self._process
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_S)
        if process.poll() is None:
            process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_S)
        if process.poll() is None:
            process.kill()
            process.wait()
        self._is_over.wait(CLOSE_S)

    def request(self, request: Request) -> None:
        """Queue a request; requests that wait together go in one line."""
        with self._lock:
            if self._holders:
                self._held.append(request)
                return
        self._requests.put((request,))

    @contextlib.contextmanager
    def gathered(self) -> Iterator[None]:
        """See `GathersRequests.gathered`; requests of other threads are sent at its end too."""
        with self._lock:
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                held = tuple(self._held) if not self._holders else ()
                if held:
                    self._held.clear()
            if held:
                self._requests.put(held)

    def forget_command(self, command: GroupCommand) -> None:
        """Ignore whatever else a command sends."""
        with self._lock:
            self._commands.pop(command.stream, None)

    # ---- commands

    def _open(self, node: str, command: str, data: bytes) -> GroupCommand:
        running = GroupCommand(node, next(self._numbers))
        with self._lock:
            self._commands[running.stream] = running
        lost = self._lost(node)
        if lost:
            running.end(SSH_FAILED, lost)
        else:
            self.request(Open(node, running.stream, command, data))
        return running

    def _lost(self, node: str) -> str | None:
        return self._nodes[node].lost

    def _lose(self, node: _Node, reason: str) -> None:
        """Expect nothing more of a node: its commands end here."""
        with self._lock:
            if node.lost is not None:
                return
            node.lost = reason
            commands = [item for item in self._commands.values() if item.node == node.name]
        for command in commands:
            command.end(SSH_FAILED, reason)

    # ---- the process of the launcher, each of these in a thread

    def _start(self) -> "subprocess.Popen[bytes]":
        key = {} if self._listener is None else {KEY_VARIABLE: self._listener.key}
        try:
            return subprocess.Popen(
                self._argv,
                env={**os.environ, **key},
                stdin=subprocess.PIPE if self._listener is None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Ctrl-C reaches the controller alone, which ends the step in order.
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(
                f"{self._launcher}: {self._argv[0]} does not start: {error.strerror}"
            ) from None

    def _await_start(self, timeout_s: float) -> None:
        limit_s = time.monotonic() + timeout_s
        for node in self._nodes.values():
            node.started.wait(max(0.0, limit_s - time.monotonic()))
        missing = [node.name for node in self._nodes.values() if node.task is None]
        if missing:
            raise RunError(
                self._why_not_started(missing, timeout_s), f"try it by hand: {self.command_line}"
            )
        problems = [
            f"{node.name}: {node.lost}" for node in self._nodes.values() if node.lost is not None
        ]
        if problems:
            raise RunError("\n".join(problems))

    def _why_not_started(self, missing: Sequence[str], timeout_s: float) -> str:
        if self._is_over.is_set():
            how = f"the step of {self._launcher} ended (exit {self._process.returncode})"
        else:
            how = f"no agent started within {timeout_s:.0f} s"
        return "\n".join([f"{fold(missing)}: {how}", *(f"    {line}" for line in self._messages)])

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            self._send_line(hello(list(self._nodes)))
            while batch := self._next_batch():
                self._send_line(document(batch))
        if self._listener is not None:
            self._listener.end()
            return
        with contextlib.suppress(OSError):
            self._stdin.close()

    @property
    def _stdin(self) -> IO[bytes]:
        stdin = self._process.stdin
        assert stdin is not None, "only a step without a listener reads its standard input"
        return stdin

    def _send_line(self, line: str) -> None:
        data = f"{line}\n".encode()
        if self._listener is not None:
            self._listener.send(data)
            return
        self._stdin.write(data)
        self._stdin.flush()

    def _next_batch(self) -> list[Request]:
        """All requests that wait; empty at the end of the step."""
        batch: list[Request] = []
        requests = self._requests.get()
        while requests is not None:
            batch += requests
            if len(batch) >= BATCH_MAX:
                break
            try:
                requests = self._requests.get_nowait()
            except queue.Empty:
                break
        if requests is None and batch:
            self._requests.put(None)  # the end comes after this batch
        return batch

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            for line in stdout:
                self._take_line(line.rstrip(b"\n"))
        self._process.wait()
        if self._listener is not None:
            self._listener.close(CLOSE_S)
        self._is_over.set()
        reason = f"the step of {self._launcher} ended (exit {self._process.returncode})"
        last = [*self._messages][-1:]
        for node in self._nodes.values():
            self._lose(node, ": ".join([reason, *last]))
            node.started.set()

    def _read_messages(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        with stderr:
            for line in stderr:
                self._messages.append(line.decode(errors="replace").rstrip())

    def _take_line(self, line: bytes) -> None:
        try:
            frame = parsed(line)
        except DamagedFrameError:
            self.damaged_lines += 1
            return
        node = None if frame is None else self._nodes.get(frame.client)
        if frame is None or node is None:
            self._messages.append(line.decode(errors="replace"))
            return
        self._take_frame(node, frame)

    def _take_frame(self, node: _Node, frame: Frame) -> None:
        node.heard_s = time.monotonic()
        if frame.kind == HELLO:
            self._take_hello(node, frame)
            return
        if frame.number != node.number + 1:
            missing = frame.number - node.number - 1
            self._lose(node, f"{counted(missing, 'line')} of its output did not arrive whole")
        node.number = frame.number
        if frame.kind == BYE:
            self._lose(node, "its agent ended")
        elif frame.kind != BEAT:
            with self._lock:
                command = self._commands.get(frame.stream)
            if command is not None and node.lost is None:
                command.take(frame)

    def _take_hello(self, node: _Node, frame: Frame) -> None:
        about = json.loads(frame.text)
        task = StartedTask(about["host"], about["rank"], f"{about['boot']} {about['namespace']}")
        if node.task is not None:
            self._lose(node, f"two tasks have this name, on {node.task.host} and on {task.host}")
        node.task = task
        node.number = frame.number
        node.started.set()

    def _watch(self) -> None:
        """Notice nodes that are silent: their agent died, or their machine."""
        while not self._is_over.wait(WATCH_S):
            now_s = time.monotonic()
            for node in self._nodes.values():
                if node.task is not None and now_s - node.heard_s > BEAT_LOST_S:
                    self._lose(node, f"its agent has been silent for {BEAT_LOST_S:.0f} s")
