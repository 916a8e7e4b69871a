"""`check: degraded`: the background load keeps a share of its rate during and after each fault.

The rate of each workload stream is compared with its rate before the injection: `during_at_least`
from the injection to the repair, `after_at_least` from the recovery to the end. `recovered_within`
limits the time from the repair until the mean over 3 s is again at `after_at_least` (0.9 without
that key).

The samples are means over three or four blocks of at least 3 s, as neighbouring seconds depend on
each other.
Passes when the whole 95 % interval is above the share. Fails when it is below, corrected for the
number of comparisons. Everything else is unknown, with the time of observation that would decide.

Unknown when a window has fewer than three blocks: `observe` of a fault makes both longer. Also
unknown when a stream was lost or ended early, when the fault could not be completed, and when the
lab machine was short of processors. Skipped faults and negative controls have no effect.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from pydantic import Field, model_validator

from seatrial.analysis.statistics import LEVEL, Estimate, contrast
from seatrial.basics.errors import not_known
from seatrial.basics.schema import Duration, Model
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.answer import Answer, Reason, combine, passed, unknown
from seatrial.judge.busy import AGAIN, fail_unless_busy
from seatrial.judge.fault_rates import (
    BLOCK_S,
    BLOCKS_LEAST,
    DEPENDENCE,
    RECOVERED_S,
    FaultWindows,
    StreamRate,
    Window,
    stream_rates,
    windows_of,
)
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import only_if_shown
from seatrial.judge.outages import why_unknown
from seatrial.judge.selection import Mistakes
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.result.shortage import limited
from seatrial.study.study import Study

TITLE = "the load keeps its rate around faults"
NEEDS_FAULTS = True
RESTS_ON = frozenset({Evidence.FAULTS, Evidence.STREAMS, Evidence.AGENT_LINES})
RECOVERED_SHARE = 0.9
"""of the rate before the injection, at which a stream has recovered, without `after_at_least`"""
TOO_CLOSE = "the rate is too close to the limit"
RESOLUTION_S = 1.0
"""of a time that is read from the seconds of the agents"""


class Options(Model):
    """`{check: degraded, during_at_least: 0.5, after_at_least: 0.9, recovered_within: 60s}`."""

    during_at_least: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Smallest share of the rate before the injection, from injection to repair.",
    )
    after_at_least: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Smallest share of the rate before the injection, after the recovery.",
    )
    recovered_within: Duration | None = Field(
        None,
        description="Longest time from the repair until the rate is again at `after_at_least`, or "
        "at 0.9 without that key.",
    )
    faults: tuple[str, ...] = Field((), description="Names of the faults. By default all.")
    streams: tuple[str, ...] = Field(
        (),
        description="Names of streams of the background load. By default every workload.",
    )

    @model_validator(mode="after")
    def _has_a_limit(self) -> Self:
        limits = (self.during_at_least, self.after_at_least, self.recovered_within)
        if all(limit is None for limit in limits):
            raise ValueError("write during_at_least, after_at_least or recovered_within")
        return self


def mistakes(study: Study, _published: Mapping[str, Any], options: Options) -> Mistakes:
    """Faults and streams that the study does not have."""
    for key, names, known_parts in (
        ("faults", options.faults, study.faults),
        ("streams", options.streams, study.background_load),
    ):
        for index, name in enumerate(names):
            if name not in known_parts:
                yield Mistake((key, index), not_known(name, list(known_parts)))


@dataclass(frozen=True)
class Comparison:
    """A window of a stream against the window before the injection."""

    title: str
    stream: StreamRate
    before: Window
    window: Window
    share: float
    """the smallest allowed share of the rate before the injection"""


def check(result: Result, options: Options) -> Answer:
    """Judge every fault that is no negative control."""
    faults = {fault.name: fault for fault in result.faults if not fault.controls}
    answers = []
    for name in options.faults or tuple(faults):
        if name not in faults:
            answer = unknown("not injected in this run", Reason.NOTHING_CHECKED)
        elif faults[name].skipped is not None:
            if not options.faults:
                continue
            answer = unknown(f"skipped, {faults[name].skipped}", Reason.SKIPPED)
        else:
            answer = only_if_shown(faults[name], judge_rates(faults[name], options, len(faults)))
        answers.append(answer.about(name))
    return combine(answers, "no fault was injected")


def judge_rates(fault: FaultResult, options: Options, faults: int = 1) -> Answer:
    """The answer on one fault; `faults`: the number of faults that are judged together."""
    windows = windows_of(fault)
    if windows is None or fault.failed:
        words = fault.failed or "a time of the fault is unknown"
        return unknown(words, Reason.NOT_CARRIED_THROUGH)
    streams = stream_rates(fault, options.streams)
    if not streams:
        words = "no workload stream has a client that kept its power"
        return unknown(words, Reason.NOTHING_CHECKED)
    answers = [*_answers(fault, windows, streams, options, faults)]
    answer = combine(answers, "nothing was compared")
    if not answer.is_passing:
        return answer
    why = why_unknown(fault)
    if why is not None:
        return unknown(why, Reason.INCOMPLETE)
    # A shortage before the injection makes the rate before it too low, and every share too high.
    before = windows.before
    shortage = limited(fault.shortage, before.start_unix_s, before.end_unix_s)
    if shortage is not None:
        words = f"{answer.evidence}, but before the injection {shortage}; {AGAIN}"
        return unknown(words, Reason.BUSY_MACHINE)
    return answer


def _answers(
    fault: FaultResult,
    windows: FaultWindows,
    streams: Sequence[StreamRate],
    options: Options,
    faults: int,
) -> Iterator[Answer]:
    """The answer on each window of each stream."""
    comparisons = list(_comparisons(windows, streams, options))
    among = max(len(comparisons) * faults, 1)
    for comparison in comparisons:
        yield _compared(fault, comparison, among).about(
            f"{comparison.stream.name} {comparison.title}"
        )
    if options.recovered_within is not None:
        share = options.after_at_least or RECOVERED_SHARE
        for stream in streams:
            answer = _recovered(fault, windows, stream, share, options.recovered_within)
            yield answer.about(f"{stream.name} recovery")


def _comparisons(
    windows: FaultWindows, streams: Sequence[StreamRate], options: Options
) -> Iterator[Comparison]:
    limits = (
        ("during", windows.during, options.during_at_least),
        ("after", windows.after, options.after_at_least),
    )
    for stream in streams:
        for title, window, share in limits:
            if share is not None:
                yield Comparison(title, stream, windows.before, window, share)


def _compared(fault: FaultResult, comparison: Comparison, among: int) -> Answer:
    """The answer from the difference between the rate and the allowed rate.

    The difference is mean − share · mean before. It needs no division, so that a window without any
    work has an interval too.
    """
    stream = comparison.stream
    window = comparison.window
    before = stream.blocks(comparison.before)
    during = stream.blocks(window)
    mean_before = stream.mean_per_s(comparison.before)
    if before.values and not mean_before:
        return unknown("no work before the injection", Reason.NOTHING_CHECKED)
    independent = contrast([(1.0, during), (-comparison.share, before)])
    if independent is None:
        seconds = min(comparison.before.length_s, window.length_s)
        words = (
            f"a window before or {comparison.title} the fault has {seconds:.1f} s, a decision "
            f"needs {BLOCKS_LEAST * BLOCK_S:.0f} s; set `observe` or `duration` of the fault"
        )
        return unknown(words, Reason.INCOMPLETE)
    difference = replace(independent, error=DEPENDENCE * independent.error)
    words = (
        f"{stream.mean_per_s(window) / mean_before:.0%} of the rate before (allowed: at least "
        f"{comparison.share:.0%})"
    )
    if difference.interval(LEVEL / among).high < 0:
        return fail_unless_busy(words, fault.limited())
    if difference.interval().low >= 0:
        return passed(words)
    needed_s = _needed_s(difference, window, among)
    more = f"about {needed_s:.0f} s of observation would decide" if needed_s else TOO_CLOSE
    return unknown(f"{words}; {more}", Reason.NOT_DISTINGUISHABLE)


def _needed_s(difference: Estimate, window: Window, among: int) -> float | None:
    """The length of the windows in seconds at which the interval excludes zero, if mean and
    deviation stay as measured; None for more than an hour.
    """
    if not difference.value:
        return None
    factor = (difference.half(LEVEL / among) / abs(difference.value)) ** 2
    needed_s = window.length_s * factor
    return needed_s if needed_s <= 3600 else None


def _recovered(
    fault: FaultResult, windows: FaultWindows, stream: StreamRate, share: float, within_s: float
) -> Answer:
    """The answer on the time from the repair until the rate is back."""
    repaired_s = windows.during.end_unix_s
    ended_s = windows.after.end_unix_s
    least_per_s = share * stream.mean_per_s(windows.before)
    if not least_per_s:
        return unknown("no work before the injection", Reason.NOTHING_CHECKED)
    watched = Window(repaired_s, ended_s)
    back_s = stream.recovered_unix_s(least_per_s, watched)
    limit = f"allowed: {within_s:.3g} s until {share:.0%} of the rate before"
    if back_s is not None and back_s - repaired_s <= within_s:
        return passed(f"{back_s - repaired_s:.0f} s after the repair ({limit})")
    took_s = back_s - repaired_s if back_s is not None else watched.length_s - RECOVERED_S
    if took_s - RESOLUTION_S > within_s:
        late = f"{took_s:.0f} s after the repair"
        never = f"not within {watched.length_s:.0f} s after the repair"
        words = f"{late if back_s is not None else never} ({limit})"
        return fail_unless_busy(words, fault.limited(took_s - within_s, repaired_s + took_s))
    words = f"not within the {watched.length_s:.0f} s of observation ({limit}); set `observe`"
    return unknown(words, Reason.INCOMPLETE)
