"""`check: slow-member`: no client, or server, is slower than the others.

The rate of each member is divided by the median of the others, in each repeat of each phase with
three members or more. A member is slow when the whole 95 % interval of that share is below
`slower_than`, corrected for the number of members (Holm). Its own repeats must place it below the
others, too. The variance is pooled over all members.

Fails when a member is slow, and names it, together with its outliers among the baselines (link,
path, disk). Passes when the interval of each member is above `slower_than`. Everything else is
unknown, with the number of repeats that would decide.

The seconds of one client depend on each other and are no repeats. With fewer than three repeats,
blocks of at least 10 s take their place, and the evidence states it. Partial phases, reads that a
cache answered and repeats with a shortage of processors are treated as in `spread`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from seatrial.analysis.holm import rejected
from seatrial.analysis.statistics import LEVEL, REPEATS_MAX, Estimate
from seatrial.basics.errors import not_known
from seatrial.basics.schema import Model
from seatrial.basics.units import counted
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.flaws import Evidence
from seatrial.judge.limits import judge_undisturbed
from seatrial.judge.members import (
    BLOCK_S,
    MEMBERS_LEAST,
    OBSERVATIONS_LEAST,
    MemberKind,
    Observations,
    observe,
)
from seatrial.judge.selection import Mistakes
from seatrial.result.baselines import outliers
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.study import Study

TITLE = "no member is slower than the others"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})
OWN_LEVEL = 2 * LEVEL
"""of the two-sided interval from a member's own repeats: 5 % on the side that counts"""


class Options(Model):
    """`{check: slow-member, slower_than: 0.85}`."""

    slower_than: float = Field(
        0.85,
        gt=0,
        lt=1,
        description="Share of the median of the other members, below which a member is slow.",
    )
    members: MemberKind = Field(
        MemberKind.CLIENTS,
        description="The members. The rate of a server is the traffic of its network.",
    )
    experiment: str | None = Field(None, description="One experiment. By default all.")
    phase: str | None = Field(None, description="One phase. By default all.")


def mistakes(study: Study, _published: Mapping[str, Any], options: Options) -> Mistakes:
    """An experiment or a phase that the study does not have."""
    if options.experiment is not None and options.experiment not in study.experiments:
        yield Mistake(("experiment",), not_known(options.experiment, list(study.experiments)))
        return
    if options.phase is None:
        return
    chosen = [options.experiment] if options.experiment else list(study.experiments)
    phases = [name for item in chosen for name in study.experiments[item].workload.phases]
    if options.phase not in phases:
        known_phases = list(dict.fromkeys(phases))
        yield Mistake(("phase",), not_known(options.phase, known_phases))


def check(result: Result, options: Options) -> Answer:
    """Judge the members of every phase that has three or more."""
    phases = [
        phase
        for phase in result.phases
        if options.experiment in (None, phase.experiment) and options.phase in (None, phase.phase)
    ]

    def judge(usable: Sequence[PhaseResult]) -> Answer:
        return judge_members(result, usable, options)

    return judge_undisturbed(phases, judge, robust=None)


def judge_members(result: Result, phases: Sequence[PhaseResult], options: Options) -> Answer:
    """The answer on some phases of a result."""
    observations = observe(phases, options.members)
    if observations is None:
        words = (
            f"a decision needs {MEMBERS_LEAST} {options.members} or more in {OBSERVATIONS_LEAST} "
            f"repeats, or in a phase of {OBSERVATIONS_LEAST * BLOCK_S:.0f} s"
        )
        return unknown(words, Reason.NOTHING_CHECKED)
    slow = slow_members(observations, options.slower_than)
    basis = f"{_basis_words(observations)} (limit: {options.slower_than:.0%} of the others)"
    if slow:
        slow_words = "; ".join(
            f"{member}: {_share_words(observations.estimate(member))}"
            f"{_baseline_words(result, member)}"
            for member in slow
        )
        return failed(f"slow: {slow_words}; {basis}")
    limit = math.log(options.slower_than)
    undecided = {
        member: estimate
        for member in observations.logs
        if (estimate := observations.estimate(member)).interval().low < limit
    }
    if undecided:
        member = min(undecided, key=lambda name: undecided[name].value)
        more = _more_words(observations, member, limit)
        words = f"{counted(len(undecided), 'member')} not decided, the slowest {member}: "
        words += f"{_share_words(undecided[member])}; {basis}; {more}"
        return unknown(words, Reason.NOT_DISTINGUISHABLE)
    slowest = min(observations.logs, key=lambda name: observations.logs[name].mean)
    return passed(
        f"the slowest, {slowest}: {_share_words(observations.estimate(slowest))}; {basis}"
    )


def slow_members(observations: Observations, slower_than: float) -> list[str]:
    """The members that are slower than the limit by more than chance, the slowest first."""
    limit = math.log(slower_than)
    chances = {
        member: _chance_below(observations.estimate(member), limit) for member in observations.logs
    }
    slow = [member for member in rejected(chances) if _is_below_by_its_own(observations, member)]
    return sorted(slow, key=lambda member: observations.logs[member].mean)


def _chance_below(estimate: Estimate, limit: float) -> float:
    distance = replace(estimate, value=estimate.value - limit)
    return distance.chance if distance.value < 0 else 1.0


def _is_below_by_its_own(observations: Observations, member: str) -> bool:
    """Whether a member's own repeats place it below the others.

    The pooled variance is too small for one member with a larger scatter.
    """
    own_estimate = observations.own_estimate(member)
    return own_estimate is not None and own_estimate.interval(OWN_LEVEL).high < 0


def _share_words(estimate: Estimate) -> str:
    """`81 % of the others, 95 % interval 79 % to 83 %`."""
    interval = estimate.interval()
    return (
        f"{math.exp(estimate.value):.0%} of the others, 95 % interval "
        f"{math.exp(interval.low):.0%} to {math.exp(interval.high):.0%}"
    )


def _basis_words(observations: Observations) -> str:
    members = counted(len(observations.logs), "member")
    if not observations.uses_blocks:
        return f"{members} in {counted(observations.repeats, 'repeat')}"
    blocks = max(len(item.values) for item in observations.logs.values())
    return (
        f"{members} in {counted(blocks, 'block')} of {counted(observations.repeats, 'repeat')}: a "
        "difference from repeat to repeat is unknown"
    )


def _baseline_words(result: Result, member: str) -> str:
    """The outliers among the baselines that have the member in their name."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(member)}(?![\w-])")
    outlier_texts = [
        f"{item.kind} {item.name}: {reason}"
        for item, reason in outliers(result.baselines)
        if pattern.search(item.name)
    ]
    return f" ({'; '.join(outlier_texts)})" if outlier_texts else ""


def _more_words(observations: Observations, member: str, limit: float) -> str:
    """The number of repeats that would decide, if share and scatter stay as measured."""
    estimate = observations.estimate(member)
    distance = abs(estimate.value - limit)
    half = estimate.half(LEVEL / len(observations.logs))
    count = len(observations.logs[member].values)
    needed = count * (half / distance) ** 2 if distance else math.inf
    if needed > REPEATS_MAX:
        return "no practical number of repeats would decide: a share is too close to the limit"
    unit = "blocks" if observations.uses_blocks else "repeats"
    return f"about {max(math.ceil(needed), count + 1)} {unit} would decide"
