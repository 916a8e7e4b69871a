"""The longest outage of each fault, divided into its parts, with the limits that apply to it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seatrial.judge.base import checker, checker_names
from seatrial.result.faults import FaultResult
from seatrial.study.study import Criterion, Study
from seatrial.summary.failover import PARTS, failover_phases
from seatrial.summary.fault_results import OutageState, outage_state

CLIENT = "client"
"""from the start of the service, or the end of its grace, to the end of the outage"""
OTHER = "other"
"""time that no event of the nodes' logs explains"""
PART_NAMES = (*PARTS[:-1], CLIENT, OTHER)
WORST_FIRST = (
    OutageState.NOT_RECOVERED,
    OutageState.MEASURED,
    OutageState.NONE,
    OutageState.NO_LOAD,
    OutageState.NOT_INJECTED,
)
SERVING = frozenset({"start", "grace"})
"""parts after which the service answers; a client that still waits then waits for itself"""


@dataclass(frozen=True)
class OutagePart:
    """A part of an outage."""

    name: str
    """one of PART_NAMES"""
    duration_s: float


@dataclass(frozen=True)
class DividedOutage:
    """The longest outage of any client in the worst repetition of a fault."""

    fault: str
    """as the study names it"""
    title: str
    repetition: str
    """name of the worst repetition; the fault itself where it was injected once"""
    repetitions: int
    is_control: bool
    """a negative control"""
    state: OutageState
    client: str | None
    stream: str | None
    outage_s: float | None
    """None without an outage; of an outage without an end, the time for which it was observed"""
    parts: tuple[OutagePart, ...]
    """in the order of time; their sum is `outage_s`"""
    limit_s: float | None
    """by the acceptance criterion, else by the fault"""
    predicted_s: float | None
    """the sum of the timers that the fault must wait for, and of the work between them; None where
    the study gives a fixed limit"""
    target_s: float | None
    """the value that the study aims for"""

    @property
    def duration_by_part_s(self) -> dict[str, float]:
        """Part -> seconds, in the order of PART_NAMES, without the absent parts."""
        sums = dict.fromkeys(PART_NAMES, 0.0)
        for part in self.parts:
            sums[part.name] += part.duration_s
        return {name: duration_s for name, duration_s in sums.items() if duration_s > 0}


def divided_outages(
    faults: Sequence[FaultResult], study: Study | None
) -> tuple[DividedOutage, ...]:
    """One outage per fault of the study, in the order of the run."""
    repetitions: dict[str, list[FaultResult]] = {}
    for fault in faults:
        name = study.repetitions.written_name(fault.name) if study else fault.name
        repetitions.setdefault(name, []).append(fault)
    return tuple(_divided(name, items, study) for name, items in repetitions.items())


def _divided(name: str, repetitions: Sequence[FaultResult], study: Study | None) -> DividedOutage:
    worst = min(repetitions, key=_rank)
    state = outage_state(worst)
    has_outage = state in (OutageState.MEASURED, OutageState.NOT_RECOVERED)
    stream = worst.longest if has_outage else None
    return DividedOutage(
        fault=name,
        title=worst.title,
        repetition=worst.name,
        repetitions=len(repetitions),
        is_control=bool(worst.controls),
        state=state,
        client=stream.client if stream else None,
        stream=stream.stream if stream else None,
        outage_s=worst.longest_s if has_outage else None,
        parts=outage_parts(worst) if has_outage else (),
        limit_s=_limit_s(name, worst, study),
        predicted_s=_predicted_s(worst, study),
        target_s=worst.expect.get("target"),
    )


def _rank(fault: FaultResult) -> tuple[int, float]:
    """The worst fault has the lowest rank."""
    return WORST_FIRST.index(outage_state(fault)), -fault.longest_s


def outage_parts(fault: FaultResult) -> tuple[OutagePart, ...]:
    """The parts of the longest outage of a fault; their sum is its length.

    An outage begins with the last completion before the injection took effect.
    """
    longest = fault.longest.longest if fault.longest else None
    if longest is None:
        return ()
    start_s = longest.start_unix_s
    return tuple(_parts(fault, start_s, start_s + fault.longest_s))


def _parts(fault: FaultResult, start_s: float, end_s: float) -> Iterator[OutagePart]:
    at_s = start_s
    rest = OTHER
    for phase in failover_phases(fault):
        is_last = phase.name == PARTS[-1]
        from_s = max(phase.start_s, at_s)
        to_s = end_s if is_last else min(phase.end_s, end_s)
        if to_s <= from_s:
            continue
        if from_s > at_s:
            yield OutagePart(OTHER, from_s - at_s)
        yield OutagePart(CLIENT if is_last else phase.name, to_s - from_s)
        rest = CLIENT if phase.name in SERVING and fault.unrecovered is None else OTHER
        at_s = to_s
    if end_s > at_s:
        yield OutagePart(rest, end_s - at_s)


def _limit_s(name: str, fault: FaultResult, study: Study | None) -> float | None:
    """The shortest limit that a criterion gives to the fault, else the limit of the fault."""
    found_s = []
    for criterion in study.criteria if study else ():
        goals_s = _goals_s(criterion)
        found_s += [goals_s[key] for key in (name, fault.name) if key in goals_s]
    return min(found_s, default=fault.expect.get("outage"))


def _goals_s(criterion: Criterion) -> dict[str, float]:
    """The limits of a criterion by fault; empty for a check without, or for wrong options."""
    if criterion.check not in checker_names():
        return {}
    module = checker(criterion.check)
    limits_of = getattr(module, "outage_limits_s", None)
    if limits_of is None:
        return {}
    try:
        return dict(limits_of(module.Options.model_validate(criterion.options())))
    except ValueError:
        return {}  # the judge names the mistake


def _predicted_s(fault: FaultResult, study: Study | None) -> float | None:
    """The sum of timers and work; None where the limit of the fault is a stated time alone."""
    planned = study.faults.get(fault.name) if study else None
    limit = planned.expect.outage if planned else None
    is_stated = limit is not None and not any(term.name for term in limit.terms)
    outage_s = fault.expect.get("outage")
    return None if is_stated or not fault.expect.get("outage_parts") else outage_s
