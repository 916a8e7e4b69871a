"""`check: variation`: the clients of a phase, or its seconds, have similar rates.

With `between: clients`, the figure is the shortfall of the slowest client: one less its rate over
the mean rate of the clients. With `between: seconds`, it is the coefficient of variation of the
rates in the whole seconds in which every task was at work.

Every selected point is judged. Passes when the whole 95 % interval of each is below the limit.
Fails when the interval of any is above it, corrected for the number of points. The interval is that
between repeats, so the dependence of seconds on each other does not affect it. The check `spread`
judges the variation between repeats.

Unknown with a single repeat, with fewer than two clients, or with fewer than ten whole seconds.
"""

import math
import statistics
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, get_args

from pydantic import Field

from seatrial.analysis.statistics import Sample
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.answer import Answer, Reason, unknown
from seatrial.judge.flaws import Evidence
from seatrial.judge.limits import Limit, combine_all, decide, judge_undisturbed
from seatrial.judge.selection import (
    Mistakes,
    PointOptions,
    left_out_words,
    point_mistakes,
    profiles_of,
    samples_of,
    select,
)
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.study import Study
from seatrial.study.workload import METADATA_PHASES, DataPhase, moves_data

TITLE = "the rates of clients or seconds are alike"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})
PHASES = (*get_args(DataPhase), *METADATA_PHASES)
SECONDS_MIN = 10
"""of a phase; the variation of fewer seconds is mostly chance"""
LEAST = 1e-9
"""in place of a variation of 0, which has no logarithm"""


class Options(PointOptions):
    """`{check: variation, experiment: streams, phase: read, between: clients, below: 0.2}`."""

    between: Literal["clients", "seconds"] = Field(
        description="`clients`: shortfall of the slowest one. `seconds`: coefficient of variation.",
    )
    below: float = Field(gt=0, lt=1, description="Upper limit of the variation, such as `0.2`.")


def mistakes(study: Study, _published: Mapping[str, Any], options: Options) -> Mistakes:
    """Names that the study does not have, and clients that differ by intention."""
    yield from point_mistakes(study, options, PHASES)
    if options.experiment in study.experiments and options.between == "clients":
        profiles = profiles_of(study, options.experiment)
        if any(item.kinds for item in profiles):
            yield Mistake(
                ("between",), "the kinds of clients have different workloads in this experiment"
            )


def check(result: Result, options: Options) -> Answer:
    """Judge every selected point."""
    selection = select(result, options, PHASES)
    if selection.why_empty:
        return unknown(f"{selection.title}: {selection.why_empty}", Reason.NOTHING_CHECKED)
    phases = list(selection.phases)
    answer = judge_undisturbed(phases, partial(_judge, result, options), "pass")
    words = f"{selection.title}: {answer.evidence}{left_out_words(phases)}"
    return Answer(answer.verdict, words, answer.reason, rows=answer.rows)


def _judge(result: Result, options: Options, phases: list[PhaseResult]) -> Answer:
    if options.between == "clients":
        phases = [item for item in phases if len(item.clients) > 1]
        return _judge_points(result, options, phases, share_of_slowest)
    short = [item for item in phases if variation_of_seconds(item) is None]
    if short:
        words = f"{short[0].title} has fewer than {SECONDS_MIN} whole seconds of all tasks"
        return unknown(words, Reason.INCOMPLETE)
    return _judge_points(result, options, phases, variation_of_seconds)


def _judge_points(
    result: Result,
    options: Options,
    phases: list[PhaseResult],
    measure: Callable[[PhaseResult], float | None],
) -> Answer:
    samples = samples_of(result, phases, lambda phase: measure(phase) or LEAST)
    answers = []
    for name, sample in samples.items():
        answer = judge_variation(options, sample, len(samples))
        answers.append(answer.about(name) if name else answer)
    return combine_all(answers, "no usable repeat has two clients")


def judge_variation(options: Options, sample: Sample, among: int = 1) -> Answer:
    """The answer on the repeats of one point: values of `share_of_slowest`, or of
    `variation_of_seconds`.
    """
    if options.between == "clients":
        limit = Limit(1 - options.below, f"{1 - options.below:.4g} of the mean")
        answer = decide(
            sample, at_least=limit, written=lambda value: f"{value:.3f} of the mean", among=among
        )
        return answer.about("slowest client")
    limit = Limit(options.below, f"{options.below:.4g}")
    answer = decide(sample, at_most=limit, written=lambda value: f"{value:.3f}", among=among)
    return answer.about("variation of the seconds")


def share_of_slowest(phase: PhaseResult) -> float | None:
    """The rate of the slowest client over the mean rate of all; None for fewer than two clients."""
    is_data = moves_data(phase.phase)
    rates = [
        client.rate_bytes_per_s if is_data else client.operations_per_s for client in phase.clients
    ]
    if len(rates) < 2 or not sum(rates):
        return None
    return max(min(rates) / statistics.fmean(rates), LEAST)


def variation_of_seconds(phase: PhaseResult) -> float | None:
    """The standard deviation over the mean of the rates of the whole seconds until the first task
    ended; None for fewer than `SECONDS_MIN`. A second without a completion counts as 0.
    """
    whole = math.floor(phase.first_done_s or 0.0)
    if whole < SECONDS_MIN or not phase.seconds:
        return None
    is_data = moves_data(phase.phase)
    amounts = {
        item.second: float(item.size_bytes if is_data else item.operations)
        for item in phase.seconds
    }
    rates = [amounts.get(second, 0.0) for second in range(whole)]
    mean = statistics.fmean(rates)
    return max(statistics.stdev(rates) / mean, LEAST) if mean else None
