"""Lines of runs for the tests of `watch`: written as a run writes them."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from seatrial.analysis.histogram import Histogram
from seatrial.result import live
from seatrial.result.live import AgentSecond, AgentState, LiveAgent, LiveFault, LiveLoad, LiveSecond
from seatrial.watch.snapshot import Snapshot
from seatrial.watch.state import RunState

BEGAN_S = 1000.0
"""when the runs of these tests begin"""


def line(kind: str, unix_s: float, **fields: Any) -> str:
    """A line of either file."""
    return json.dumps({"type": kind, "unix_s": unix_s, **fields})


def run_line(unix_s: float = BEGAN_S) -> str:
    """The first line of a result."""
    return line("run", unix_s, study="small", title="A small study", profile="quick")


def saturation_search(clients: Sequence[str], unix_s: float = BEGAN_S + 1, **changes: Any) -> str:
    """A load begins."""
    agents = tuple(LiveAgent(client) for client in clients)
    return line(live.LOAD, unix_s, **asdict(LiveLoad("one phase", agents, **changes)))


def agent(**changes: Any) -> AgentSecond:
    """One second of an agent that works."""
    fields: dict[str, Any] = {
        "state": AgentState.RUNNING,
        "operations_total": 100,
        "errors_total": 0,
        "size_bytes": 1_000_000,
        "operations": 10,
        "interval_ms": 1000.0,
        "latency_max_ms": 5.0,
        "silent_s": 0.0,
    }
    return AgentSecond(**{**fields, **changes})


def second_line(agents: Sequence[AgentSecond], unix_s: float, **changes: Any) -> str:
    """A second of the current load."""
    fields: dict[str, Any] = {"size_bytes_total": 0, "operations_total": 0, **changes}
    second = LiveSecond(agents=tuple(agents), **fields)
    return line(live.SECOND, unix_s, **second.to_json())


def fault_line(unix_s: float, **changes: Any) -> str:
    """The current fault has come further."""
    return line(live.FAULT, unix_s, **asdict(LiveFault("panic", "The kernel panics", **changes)))


def histogram(latencies_ns: Mapping[int, int]) -> str:
    """The histogram of an agent: latency in ns, below 2048 -> number of operations."""
    return Histogram(Counter(latencies_ns)).encode()


def state_of(*lines: str) -> RunState:
    """The state after these lines."""
    state = RunState()
    for text in lines:
        state.feed(text)
    return state


def snapshot_of(*lines: str, now_s: float = BEGAN_S + 10, is_written: bool = True) -> Snapshot:
    """The snapshot of a run in progress after these lines."""
    return state_of(*lines).snapshot(now_s, result="run", is_written=is_written)


def thousand(seconds: int) -> list[str]:
    """A load of 1,000 clients with a histogram in each second; one client is silent."""
    names = [f"node{number:04d}" for number in range(1, 1001)]
    agents = [agent(size_bytes=1000 * number) for number in range(1, 1001)]
    agents[499] = agent(silent_s=3.0)
    shared = {number: (histogram({1000: 5}),) for number in range(1000)}
    times_s = [BEGAN_S + 2 + number for number in range(seconds)]
    each = [second_line(agents, time_s, histograms=shared) for time_s in times_s]
    return [run_line(), saturation_search(names), *each]
