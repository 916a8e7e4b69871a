"""How a measured value compares with the published one, where they do not agree: better, worse or
different.

It follows from values alone: the side of the published values, and the meaning of that side.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from seatrial.analysis.statistics import Interval
from seatrial.judge.answer import Answer, Contrary, Verdict, inconclusive
from seatrial.judge.series import Series


@dataclass(frozen=True)
class Sides:
    """The meaning of a value below, or above, the published ones."""

    below: Contrary
    above: Contrary


HIGHER_IS_BETTER = Sides("worse", "better")
"""rates, operations per second, efficiencies"""
LOWER_IS_BETTER = Sides("better", "worse")
"""outages, and lost data"""
UNCLEAR = Sides("different", "different")
"""a difference of two that are no two states of one thing: reads over writes may rise as writes
fall"""


def sides_of(series: Series, other: Series) -> Sides:
    """The sides for a series over another one: one phase in two settings is better where it is
    higher; two phases allow no such statement.
    """
    return HIGHER_IS_BETTER if series.phase == other.phase else UNCLEAR


def exchanged(sides: Sides) -> Sides:
    """The two sides exchanged, for a quantity that is better when it is lower."""
    return Sides(sides.above, sides.below)


def within(
    measured: Interval,
    accepted: Interval,
    sides: Sides,
    evidence: str,
    unresolved: Interval | None = None,
) -> Answer:
    """Agrees where the whole interval is accepted; a contrary answer needs the whole interval
    outside `unresolved`.

    `unresolved` is `accepted`, or wider where small differences are not resolved. An interval
    across a limit allows no statement.
    """
    if measured.inside(accepted):
        return Answer("agrees", evidence)
    resolved = unresolved or accepted
    if measured.apart_from(resolved):
        return Answer(sides.above if measured.low > resolved.high else sides.below, evidence)
    return inconclusive(f"{evidence}; too close to the limit to be resolved")


def verdict_of_all(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict on several: any contrary one decides, else any open one. Better and worse
    together are different.
    """
    present = set(verdicts)
    contrary: set[Verdict] = present & {"better", "worse", "different"}
    if contrary:
        return contrary.pop() if len(contrary) == 1 else "different"
    return "inconclusive" if "inconclusive" in present or not present else "agrees"
