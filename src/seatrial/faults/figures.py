"""From the agents' reports during a fault to the result's entries: outages, and which clients got
answers again.

Pure, as `gather` is. All returned times are on the common clock.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from seatrial.load import gather
from seatrial.load.agent_lines import NS, AgentLines
from seatrial.result.extents import extents_of
from seatrial.result.fault_parts import Comparison, Wait
from seatrial.result.faults import StreamInterval, StreamResult
from seatrial.result.outages import Outage, longest_of

COMPARED_NAMED_MAX = 5
"""maximum number of lost or wrong items, and of names, in the line of a fault; the line
`comparison` has more
"""


def stream_result(
    agent: AgentLines, phase: str, injected_s: float, ended_s: float, *, lost_power: bool
) -> StreamResult:
    """The result of one stream."""
    done = agent.done or {}
    verification: Mapping[str, Any] = done.get("verification", {})
    outages = [item for item in outages_of(agent, ended_s) if item.end_unix_s > injected_s]
    outages += unanswered(agent, outages, injected_s, ended_s)
    return StreamResult(
        client=agent.client,
        stream=agent.stream,
        phase=phase,
        lost_power=lost_power,
        outages=tuple(outages),
        first_completion_unix_s=first_completion_s(agent, outages, injected_s),
        seconds=tuple(seconds_of(agent)),
        operations=int(done.get("operations", sum(line["operations"] for line in agent.seconds))),
        errors=gather.errors_of(done),
        blocks_checked=int(verification.get("blocks_checked", 0)),
        damage=extents_of(verification),
        over_unix_s=over_s(agent),
        lost=agent.lost,
        waits=tuple(waits_of(agent)),
        recovered=None if lost_power else _recovered(agent, outages),
    )


def _recovered(agent: AgentLines, outages: Iterable[Outage]) -> bool | None:
    if any(outage.open for outage in outages):
        return False
    return True if agent.done is not None else None


def is_ended_by_error(agent: AgentLines) -> bool:
    """Whether an error ended the stream: it makes no more requests, and got no answer after the
    error.
    """
    return (agent.done or {}).get("stopped_by") == "error"


def unanswered(
    agent: AgentLines, outages: Iterable[Outage], injected_s: float, ended_s: float
) -> list[Outage]:
    """The open outage of a stream without an answer after the injection, where no list has it yet.

    An error may come before the threshold has passed, and a lost agent may have reported no stall.
    """
    if any(outage.open for outage in outages):
        return []
    answered_s = [
        agent.common_s(line["boottime_ns"]) for line in agent.seconds if line["operations"]
    ]
    last_s = max(answered_s, default=injected_s)
    agent_end_s = over_s(agent)
    if is_ended_by_error(agent):
        end_s = max(agent_end_s or ended_s, injected_s)
    elif agent.done is None and agent.seconds and last_s <= injected_s:
        end_s = ended_s
    else:
        return []
    start_s = min(max(last_s, injected_s), end_s)
    return [Outage(task=None, start_unix_s=start_s, end_unix_s=end_s, open=True)]


def waits_of(agent: AgentLines) -> list[Wait]:
    """Where threads of the agent waited, at each of its checks."""
    return [
        Wait(
            unix_s=agent.common_s(line["boottime_ns"]),
            thread=thread["name"],
            state=thread["state"],
            functions=thread["functions"],
        )
        for line in agent.waiting
        for thread in line["threads"]
    ]


def outages_of(agent: AgentLines, ended_s: float) -> list[Outage]:
    """Times in which the client or one task waited and completed nothing for longer than the
    threshold.

    For an agent without a result, its reports of stalls are used; the last one is open.
    """
    if agent.done is not None:
        return [
            Outage(item.task, item.start_unix_s, item.end_unix_s, item.open)
            for item in gather.outages(agent, flush=False)
        ]
    return _reported_outages(agent, ended_s)


def _reported_outages(agent: AgentLines, ended_s: float) -> list[Outage]:
    """Outages from the `stall` lines, identified by (task, since); each lasted at least until its
    last report.
    """
    until_s: dict[tuple[int, int], float] = {}
    lines = agent.stalls
    for line in lines:
        reported_s = agent.common_s(line["boottime_ns"])
        for stalled in line["tasks"]:
            until_s[stalled["task"], stalled["since_boottime_ns"]] = reported_s
    last_tasks = lines[-1]["tasks"] if is_stalled(agent) else []
    still = {(stalled["task"], stalled["since_boottime_ns"]) for stalled in last_tasks}
    outages = []
    for (task, since_ns), last_report_s in until_s.items():
        is_open = (task, since_ns) in still
        outage = Outage(
            task=task,
            start_unix_s=agent.common_s(since_ns),
            end_unix_s=max(last_report_s, ended_s) if is_open else last_report_s,
            open=is_open,
        )
        outages.append(outage)
    return sorted(outages, key=lambda outage: outage.start_unix_s)


def is_stalled(agent: AgentLines) -> bool:
    """Whether the last report lists a task without an answer."""
    stalls = agent.stalls
    seconds = agent.seconds
    if not stalls:
        return False
    return not seconds or stalls[-1]["boottime_ns"] > seconds[-1]["boottime_ns"] - 0.5 * NS


FIRST_REQUEST_S = 1.0
"""a task that has waited since before this time in s may wait for its first answer"""


def is_answered(agent: AgentLines, since_s: float) -> bool:
    """Whether the agent reported a whole interval since then with a completion, and no task still
    waits.

    A stream that is over waits for nothing. Where a slow machine delays every request beyond the
    stall threshold, a task that began to wait later has had its answer.
    """
    if agent.done is not None:
        return True
    if is_stalled(agent):
        waits_s = [agent.common_s(task["since_boottime_ns"]) for task in agent.stalls[-1]["tasks"]]
        if any(wait_s < since_s + FIRST_REQUEST_S for wait_s in waits_s):
            return False
    for line in reversed(agent.seconds):
        if agent.common_s(line["boottime_ns"] - line["interval_ns"]) < since_s:
            return False
        if line["operations"]:
            return True
    return False


def first_completion_s(
    agent: AgentLines, outages: Iterable[Outage], injected_s: float
) -> float | None:
    """When the longest outage that extends past the injection ended; without one, the first second
    with answers.
    """
    longest = longest_of(outages)
    if longest is not None:
        return None if longest.open else longest.end_unix_s
    ends_s = [agent.common_s(line["boottime_ns"]) for line in agent.seconds if line["operations"]]
    return min((end_s for end_s in ends_s if end_s > injected_s), default=None)


def seconds_of(agent: AgentLines) -> list[StreamInterval]:
    """Every interval that the agent reported."""
    return [
        StreamInterval(
            ended_unix_s=agent.common_s(line["boottime_ns"]),
            length_s=line["interval_ns"] / NS,
            size_bytes=int(line["bytes"]),
            operations=int(line["operations"]),
        )
        for line in agent.seconds
    ]


Spans = Mapping[str, tuple[float, float]]


def loads_in(
    agents: Iterable[AgentLines],
    started_s: float,
    spans: Spans,
) -> dict[str, dict[str, dict[str, float]]]:
    """Stream -> span -> load of all its clients in the whole seconds inside of it, as counted by
    the agents.

    `seconds`: their number; `operations_per_s`; `mean_ms`, `p99_ms`, `max_ms`: latency. A stream
    without reports per second, such as a consistency test, is left out.
    """
    streams: dict[str, list[AgentLines]] = {}
    for agent in agents:
        if agent.latencies:
            streams.setdefault(agent.stream, []).append(agent)
    return {
        name: {
            span: _load(parts, start_s - started_s, end_s - started_s)
            for span, (start_s, end_s) in spans.items()
        }
        for name, parts in streams.items()
    }


def _load(parts: Iterable[AgentLines], start_s: float, end_s: float) -> dict[str, float]:
    lines = [
        line
        for agent in parts
        for line in agent.latencies
        if line["second"] >= start_s and line["second"] + 1 <= end_s
    ]
    merged = gather.merged_operations(lines)
    figures = merged.figures() if merged else {}
    seconds = max(math.floor(end_s) - math.ceil(start_s), 0)
    operations = sum(line["operations"] for line in lines)
    return {
        "seconds": seconds,
        "operations_per_s": operations / seconds if seconds else 0.0,
        **{f"{key}_ms": figures[key] for key in ("mean", "p99", "max") if key in figures},
    }


def over_s(agent: AgentLines) -> float | None:
    """When a stream completed its work or was ended by an error; None when it was stopped."""
    done = agent.done or {}
    if not done or done.get("stopped_by") in ("cancelled", "signal"):
        return None
    return agent.common_s(done["end_boottime_ns"])


def compared(comparison: Mapping[str, Any]) -> Comparison:
    """The figures of a comparison with the operation logs, and the first names of its lists."""
    counts = {
        key: comparison[key] for key in ("blocks", "must", "may", "lost", "wrong", "names_checked")
    }
    first = {key: comparison[key][:COMPARED_NAMED_MAX] for key in ("extents", "names")}
    names_wrong = len(comparison["names"]) + comparison["names_omitted"]
    refused = {key: comparison[key] for key in ("unreadable_by",) if key in comparison}
    figures = {
        **counts,
        "names_wrong": names_wrong,
        "unfinished": comparison["unfinished"],
        **first,
        **refused,
    }
    return cast(Comparison, figures)
