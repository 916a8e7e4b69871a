"""From the agents' lines to the result: figures of each client, and of all of them together.

All returned times are on the common clock, that of the machine that runs Seatrial: an agent's clock
is corrected by its measured offset.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from seatrial.analysis.aggregates import TaskTime
from seatrial.analysis.histogram import Histogram, merge
from seatrial.basics.known import all_known
from seatrial.load.agent_events import (
    DoneLine,
    LatenciesLine,
    LatencySummary,
    SecondLine,
    SteadyReport,
)
from seatrial.load.agent_lines import NS, AgentLines
from seatrial.load.merged_seconds import UNCOUNTED, MergedSeconds
from seatrial.load.second_lines import Derived
from seatrial.result.extents import extents_of
from seatrial.result.outages import ClientOutage
from seatrial.result.phases import ClientResult, ClientSecond, Second, SteadyState


def client_result(agent: AgentLines, *, compact: bool = False) -> ClientResult:
    """The result of one agent; for a lost one, from its earlier lines.

    `compact`: its seconds stay in columns, and are no tuples.
    """
    done = agent.done or {}
    seconds = agent.seconds
    late_ns = done.get("start_late_ns", 0)
    verification: Mapping[str, Any] = done.get("verification", {})
    cpu = done.get("cpu")
    return ClientResult(
        client=agent.client,
        size_bytes=int(done.get("bytes", sum(line["bytes"] for line in seconds))),
        operations=int(done.get("operations", sum(line["operations"] for line in seconds))),
        elapsed_s=done.get("elapsed_ns", 0) / NS,
        tasks=tuple(
            TaskTime(task["bytes"], (task["elapsed_ns"] + late_ns) / NS, task["operations"])
            for task in done.get("tasks", [])
        ),
        start_late_s=late_ns / NS,
        latency_ms={name: _in_ms(summary) for name, summary in done.get("latency", {}).items()},
        seconds=_seconds_of(agent, compact=compact),
        blocks_checked=int(verification.get("blocks_checked", 0)),
        damage=extents_of(verification),
        errors=errors_of(done),
        cpu_s=cpu["user_s"] + cpu["system_s"] if cpu else 0.0,
        lost=agent.lost or _stopped_early(done),
        engine=done.get("engine"),
        null_operations_per_s=done.get("null_operations_per_s"),
        telemetry=_telemetry_of(agent, compact=compact),
        outages=tuple(outages(agent, flush=False)),
        flushes=tuple(outages(agent, flush=True)),
        copies=tuple(cast("list[dict[str, Any]]", done.get("copy", []))),
        log_error=done.get("log_error"),
        unserved=int(done.get("unserved", 0)),
    )


def errors_of(done: DoneLine) -> tuple[dict[str, Any], ...]:
    """The errors of an agent, as the result has them."""
    return tuple(cast("list[dict[str, Any]]", done.get("errors", [])))


def _in_ms(summary: LatencySummary) -> dict[str, float]:
    return {
        "count": summary["count"],
        "min": summary["min_ns"] / 1e6,
        "mean": summary["mean_ns"] / 1e6,
        "p50": summary["p50_ns"] / 1e6,
        "p90": summary["p90_ns"] / 1e6,
        "p99": summary["p99_ns"] / 1e6,
        "p999": summary["p999_ns"] / 1e6,
        "max": summary["max_ns"] / 1e6,
    }


def _seconds_of(agent: AgentLines, *, compact: bool) -> tuple[ClientSecond, ...]:
    def second(line: SecondLine) -> ClientSecond:
        ended_unix_s = agent.common_s(line["boottime_ns"])
        return ClientSecond(ended_unix_s, line["bytes"], line["operations"])

    derived = Derived(agent.seconds, second)
    return cast("tuple[ClientSecond, ...]", derived) if compact else tuple(derived)


def _telemetry_of(agent: AgentLines, *, compact: bool) -> tuple[dict[str, Any], ...]:
    def telemetry(line: SecondLine) -> dict[str, Any]:
        return {"unix_s": agent.common_s(line["boottime_ns"]), **line["telemetry"]}

    seconds = agent.seconds
    if not compact or any("telemetry" not in line for line in seconds):
        return tuple(telemetry(line) for line in seconds if "telemetry" in line)
    return cast("tuple[dict[str, Any], ...]", Derived(seconds, telemetry))


def _stopped_early(done: DoneLine) -> str | None:
    """The reason why an agent's tasks ended early, as text; None when they completed or the set
    time passed.
    """
    if done.get("complete", True) or done.get("stopped_by") == "time":
        return None
    errors = done.get("errors", [])
    if errors:
        return (
            f"stopped early: {errors[0]['operation']} of {errors[0]['file']}: {errors[0]['text']}"
        )
    return f"stopped early: {done.get('stopped_by') or 'reason not reported'}"


@dataclass(frozen=True)
class MergedLatency:
    """The latency of all clients together, by kind of operation."""

    figures_ms: dict[str, dict[str, float]]
    histograms: dict[str, str]
    """merged without loss; coded as in `PhaseResult.histograms`"""


def latency(agents: Iterable[AgentLines]) -> MergedLatency:
    """The latency of all operations, from the clients' histograms."""
    coded: dict[str, list[str]] = {}
    for agent in agents:
        for name, figures in (agent.done or {}).get("latency", {}).items():
            coded.setdefault(name, []).append(figures["histogram"])
    merged = {
        name: merge(Histogram.decode(text) for text in texts) for name, texts in coded.items()
    }
    return MergedLatency(
        figures_ms={name: item.figures() for name, item in merged.items() if item},
        histograms={name: item.encode() for name, item in merged.items() if item},
    )


def seconds(agents: Iterable[AgentLines]) -> tuple[Second, ...]:
    """The seconds of all of them; see `MergedSeconds`."""
    agents = list(agents)
    shared = next((agent.merged for agent in agents if agent.merged is not None), None)
    if shared is not None:
        return shared.seconds()
    return MergedSeconds(line for agent in agents for line in agent.latencies).seconds()


def merged_operations(parts: Iterable[LatenciesLine]) -> Histogram | None:
    """The latencies of all operations of these seconds, of any kind; None where there was none."""
    coded = [
        text for part in parts for name, text in part["histograms"].items() if name not in UNCOUNTED
    ]
    return merge(Histogram.decode(text) for text in coded)


def _by_operation(parts: Sequence[dict[str, str]]) -> dict[str, dict[str, float]]:
    names = dict.fromkeys(name for part in parts for name in part)
    merged = {
        name: merge(Histogram.decode(part[name]) for part in parts if name in part)
        for name in sorted(names)
    }
    return {name: item.figures() for name, item in merged.items() if item}


def outages(agent: AgentLines, *, flush: bool) -> list[ClientOutage]:
    """Times in which a client or one of its tasks completed nothing for longer than the threshold.

    `flush`: the waits for the fsync or close after the last operation, which may take long. All
    other waits are outages.
    """
    done = agent.done or {}
    silent = []
    for line in [*done.get("client_outages", []), *done.get("outages", [])]:
        if bool(line.get("flush")) != flush:
            continue
        outage = ClientOutage(
            task=line.get("task"),
            start_unix_s=agent.common_s(line["start_boottime_ns"]),
            end_unix_s=agent.common_s(line["end_boottime_ns"]),
            open=bool(line.get("open")),
            client=agent.client,
        )
        silent.append(outage)
    return sorted(silent, key=lambda item: (item.start_unix_s, str(item.task)))


@dataclass(frozen=True)
class Rates:
    """The rates of tasks in a part of a phase."""

    bytes_per_s: float
    operations_per_s: float


def _rates_in_window(report: SteadyReport) -> Rates | None:
    """The rates of a client in its window; None where the window is empty."""
    bytes_per_s = report["rate_bytes_per_s"]
    operations_per_s = report["operations_per_s"]
    if bytes_per_s is None or operations_per_s is None:
        return None
    return Rates(bytes_per_s, operations_per_s)


WINDOWS_APART_MAX = 0.05
"""maximum difference of the ends of the clients' windows, as a share of their length, for a sum of
rates
"""


def steady(agents: Sequence[AgentLines]) -> SteadyState | None:
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
    rates = all_known([_rates_in_window(part) for _, part in parts])
    if rates is None:
        return None
    starts_s = [agent.common_s(part["from_boottime_ns"]) for agent, part in parts]
    ends_s = [agent.common_s(part["to_boottime_ns"]) for agent, part in parts]
    if max(ends_s) - min(ends_s) > WINDOWS_APART_MAX * (max(ends_s) - min(starts_s)):
        return None
    return {
        "rate_bytes_per_s": sum(rate.bytes_per_s for rate in rates),
        "operations_per_s": sum(rate.operations_per_s for rate in rates),
        "from_unix_s": min(starts_s),
        "to_unix_s": max(ends_s),
        "latency_ms": _by_operation(
            [
                {name: figures["histogram"] for name, figures in part.get("latency", {}).items()}
                for _, part in parts
            ]
        ),
    }


UNCERTAIN_MAX = 0.05
"""maximum share of a stonewalled aggregate that may rest on seconds cut by the wall"""


def stonewalled(agents: Sequence[AgentLines], started_s: float) -> Rates | None:
    """The rates until the stonewall, when the first task had finished; None if unknown.

    For the client with that task it is exact. The progress of the others is read from their
    seconds, evenly within the one that the wall cuts. Where more than a twentieth rests on such
    seconds, the result is None.
    """
    walls = [(_wall_s(agent), index) for index, agent in enumerate(agents)]
    known_walls = [(wall, index) for wall, index in walls if wall is not None]
    if not known_walls or len(known_walls) < len(walls) or any(agent.lost for agent in agents):
        return None
    wall_s, first = min(known_walls)
    stonewall = (agents[first].done or {})["stonewall"]
    size_bytes = float(stonewall["bytes"])
    operations = float(stonewall["operations"])
    uncertain = 0.0
    for index, agent in enumerate(agents):
        if index != first:
            done = _until(agent, started_s, wall_s)
            size_bytes += done.size_bytes
            operations += done.operations
            uncertain += done.uncertain
    if wall_s <= 0 or uncertain > UNCERTAIN_MAX * operations:
        return None
    return Rates(size_bytes / wall_s, operations / wall_s)


def _wall_s(agent: AgentLines) -> float | None:
    """When the first task of a client had finished, in s after the common start."""
    done = agent.done or {}
    stonewall = done.get("stonewall")
    if stonewall is None or not stonewall["complete"]:
        return None
    return (stonewall["elapsed_ns"] + done["start_late_ns"]) / NS


@dataclass(frozen=True)
class _Done:
    """The work of a client until the stonewall."""

    size_bytes: float
    operations: float
    uncertain: float
    """operations of the cut second that may belong to either side"""


def _until(agent: AgentLines, started_s: float, wall_s: float) -> _Done:
    """The work of a client until `wall_s` after the common start, with a share of a cut second."""
    size_bytes = operations = 0.0
    before_s = (agent.done or {})["start_late_ns"] / NS
    for line in agent.seconds:
        end_s = agent.common_s(line["boottime_ns"]) - started_s
        if end_s > wall_s:
            share = min(1.0, max(0.0, (wall_s - before_s) / max(end_s - before_s, 1e-9)))
            uncertain = line["operations"] * 2 * min(share, 1 - share)
            return _Done(
                size_bytes + line["bytes"] * share,
                operations + line["operations"] * share,
                uncertain,
            )
        size_bytes += line["bytes"]
        operations += line["operations"]
        before_s = end_s
    return _Done(size_bytes, operations, 0.0)
