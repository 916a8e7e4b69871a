"""The faults of a result summary, each with one verdict."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from seatrial.judge.answer import Reason, Verdict
from seatrial.result.evidence import Evidence, Sign
from seatrial.result.faults import FaultResult
from seatrial.summary.described import DESCRIBED
from seatrial.summary.failover import failover_phases
from seatrial.summary.survival import fault_verdict


class OutageState(StrEnum):
    """The meaning of the longest outage of a fault."""

    MEASURED = "measured"
    NONE = "none"
    """no outage was longer than the threshold"""
    NOT_RECOVERED = "not-recovered"
    """a client never got an answer again, so the outage has no length"""
    NO_LOAD = "no-load"
    """no stream completed an operation, so an outage cannot be shown"""
    NOT_INJECTED = "not-injected"
    """the fault was skipped or could not be completed"""


@dataclass(frozen=True)
class FailoverPhase:
    """A part of the longest outage, by the nodes' logs."""

    __pydantic_config__ = DESCRIBED

    name: str
    start_unix_s: float
    duration_s: float


@dataclass(frozen=True)
class ErrorCount:
    """Errors that clients got."""

    __pydantic_config__ = DESCRIBED

    error: str
    """symbol, such as EIO"""
    operation: str | None
    number: int


@dataclass(frozen=True)
class ActionEvidence:
    """The evidence that an action of a fault had its effect."""

    __pydantic_config__ = DESCRIBED

    action: str
    started_unix_s: float
    needs: tuple[Sign, ...]
    seen: tuple[Sign, ...]
    is_shown: bool


@dataclass(frozen=True)
class StreamOutage:
    """The longest outage of one workload stream on one client."""

    __pydantic_config__ = DESCRIBED

    client: str
    stream: str
    start_unix_s: float
    end_unix_s: float | None
    """None where it did not end"""
    duration_s: float | None


@dataclass(frozen=True)
class FaultOutcome:
    """One fault, with one verdict: its course, its longest outage and its data together."""

    __pydantic_config__ = DESCRIBED

    name: str
    kind: str
    title: str
    is_control: bool
    """a negative control, which passes when its checks detect it"""
    verdict: Verdict
    reason: Reason | None
    evidence: str
    outage_state: OutageState
    longest_outage_s: float | None
    outage_limit_s: float | None
    failover_phases: tuple[FailoverPhase, ...]
    outages: tuple[StreamOutage, ...]
    errors: tuple[ErrorCount, ...]
    blocks_lost_or_wrong: int | None
    """blocks and directory entries; None where the data were not compared"""
    injection: tuple[ActionEvidence, ...] | None
    """None in results of older versions"""
    started_unix_s: float | None
    injected_unix_s: float | None
    repaired_unix_s: float | None
    recovered_unix_s: float | None
    is_recovered: bool | None
    """every stream got answers again, and the system was healthy; None where it was not injected"""
    has_failed_over: bool | None
    rebooted_nodes: tuple[str, ...]
    skipped: str | None
    failed: str | None
    """why it could not be completed"""


# ---- from the lines of the result


def fault_outcome(fault: FaultResult) -> FaultOutcome:
    """One fault as a summary has it."""
    answer = fault_verdict(fault)
    state = outage_state(fault)
    is_measured = state is OutageState.MEASURED
    is_injected = fault.skipped is None and fault.failed is None
    has_recovered = fault.recovered_unix_s is not None and fault.unrecovered is None
    return FaultOutcome(
        name=fault.name,
        kind=fault.kind,
        title=fault.title,
        is_control=bool(fault.controls),
        verdict=answer.verdict,
        reason=answer.reason,
        evidence=answer.evidence,
        outage_state=state,
        longest_outage_s=fault.longest_s if is_measured else None,
        outage_limit_s=fault.expect.get("outage"),
        failover_phases=tuple(
            FailoverPhase(phase.name, phase.start_s, phase.length_s)
            for phase in failover_phases(fault)
        ),
        outages=tuple(_outages(fault)),
        errors=tuple(_errors(fault)),
        blocks_lost_or_wrong=_lost_or_wrong(fault),
        injection=_injection(fault.evidence),
        started_unix_s=fault.started_unix_s,
        injected_unix_s=fault.injected_unix_s,
        repaired_unix_s=fault.repaired_unix_s,
        recovered_unix_s=fault.recovered_unix_s,
        is_recovered=has_recovered if is_injected else None,
        has_failed_over=fault.moved if is_injected else None,
        rebooted_nodes=tuple(fault.restarted),
        skipped=fault.skipped,
        failed=fault.failed,
    )


def outage_state(fault: FaultResult) -> OutageState:
    """The meaning of the longest outage of a fault."""
    if fault.skipped is not None or fault.failed is not None:
        return OutageState.NOT_INJECTED
    if fault.unrecovered is not None:
        return OutageState.NOT_RECOVERED
    if all(item.did_nothing for item in fault.judged):
        return OutageState.NO_LOAD
    return OutageState.MEASURED if fault.longest_s else OutageState.NONE


def _outages(fault: FaultResult) -> Iterator[StreamOutage]:
    """The longest outage of each stream of a client that kept its own power."""
    for item in fault.judged:
        longest = item.longest
        if longest is None:
            continue
        start_s = longest.start_unix_s
        end_s = None if longest.open else longest.end_unix_s
        duration_s = None if end_s is None else end_s - start_s
        yield StreamOutage(item.client, item.stream, start_s, end_s, duration_s)


def _errors(fault: FaultResult) -> Iterator[ErrorCount]:
    numbers = Counter[tuple[str, str | None]]()
    for item in fault.judged:
        for error in item.errors:
            operation = error.get("operation")
            key = (str(error.get("name")), None if operation is None else str(operation))
            numbers[key] += int(error.get("count", 1))
    for (name, operation), number in numbers.items():
        yield ErrorCount(name, operation, number)


def _lost_or_wrong(fault: FaultResult) -> int | None:
    if not fault.compared:
        return None
    items = fault.compared.values()
    return sum(int(item["lost"] + item["wrong"] + item["names_wrong"]) for item in items)


def _injection(evidence: tuple[Evidence, ...] | None) -> tuple[ActionEvidence, ...] | None:
    if evidence is None:
        return None
    return tuple(
        ActionEvidence(item.what, item.started_unix_s, item.needs, item.seen, item.is_shown)
        for item in evidence
    )
