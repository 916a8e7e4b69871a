"""The order of the repeats of several points, and the decision on further repeats.

One repeat of all points, then the next: drift (a machine that warms up, a disk that fills) affects
all points alike, and not one end of a curve. The first round has the order of the study, which is
that of the report's tables; from the second on the order is random, with a seed in the result.
"""

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from seatrial.analysis.statistics import Sample, half_width
from seatrial.basics.known import all_known
from seatrial.cases import Case
from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import quantity_of
from seatrial.study.experiment import Precision


def with_the_same_settings(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Consecutive cases that need no deployment between them."""
    for _, group in groupby(cases, key=lambda case: case.variant.changes):
        yield list(group)


Item = TypeVar("Item")


def shuffled(items: Sequence[Item], seed: str, number: int) -> list[Item]:
    """The cases or points of one round, in the order that the seed determines."""
    order = list(items)
    if number > 1:
        random.Random(f"{seed} {number}").shuffle(order)
    return order


@dataclass(frozen=True)
class StopReason:
    """Why a point gets no more repeats."""

    repeats: int
    half_width: float | None
    """of the widest 95 % interval of its phases' means, as a share; None with fewer than two usable
    repeats
    """
    reason: str
    """`narrow`, `at_most` or `within`"""
    looks: int
    """maximum number of looks at the width; every interval of these repeats allows for it"""


def stop_reason(
    precision: Precision, first: int, results: Sequence[PhaseResult], spent_s: float, next_s: float
) -> StopReason | None:
    """The reason to stop, or None for one more repeat.

    `results`: all of one point so far; `spent_s`: time of further repeats of all points; `first`:
    repeats before the first look. Stopping after a look as soon as an interval is narrow favours
    repeats that are alike by chance. Each look therefore has its share of the 5 % (Bonferroni), so
    that the final interval covers the true value in at least 95 % of cases.
    """
    repeats = len({result.repeat for result in results})
    looks = looks_of(precision, first)
    width = widest(results, looks)
    if width is not None and width <= precision.interval:
        return StopReason(repeats, width, "narrow", looks)
    if repeats >= precision.at_most:
        return StopReason(repeats, width, "at_most", looks)
    return (
        StopReason(repeats, width, "within", looks) if spent_s + next_s > precision.within else None
    )


def looks_of(precision: Precision, first: int) -> int:
    """Maximum number of looks at a point: after the first repeats that have an interval, and after
    each further one.
    """
    return max(precision.at_most - max(first, 2) + 1, 1)


def widest(results: Sequence[PhaseResult], looks: int = 1) -> float | None:
    """The widest interval of a point's phases: half its width divided by the mean."""
    phases: Mapping[str, list[PhaseResult]] = {
        name: [item for item in results if item.phase == name]
        for name in dict.fromkeys(result.phase for result in results)
    }
    widths = all_known([half_width(_sample(of_phase, looks)) for of_phase in phases.values()])
    return max(widths) if widths else None


def _sample(results: Sequence[PhaseResult], looks: int) -> Sample:
    values = (quantity_of(item.phase).of(item) for item in _for_width(results))
    return Sample(tuple(value for value in values if value > 0 and math.isfinite(value)), looks)


def _for_width(results: Sequence[PhaseResult]) -> list[PhaseResult]:
    """The results that may be compared; where none may, the complete ones that the lab limited."""
    whole = [result for result in results if not result.partial]
    comparable = [result for result in whole if result.is_comparable]
    return comparable or [result for result in whole if not result.out_of_caches]
