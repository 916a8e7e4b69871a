"""The phases of a failover, by the nodes' own logs and the first answers of clients."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from seatrial.basics.event_kinds import EventKind
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.summary.notation import figures

SILENCED_SHARE = 0.5
"""share of the longest outage; a stream with a shorter outage is not part of it"""
PARTS = ("detect", "fence", "boot", "start", "grace", "first completion")


class PhaseSpan(NamedTuple):
    """A phase of a failover, in unix seconds."""

    name: str
    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Its duration."""
        return self.end_s - self.start_s


def failover_phases(fault: FaultResult) -> list[PhaseSpan]:
    """The phases of a failover, each up to the event that ends it; unknown phases are left out.

    An event after every client has its answer is not a phase: a storage server may boot long after
    the failover.
    """
    at_s = fault.injected_unix_s
    if at_s is None:
        return []
    answers_s = [unix_s for _, unix_s in first_answers(fault)]
    booted_s = _moment_s(fault, EventKind.BOOTED, at_s, last=True)
    started_s = _moment_s(fault, EventKind.STARTED, at_s, last=True)
    ends = (
        _moment_s(fault, EventKind.DETECTED, at_s),
        _moment_s(fault, EventKind.FENCED, at_s),
        booted_s if fault.moved is not True else None,
        started_s or _moment_s(fault, EventKind.GRACE, at_s),
        _moment_s(fault, EventKind.GRACE_ENDED, at_s),
        min(answers_s, default=None),
    )
    over_s = max(answers_s, default=math.inf)
    phases = []
    if all(end_s is None for end_s in ends[:-1]):
        return []
    for name, end_s in zip(PARTS, ends, strict=True):
        if end_s is not None and at_s <= end_s <= over_s:
            phases.append(PhaseSpan(name, at_s, end_s))
            at_s = end_s
    return phases


def phases_words(phases: Sequence[PhaseSpan]) -> str:
    """`detect 0.4 s, fence 2.1 s`."""
    return ", ".join(f"{phase.name} {figures(phase.length_s)} s" for phase in phases)


def first_answers(fault: FaultResult) -> list[tuple[StreamResult, float]]:
    """The first answer of each stream that the fault silenced.

    An outage much shorter than the longest one does not count: any server pauses for a tenth of a
    second.
    """
    return [
        (item, item.first_completion_unix_s)
        for item in fault.judged
        if item.longest
        and item.first_completion_unix_s
        and item.longest_s >= SILENCED_SHARE * fault.longest_s
    ]


def _moment_s(fault: FaultResult, what: str, since_s: float, *, last: bool = False) -> float | None:
    times_s = [
        float(item["unix_s"])
        for item in fault.moments
        if item["what"] == what and item["unix_s"] >= since_s
    ]
    return (max if last else min)(times_s, default=None)
