"""The rate of the background load around a fault, from the intervals that the agents report.

The windows of a fault are before the injection, from the injection to the repair, and after the
recovery. The rate of a window is that of all clients of a workload stream that kept their power.
Its seconds depend on each other. Blocks of several seconds are therefore the samples.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from seatrial.analysis.statistics import Sample
from seatrial.result.faults import FaultResult, StreamInterval, StreamResult
from seatrial.study.faults import StreamPhase
from seatrial.study.workload import moves_data

WARM_UP_S = 1.0
"""of the load, from its common start; left out of the window before the injection"""
BLOCK_S = 3.0
"""shortest block"""
BLOCKS_MAX = 4
"""few long blocks depend on each other less than many short ones"""
DEPENDENCE = 1.3
"""factor of the standard error, as blocks still depend on each other: for seconds with a
correlation of 0.7 from one to the next"""
BLOCKS_LEAST = 3
"""a window with fewer blocks decides nothing"""
RECOVERED_S = 3.0
"""the time over which the rate after the repair is averaged to find when it is back"""


@dataclass(frozen=True)
class Window:
    """A time on the common clock."""

    start_unix_s: float
    end_unix_s: float

    @property
    def length_s(self) -> float:
        """Its length in seconds; 0 where it ends before its start."""
        return max(self.end_unix_s - self.start_unix_s, 0.0)


@dataclass(frozen=True)
class FaultWindows:
    """The windows of one fault."""

    before: Window
    during: Window
    after: Window


@dataclass(frozen=True)
class StreamRate:
    """The work of all clients of one workload stream over time."""

    name: str
    parts: tuple[StreamResult, ...]
    """one for each client that kept its power"""

    @property
    def counts_bytes(self) -> bool:
        """Whether its rate is in bytes per second, or in operations per second."""
        return moves_data(self.parts[0].phase)

    def mean_per_s(self, window: Window) -> float:
        """The mean rate in a window, in bytes or operations per second.

        The work of an interval that is partly inside counts in proportion.
        """
        if not window.length_s:
            return 0.0
        total = math.fsum(
            _work_inside(interval, window, counts_bytes=self.counts_bytes)
            for part in self.parts
            for interval in part.seconds
        )
        return total / window.length_s

    def blocks(self, window: Window) -> Sample:
        """The mean rate of each block of a window; empty for a window that is too short."""
        count = min(int(window.length_s / BLOCK_S), BLOCKS_MAX)
        if count < BLOCKS_LEAST:
            return Sample(())
        length_s = window.length_s / count
        starts_s = [window.start_unix_s + number * length_s for number in range(count)]
        return Sample(tuple(self.mean_per_s(Window(at, at + length_s)) for at in starts_s))

    def recovered_unix_s(self, least_per_s: float, window: Window) -> float | None:
        """The first time in a window from which the mean over `RECOVERED_S` is at least
        `least_per_s`; None where it is not.
        """
        steps = int(window.length_s - RECOVERED_S) + 1
        for step in range(max(steps, 0)):
            start_s = window.start_unix_s + step
            if self.mean_per_s(Window(start_s, start_s + RECOVERED_S)) >= least_per_s:
                return start_s
        return None


def _work_inside(interval: StreamInterval, window: Window, *, counts_bytes: bool) -> float:
    """The bytes or operations of a reported interval that fall into a window."""
    work = interval.size_bytes if counts_bytes else interval.operations
    if interval.length_s <= 0:
        is_inside = window.start_unix_s <= interval.ended_unix_s < window.end_unix_s
        return float(work) if is_inside else 0.0
    end_s = min(interval.ended_unix_s, window.end_unix_s)
    start_s = max(interval.started_unix_s, window.start_unix_s)
    return work * max(end_s - start_s, 0.0) / interval.length_s


def windows_of(fault: FaultResult) -> FaultWindows | None:
    """The windows of a fault; None where one of its times is unknown."""
    started_s = fault.started_unix_s
    injected_s = fault.injected_unix_s
    repaired_s = fault.repaired_unix_s
    ended_s = fault.ended_unix_s
    if started_s is None or injected_s is None or repaired_s is None or ended_s is None:
        return None
    recovered_s = fault.recovered_unix_s if fault.recovered_unix_s is not None else ended_s
    return FaultWindows(
        before=Window(started_s + WARM_UP_S, injected_s),
        during=Window(injected_s, repaired_s),
        after=Window(max(recovered_s, repaired_s), ended_s),
    )


def stream_rates(fault: FaultResult, names: Sequence[str]) -> list[StreamRate]:
    """The streams with the given names; without names, every workload stream.

    A stream without a client that kept its power is left out.
    """
    parts: dict[str, list[StreamResult]] = {}
    for item in fault.judged:
        if item.stream in names or (not names and is_load(item)):
            parts.setdefault(item.stream, []).append(item)
    return [StreamRate(name, tuple(results)) for name, results in parts.items()]


def is_load(item: StreamResult) -> bool:
    """Whether a stream is a workload, and neither a consistency test nor a copy."""
    return item.phase in get_args(StreamPhase)
