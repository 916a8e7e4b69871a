"""From the agents' lines to the result: figures of each client, and of all of them together.

All returned times are on the common clock, that of the machine that runs Seatrial: an agent's clock
is corrected by its measured offset.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from seatrial.analysis.histogram import Histogram, merge
from seatrial.load.agent_lines import NS, AgentLines
from seatrial.result.phases import ClientResult, Second

_LATENCY_KEYS = ("min", "mean", "p50", "p90", "p99", "p999", "max")


def client_result(agent: AgentLines) -> ClientResult:
    """The result of one agent; for a lost one, from its earlier lines."""
    done, seconds = agent.done or {}, agent.of("second")
    verification = done.get("verification", {})
    extents = list(verification.get("extents", []))
    if verification.get("extents_omitted"):
        extents.append({"class": "more", "omitted": verification["extents_omitted"]})
    return ClientResult(
        client=agent.client,
        size_bytes=int(done.get("bytes", sum(line["bytes"] for line in seconds))),
        operations=int(done.get("operations", sum(line["operations"] for line in seconds))),
        elapsed_s=done.get("elapsed_ns", 0) / NS,
        tasks=tuple(
            (task["bytes"], (task["elapsed_ns"] + done.get("start_late_ns", 0)) / NS, task["operations"])
            for task in done.get("tasks", [])
        ),
        start_late_s=done.get("start_late_ns", 0) / NS,
        latency_ms={
            name: {"count": figures["count"], **{key: figures[f"{key}_ns"] / 1e6 for key in _LATENCY_KEYS}}
            for name, figures in done.get("latency", {}).items()
        },
        seconds=tuple((agent.common_s(line["boottime_ns"]), line["bytes"], line["operations"]) for line in seconds),
        blocks_checked=int(verification.get("blocks_checked", 0)),
        damage=tuple(extents),
        errors=tuple(done.get("errors", [])),
        cpu_s=sum(done.get("cpu", {}).values()),
        lost=agent.lost or _stopped_early(done),
        engine=done.get("engine"),
        null_operations_per_s=done.get("null_operations_per_s"),
        telemetry=tuple(
            {"unix_s": agent.common_s(line["boottime_ns"]), **line["telemetry"]}
            for line in seconds
            if "telemetry" in line
        ),
        outages=tuple(outages(agent, flush=False)),
        flushes=tuple(outages(agent, flush=True)),
        copies=tuple(done.get("copy", ())),
        log_error=done.get("log_error"),
        unserved=int(done.get("unserved", 0)),
    )


def _stopped_early(done: dict[str, Any]) -> str | None:
    """The reason why an agent's tasks ended early, as text; None when they completed or the set
    time passed.
    """
    if done.get("complete", True) or done.get("stopped_by") == "time":
        return None
    errors = done.get("errors", [])
    if errors:
        return f"stopped early: {errors[0]['operation']} of {errors[0]['file']}: {errors[0]['text']}"
    return f"stopped early: {done.get('stopped_by') or 'reason not reported'}"


def latency(agents: Iterable[AgentLines]) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """(figures in milliseconds, histogram) of all clients together, by kind of operation; merged
    without loss.
    """
    coded: dict[str, list[str]] = {}
    for agent in agents:
        for name, figures in (agent.done or {}).get("latency", {}).items():
            coded.setdefault(name, []).append(figures["histogram"])
    merged = {name: merge(Histogram.decode(text) for text in texts) for name, texts in coded.items()}
    return (
        {name: item.figures() for name, item in merged.items() if item},
        {name: item.encode() for name, item in merged.items() if item},
    )


def seconds(agents: Iterable[AgentLines]) -> tuple[Second, ...]:
    """Every second since the common start: completions of all clients, and their latencies.

    An agent may report a second more than once, when a delayed task has completions in it.
    """
    lines: dict[int, list[dict[str, Any]]] = {}
    for agent in agents:
        for line in agent.of("latencies"):
            lines.setdefault(int(line["second"]), []).append(line)
    merged_seconds = []
    for number, parts in sorted(lines.items()):
        merged = merged_operations(parts)
        merged_seconds.append(
            Second(
                second=number,
                size_bytes=sum(part["bytes"] for part in parts),
                operations=sum(part["operations"] for part in parts),
                latency_ms=merged.figures() if merged else {},
                latency_by_operation_ms=_by_operation([part["histograms"] for part in parts]),
            )
        )
    return tuple(merged_seconds)


UNCOUNTED = frozenset({"fsync", "copy", "service"})
"""kinds that are part of operations, or consist of them: not operations themselves"""


def merged_operations(parts: Iterable[dict[str, Any]]) -> Histogram | None:
    """The latencies of all operations of these seconds, of any kind; None where there was none."""
    coded = [text for part in parts for name, text in part["histograms"].items() if name not in UNCOUNTED]
    return merge(Histogram.decode(text) for text in coded)


def _by_operation(parts: Sequence[dict[str, str]]) -> dict[str, dict[str, float]]:
    names = dict.fromkeys(name for part in parts for name in part)
    merged = {name: merge(Histogram.decode(part[name]) for part in parts if name in part) for name in sorted(names)}
    return {name: item.figures() for name, item in merged.items() if item}


def outages(agent: AgentLines, *, flush: bool) -> list[dict[str, Any]]:
    """Times in which a client or one of its tasks completed nothing for longer than the threshold.

    `flush`: the waits for the fsync or close after the last operation, which may take long. All
    other waits are outages.
    """
    done, silent = agent.done or {}, []
    whole = [(line, None) for line in done.get("client_outages", ())]
    for line, task in [*whole, *((line, line.get("task")) for line in done.get("outages", ()))]:
        if bool(line.get("flush")) != flush:
            continue
        start_s, end_s = agent.common_s(line["start_boottime_ns"]), agent.common_s(line["end_boottime_ns"])
        outage = {"client": agent.client, "task": task, "start_unix_s": start_s, "end_unix_s": end_s}
        silent.append({**outage, "open": bool(line.get("open"))})
    return sorted(silent, key=lambda item: (item["start_unix_s"], str(item["task"])))


WINDOWS_APART_MAX = 0.05
"""maximum difference of the ends of the clients' windows, as a share of their length, for a sum of
rates
"""


def steady(agents: Sequence[AgentLines]) -> dict[str, Any] | None:
    """The steady state of all clients together: the sum of their rates inside their windows; None
    if not requested.

    A client's window ends with its first task at the latest. Where the clients' ends differ too
    much, the later ones had the storage to themselves for a while, and the sum would exceed the
    storage's rate: there is no common steady state, and `window` must be shorter. None also where a
    task ended before the warm-up did.
    """
    parts = [(agent, part) for agent in agents if (part := (agent.done or {}).get("steady"))]
    if not parts or len(parts) < len(agents):
        return None
    if any(part["rate_bytes_per_s"] is None for _, part in parts):
        return None
    starts_s = [agent.common_s(part["from_boottime_ns"]) for agent, part in parts]
    ends_s = [agent.common_s(part["to_boottime_ns"]) for agent, part in parts]
    if max(ends_s) - min(ends_s) > WINDOWS_APART_MAX * (max(ends_s) - min(starts_s)):
        return None
    return {
        "rate_bytes_per_s": sum(part["rate_bytes_per_s"] for _, part in parts),
        "operations_per_s": sum(part["operations_per_s"] for _, part in parts),
        "from_unix_s": min(starts_s),
        "to_unix_s": max(ends_s),
        "latency_ms": _by_operation(
            [{name: it["histogram"] for name, it in part.get("latency", {}).items()} for _, part in parts]
        ),
    }


UNCERTAIN_MAX = 0.05
"""maximum share of a stonewalled aggregate that may rest on seconds cut by the wall"""


def stonewalled(agents: Sequence[AgentLines], started_s: float) -> tuple[float, float] | None:
    """(bytes, operations) per second of all tasks until the first of them had finished; None if
    unknown.

    For the client with that task it is exact. The progress of the others is read from their
    seconds, evenly within the one that the wall cuts. Where more than a twentieth rests on such
    seconds, the result is None.
    """
    walls = [(_wall_s(agent), index) for index, agent in enumerate(agents)]
    known = [(wall, index) for wall, index in walls if wall is not None]
    if not known or len(known) < len(walls) or any(agent.lost for agent in agents):
        return None
    wall_s, first = min(known)
    stonewall = (agents[first].done or {})["stonewall"]
    size_bytes, operations, uncertain = float(stonewall["bytes"]), float(stonewall["operations"]), 0.0
    for index, agent in enumerate(agents):
        if index != first:
            done = _until(agent, started_s, wall_s)
            size_bytes, operations, uncertain = size_bytes + done[0], operations + done[1], uncertain + done[2]
    if wall_s <= 0 or uncertain > UNCERTAIN_MAX * operations:
        return None
    return size_bytes / wall_s, operations / wall_s


def _wall_s(agent: AgentLines) -> float | None:
    """When the first task of a client had finished, in s after the common start."""
    done = agent.done or {}
    if not (done.get("stonewall") or {}).get("complete"):
        return None
    return float(done["stonewall"]["elapsed_ns"] + done["start_late_ns"]) / NS


def _until(agent: AgentLines, started_s: float, wall_s: float) -> tuple[float, float, float]:
    """(bytes, operations, share of these in a cut second) of a client until `wall_s`."""
    size_bytes = operations = 0.0
    before_s = (agent.done or {})["start_late_ns"] / NS
    for line in agent.of("second"):
        end_s = agent.common_s(line["boottime_ns"]) - started_s
        if end_s > wall_s:
            share = min(1.0, max(0.0, (wall_s - before_s) / max(end_s - before_s, 1e-9)))
            uncertain = line["operations"] * 2 * min(share, 1 - share)
            return size_bytes + line["bytes"] * share, operations + line["operations"] * share, uncertain
        size_bytes, operations, before_s = size_bytes + line["bytes"], operations + line["operations"], end_s
    return size_bytes, operations, 0.0
