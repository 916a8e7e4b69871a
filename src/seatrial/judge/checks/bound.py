"""`check: bound`: no rate is above the throughput that the links can carry.

A rate above the bound is impossible: data came from a cache, or the measurement is wrong. Passes
when no rate exceeds the bound by more than `margin`, which allows for bursts and the error of
clocks. Disks do not count, as memory in front of them can outrun them for a while.

Unknown when no rate of the data path is known.
"""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.units import counted, format_rate
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.flaws import Evidence
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result

SECOND_OVER_BOUND_MAX = 1.5
"""of one second: data read ahead, or in progress when the second began, ends in it"""
TITLE = "no rate exceeds its bound"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})


class Options(Model):
    """`{check: bound, margin: 0.03}`."""

    margin: float = Field(
        0.03,
        ge=0,
        le=0.5,
        description="Share by which a rate may exceed the bound.",
    )


def check(result: Result, options: Options) -> Answer:
    """Judge every phase with a known bound that is not partial.

    Phases that the lab's CPUs limited count as well: a busy machine makes no rate too high, and it
    is busiest while a cache serves the reads.
    """
    bounded = [
        phase
        for phase in result.phases
        if phase.bound_bytes_per_s and phase.natural_bytes_per_s and not phase.partial
    ]
    if not bounded:
        moved = [
            phase for phase in result.phases if phase.natural_bytes_per_s and not phase.partial
        ]
        words = (
            "no complete phase has a known bound; add the links to the nodes: link: 25Gbit/s"
            if moved
            else "no complete phase moved data"
        )
        return unknown(words, Reason.NOTHING_CHECKED)

    def ratio(phase: PhaseResult) -> float:
        return phase.natural_bytes_per_s / (phase.bound_bytes_per_s or 1.0)

    phase = max(bounded, key=ratio)
    evidence = (
        f"{counted(len(bounded), 'phase')}; highest: {phase.title} with "
        f"{format_rate(phase.natural_bytes_per_s)}, {ratio(phase):.1%} of the rate of the "
        f"{phase.bound}"
    )
    if ratio(phase) > 1 + options.margin:
        return failed(evidence)
    within = next(filter(None, (_above_within(phase, options.margin) for phase in bounded)), None)
    if within:
        return unknown(f"{evidence}; {within}", Reason.NOT_DISTINGUISHABLE)
    return passed(evidence)


def _above_within(phase: PhaseResult, margin: float) -> str | None:
    """The place within a phase where the reads exceed the rate of the hardware, although the whole
    is below; None if nowhere.

    Writes are not judged: a client's memory takes some of them at once, and the rest of the phase
    empties it.
    """
    if phase.phase != "read":
        return None
    bound_bytes_per_s = phase.bound_bytes_per_s or 0.0
    if phase.steady and phase.steady["rate_bytes_per_s"] > bound_bytes_per_s * (1 + margin):
        rate = format_rate(phase.steady["rate_bytes_per_s"])
        return f"the steady state of {phase.title} has {rate}, above the rate of the {phase.bound}"
    most = max(phase.seconds, key=lambda item: item.size_bytes, default=None)
    if most is not None and most.size_bytes > bound_bytes_per_s * SECOND_OVER_BOUND_MAX:
        rate = format_rate(most.size_bytes)
        where = f"second {most.second} of {phase.title}"
        return f"{where} has {rate}, above the rate of the {phase.bound}"
    return None
