"""The decision of a CI job on results: `compare --fail-on regression`, `history --fail-on change`.

A decision has a reason code and an exit code. Code 1 needs a difference beyond chance and beyond
the tolerance. Code 3 is for results in which nothing could be compared. Code 0 is for the rest, and
is therefore no proof: the criterion `regression` passes only when each interval excludes one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from seatrial.advice.compare import Matched, match
from seatrial.advice.history import Trend
from seatrial.analysis.changes import BEFORE_LEAST, FALSE_ALARM, changes
from seatrial.analysis.regressions import Outcome, PointFinding, find_slower, repeats_needed
from seatrial.analysis.statistics import LEVEL
from seatrial.basics.errors import FAILED, PASSED, UNDECIDED
from seatrial.basics.units import counted
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.points import phase_text

RUNS_LEAST = BEFORE_LEAST + 2
"""runs of a figure from which a change can be found"""


class GateReason(StrEnum):
    """The reason of a decision."""

    SLOWER = "slower"
    """some point is slower than the tolerance permits, by more than chance"""
    INSIDE = "inside"
    """every point that was compared is within the tolerance, by more than chance"""
    NOT_DECIDED = "not-decided"
    """no point is known to be slower, and some points could be"""
    NO_INTERVAL = "no-interval"
    """no common point has two usable repeats on both sides"""
    NO_COMMON_POINT = "no-common-point"
    """the results have no valid point in common"""
    CHANGED = "changed"
    """some figure changed its level beyond the tolerance, by more than chance"""
    NO_CHANGE = "no-change"
    """no figure did"""
    TOO_FEW_RUNS = "too-few-runs"
    """no figure has enough runs for a change to be found"""


EXIT_CODES: Mapping[GateReason, int] = {
    GateReason.SLOWER: FAILED,
    GateReason.INSIDE: PASSED,
    GateReason.NOT_DECIDED: PASSED,
    GateReason.NO_INTERVAL: UNDECIDED,
    GateReason.NO_COMMON_POINT: UNDECIDED,
    GateReason.CHANGED: FAILED,
    GateReason.NO_CHANGE: PASSED,
    GateReason.TOO_FEW_RUNS: UNDECIDED,
}


@dataclass(frozen=True)
class GatePoint:
    """The finding on one point of one compared result."""

    result: str
    """the compared result, as it was named"""
    experiment: str
    point: dict[str, Any]
    phase: str
    outcome: Outcome
    ratio: float | None
    """to the first result"""
    low: float | None
    """the 95 % interval of the ratio"""
    high: float | None
    repeats: int | None
    """of each side, that would decide an open point; None where no practical number would"""


@dataclass(frozen=True)
class ChangedFigure:
    """A change of level that is beyond chance and the tolerance."""

    profile: str
    figure: str
    since: str
    """the first result after the change"""
    relative: float
    """the difference of the levels, as a share of the earlier one"""


@dataclass(frozen=True)
class Decision:
    """The decision, and its evidence."""

    fail_on: str
    tolerance: float
    reason: GateReason
    exit_code: int
    points: tuple[GatePoint, ...] = ()
    changes: tuple[ChangedFigure, ...] = ()

    @property
    def words(self) -> str:
        """The decision in one sentence, with each point or figure that caused it."""
        if self.reason in (GateReason.CHANGED, GateReason.NO_CHANGE, GateReason.TOO_FEW_RUNS):
            return self._words_of_changes()
        return self._words_of_points()

    def _words_of_points(self) -> str:
        number = Counter(item.outcome for item in self.points)
        compared = sum(number.values()) - number[Outcome.NO_INTERVAL]
        tolerance = f"{100 * self.tolerance:.3g} %"
        match self.reason:
            case GateReason.SLOWER:
                slower_words = "; ".join(
                    _slower_words(item) for item in self.points if item.outcome == Outcome.SLOWER
                )
                return (
                    f"regression: {number[Outcome.SLOWER]} of {counted(compared, 'point')} slower "
                    f"by more than {tolerance}: {slower_words}"
                )
            case GateReason.INSIDE:
                return f"no regression: {counted(compared, 'point')} within {tolerance}"
            case GateReason.NOT_DECIDED:
                return (
                    f"no regression found: {number[Outcome.INSIDE]} of {counted(compared, 'point')}"
                    f" within {tolerance}, {number[Outcome.OPEN]} not decided by the repeats"
                )
            case GateReason.NO_INTERVAL:
                return "undecided: no common point has two usable repeats in both results"
            case _:
                return "undecided: the results have no valid point in common"

    def _words_of_changes(self) -> str:
        if self.reason == GateReason.TOO_FEW_RUNS:
            return f"undecided: no figure has {RUNS_LEAST} runs"
        if self.reason == GateReason.NO_CHANGE:
            return f"no figure changed its level by more than {100 * self.tolerance:.3g} %"
        changed_words = "; ".join(
            f"{item.profile} {item.figure}: {item.relative:+.1%} since {item.since}"
            for item in self.changes
        )
        return f"changed: {changed_words}"


def _slower_words(item: GatePoint) -> str:
    assert item.ratio is not None
    return (
        f"{phase_text(item.experiment, item.point, item.phase)}: {item.ratio - 1:+.1%} "
        f"(95 % interval {item.low:.3f} to {item.high:.3f})"
    )


def gate_regression(base: Result, others: Mapping[str, Result], tolerance: float) -> Decision:
    """Whether some point of some other result is slower than in `base` by more than `tolerance`.

    The points of all other results together are one family of tests.
    """
    matched: dict[tuple[str, int], Matched] = {}
    for name, other in others.items():
        common, _ = match(base, other)
        matched |= {(name, at): item for at, item in enumerate(common)}
    findings = find_slower({key: item.pair for key, item in matched.items()}, tolerance)
    points = []
    for key, finding in findings.items():
        needed = None
        if finding.outcome == Outcome.OPEN:
            needed = repeats_needed(matched[key].pair, tolerance, len(findings))
        points.append(_gate_point(key[0], matched[key].phase, finding, needed))
    reason = _reason_of(points)
    return Decision("regression", tolerance, reason, EXIT_CODES[reason], tuple(points))


def _gate_point(
    result: str, phase: PhaseResult, finding: PointFinding, repeats: int | None
) -> GatePoint:
    interval = finding.interval
    return GatePoint(
        result=result,
        experiment=phase.experiment,
        point=phase.point,
        phase=phase.phase,
        outcome=finding.outcome,
        ratio=finding.ratio,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        repeats=repeats,
    )


def _reason_of(points: Sequence[GatePoint]) -> GateReason:
    outcomes = {item.outcome for item in points}
    if not outcomes:
        return GateReason.NO_COMMON_POINT
    if Outcome.SLOWER in outcomes:
        return GateReason.SLOWER
    if outcomes == {Outcome.NO_INTERVAL}:
        return GateReason.NO_INTERVAL
    return GateReason.INSIDE if outcomes == {Outcome.INSIDE} else GateReason.NOT_DECIDED


def gate_change(
    trends: Sequence[Trend], tolerance: float, accepted: Mapping[str, str] | None = None
) -> Decision:
    """Whether the level of some figure changed by more than `tolerance`, in either direction.

    The false alarms of all figures together stay below 5 % (Bonferroni). `accepted`: by profile,
    the newest accepted result. Changes up to that result are accepted and do not count.
    """
    usable = [trend for trend in trends if len(trend.values) >= RUNS_LEAST]
    false_alarm = min(FALSE_ALARM, LEVEL / max(len(usable), 1))
    changed = []
    for trend in usable:
        settled_at = _index_of(trend, (accepted or {}).get(trend.profile))
        for change in changes(trend.values, false_alarm):
            if abs(change.relative) > tolerance and change.at > settled_at:
                since = trend.runs[change.at]
                changed.append(ChangedFigure(trend.profile, trend.figure, since, change.relative))
    reason = GateReason.CHANGED if changed else GateReason.NO_CHANGE
    if not usable:
        reason = GateReason.TOO_FEW_RUNS
    return Decision("change", tolerance, reason, EXIT_CODES[reason], changes=tuple(changed))


def _index_of(trend: Trend, run: str | None) -> int:
    """The place of a run in a figure's history; -1 where the figure has no such run."""
    return trend.runs.index(run) if run in trend.runs else -1
