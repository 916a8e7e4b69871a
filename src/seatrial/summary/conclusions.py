"""The conclusions of a run: its headline, its rates, its faults and its recommendations."""

from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.judge.base import Judgement
from seatrial.result.result import Result
from seatrial.summary.choices import Choice, choice
from seatrial.summary.coverage import Coverage, coverage, left_out_words
from seatrial.summary.headline import Findings, Summary, summary
from seatrial.summary.peaks import Throughput, throughput
from seatrial.summary.recommendations import Basis, Recommendation, Steps, recommendations
from seatrial.summary.sources import Sources
from seatrial.summary.survival import Survival, blocks, survival
from seatrial.summary.system import ratio


@dataclass(frozen=True)
class Conclusions:
    """What follows from the measurements and the verdicts of a run."""

    headline: Summary
    throughput: Throughput
    survival: Survival | None
    coverage: Coverage
    recommendations: tuple[Recommendation, ...]
    choice: Choice | None
    """the comparison of settings, where the question asks for one"""


def conclusions(
    sources: Sources, judgements: Sequence[Judgement], steps: Steps | None = None
) -> Conclusions:
    """The conclusions from a result and its verdicts.

    `steps`: the upgrades that would raise the bound of each point, for the recommendations.
    """
    result = sources.result
    study = sources.study
    covered = coverage(result, study)
    # All faults of the study, also those that this profile omits.
    survived = survival(result.faults, len(study.faults) if study else 0)
    is_model = sources.system is not None and sources.system.scaled
    scale = ratio(sources.system.scale) if sources.system and is_model else ""
    rates = throughput(sources.titled_points, scale)
    settings = choice(sources)
    findings = Findings(
        question=(study.question or "") if study else "",
        judgements=judgements,
        survival=survived,
        blocks=blocks(result),
        throughput=rates,
        outcome=outcome(result),
        edited=result.seal.words if result.seal.is_broken else "",
        broken=result.failed_experiments,
        left_out=left_out_words(covered),
        choice=settings,
        has_warnings=bool(result.first("system").get("warnings")),
    )
    is_longest = result.first("run").get("profile") in ("full", "paper")
    longer = f"“seatrial run {study.id} --full”" if study and not is_longest else ""
    points = [item for experiment in sources.experiments for item in experiment.points]
    basis = Basis(rates.peaks, steps or {}, points, result.faults, judgements, longer)
    return Conclusions(
        headline=summary(findings),
        throughput=rates,
        survival=survived,
        coverage=covered,
        recommendations=tuple(recommendations(basis)),
        choice=settings if findings.asks_for_setting else None,
    )


def outcome(result: Result) -> str:
    """`complete`, or why the run is not."""
    end = result.last("end")
    if end.get("complete"):
        return "complete"
    if end:
        return f"not complete: {end.get('reason') or 'no reason given'}"
    return "not ended: running, or interrupted"
