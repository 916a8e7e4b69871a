"""Measurements of the agent that are no job of `run`: many agents, the verifier."""

import json
import resource
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from bench.agent import job, run
from bench.contest import Failed
from bench.processes import finished
from bench.ratios import Figures
from seatrial.basics.shipped import find_agent


def agents_start(directory: Path, agents: int) -> Figures:
    """From the start of the first agent until the last one is ready for its job."""
    jobs = [
        job(
            directory,
            phase="write",
            transfer_bytes=4096,
            file_bytes=4096,
            files=[f"agent-{number}"],
        )
        for number in range(agents)
    ]
    return _started([str(find_agent()), "run"], [json.dumps(item) for item in jobs])


def processes_start(processes: int) -> Figures:
    """The plain form of `agents_start`: processes that repeat one line."""
    return _started(["cat"], ["line"] * processes)


def _started(command: Sequence[str], lines: Sequence[str]) -> Figures:
    """Start a process for each line, give it the line, and wait for an answer of each."""
    _allow_open_files(2 * len(lines) + 100)
    begun_s = time.perf_counter()
    running: list[subprocess.Popen[bytes]] = []
    try:
        for line in lines:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            running.append(process)
            assert process.stdin is not None
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
        for process in running:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise Failed(f"process {process.pid} did not answer")
        elapsed_s = time.perf_counter() - begun_s
    finally:
        for process in running:
            process.communicate()
    return {"elapsed_ms": elapsed_s * 1e3}


def _allow_open_files(needed: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard not in {-1, resource.RLIM_INFINITY} and hard < needed:
        raise Failed(f"{needed} open files are needed, and the limit is {hard}")
    if soft not in {-1, resource.RLIM_INFINITY} and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def write_with_log(directory: Path, file_bytes: int, transfer_bytes: int) -> Path:
    """Write and sync `data`; returns the operation log."""
    log = directory / "log"
    log.unlink(missing_ok=True)
    keys = {"phase": "write", "fsync": "file", "transfer_bytes": transfer_bytes, "log": str(log)}
    run(job(directory, file_bytes=file_bytes, **keys))
    return log


def verifier(directory: Path, log: Path) -> Figures:
    """`verify` of the file `data`, by the time of the whole process."""
    command = [str(find_agent()), "verify", "--directory", str(directory), "--log", str(log)]
    return _rate((directory / "data").stat().st_size, finished(command).elapsed_s)


def plain_reader(directory: Path) -> Figures:
    """The plain form of `verifier`: `dd` to /dev/null, by the time of the whole process."""
    path = directory / "data"
    command = ["dd", f"if={path}", "of=/dev/null", "bs=1M", "status=none"]
    return _rate(path.stat().st_size, finished(command).elapsed_s)


def _rate(moved_bytes: int, elapsed_s: float) -> Figures:
    return {"bytes_per_s": moved_bytes / elapsed_s}
