"""`check: fencing`: never two writers at once, and no takeover without a confirmed stop or fencing.

Passes when, in every fault, no two servers wrote to one volume at the same time. No server may
write after its peer began to start the service, or without power. The array's own log shows this
within the time between two of its samples. The old server must have stopped every part of a service
without an error, or must have been fenced. A fencing counts when the power log shows the server
off, or when `reservation` made the array refuse its writes.

Unknown when the array cannot report writers, was not asked in time, or when the fault could not be
completed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from seatrial.basics.schema import Model
from seatrial.judge.answer import Answer, Reason, combine, failed, passed, skipped, unknown
from seatrial.judge.base import answers_of_faults
from seatrial.judge.flaws import Evidence
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result

TITLE = "never two writers, never a takeover without a confirmed stop or fencing"
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
    if fault.moved and not any(item["what"] == "starting" for item in fault.moments):
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
    seconds = [
        second
        for item in fault.judged
        if item.phase == "write"
        for second in item.seconds
        if second[3]
    ]
    injected_s, recovered_s = fault.injected_unix_s, fault.recovered_unix_s
    before = injected_s is not None and any(second[0] <= injected_s for second in seconds)
    after = recovered_s is not None and any(
        second[0] - second[1] >= recovered_s for second in seconds
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
    writes = [(server, item) for server, items in fault.writers.items() for item in items]
    found = (
        *_at_once(writes, fault.writers_error_s),
        *_after_takeover(fault, writes, error_s),
        *_without_power(fault, writes, error_s),
    )
    return list(dict.fromkeys(found))


def _at_once(writes: list[tuple[str, dict[str, Any]]], error_s: float) -> Iterator[str]:
    """Two servers that wrote to one volume at the same time, for longer than the error of the
    samples.
    """
    for index, (one, first) in enumerate(writes):
        for other, second in writes[index + 1 :]:
            if one == other or first["volume"] != second["volume"]:
                continue
            both_s = min(first["end_unix_s"], second["end_unix_s"]) - max(
                first["start_unix_s"], second["start_unix_s"]
            )
            if both_s > error_s:
                yield f"{one} and {other} both wrote to {first['volume']} for {both_s:.1f} s"


def _after_takeover(
    fault: FaultResult, writes: list[tuple[str, dict[str, Any]]], error_s: float
) -> Iterator[str]:
    """Writes of a server after another began to start the service, until it began to start it
    itself.
    """
    starts = [(item["unix_s"], item["node"], service) for item, service in _starts(fault)]
    for server, item in writes:
        for start_s, node, service in starts:
            if node == server or service != item["volume"]:
                continue
            own = [
                when
                for when, who, what in starts
                if who == server and what == service and when >= start_s
            ]
            end_s = min([item["end_unix_s"], *own])
            late_s = end_s - max(start_s, item["start_unix_s"])
            if late_s > error_s:
                yield (
                    f"{server} wrote to {service} {end_s - start_s:.1f} s after {node} began to "
                    "start it"
                )


def _without_power(
    fault: FaultResult, writes: list[tuple[str, dict[str, Any]]], error_s: float
) -> Iterator[str]:
    """Writes that arrived while the server had no power."""
    for server, off_s, on_s in power_losses(fault):
        for writer, item in writes:
            late_s = min(item["end_unix_s"], on_s) - max(item["start_unix_s"], off_s)
            if writer == server and late_s > error_s:
                yield f"{server} wrote for {late_s:.1f} s without power"


def power_losses(fault: FaultResult) -> Iterator[tuple[str, float, float]]:
    """(server, from, to) of every time without power; the end of a kernel counts as a loss of
    power.
    """
    since: dict[str, float] = {}
    for item in fault.power:
        if item["what"] in ("off", "ended by itself"):
            since.setdefault(item["node"], item["unix_s"])
        elif item["what"] == "on" and item["node"] in since:
            yield item["node"], since.pop(item["node"]), item["unix_s"]
    yield from ((node, off_s, float("inf")) for node, off_s in since.items())


# ---- takeovers


def _starts(fault: FaultResult) -> Iterator[tuple[dict[str, Any], str]]:
    """Every moment in which a server began to start a part of a service."""
    for item in fault.moments:
        if item["what"] == "starting":
            for service in fault.roles_before:
                if item.get("subject", "") == service or item.get("subject", "").startswith(
                    f"{service}-"
                ):
                    yield item, service


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
    for item, service in sorted(_starts(fault), key=lambda pair: float(pair[0]["unix_s"])):
        node, at_s, part = item["node"], item["unix_s"], item["subject"]
        other, had_s = held.get(part, (fault.roles_before[service], since_s))
        held[part] = (node, at_s)
        if node == other:
            continue
        how = _stopped(fault, part, other, had_s, at_s) or _fenced(fault, other, had_s, at_s)
        if how is not None:
            yield Takeover(True, how)
        else:
            words = f"{node} started {part} without a confirmed stop or fencing of {other}"
            yield Takeover(False, words)


def _stopped(
    fault: FaultResult, part: str, server: str, since_s: float, until_s: float
) -> str | None:
    """A clean stop of it in this time."""
    error_s = fault.clock_error_s
    stops = [
        item
        for item in fault.moments
        if (item["what"], item["node"], item.get("subject")) == ("stopped", server, part)
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
        if item["what"] == "fenced" and item.get("subject") == server
        if since_s - error_s <= item["unix_s"] <= until_s + error_s
    ]
    if not reported_s:
        return None
    for node, off_s, _ in power_losses(fault):
        if node == server and since_s - 1.0 <= off_s <= max(reported_s) + error_s:
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
        item["unix_s"]
        for item, _ in _starts(fault)
        if item["node"] == server and item["unix_s"] > fenced_s
    ]
    again_s = min(own_s, default=float("inf"))
    for item in fault.writers.get(server, ()):
        if min(item["end_unix_s"], again_s) - max(item["start_unix_s"], fenced_s) > error_s:
            return None
    refused = sum(item["requests"] for item in fault.refused.get(server, ()))
    return f"{server} was fenced by the array ({refused} writes refused)"
