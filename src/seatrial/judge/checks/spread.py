"""`check: spread`: repeats of a point lie close together.

The spread is the coefficient of variation (standard deviation over mean) of a point's repeats: of the natural
aggregate, or of the operations per second where no data move. Partial points are left out; a point with one repeat has
no spread. Repeats that the lab's own processors limited count where there are no others: that they agree is a fact,
that they do not says nothing of the storage.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.judge.base import Answer, Verdict
from seatrial.record.phases import PhaseResult
from seatrial.record.quantities import quantity_of
from seatrial.record.record import Record
from seatrial.study.points import point_text

TITLE = "repeats lie close together"


class Options(Model):
    """`{check: spread, below: 0.15}`."""

    below: float = Field(0.15, gt=0, lt=1)


def check(record: Record, options: Options) -> Answer:
    """Judge every point that has two or more repeats."""
    otherwise: Verdict = "fail"
    spreads, more = _spreads(phase for phase in record.phases if phase.believable), ""
    if not spreads:
        limited = (phase for phase in record.phases if phase.lab_limited and not phase.partial)
        spreads, more, otherwise = _spreads(limited), "; the lab limited all of them", "unknown"
    if not spreads:
        return Answer("unknown", "no point has two usable repeats")
    worst = max(spreads, key=lambda name: spreads[name])
    evidence = f"{len(spreads)} points; the widest, {worst}, has a spread of {spreads[worst]:.1%}"
    verdict: Verdict = "pass" if spreads[worst] < options.below else otherwise
    return Answer(verdict, f"{evidence} (allowed: {100 * options.below:.3g}%){more}")


def _spreads(phases: Iterable[PhaseResult]) -> dict[str, float]:
    """By point, where it has two repeats or more."""
    groups: dict[str, list[float]] = defaultdict(list)
    for phase in phases:
        name = f"{phase.experiment} {point_text(phase.point)} {phase.phase}"
        groups[name].append(quantity_of(phase.phase).of(phase))
    return {name: statistics.stdev(rates) / statistics.mean(rates) for name, rates in groups.items() if len(rates) > 1}
