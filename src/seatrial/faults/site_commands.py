"""Executes the commands of `kind: site-command`, and keeps their output.

Every command has a time limit. The output is written as soon as a command has ended, so that an
interrupted run has it too.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from seatrial.basics.errors import RunError
from seatrial.labs.base import Lab, SiteHosts
from seatrial.transport import TimedOut, Transport

CHECK_POLL_S = 1.0
CHECK_TIMEOUT_S = 30.0
"""longest time of one attempt of a check"""
REACH_TIMEOUT_S = 20.0
OUTPUT_CHARACTERS_MAX = 20_000
"""of each of the two output streams of a command; the end is kept"""
Pause = Callable[[float], None]
Keep = Callable[[str], str]
"""writes one text to the result and returns the name of its file"""


class Command(Protocol):
    """A command of the site."""

    is_repeated: ClassVar[bool]
    """until it succeeds"""

    @property
    def host(self) -> str:
        """The machine that runs it."""

    @property
    def command(self) -> str:
        """For the shell."""

    @property
    def limit_s(self) -> float:
        """Its longest time in s, with every repetition."""

    def text(self) -> str:
        """A readable description."""


@dataclass(frozen=True)
class Answer:
    """The answer of a command of the site."""

    error: str | None
    """why it counts as failed"""
    exit_code: int | None
    """None where it did not end, or where the host was not reached"""
    stdout: str = ""
    stderr: str = ""
    attempts: int = 1

    def text(self, action: Command) -> str:
        """The file of the result."""
        ended = "it did not end" if self.exit_code is None else f"exit code {self.exit_code}"
        repeated = f", attempt {self.attempts}" if action.is_repeated else ""
        reason = f"error: {self.error}\n" if self.error is not None else ""
        outputs = f"stdout:\n{_cut(self.stdout)}\nstderr:\n{_cut(self.stderr)}\n"
        return f"{action.text()}\n{ended}{repeated}\n{reason}{outputs}"


def _cut(output: str) -> str:
    """The end of an output that is longer than a result keeps."""
    left_out = len(output) - OUTPUT_CHARACTERS_MAX
    if left_out <= 0:
        return output.rstrip("\n")
    end = output[left_out:].rstrip("\n")
    return f"[{left_out} characters were left out]\n{end}"


def site_hosts(lab: Lab) -> SiteHosts:
    """The access of a lab to machines of its site; raises RunError where it has none."""
    if not isinstance(lab, SiteHosts):
        raise RunError(f"the lab {lab.kind} has no machines of a site")
    return lab


def answer_of(lab: Lab, action: Command, pause: Pause) -> Answer:
    """Execute a command once, or repeat a check until it succeeds or its time is over.

    `pause` passes the time between two attempts.
    """
    transport = site_hosts(lab).site_transport(action.host)
    if not action.is_repeated:
        return _attempt(transport, action, action.limit_s)
    limit_s = time.monotonic() + action.limit_s
    attempts = 1
    while True:
        left_s = limit_s - time.monotonic()
        answer = _attempt(transport, action, min(CHECK_TIMEOUT_S, max(left_s, CHECK_POLL_S)))
        if answer.exit_code == 0 or time.monotonic() + CHECK_POLL_S > limit_s:
            return replace(answer, attempts=attempts)
        attempts += 1
        pause(CHECK_POLL_S)


def _attempt(transport: Transport, action: Command, timeout_s: float) -> Answer:
    """Execute a command of an action once."""
    try:
        done = transport.run(action.host, action.command, timeout_s=timeout_s)
    except TimedOut as late:
        return Answer(str(late), None, late.stdout, late.stderr)
    except RunError as unreached:
        return Answer(str(unreached), None)
    error = None
    if done.exit_code:
        error = done.stderr.strip() or f"exit {done.exit_code}"
    return Answer(error, done.exit_code, done.stdout, done.stderr)


def reach(lab: Lab, host: str) -> None:
    """Connect to a host once; raises RunError where ssh cannot reach it.

    The exit code does not count: the host may accept the commands of a storage system only.
    """
    site_hosts(lab).site_transport(host).run(host, "true", timeout_s=REACH_TIMEOUT_S)
