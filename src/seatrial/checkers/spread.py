"""`check: spread`: repeats of a point lie close together.

The spread is the coefficient of variation (standard deviation over mean) of a point's repeats: of the natural
aggregate, or of the operations per second where no data move. Points that are lab-limited or partial are left out; a
point with one repeat has no spread.
"""

import statistics
from collections import defaultdict

from pydantic import Field

from seatrial.checkers.base import Answer
from seatrial.points import point_text
from seatrial.quantities import quantity_of
from seatrial.record import Record
from seatrial.schema import Model

TITLE = "repeats lie close together"


class Options(Model):
    """`{check: spread, below: 0.15}`."""

    below: float = Field(0.15, gt=0, lt=1)


def check(record: Record, options: Options) -> Answer:
    """Judge every point that has two or more usable repeats."""
    groups: dict[str, list[float]] = defaultdict(list)
    for phase in record.phases():
        if not phase.lab_limited and not phase.partial:
            groups[f"{phase.experiment} {point_text(phase.point)} {phase.phase}"].append(
                quantity_of(phase.phase).of(phase)
            )
    spreads = {
        name: statistics.stdev(rates) / statistics.mean(rates) for name, rates in groups.items() if len(rates) > 1
    }
    if not spreads:
        return Answer("unknown", "no point has two usable repeats")
    worst = max(spreads, key=lambda name: spreads[name])
    evidence = f"{len(spreads)} points; the widest, {worst}, has a spread of {spreads[worst]:.1%}"
    return Answer("pass" if spreads[worst] < options.below else "fail", f"{evidence} (allowed: {options.below:.0%})")
