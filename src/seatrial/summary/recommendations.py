"""Recommended next actions, each with its evidence; no generic advice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from seatrial.basics.units import counted, format_rate
from seatrial.judge.answer import Reason
from seatrial.judge.base import Judgement
from seatrial.judge.waivers import number_words, whole_words
from seatrial.plan.data_path import ResourceRole
from seatrial.predict.layers import Step
from seatrial.result.faults import FaultResult
from seatrial.study.points import point_name
from seatrial.summary.briefs import brief
from seatrial.summary.described import DESCRIBED
from seatrial.summary.failover import failover_phases, phases_words
from seatrial.summary.notation import figures, percent, seconds
from seatrial.summary.peaks import Peak
from seatrial.summary.points import Measured

NEAR = 0.8
"""share of the bound from which on the bound is taken as the limit"""

Steps = Mapping[tuple[str, str, str], Sequence[Step]]
"""(experiment, point, phase) -> the layers to raise in turn, and their rates, from `seatrial
predict`
"""


class Kind(StrEnum):
    """The cause of a recommendation."""

    FAILED_CRITERION = "failed-criterion"
    WAIVER = "waiver"
    OUTAGE_ABOVE_LIMIT = "outage-above-limit"
    MISSING_EVIDENCE = "missing-evidence"
    LONGER_PROFILE = "longer-profile"
    LONGEST_OUTAGE = "longest-outage"
    OTHER_BOTTLENECK = "other-bottleneck"
    RAISE_BOUND = "raise-bound"
    LAB_LIMITED = "lab-limited"


@dataclass(frozen=True)
class Recommendation:
    """An action and its reason."""

    __pydantic_config__ = DESCRIBED

    kind: Kind
    what: str
    why: str


@dataclass(frozen=True)
class Basis:
    """The basis of recommendations."""

    peaks: Sequence[Peak]
    steps: Steps
    points: Sequence[Measured]
    faults: Sequence[FaultResult]
    judgements: Sequence[Judgement]
    longer: str
    """the command of a longer profile that measures more; empty where there is none"""


def recommendations(basis: Basis) -> list[Recommendation]:
    """By weight: failures, waivers, missing evidence, waiting times, bounds."""
    first = (*_failed(basis), *_waived(basis), *_exceeded(basis), *_open(basis))
    return [*first, *_outage(basis), *_bounds(basis), *_limited(basis)]


def _failed(basis: Basis) -> Iterator[Recommendation]:
    for item in basis.judgements:
        if item.kind == "acceptance" and item.verdict == "fail":
            yield Recommendation(
                Kind.FAILED_CRITERION,
                f"Do not accept the system before “{item.claim}” passes: {item.statement}.",
                brief(item),
            )


def _waived(basis: Basis) -> Iterator[Recommendation]:
    for item in basis.judgements:
        if item.waivers:
            decision = f"Decide whether the deviation waived for “{item.claim}” is acceptable"
            what = f"{decision} where the system will be used: {number_words(item.waivers)}."
            yield Recommendation(Kind.WAIVER, what, whole_words(item.waivers))


def _exceeded(basis: Basis) -> Iterator[Recommendation]:
    for fault in basis.faults:
        limit_s = fault.expect.get("outage")
        if (
            limit_s is not None
            and not fault.controls
            and fault.longest_s > limit_s
            and fault.unrecovered is None
        ):
            yield Recommendation(
                Kind.OUTAGE_ABOVE_LIMIT,
                f"Find why clients waited in {fault.name}: the study’s timers do not explain it.",
                f"{seconds(fault.longest_s)} of outage, and the timers add up to "
                f"{seconds(limit_s)}",
            )


def _open(basis: Basis) -> Iterator[Recommendation]:
    """Criteria without evidence, and the runs that would provide it."""
    for item in basis.judgements:
        if item.kind == "acceptance" and item.verdict == "unknown":
            yield Recommendation(
                Kind.MISSING_EVIDENCE,
                f"Get evidence for “{item.claim}”: {item.statement}.",
                brief(item),
            )
    missing = [
        item
        for item in basis.judgements
        if item.kind == "published" and item.verdict == "inconclusive"
    ]
    not_measured = [item.claim for item in missing if item.reason is Reason.NOT_MEASURED]
    if basis.longer and not_measured:
        yield Recommendation(
            Kind.LONGER_PROFILE,
            f"Run {basis.longer} before drawing conclusions about {len(not_measured)} published"
            " claims.",
            f"this profile omits the evidence for {', '.join(not_measured)}",
        )


def _outage(basis: Basis) -> Iterator[Recommendation]:
    """The largest phase of the longest outage, where the nodes reported it."""
    done = [
        fault
        for fault in basis.faults
        if fault.skipped is None
        and not fault.controls
        and fault.longest_s
        and fault.unrecovered is None
    ]
    worst = max(done, key=lambda fault: fault.longest_s, default=None)
    parts = failover_phases(worst) if worst else []
    if worst is None or not parts:
        return
    longest = max(parts, key=lambda part: part.length_s)
    yield Recommendation(
        Kind.LONGEST_OUTAGE,
        f"To shorten the longest outage ({worst.name}, {seconds(worst.longest_s)}), "
        f"shorten “{longest.name}” first: {seconds(longest.length_s)}.",
        f"by the nodes’ own logs: {phases_words(parts)}",
    )


def _bounds(basis: Basis) -> Iterator[Recommendation]:
    for peak in basis.peaks:
        item = peak.item
        steps = basis.steps.get(
            (item.repeats[0].experiment, point_name(item.point), peak.phase), ()
        )
        bound_bytes_per_s = item.first_of("bound_bytes_per_s")
        if not steps or not peak.bound or not bound_bytes_per_s:
            continue
        share = (item.mean or 0.0) / bound_bytes_per_s
        step = steps[0]
        of_bound = f"{percent(share)} of the rate of the {peak.bound.layer}"
        reached = f"{peak.value} at {peak.where} is {of_bound}"
        if share < NEAR:
            advice = f"Find the other bottleneck of {peak.phase} before upgrading hardware."
            yield Recommendation(Kind.OTHER_BOTTLENECK, advice, reached)
        elif step.to_bytes_per_s > step.from_bytes_per_s:
            lift = figures(step.to_bytes_per_s / step.from_bytes_per_s, 2)
            clients = step.role is ResourceRole.CLIENT_LINKS
            raised = (
                "use more clients, or raise their links first"
                if clients
                else f"raise the {step.layer} first"
            )
            yield Recommendation(
                Kind.RAISE_BOUND,
                f"For a higher {peak.phase} {raised}: that lifts the bound {lift} times, until the "
                f"{step.next_layer} bind{'' if step.next_layer.endswith('s') else 's'}.",
                f"{reached}; predicted from {format_rate(step.from_bytes_per_s)} "
                f"to {format_rate(step.to_bytes_per_s)}, "
                f"by {'this lab’s rates' if item.in_lab else 'the rates of the study'}",
            )


def _limited(basis: Basis) -> Iterator[Recommendation]:
    limited = sum(
        item.lab_limited and any(repeat.lab_limited for repeat in item.whole)
        for item in basis.points
    )
    if limited:
        yield Recommendation(
            Kind.LAB_LIMITED,
            f"Measure {limited} of {counted(len(basis.points), 'point')} again on a machine with "
            "more CPUs, or to a smaller scale.",
            "there the lab’s CPUs were the limit, not the storage",
        )
