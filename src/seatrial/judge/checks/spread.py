"""`check: spread`: the repeats of each point have a small spread.

The spread is the coefficient of variation (standard deviation over mean) of a point's repeats: of
the aggregate throughput, or of operations per second. Passes when the upper 95 % limit of every
point is below `below`. Fails when the lower limit of any point is above it, corrected for the
number of points. Points are not pooled, because a scattered point would be hidden among quiet ones.

Unknown when no point has two usable repeats, or when the repeats are too few to decide. Partial
points are left out. Repeats that the processors of the lab machine limited count only where the
others do not decide. Their differences then have no meaning for the storage.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from pydantic import Field

from seatrial.analysis.statistics import Sample, spread
from seatrial.basics.schema import Model
from seatrial.basics.units import counted
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.busy import AGAIN
from seatrial.judge.flaws import Evidence
from seatrial.judge.limits import LIMITED, SHORT
from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import quantity_of
from seatrial.result.result import Result
from seatrial.study.points import phase_text

TITLE = "the repeats of each point agree"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})


class Options(Model):
    """`{check: spread, below: 0.15}`."""

    below: float = Field(
        0.15,
        gt=0,
        lt=1,
        description="Upper limit of the coefficient of variation.",
    )


def check(result: Result, options: Options) -> Answer:
    """Judge every point that has two or more repeats."""
    usable = _answer((phase for phase in result.phases if phase.is_comparable), options.below)
    if usable is not None and usable.verdict == "fail":
        usable = _undisturbed(result, usable, options.below)
    if usable is not None and usable.verdict != "unknown":
        return usable
    complete = [phase for phase in result.phases if not (phase.partial or phase.out_of_caches)]
    answer = _answer(complete, options.below)
    if answer is None:
        return unknown("no point has two usable repeats", Reason.NOTHING_CHECKED)
    limited = f"{answer.evidence}; {LIMITED}"
    if answer.verdict == "pass":
        return passed(limited)
    if usable is not None:
        return usable
    words = f"{limited} and show nothing about the storage; {AGAIN}"
    return unknown(words, Reason.BUSY_MACHINE)


def _undisturbed(result: Result, disturbed: Answer, below: float) -> Answer:
    """The decision from the repeats during which the lab machine had free processors; unknown where
    they do not fail.
    """
    calm = _answer(
        (phase for phase in result.phases if phase.is_comparable and not phase.disturbed), below
    )
    if calm is not None and calm.verdict == "fail":
        return calm
    words = f"{disturbed.evidence}, but {SHORT} during repeats; {AGAIN}"
    return unknown(words, Reason.BUSY_MACHINE)


def _answer(phases: Iterable[PhaseResult], below: float) -> Answer | None:
    """None where no point has two repeats."""
    repeats: dict[str, list[float]] = defaultdict(list)
    for phase in phases:
        repeats[phase_text(phase.experiment, phase.point, phase.phase)].append(
            quantity_of(phase.phase).of(phase)
        )
    return judge_points(
        {name: Sample(tuple(values)) for name, values in repeats.items() if len(values) > 1}, below
    )


def judge_points(samples: Mapping[str, Sample], below: float) -> Answer | None:
    """The answer on the repeats of each point; None where none has two."""
    together = spread(samples.values())
    if together is None:
        return None
    spreads = {
        name: spread_of_point
        for name, sample in samples.items()
        if (spread_of_point := spread([sample]))
    }
    # The number of repeats counts too, not the figure alone.
    highs = {name: spread_of_point.high for name, spread_of_point in spreads.items()}
    lows = {name: spread_of_point.low(len(spreads)) for name, spread_of_point in spreads.items()}
    open_point = max(highs, key=lambda name: highs[name])
    wide = max(lows, key=lambda name: lows[name])
    words = (
        f"the spread over {counted(len(spreads), 'point')} is {together.relative:.1%} "
        f"(allowed: {100 * below:.3g}%); the least certain, {open_point}: "
        f"{spreads[open_point].relative:.1%}, at most {highs[open_point]:.1%} with 95% confidence"
    )
    if lows[wide] > below:
        widest = (
            f"the widest, {wide}: {spreads[wide].relative:.1%}, above the limit by more than chance"
        )
        return failed(f"{words}; {widest}")
    if highs[open_point] < below:
        return passed(words)
    return unknown(f"{words}; more repeats would decide", Reason.NOT_DISTINGUISHABLE)
