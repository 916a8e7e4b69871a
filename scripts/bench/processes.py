"""Programs of this machine, with the processor time that they used."""

import resource
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.contest import Failed

TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Finished:
    """A program that has ended with exit code 0."""

    stdout: str
    elapsed_s: float
    """from before the start of the program to its end"""
    cpu_s: float
    """user and system time of the program and its children"""


def finished(command: Sequence[str], stdin: str = "") -> Finished:
    """Run `command` to its end. Failed when it exits with another code than 0, or after
    `TIMEOUT_S`.
    """
    before_s = children_cpu_s()
    begun_s = time.perf_counter()
    try:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"no end after {TIMEOUT_S:.0f} s") from error
    elapsed_s = time.perf_counter() - begun_s
    cpu_s = children_cpu_s() - before_s
    if done.returncode:
        messages = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise Failed(f"exit code {done.returncode}: {messages[-1]}")
    return Finished(done.stdout, elapsed_s, cpu_s)


def children_cpu_s() -> float:
    """User and system time of all children of this process that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def missing(*programs: str) -> dict[str, str]:
    """Program -> reason, for those of `programs` that are not on the PATH."""
    return {name: f"{name} is not on the PATH" for name in programs if not shutil.which(name)}
