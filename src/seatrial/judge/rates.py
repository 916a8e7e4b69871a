"""The judgement of `throughput`, `iops` and `metadata_rate`: a rate against limits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from seatrial.analysis.statistics import Sample
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.answer import Answer, Reason, Verdict, unknown
from seatrial.judge.limits import Limit, decide, decide_best, judge_undisturbed
from seatrial.judge.rate_limits import (
    LimitKeys,
    NoLimit,
    RateOptions,
    Unit,
    limit_mistakes,
    resolved,
)
from seatrial.judge.selection import (
    Mistakes,
    Selection,
    left_out_words,
    point_mistakes,
    profiles_of,
    samples_of,
    select,
)
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.experiment import VARIANT
from seatrial.study.points import point_text
from seatrial.study.study import Study

NO_REPEAT = "no repeat can be used"


@dataclass(frozen=True)
class Measure:
    """What a check measures."""

    phases: tuple[str, ...]
    """the phases that it judges"""
    value: Callable[[PhaseResult], float]
    unit: Unit


def rate_mistakes(
    study: Study, published: Mapping[str, Any], options: RateOptions, measure: Measure
) -> Mistakes:
    """Names and references that the study does not have."""
    yield from point_mistakes(study, options, measure.phases)
    yield from limit_mistakes(study, published, options)
    is_known = options.experiment in study.experiments
    if is_known and any(
        item.saturation_search is not None for item in profiles_of(study, options.experiment)
    ):
        yield Mistake(
            ("experiment",), "the experiment searches for a rate, so its rates are no measurement"
        )


def judge_rate(result: Result, options: RateOptions, measure: Measure) -> Answer:
    """The answer on the best selected point, or on a variant as a share of another one."""
    selection = select(result, options, measure.phases)
    if selection.why_empty:
        return unknown(f"{selection.title}: {selection.why_empty}", Reason.NOTHING_CHECKED)
    phases = list(selection.phases)
    if options.variant is None:
        judge = partial(_judge_best, result, options, measure)
        answer = judge_undisturbed(phases, judge, _robust_verdict(options))
    else:
        other = options.replaced(at={**options.at, VARIANT: options.variant})
        phases += select(result, other, measure.phases).phases
        judge = partial(_judge_variant, result, options, measure)
        # A shortage of processors may have slowed the reference.
        answer = judge_undisturbed(phases, judge, None)
    return _about(selection, phases, answer)


def _about(selection: Selection, phases: Sequence[PhaseResult], answer: Answer) -> Answer:
    words = f"{selection.title}: {answer.evidence}{left_out_words(phases)}"
    return Answer(answer.verdict, words, answer.reason, rows=answer.rows)


def _robust_verdict(options: RateOptions) -> Verdict | None:
    """The verdict that a shortage of processors cannot cause, as it makes no rate too high."""
    if options.at_most is None:
        return "pass"
    return "fail" if options.at_least is None else None


def _judge_best(
    result: Result, options: RateOptions, measure: Measure, phases: list[PhaseResult]
) -> Answer:
    if not phases:
        return unknown(NO_REPEAT, Reason.NOTHING_CHECKED)

    def value_of(limit: LimitKeys | None) -> Limit | None:
        return None if limit is None else resolved(limit, measure.unit, result, phases)

    try:
        at_least = value_of(options.at_least)
        at_most = value_of(options.at_most)
    except NoLimit as error:
        return unknown(str(error), Reason.NOTHING_CHECKED)
    samples = samples_of(result, phases, measure.value)
    written = measure.unit.written
    return decide_best(samples, at_least=at_least, at_most=at_most, written=written)


def _judge_variant(
    result: Result, options: RateOptions, measure: Measure, phases: list[PhaseResult]
) -> Answer:
    """The variant over the other one, at the common point where the product of both is highest.

    This choice favours neither (docs/statistics.md, "Best over best").
    """
    written = measure.unit.written
    judged = options.at.get(VARIANT)
    other = options.variant
    own_samples = _samples_of_row(result, measure, phases, judged)
    other_samples = _samples_of_row(result, measure, phases, other)
    common = [
        name
        for name, sample in own_samples.items()
        if sample.has_interval and name in other_samples and other_samples[name].has_interval
    ]
    if not common:
        words = f"no common point with two usable repeats of {judged} and of {other}"
        return unknown(words, Reason.NOT_DISTINGUISHABLE)
    name = max(common, key=lambda item: own_samples[item].mean * other_samples[item].mean)
    reference = other_samples[name]

    def value_of(limit: LimitKeys | None) -> Limit | None:
        if limit is None:
            return None
        share = limit.share or 0.0
        title = f"{share:.4g} of {other}, which has {written(reference.mean)}"
        return Limit(share, title, reference)

    answer = decide(
        own_samples[name],
        at_least=value_of(options.at_least),
        at_most=value_of(options.at_most),
        written=written,
    )
    return answer.about(f"variant {judged} {name}".rstrip())


def _samples_of_row(
    result: Result, measure: Measure, phases: Sequence[PhaseResult], row: Any
) -> dict[str, Sample]:
    """The samples of one variant, by the words of its points without the variant."""
    of_row = [item for item in phases if item.point.get(VARIANT) == row]
    names = {
        point_text(item.point): point_text(
            {key: value for key, value in item.point.items() if key != VARIANT}
        )
        for item in of_row
    }
    samples = samples_of(result, of_row, measure.value)
    return {names[name]: sample for name, sample in samples.items()}
