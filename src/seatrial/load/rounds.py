"""In which order the repeats of several points are run, and whether there should be more of them.

One repeat of all points, then the next: what drifts while they run (a machine that warms up, a disk that fills) lies on
all points alike, and not on one end of a curve. The first round goes in the order of the study, which is that of the
report's tables; from the second on the order is random, by a seed that the record has.
"""

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from seatrial.analysis.statistics import Sample, half_width
from seatrial.record.phases import PhaseResult, believable
from seatrial.record.quantities import quantity_of
from seatrial.study.experiment import Precision
from seatrial.study.points import Point


def with_the_same_settings(points: Iterable[Point]) -> Iterator[list[Point]]:
    """Points that follow on each other and need nothing to be deployed between them."""
    for _, group in groupby(points, key=lambda point: (point.solution, point.site)):
        yield list(group)


def shuffled(points: Sequence[Point], seed: str, number: int) -> list[Point]:
    """The points of one round, in the order that the seed gives it."""
    found = list(points)
    if number > 1:
        random.Random(f"{seed} {number}").shuffle(found)
    return found


@dataclass(frozen=True)
class Enough:
    """Why a point gets no more repeats."""

    repeats: int
    half_width: float | None
    """of the widest 95 % interval of its phases' means, as a share; None with fewer than two usable repeats"""
    reason: str
    """`narrow`, `at_most` or `within`"""
    looks: int
    """how often the width may have been looked at; every interval of these repeats allows for that"""


def enough(
    wanted: Precision, first: int, results: Sequence[PhaseResult], spent_s: float, next_s: float
) -> Enough | None:
    """None: one more repeat. `results`: all of one point so far; `spent_s`: on more repeats, by all points together.

    `first`: repeats before the first look. Who looks after each repeat, and stops when an interval is narrow, stops
    when the repeats are alike by chance. Each look has its share of the 5 % (Bonferroni), so that the interval of the
    repeats that it stops at holds the truth in 95 % of cases at least, whenever that is.
    """
    repeats = len({result.repeat for result in results})
    looks = looks_of(wanted, first)
    width = widest(results, looks)
    if width is not None and width <= wanted.interval:
        return Enough(repeats, width, "narrow", looks)
    if repeats >= wanted.at_most:
        return Enough(repeats, width, "at_most", looks)
    return Enough(repeats, width, "within", looks) if spent_s + next_s > wanted.within else None


def looks_of(wanted: Precision, first: int) -> int:
    """How often a point is looked at, at most: after the first repeats that have an interval, and after each more."""
    return max(wanted.at_most - max(first, 2) + 1, 1)


def widest(results: Sequence[PhaseResult], looks: int = 1) -> float | None:
    """The widest interval of a point's phases: half of it, over the mean."""
    phases: Mapping[str, list[PhaseResult]] = {
        name: [item for item in results if item.phase == name] for name in dict.fromkeys(it.phase for it in results)
    }
    widths = [half_width(_sample(found, looks)) for found in phases.values()]
    known = [width for width in widths if width is not None]
    return max(known) if len(known) == len(widths) and known else None


def _sample(results: Sequence[PhaseResult], looks: int) -> Sample:
    usable, _ = believable(results)
    values = (quantity_of(item.phase).of(item) for item in usable)
    return Sample(tuple(value for value in values if value > 0 and math.isfinite(value)), looks)
