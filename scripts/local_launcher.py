"""A launcher on this machine, for tests and benchmarks: starts N tasks as `srun` starts them on N
nodes.

    local_launcher.py N COMMAND...

It copies its standard input to every task and their outputs to its own, line by line, and sets
`PMI_RANK`. Its end is that of its last task.
"""

import os
import selectors
import signal
import subprocess
import sys
from collections import deque
from dataclasses import dataclass, field
from types import FrameType

READ_BYTES = 1 << 16


@dataclass
class Task:
    """One process, and the bytes between it and the launcher."""

    process: "subprocess.Popen[bytes]"
    line: bytes = b""
    """the begin of an output line without its end"""
    waiting: "deque[bytes]" = field(default_factory=deque)
    """input that the process has not taken"""
    is_last: bool = False
    """no more input will come"""

    @property
    def stdin(self) -> int:
        """The descriptor of its input."""
        assert self.process.stdin is not None
        return self.process.stdin.fileno()

    @property
    def stdout(self) -> int:
        """The descriptor of its output."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def feed(self) -> bool:
        """Write as much as the process takes; whether some input has to wait.

        A slow task must not delay the others, nor their outputs.
        """
        try:
            while self.waiting:
                written = os.write(self.stdin, self.waiting[0])
                rest = self.waiting.popleft()[written:]
                if rest:
                    self.waiting.appendleft(rest)
        except BlockingIOError:
            return True
        except OSError:
            self.waiting.clear()
        return False


def main() -> int:
    """Start the tasks and serve them; returns the first exit code that is not 0."""
    count = int(sys.argv[1])
    command = sys.argv[2:]
    tasks = [_started(command, rank) for rank in range(count)]

    def end(_number: int, _frame: FrameType | None) -> None:
        for task in tasks:
            task.process.terminate()

    signal.signal(signal.SIGTERM, end)
    _serve(tasks)
    codes = [task.process.wait() for task in tasks]
    return next((code for code in codes if code), 0)


def _started(command: list[str], rank: int) -> Task:
    environment = {**os.environ, "PMI_RANK": str(rank)}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    task = Task(process)
    os.set_blocking(task.stdin, False)
    return task


def _serve(tasks: list[Task]) -> None:
    """Copy input and outputs until every output has ended."""
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ, None)
    for task in tasks:
        selector.register(task.stdout, selectors.EVENT_READ, task)
    open_outputs = len(tasks)
    while open_outputs:
        for key, events in selector.select():
            if key.data is None:
                _copy_to_all(selector, tasks)
            elif events & selectors.EVENT_WRITE:
                _feed(selector, key.data)
            elif not _copy_output(key.data):
                selector.unregister(key.fd)
                open_outputs -= 1


def _copy_output(task: Task) -> bool:
    """Pass whole lines on; False at the end of the output."""
    data = os.read(task.stdout, READ_BYTES)
    whole, newline, task.line = (task.line + data).rpartition(b"\n")
    _write_all(1, whole + newline)
    return bool(data)


def _copy_to_all(selector: selectors.BaseSelector, tasks: list[Task]) -> None:
    """Queue the input for every task; an empty input closes theirs."""
    data = os.read(0, READ_BYTES)
    if not data:
        selector.unregister(0)
    for task in tasks:
        is_waiting = bool(task.waiting)
        task.is_last = task.is_last or not data
        if data:
            task.waiting.append(data)
        if not is_waiting and task.feed():
            selector.register(task.stdin, selectors.EVENT_WRITE, task)
        elif task.is_last and not task.waiting:
            _close_input(task)


def _feed(selector: selectors.BaseSelector, task: Task) -> None:
    if not task.feed():
        selector.unregister(task.stdin)
        if task.is_last:
            _close_input(task)


def _close_input(task: Task) -> None:
    assert task.process.stdin is not None
    task.process.stdin.close()


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    sys.exit(main())
