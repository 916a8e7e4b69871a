"""Which of many points became slower than allowed, from the repeats of two results.

A point is `slower` when the whole 95 % interval of the ratio of its means is below
1 − `tolerance`, corrected for the number of points (Holm). It is `inside` when its whole interval
is above. Every figure is a rate, so that a higher one is better.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from seatrial.analysis.holm import rejected
from seatrial.analysis.statistics import LEVEL, Interval, Ratio, Sample, ratio, repeats_to_decide

Name = TypeVar("Name", bound=Hashable)


class Outcome(StrEnum):
    """The finding on one point."""

    SLOWER = "slower"
    """slower than the tolerance permits, by more than chance"""
    INSIDE = "inside"
    """not slower than the tolerance permits, by more than chance"""
    OPEN = "not-decided"
    """the repeats fit both"""
    NO_INTERVAL = "no-interval"
    """a side has fewer than two repeats, or one of them measured 0"""


@dataclass(frozen=True)
class Pair:
    """The repeats of one point in two results."""

    before: Sample
    after: Sample


@dataclass(frozen=True)
class PointFinding:
    """One point: the ratio of the second result to the first, and the finding."""

    outcome: Outcome
    ratio: float | None = None
    """geometric means; None without an interval"""
    interval: Interval | None = None
    """of the ratio, 95 %"""


def find_slower(
    pairs: Mapping[Name, Pair], tolerance: float, level: float = LEVEL
) -> dict[Name, PointFinding]:
    """The finding on each point.

    `tolerance`: the share by which a point may be slower, from 0 to below 1. All points that are
    found slower are wrong together in at most `level` / 2 of cases, as only one side of the
    interval counts.
    """
    limit = 1 - tolerance
    ratios = {name: ratio([(pair.after, pair.before)]) for name, pair in pairs.items()}
    known_ratios = {
        name: measured_ratio
        for name, measured_ratio in ratios.items()
        if measured_ratio is not None
    }
    chances = {
        name: _chance_below(measured_ratio, limit) for name, measured_ratio in known_ratios.items()
    }
    slower = rejected(chances, level)
    findings: dict[Name, PointFinding] = {}
    for name, measured_ratio in ratios.items():
        if measured_ratio is None:
            findings[name] = PointFinding(Outcome.NO_INTERVAL)
        elif name in slower:
            findings[name] = _finding(Outcome.SLOWER, measured_ratio)
        elif measured_ratio.interval(level).low >= limit:
            findings[name] = _finding(Outcome.INSIDE, measured_ratio)
        else:
            findings[name] = _finding(Outcome.OPEN, measured_ratio)
    return findings


def repeats_needed(pair: Pair, tolerance: float, among: int) -> int | None:
    """The number of repeats in both results that would decide an open point, if means and
    deviations stay as measured; None where no practical number would.

    `among`: the number of points that are judged together.
    """
    return repeats_to_decide(pair.after, 1 - tolerance, pair.before, LEVEL / max(among, 1))


def _finding(outcome: Outcome, measured_ratio: Ratio) -> PointFinding:
    return PointFinding(outcome, measured_ratio.value, measured_ratio.interval())


def _chance_below(measured_ratio: Ratio, limit: float) -> float:
    """The probability of a ratio at least as far from `limit`, where it is the true ratio; 1 above
    the limit.
    """
    distance = replace(measured_ratio.log, value=measured_ratio.log.value - math.log(limit))
    return distance.chance if distance.value < 0 else 1.0
