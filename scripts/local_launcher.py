"""A launcher on this machine, for tests and benchmarks: starts N tasks as `srun` starts them on N nodes.

    local_launcher.py N COMMAND...

It copies its standard input to every task and their outputs to its own, line by line, and sets
`PMI_RANK`. Its end is that of its last task.
"""

import os
import selectors
import signal
import subprocess
import sys

READ_BYTES = 1 << 16


def main() -> int:
    """Start the tasks and serve them; returns the first exit code that is not 0."""
    count, command = int(sys.argv[1]), sys.argv[2:]
    tasks = [_started(command, rank) for rank in range(count)]
    signal.signal(signal.SIGTERM, lambda *_: [task.terminate() for task in tasks])
    _serve(tasks)
    codes = [task.wait() for task in tasks]
    return next((code for code in codes if code), 0)


def _started(command: list[str], rank: int) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "PMI_RANK": str(rank)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _serve(tasks: "list[subprocess.Popen[bytes]]") -> None:
    """Copy input and outputs until every output has ended."""
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ, None)
    unfinished = {task.pid: b"" for task in tasks}
    for task in tasks:
        assert task.stdout is not None
        selector.register(task.stdout.fileno(), selectors.EVENT_READ, task)
    while unfinished:
        for key, _ in selector.select():
            data = os.read(key.fd, READ_BYTES)
            if key.data is None:
                _copy_to_all(data, tasks)
            else:
                whole, newline, rest = (unfinished[key.data.pid] + data).rpartition(b"\n")
                _write_all(1, whole + newline)
                unfinished[key.data.pid] = rest
                if not data:
                    del unfinished[key.data.pid]
            if not data:
                selector.unregister(key.fd)


def _copy_to_all(data: bytes, tasks: "list[subprocess.Popen[bytes]]") -> None:
    """Write to every task that still reads; an empty input closes theirs."""
    for task in tasks:
        assert task.stdin is not None
        try:
            if data:
                _write_all(task.stdin.fileno(), data)
            else:
                task.stdin.close()
        except OSError:
            continue


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    sys.exit(main())
