"""`check: fencing`: never two writers at once, and no takeover without a confirmed stop or fencing.

Passes when, in every fault, no two servers wrote to one volume at the same time. No server may
write after its peer began to start the service, or without power. The array's own log shows this
within the time between two of its samples. The old server must have stopped every part of a service
without an error, or must have been fenced. A fencing counts when the power log shows the server
off, or when `reservation` made the array refuse its writes.

Unknown when the array cannot report writers, was not asked in time, or when the fault could not be
completed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from seatrial.basics.event_kinds import WITHOUT_POWER, EventKind, PowerState
from seatrial.basics.schema import Model
from seatrial.judge.answer import Answer, Reason, combine, failed, passed, skipped, unknown
from seatrial.judge.base import answers_of_faults
from seatrial.judge.flaws import Evidence
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result

TITLE = "never two writers, never a takeover without a confirmed stop or fencing"
NEEDS_FAULTS = True
MEANS_TWO_WRITERS = True
RESTS_ON = frozenset(
    {
        Evidence.FAULTS,
        Evidence.STREAMS,
        Evidence.ROLES,
        Evidence.EVENTS,
        Evidence.POWER,
        Evidence.WRITERS,
    }
)
Options = Model
WATCHED_ERROR_MAX_S = 2.5
"""an array that was polled less often than this is not sufficient evidence"""


def check(result: Result, _options: Options) -> Answer:
    """Judge every fault; of a negative control the opposite."""
    return combine(answers_of_faults(result, "fencing", judge), "no fault was injected")


def judge(fault: FaultResult) -> Answer:
    """The answer on one fault."""
    if fault.skipped is not None:
        return skipped(fault)
    takeovers = list(_takeovers(fault))
    unconfirmed = [item.words for item in takeovers if not item.is_confirmed]
    wrong = [*two_writers(fault), *unconfirmed]
    if wrong:
        return failed("; ".join(wrong))
    why = _why_unknown(fault)
    if why:
        return unknown(why, Reason.INCOMPLETE)
    writers = f"one writer at a time, known to within {fault.writers_error_s:.1f} s"
    confirmed = dict.fromkeys(item.words for item in takeovers)
    return passed(", ".join([writers, *confirmed]))


def _why_unknown(fault: FaultResult) -> str | None:
    """Why the evidence is not complete; None when it is."""
    if fault.failed is not None:
        return fault.failed
    if fault.writers_watched is None:
        return "the array was not polled for its writers"
    if fault.writers_error_s > WATCHED_ERROR_MAX_S:
        return f"the array was not polled for {fault.writers_error_s:.1f} s"
    late_s = (fault.ended_unix_s or 0.0) - fault.writers_watched[1]
    if late_s > WATCHED_ERROR_MAX_S:
        return f"the array was not polled in the last {late_s:.1f} s"
    if not fault.writers and any(
        item.phase == "write" and item.operations for item in fault.judged
    ):
        return "the array reported no writer, although clients wrote"
    servers = {*fault.roles_before.values(), *fault.roles_after.values()}
    unknown_sessions = [name for name in fault.writers if name.startswith("session ")]
    if unknown_sessions:
        return f"the writer in {', '.join(unknown_sessions)} is unknown"
    if fault.moved and not any(item["what"] == EventKind.STARTING for item in fault.moments):
        return (
            f"the service failed over between {' and '.join(sorted(servers))}, but no server "
            "recorded the time"
        )
    volumes = {item["volume"] for items in fault.writers.values() for item in items}
    foreign = sorted(volumes - set(fault.roles_before))
    if foreign:
        return f"{foreign[0]} was written, but is no service of the servers"
    silent = _unseen_writer(fault)
    return (
        f"clients wrote, but the array recorded no write of {silent}, which served them"
        if silent
        else None
    )


def _unseen_writer(fault: FaultResult) -> str | None:
    """A server that ran a service of writing clients without a write in the array's report; None
    where the array reported all of them.

    With several services not each may have clients that write: one writer among their servers is
    then sufficient.
    """
    intervals = [
        interval
        for item in fault.judged
        if item.phase == "write"
        for interval in item.seconds
        if interval.operations
    ]
    injected_s = fault.injected_unix_s
    recovered_s = fault.recovered_unix_s
    before = injected_s is not None and any(
        interval.ended_unix_s <= injected_s for interval in intervals
    )
    after = recovered_s is not None and any(
        interval.started_unix_s >= recovered_s for interval in intervals
    )
    for wrote, roles in ((before, fault.roles_before), (after, fault.roles_after)):
        servers = list(dict.fromkeys(roles.values()))
        if wrote and servers and not any(fault.writers.get(name) for name in servers):
            return servers[0]
    return None


# ---- writers


def two_writers(fault: FaultResult) -> list[str]:
    """Every place where two wrote, in words."""
    error_s = fault.writers_error_s + fault.clock_error_s
    writes = [_write_of(server, item) for server, items in fault.writers.items() for item in items]
    violations = (
        *_at_once(writes, fault.writers_error_s),
        *_after_takeover(fault, writes, error_s),
        *_without_power(fault, writes, error_s),
    )
    return list(dict.fromkeys(violations))


@dataclass(frozen=True)
class _Span:
    """A time on the common clock."""

    start_unix_s: float
    end_unix_s: float

    def overlap_s(self, other: "_Span") -> float:
        """The length in s of the time that both have; negative where they are apart."""
        end_s = min(self.end_unix_s, other.end_unix_s)
        return end_s - max(self.start_unix_s, other.start_unix_s)


@dataclass(frozen=True)
class _ServerWrite:
    """Writes of a server to a volume between two readings of the array's counters."""

    server: str
    volume: str
    span: _Span


def _write_of(server: str, item: Mapping[str, Any]) -> _ServerWrite:
    return _ServerWrite(server, item["volume"], _Span(item["start_unix_s"], item["end_unix_s"]))


def _at_once(writes: Sequence[_ServerWrite], error_s: float) -> Iterator[str]:
    """Two servers that wrote to one volume at the same time, for longer than the error of the
    samples.
    """
    for one, other in combinations(writes, 2):
        if one.server == other.server or one.volume != other.volume:
            continue
        both_s = one.span.overlap_s(other.span)
        if both_s > error_s:
            yield (f"{one.server} and {other.server} both wrote to {one.volume} for {both_s:.1f} s")


def _after_takeover(
    fault: FaultResult, writes: Sequence[_ServerWrite], error_s: float
) -> Iterator[str]:
    """Writes of a server after another began to start the service, until it began to start it
    itself.
    """
    starts = list(_starts(fault))
    for write in writes:
        for start in starts:
            if start.node == write.server or start.service != write.volume:
                continue
            own_s = [
                own_start.unix_s
                for own_start in starts
                if own_start.node == write.server
                and own_start.service == start.service
                and own_start.unix_s >= start.unix_s
            ]
            end_s = min([write.span.end_unix_s, *own_s])
            late_s = end_s - max(start.unix_s, write.span.start_unix_s)
            if late_s > error_s:
                yield (
                    f"{write.server} wrote to {start.service} {end_s - start.unix_s:.1f} s after "
                    f"{start.node} began to start it"
                )


def _without_power(
    fault: FaultResult, writes: Sequence[_ServerWrite], error_s: float
) -> Iterator[str]:
    """Writes that arrived while the server had no power."""
    for loss in power_losses(fault):
        for write in writes:
            late_s = write.span.overlap_s(_Span(loss.off_unix_s, loss.on_unix_s))
            if write.server == loss.node and late_s > error_s:
                yield f"{loss.node} wrote for {late_s:.1f} s without power"


@dataclass(frozen=True)
class PowerLoss:
    """A time in which a node had no power."""

    node: str
    off_unix_s: float
    on_unix_s: float
    """infinite where it stayed off"""


def power_losses(fault: FaultResult) -> Iterator[PowerLoss]:
    """Every time without power; the end of a kernel counts as a loss of power."""
    since: dict[str, float] = {}
    for item in fault.power:
        if item["what"] in WITHOUT_POWER:
            since.setdefault(item["node"], item["unix_s"])
        elif item["what"] == PowerState.ON and item["node"] in since:
            yield PowerLoss(item["node"], since.pop(item["node"]), item["unix_s"])
    yield from (PowerLoss(node, off_s, float("inf")) for node, off_s in since.items())


# ---- takeovers


@dataclass(frozen=True)
class _ServiceStart:
    """The moment in which a server began to start a part of a service."""

    unix_s: float
    node: str
    service: str
    part: str


def _starts(fault: FaultResult) -> Iterator[_ServiceStart]:
    """Every start of a part of a service that a server had before the fault."""
    for item in fault.moments:
        if item["what"] != EventKind.STARTING:
            continue
        part = item.get("subject", "")
        for service in fault.roles_before:
            if part == service or part.startswith(f"{service}-"):
                yield _ServiceStart(item["unix_s"], item["node"], service, part)


@dataclass(frozen=True)
class Takeover:
    """A part of a service that a server starts which another one had."""

    is_confirmed: bool
    """by a clean stop of it, or by a fencing of that server"""
    words: str
    """how, or that it is not"""


def _takeovers(fault: FaultResult) -> Iterator[Takeover]:
    held: dict[str, tuple[str, float]] = {}
    since_s = fault.injected_unix_s or 0.0
    for start in sorted(_starts(fault), key=lambda start: start.unix_s):
        earlier, had_s = held.get(start.part, (fault.roles_before[start.service], since_s))
        held[start.part] = (start.node, start.unix_s)
        if start.node == earlier:
            continue
        how = _stopped(fault, start.part, earlier, had_s, start.unix_s)
        how = how or _fenced(fault, earlier, had_s, start.unix_s)
        if how is not None:
            yield Takeover(True, how)
        else:
            unconfirmed = f"without a confirmed stop or fencing of {earlier}"
            yield Takeover(False, f"{start.node} started {start.part} {unconfirmed}")


def _stopped(
    fault: FaultResult, part: str, server: str, since_s: float, until_s: float
) -> str | None:
    """A clean stop of it in this time."""
    error_s = fault.clock_error_s
    stops = [
        item
        for item in fault.moments
        if (item["what"], item["node"], item.get("subject")) == (EventKind.STOPPED, server, part)
        and item.get("good")
    ]
    clean = any(since_s - error_s <= item["unix_s"] <= until_s + error_s for item in stops)
    return f"{server} had stopped" if clean else None


def _fenced(fault: FaultResult, server: str, since_s: float, until_s: float) -> str | None:
    """A fencing in this time, which the power log or the array confirms."""
    error_s = fault.clock_error_s
    reported_s = [
        item["unix_s"]
        for item in fault.moments
        if item["what"] == EventKind.FENCED and item.get("subject") == server
        if since_s - error_s <= item["unix_s"] <= until_s + error_s
    ]
    if not reported_s:
        return None
    for loss in power_losses(fault):
        is_in_time = since_s - 1.0 <= loss.off_unix_s <= max(reported_s) + error_s
        if loss.node == server and is_in_time:
            return f"{server} was fenced and powered off"
    return _fenced_by_array(fault, server, min(reported_s)) if fault.storage_fenced else None


def _fenced_by_array(fault: FaultResult, server: str, fenced_s: float) -> str | None:
    """The array accepted no write of the server after the fencing, until the server was restarted
    or unfenced.
    """
    watched = fault.writers_watched
    if watched is None or watched[1] < fenced_s:
        return None
    error_s = fault.writers_error_s + fault.clock_error_s
    own_s = [
        start.unix_s for start in _starts(fault) if start.node == server and start.unix_s > fenced_s
    ]
    again_s = min(own_s, default=float("inf"))
    for item in fault.writers.get(server, ()):
        if min(item["end_unix_s"], again_s) - max(item["start_unix_s"], fenced_s) > error_s:
            return None
    refused = sum(item["requests"] for item in fault.refused.get(server, ()))
    return f"{server} was fenced by the array ({refused} writes refused)"
