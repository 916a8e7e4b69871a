"""`check: bound`: no result lies above what the hardware can carry.

A rate above the bound is impossible: something was cached, or mis-measured. `margin` is how far a rate may
lie above it for the bound's own coarseness (a token bucket's burst, the clock's error).
"""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.units import counted, format_rate
from seatrial.judge.base import Answer, named
from seatrial.judge.flaws import Evidence
from seatrial.record.phases import PhaseResult
from seatrial.record.record import Record

TITLE = "no result lies above its bound"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})


class Options(Model):
    """`{check: bound, margin: 0.03}`."""

    margin: float = Field(0.03, ge=0, le=0.5)


def check(record: Record, options: Options) -> Answer:
    """Judge every phase whose bound is known and that is not partial.

    Those that the lab's CPUs limited count as well: a busy machine makes no rate too high, and what a cache serves
    keeps it busiest.
    """
    bounded = [
        phase for phase in record.phases if phase.bound_bytes_per_s and phase.natural_bytes_per_s and not phase.partial
    ]
    if not bounded:
        moved = [phase for phase in record.phases if phase.natural_bytes_per_s and not phase.partial]
        why = "has a known bound: say what the nodes have, link: 25Gbit/s" if moved else "was measured, that moves data"
        return Answer("unknown", f"no phase that is whole {why}")

    def ratio(phase: PhaseResult) -> float:
        return phase.natural_bytes_per_s / (phase.bound_bytes_per_s or 1.0)

    phase = max(bounded, key=ratio)
    evidence = (
        f"{counted(len(bounded), 'phase')}; the highest, {named(phase)}, has {format_rate(phase.natural_bytes_per_s)}, "
        f"{ratio(phase):.1%} of what the {phase.bound} carries"
    )
    return Answer("fail" if ratio(phase) > 1 + options.margin else "pass", evidence)
