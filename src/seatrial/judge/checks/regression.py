"""`check: regression`: no point is slower than in a stored result.

The reference is the last accepted result of the study and profile (`seatrial accept RESULT`), or a
named result. The run copies its figures when it begins. The aggregate throughput of each point, or
its operations per second, is compared with that of the reference.

Passes when the whole 95 % interval of the ratio of every point is above 1 − `by_more_than`. Fails
when the whole interval of any point is below, corrected for the number of points (Holm). Everything
else is unknown, with the number of repeats that would decide.

Unknown without a reference, when a point of the reference was not measured, and when the work of an
experiment has changed since. Points that the reference lacks are not judged. Partial points, reads
that a cache answered and repeats with a shortage of processors are treated as in `spread`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from seatrial.analysis.regressions import (
    Outcome,
    Pair,
    PointFinding,
    find_slower,
    repeats_needed,
)
from seatrial.analysis.statistics import Sample
from seatrial.basics.known import all_known
from seatrial.basics.schema import Model, Percent
from seatrial.basics.units import counted
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.flaws import Evidence
from seatrial.judge.limits import judge_undisturbed
from seatrial.judge.references import (
    ACCEPTED,
    LINE,
    NoReference,
    PointKey,
    Reference,
    is_usable,
    key_of,
    path_of,
)
from seatrial.judge.selection import Mistakes
from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import quantity_of
from seatrial.result.result import Result, is_result
from seatrial.study.points import phase_text
from seatrial.study.study import Study

TITLE = "no point is slower than in the reference"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})
NAMED_MAX = 5
"""highest number of points that the evidence names"""
WHY_MISSING = {
    NoReference.NOTHING_ACCEPTED: (
        "no result of this study and profile was accepted when the run began; accept one with "
        "seatrial accept RESULT"
    ),
    NoReference.UNREADABLE: "the stored result could not be read, did not complete, or was edited",
}


class Options(Model):
    """`{check: regression, against: accepted, by_more_than: 5%}`."""

    against: str = Field(
        ACCEPTED,
        min_length=1,
        description="The reference: `accepted`, or the folder of a result. A relative path begins "
        "at the folder of the study.",
    )
    by_more_than: Percent = Field(
        0.05,
        ge=0,
        lt=1,
        description="Share by which a point may be slower, such as `5%` or `0.05`.",
    )


def reference_of(options: Options) -> str:
    """The result that the check compares with; a run copies its figures."""
    return options.against


def mistakes(study: Study, _published: Mapping[str, Any], options: Options) -> Mistakes:
    """`against` names a path without a result."""
    if options.against != ACCEPTED and not is_result(path_of(study, options.against)):
        path = path_of(study, options.against)
        yield Mistake(
            ("against",), f"no result at {path}; name the folder of a result, or {ACCEPTED}"
        )


def check(result: Result, options: Options) -> Answer:
    """Compare every point with the reference that the result stores."""
    lines = [line for line in result.of(LINE) if line.get("against") == options.against]
    if len(lines) != 1:
        words = f"the result has {counted(len(lines), 'reference')} for `{options.against}`"
        return unknown(words, Reason.EVIDENCE_MISSING)
    reference = Reference.from_json(lines[0])
    if reference.missing is not None:
        return unknown(WHY_MISSING[reference.missing], Reason.NOTHING_CHECKED)

    def judge(phases: Sequence[PhaseResult]) -> Answer:
        return judge_against(reference, result, phases, options.by_more_than)

    return judge_undisturbed(result.phases, judge, robust="pass").about(
        f"reference {reference.result}"
    )


def judge_against(
    reference: Reference, result: Result, phases: Sequence[PhaseResult], by_more_than: float
) -> Answer:
    """The answer on some phases of a result; `result` has the number of tests of each point."""
    values: dict[PointKey, list[float]] = defaultdict(list)
    for phase in phases:
        if is_usable(phase):
            key = key_of(phase.experiment, phase.point, phase.phase)
            values[key].append(quantity_of(phase.phase).of(phase))
    pairs: dict[str, Pair] = {}
    missing = []
    changed = []
    for point in reference.points:
        name = phase_text(point.experiment, point.point, point.phase)
        measured = values.get(key_of(point.experiment, point.point, point.phase))
        if point.experiment in reference.changed:
            changed.append(name)
        elif not measured or not point.values:
            missing.append(name)
        else:
            looks = result.looks(point.experiment, point.point)
            pairs[name] = Pair(point.sample, Sample(tuple(measured), looks))
    return _answer(pairs, missing, changed, by_more_than)


def _answer(
    pairs: dict[str, Pair],
    missing: Sequence[str],
    changed: Sequence[str],
    by_more_than: float,
) -> Answer:
    """One answer from all points: a slower one decides, then one that is missing or open."""
    findings = find_slower(pairs, by_more_than)
    allowed = f"allowed: {100 * by_more_than:.3g} % slower"
    slower = _points_with(findings, Outcome.SLOWER)
    if slower:
        total = counted(len(findings), "point")
        return failed(
            f"{len(slower)} of {total} slower by more than chance: {_some(slower)} ({allowed})"
        )
    if changed:
        words = f"work that has changed since the reference: {_some(changed)}"
        return unknown(words, Reason.INCOMPLETE)
    if missing:
        words = f"no usable repeat here or in the reference: {_some(missing)}"
        return unknown(words, Reason.INCOMPLETE)
    if not findings:
        return unknown("the reference has no point", Reason.NOTHING_CHECKED)
    single = [name for name, finding in findings.items() if finding.outcome == Outcome.NO_INTERVAL]
    if single:
        words = f"a decision needs two usable repeats in both results: {_some(single)}"
        return unknown(words, Reason.NOT_DISTINGUISHABLE)
    undecided = _points_with(findings, Outcome.OPEN)
    if undecided:
        still_open = [pairs[name] for name in findings if findings[name].outcome == Outcome.OPEN]
        more = _more_words(still_open, by_more_than, len(findings))
        words = f"{_some(undecided)} ({allowed}); {more}"
        return unknown(words, Reason.NOT_DISTINGUISHABLE)
    least = min(findings, key=lambda name: _low(findings[name]))
    words = _ratio_words(findings[least])
    return passed(
        f"{counted(len(findings), 'point')} compared, the lowest {least}: {words} ({allowed})"
    )


def _points_with(findings: dict[str, PointFinding], outcome: Outcome) -> list[str]:
    return [
        f"{name}: {_ratio_words(finding)}"
        for name, finding in findings.items()
        if finding.outcome == outcome
    ]


def _low(finding: PointFinding) -> float:
    return finding.interval.low if finding.interval is not None else 0.0


def _ratio_words(finding: PointFinding) -> str:
    """`-8.1 %, 95 % interval -9.0 to -7.1 %`."""
    if finding.ratio is None or finding.interval is None:
        return "without an interval"
    low = 100 * (finding.interval.low - 1)
    high = 100 * (finding.interval.high - 1)
    return f"{100 * (finding.ratio - 1):+.1f} %, 95 % interval {low:+.1f} to {high:+.1f} %"


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED_MAX
    return "; ".join(names[:NAMED_MAX]) + (f"; and {more} more" if more > 0 else "")


def _more_words(still_open: Sequence[Pair], by_more_than: float, among: int) -> str:
    """The number of repeats that would decide every open point."""
    needed = [repeats_needed(pair, by_more_than, among) for pair in still_open]
    numbers = all_known(needed)
    if numbers is None:
        return "no practical number of repeats would decide: a ratio is too close to the limit"
    return f"about {max(numbers)} repeats in both results would decide"
