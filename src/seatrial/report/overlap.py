"""Seconds that nodes report, weighted by their overlap with a phase."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.result.phases import PhaseResult

SECOND_S = 1.0
"""interval of the agent's `watch`"""


@dataclass(frozen=True)
class Share:
    """One second of a node, and its overlap with the phase: 0 to 1."""

    line: dict[str, Any]
    of_second: float


def end_s(phase: PhaseResult) -> float | None:
    """The time when the last client had ended, on the common clock; None where no client reports
    it.
    """
    ends_s = [client.start_late_s + client.elapsed_s for client in phase.clients]
    return phase.started_unix_s + max(ends_s) if ends_s else None


def shares(phase: PhaseResult, lines: Iterable[dict[str, Any]]) -> list[Share]:
    """Each line with its overlap.

    A line's time is the end of its second; lines outside the phase are left out.
    """
    until_s = end_s(phase)
    weighted = []
    for line in lines:
        to_s = float(line["unix_s"])
        inside_s = min(to_s, until_s if until_s is not None else to_s) - max(
            to_s - SECOND_S, phase.started_unix_s
        )
        if inside_s > 0:
            weighted.append(Share(line, min(inside_s / SECOND_S, 1.0)))
    return weighted


def mean(parts: Sequence[Share], key: str) -> float | None:
    """The mean of a figure over the time of the phase; None where no second has it."""
    with_key = [part for part in parts if part.line.get(key) is not None]
    weight = sum(part.of_second for part in with_key)
    if not weight:
        return None
    return sum(float(part.line[key]) * part.of_second for part in with_key) / weight


def total(parts: Sequence[Share], *keys: str) -> float:
    """The sum of counters over the time of the phase."""
    return sum(float(part.line.get(key) or 0) * part.of_second for part in parts for key in keys)
