"""The offset of every node's clock, and the handling of wall clocks that are set.

Events are ordered by the time since a node's boot, converted to this machine's clock by an offset
that is measured as in NTP (RFC 5905, section 8). A change of a wall clock is detected and reported,
and moves no event.
"""

import contextlib
import json
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.basics.clock import unix_s, wall_ahead_s
from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.streams import Stream
from seatrial.transport import Transport, following, gathered

CLOCK_SAMPLES = 6
AT_ONCE = 64
"""nodes that are asked together: the answers of more would wait for each other"""
CLOCK_TIMEOUT_S = 30.0
DRIFT = 1e-4
"""maximum drift between two uncorrected clocks: a crystal's 100 parts per million"""
SET_S_MIN = 0.01
"""smaller steps are not reported: they are within the error of reading two clocks on a
busy machine
"""
SAME_S = 2.0
"""two agents of a node see its clock set at their own next checks"""


@dataclass(frozen=True)
class ClockOffset:
    """A node's time since boot minus its `unix_s` on this machine; the error is half the best round
    trip.
    """

    ahead_s: float
    error_s: float
    boot: str = ""
    """the boot of the node that it was measured in"""
    measured_s: float = 0.0
    wall_ahead_s: float = 0.0
    """how far its wall clock was ahead at that time"""

    @property
    def round_trip_s(self) -> float:
        """Round trip of a query to the node in s."""
        return 2.0 * self.error_s

    def unix_s(self, since_boot_s: float) -> float:
        """A time of the node's clock on this machine's clock."""
        return since_boot_s - self.ahead_s


def measure_clocks(
    transport: Transport, nodes: Sequence[str], agent: str
) -> dict[str, ClockOffset]:
    """Every node's offset, from the sample with the shortest round trip.

    Nodes on one machine share its best sample.
    """
    clocks: dict[str, ClockOffset] = {}
    with doing("measure the clocks"):
        for first in range(0, len(nodes), AT_ONCE):
            clocks |= _measured_together(transport, nodes[first : first + AT_ONCE], agent)
    return _shared_by_machine(clocks)


@dataclass(frozen=True)
class _Answer:
    """A line of a node's clock, or the end of its output."""

    number: int
    """of the node"""
    unix_s: float
    """when it arrived"""
    line: str | None


def _measured_together(
    transport: Transport, nodes: Sequence[str], agent: str
) -> dict[str, ClockOffset]:
    """The offsets of some nodes; each sample asks all of them at once.

    A launcher copies each request to every node: separate requests would cost the square of the
    number of nodes.
    """
    best: dict[str, ClockOffset] = {}
    answers: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
    with gathered(transport):
        started = [transport.stream(node, f"{agent} clock") for node in nodes]
    with following(started, transport) as streams:
        for number, stream in enumerate(streams):
            _pass_on(number, stream, answers)
        limit_s = time.monotonic() + CLOCK_TIMEOUT_S
        for _ in range(CLOCK_SAMPLES):
            asked_s = []
            with gathered(transport):
                for stream in streams:
                    asked_s.append(unix_s())
                    stream.send("")
            missing = set(range(len(nodes)))
            while missing:
                answer = _next(answers, limit_s)
                if answer is None or answer.line is None:
                    silent = min(missing) if answer is None else answer.number
                    raise RunError(f"{nodes[silent]}: the agent's clock does not answer")
                missing.discard(answer.number)
                node = nodes[answer.number]
                begun_s = asked_s[answer.number]
                clock = _offset(begun_s, answer.unix_s, json.loads(answer.line))
                if node not in best or clock.error_s < best[node].error_s:
                    best[node] = clock
    return best


def _pass_on(number: int, stream: Stream, answers: "queue.SimpleQueue[_Answer]") -> None:
    def put(line: str | None) -> None:
        answers.put(_Answer(number, unix_s(), line))

    stream.listen(put, lambda _code, _stderr: put(None), CLOCK_TIMEOUT_S)


def _next(answers: "queue.SimpleQueue[_Answer]", limit_s: float) -> _Answer | None:
    with contextlib.suppress(queue.Empty):
        return answers.get(timeout=max(0.0, limit_s - time.monotonic()))
    return None


def _shared_by_machine(clocks: Mapping[str, ClockOffset]) -> dict[str, ClockOffset]:
    """The offsets, with the best one of a machine for all of its nodes that agree with it.

    Containers of one machine can have different offsets (time_namespaces(7)): these disagree.
    """
    best: dict[str, ClockOffset] = {}
    for clock in clocks.values():
        best_so_far = best.get(clock.boot)
        if best_so_far is None or clock.error_s < best_so_far.error_s:
            best[clock.boot] = clock
    return {node: _better(clock, best[clock.boot]) for node, clock in clocks.items()}


def _better(measured: ClockOffset, best: ClockOffset) -> ClockOffset:
    agree = abs(measured.ahead_s - best.ahead_s) <= measured.error_s + best.error_s
    return best if measured.boot and agree else measured


def _offset(before_s: float, after_s: float, answer: Mapping[str, Any]) -> ClockOffset:
    """From the times of a request and its answer by this machine's clock."""
    middle_s = (before_s + after_s) / 2
    return ClockOffset(
        answer["boottime_ns"] / 1e9 - middle_s,
        (after_s - before_s) / 2,
        answer["boot"],
        middle_s,
        answer["wall_ns"] / 1e9 - middle_s,
    )


def drift_s(first: ClockOffset, last: ClockOffset) -> float:
    """Drift between two measurements of a node's clock in s; across a boot, its
    possible maximum.
    """
    if first.boot == last.boot:
        return abs(last.ahead_s - first.ahead_s)
    return DRIFT * abs(last.measured_s - first.measured_s)


def error_s(before: Mapping[str, ClockOffset], after: Mapping[str, ClockOffset]) -> float:
    """The error bound in s: the worst round trip, and the worst drift of the clocks
    measured twice.
    """
    drifts_s = (drift_s(before[node], clock) for node, clock in after.items() if node in before)
    return max(clock.error_s for clock in before.values()) + max(drifts_s, default=0.0)


@dataclass(frozen=True)
class ClockSet:
    """A step of a wall clock."""

    node: str
    """empty: this machine"""
    unix_s: float
    set_by_s: float
    """forward, or back when negative"""

    def __str__(self) -> str:
        clock = f"{self.node}'s wall clock" if self.node else "this machine's wall clock"
        way = "ahead" if self.set_by_s > 0 else "back"
        step = f"{way} by {abs(self.set_by_s):.3f} s"
        return f"{clock} was set {step}; no time in the result depends on it"


def by_the_clock_then(at_s: float, now_s: float, sets: Sequence[ClockSet]) -> float:
    """A time of a node's wall clock, corrected by its later steps; unix times, `at_s` by the clock
    of `now_s`.

    A time before a step, or in the future, came from the clock before the step.
    Times within a backward step of it are ambiguous.
    """
    for item in sorted(sets, key=lambda item: item.unix_s, reverse=True):
        if item.unix_s <= at_s <= now_s:
            break
        at_s, now_s = at_s + item.set_by_s, item.unix_s
    return at_s


OnClockSet = Callable[[str, Mapping[str, Any], ClockOffset], None]
"""called with a node, its agent's line `wall-clock-set`, and the node's clock"""


class WallClocks:
    """The steps of all wall clocks, those of this machine included; each is reported once."""

    def __init__(self, say: Callable[[str], None], line: Callable[..., None]) -> None:
        """`say` shows a sentence to the user, `line` writes into the result."""
        self._say = say
        self._line = line
        self._reported: list[ClockSet] = []
        self._ahead_s = wall_ahead_s()
        self._lock = threading.Lock()

    def add_step(self, node: str, line: Mapping[str, Any], clock: ClockOffset) -> None:
        """Process a line `wall-clock-set` of an agent; several agents on a node see
        the same step.
        """
        clock_step = ClockSet(
            node, clock.unix_s(line["boottime_ns"] / 1e9), line["set_by_ns"] / 1e9
        )
        with self._lock:
            if any(_same(clock_step, reported) for reported in self._reported):
                return
            self._reported.append(clock_step)
        self._report(clock_step)

    def sets_of(self, node: str) -> list[ClockSet]:
        """The steps of a node's wall clock so far."""
        with self._lock:
            return [item for item in self._reported if item.node == node]

    def check_own(self) -> None:
        """Check this machine's own wall clock."""
        ahead_s = wall_ahead_s()
        set_by_s, self._ahead_s = ahead_s - self._ahead_s, ahead_s
        if abs(set_by_s) > SET_S_MIN:
            self._report(ClockSet("", unix_s(), set_by_s))

    def _report(self, clock_step: ClockSet) -> None:
        self._say(str(clock_step))
        self._line(
            "wall-clock-set",
            node=clock_step.node,
            at_unix_s=clock_step.unix_s,
            set_by_s=clock_step.set_by_s,
        )


def _same(one: ClockSet, other: ClockSet) -> bool:
    return (
        one.node == other.node
        and abs(one.unix_s - other.unix_s) < SAME_S
        and abs(one.set_by_s - other.set_by_s) < SET_S_MIN
    )
