"""Decisions of acceptance criteria against limits.

A measurement passes when its whole 95 % interval is within the limits. It fails when the whole
interval is beyond a limit. Everything else is unknown, with the number of repeats that would decide
(`repeats_to_decide`). The interval is that of the mean over repeats, on a logarithmic scale
(`analysis.statistics.mean_of`). A single repeat has no interval and decides nothing.

`judge_undisturbed` treats phases that the processors of the lab machine limited.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.analysis.statistics import (
    LEVEL,
    Interval,
    Sample,
    highest,
    mean_of,
    ratio,
    repeats_to_decide,
)
from seatrial.basics.known import all_known
from seatrial.basics.units import counted, plain
from seatrial.judge.answer import Answer, Reason, Verdict, failed, passed, unknown
from seatrial.judge.busy import AGAIN
from seatrial.result.phases import PhaseResult

SHORT = "this machine was short of processors"
LIMITED = "this machine's own CPUs limited some repeats"
Written = Callable[[float], str]
"""a measured value in words, with its unit"""


@dataclass(frozen=True)
class Limit:
    """A lower or upper limit of a measurement."""

    value: float
    """in the unit of the measurement; with a `reference`, a factor of its mean"""
    title: str
    """in words: `5 GB/s`, `80 % of the bound (4 GB/s)`"""
    reference: Sample | None = None
    """another measurement; the interval includes its error"""


@dataclass(frozen=True)
class _Measured:
    """One comparison: the intervals for a pass and for a failure, against the limit's value."""

    passing: Interval
    failing: Interval


def decide(
    sample: Sample,
    *,
    at_least: Limit | None = None,
    at_most: Limit | None = None,
    written: Written = plain,
    among: int = 1,
) -> Answer:
    """The answer on the mean of one sample of repeats; the evidence has no subject, see
    `Answer.about`.

    `among`: the number of measurements that are judged together. Each must pass, so a pass needs no
    correction. A failure needs the interval at the level divided by their number (Bonferroni).
    """

    def compare(limit: Limit) -> _Measured | None:
        reference = limit.reference
        estimate = mean_of(sample) if reference is None else ratio([(sample, reference)])
        if estimate is None:
            return None
        return _Measured(estimate.interval(), estimate.interval(LEVEL / among))

    mean = mean_of(sample)
    if mean is None:
        return unknown(_without_interval(sample, written), Reason.NOT_DISTINGUISHABLE)
    words = _measured_words(mean.value, mean.interval(), len(sample.values), written)
    words += _reference_words(sample, at_least or at_most)
    return _decided(sample, compare, at_least=at_least, at_most=at_most, words=words)


def decide_best(
    samples: Mapping[Any, Sample],
    *,
    at_least: Limit | None = None,
    at_most: Limit | None = None,
    written: Written = plain,
    name: Callable[[Any], str] = str,
) -> Answer:
    """The answer on the highest of several means, with an interval that allows for the choice.

    No limit may have a reference. `name`: the words of a key of `samples`.
    """
    assert all(limit is None or limit.reference is None for limit in (at_least, at_most))
    if len(samples) == 1:
        ((key, sample),) = samples.items()
        answer = decide(sample, at_least=at_least, at_most=at_most, written=written)
        return answer.about(name(key)) if name(key) else answer
    best = highest(samples)
    if best is None:
        key = max(samples, key=lambda item: samples[item].mean)
        words = f"{name(key)}: {_without_interval(samples[key], written)}"
        return unknown(words, Reason.NOT_DISTINGUISHABLE)
    sample = samples[best.at]
    words = (
        f"{name(best.at)}, the best of {counted(best.among, 'point')}: "
        f"{_measured_words(best.value, best.interval, len(sample.values), written)}"
    )
    intervals = _Measured(best.interval, best.interval)
    return _decided(
        sample,
        lambda _: intervals,
        at_least=at_least,
        at_most=at_most,
        words=words,
        level=LEVEL / best.among,
    )


def combine_all(answers: Sequence[Answer], nothing: str) -> Answer:
    """One answer from those of several measurements: fail where one fails, pass where all pass.

    Unlike `answer.combine` the evidence has only the answers that decide.
    """
    if not answers:
        return unknown(nothing, Reason.NOTHING_CHECKED)
    rows = tuple(row for item in answers for row in item.evidence_rows)
    for verdict in ("fail", "unknown"):
        deciding = [item for item in answers if item.verdict == verdict]
        if deciding:
            evidence = "; ".join(item.evidence for item in deciding)
            return Answer(deciding[0].verdict, evidence, deciding[0].reason, rows=rows)
    return Answer("pass", "; ".join(item.evidence for item in answers), rows=rows)


def judge_undisturbed(
    phases: Iterable[PhaseResult],
    judge: Callable[[list[PhaseResult]], Answer],
    robust: Verdict | None,
) -> Answer:
    """The answer on phases, some of them perhaps limited by the processors of the lab machine.

    Phases with a missing client, and reads that a cache answered, never count. `robust` is the
    verdict that a shortage of processors cannot cause. Each other verdict must also follow from the
    phases without a shortage. Phases that the machine limited decide only the robust verdict.
    """
    complete = [phase for phase in phases if not (phase.partial or phase.out_of_caches)]
    usable = [phase for phase in complete if phase.is_comparable]
    answer = judge(usable)
    if answer.verdict == robust:
        return answer
    if answer.verdict != "unknown":
        calm = [phase for phase in usable if not phase.disturbed]
        if len(calm) == len(usable):
            return answer
        confirmed = judge(calm)
        if confirmed.verdict == answer.verdict:
            return confirmed
        words = f"{answer.evidence}, but {SHORT} during repeats; {AGAIN}"
        return unknown(words, Reason.BUSY_MACHINE)
    if len(complete) == len(usable):
        return answer
    limited = judge(complete)
    words = f"{limited.evidence}; {LIMITED}"
    if limited.verdict == robust:
        return Answer(limited.verdict, words)
    if usable:
        return answer
    return unknown(f"{words} and show nothing about the storage; {AGAIN}", Reason.BUSY_MACHINE)


def _decided(
    sample: Sample,
    compare: Callable[[Limit], _Measured | None],
    *,
    at_least: Limit | None,
    at_most: Limit | None,
    words: str,
    level: float = LEVEL,
) -> Answer:
    """The answer from the intervals; at least one limit is given."""
    undecided: list[Limit] = []
    allowed = _allowed_words(at_least, at_most)
    for limit, is_lower in ((at_least, True), (at_most, False)):
        if limit is None:
            continue
        intervals = compare(limit)
        if intervals is None:
            undecided.append(limit)
        elif _is_beyond(intervals.failing, limit.value, is_lower=is_lower):
            return failed(f"{words}; {allowed}")
        elif not _is_within(intervals.passing, limit.value, is_lower=is_lower):
            undecided.append(limit)
    if not undecided:
        return passed(f"{words}; {allowed}")
    more = _more_words(sample, undecided, level)
    return unknown(f"{words}; {allowed}; {more}", Reason.NOT_DISTINGUISHABLE)


def _is_within(interval: Interval, value: float, *, is_lower: bool) -> bool:
    return interval.low >= value if is_lower else interval.high <= value


def _is_beyond(interval: Interval, value: float, *, is_lower: bool) -> bool:
    return interval.high < value if is_lower else interval.low > value


def _allowed_words(at_least: Limit | None, at_most: Limit | None) -> str:
    parts = [f"at least {at_least.title}"] if at_least is not None else []
    parts += [f"at most {at_most.title}"] if at_most is not None else []
    return f"required: {' and '.join(parts)}"


def _measured_words(value: float, interval: Interval, count: int, written: Written) -> str:
    return (
        f"{written(value)}, 95 % interval {written(interval.low)} to {written(interval.high)}, "
        f"{counted(count, 'repeat')}"
    )


def _reference_words(sample: Sample, limit: Limit | None) -> str:
    """The measured factor of the reference; empty where there is none."""
    if limit is None or limit.reference is None:
        return ""
    factor = ratio([(sample, limit.reference)])
    if factor is None:
        return ", and the reference has no two usable repeats"
    interval = factor.interval()
    return (
        f", {factor.value:.3g} of the reference, 95 % interval {interval.low:.3g} to "
        f"{interval.high:.3g}"
    )


def _without_interval(sample: Sample, written: Written) -> str:
    if len(sample.values) > 1:
        return "a repeat measured 0, so there is no interval"
    if not sample.values:
        return "no usable repeat"
    return f"{written(sample.values[0])} in one usable repeat; a decision needs at least 2"


def _more_words(sample: Sample, undecided: Sequence[Limit], level: float) -> str:
    """The number of repeats that would decide every open limit."""
    needed = [repeats_to_decide(sample, limit.value, limit.reference, level) for limit in undecided]
    numbers = all_known(needed)
    if numbers is None:
        return "no practical number of repeats would decide: the mean is too close to the limit"
    return f"about {max(numbers)} repeats would decide, if mean and deviation stay as measured"
