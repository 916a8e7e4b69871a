"""Condenses the lines of a load's agents to one line per second of the live file.

The lines come from the threads that receive them. They therefore also arrive while the main thread
injects a fault. A separate thread writes one line per second.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from seatrial.load.merged_seconds import UNCOUNTED
from seatrial.result.live import (
    AgentSecond,
    AgentState,
    LiveFile,
    LiveLoad,
    LiveSecond,
)

INTERVAL_S = 1.0
SILENT_AFTER_S = 2.5
"""an agent at work sends a line every second; without one for this time in s it is silent"""
LATENCY_AGENTS_MAX = 200
"""with more agents the live file has no histograms: they would be most of it"""
NS_PER_MS = 1e6


@dataclass
class _Agent:
    """The figures of one agent: totals, and those since the last line of the live file."""

    state: AgentState = AgentState.WAITING
    lost: str | None = None
    size_bytes_total: int = 0
    operations_total: int = 0
    errors_total: int = 0
    size_bytes: int = 0
    operations: int = 0
    interval_ns: int = 0
    latency_max_ns: int = 0
    histograms: list[str] = field(default_factory=list)
    heard_s: float = 0.0
    """when its last line came"""
    answered_s: float = 0.0
    """when the last line with a completed operation came"""
    stalled_s: float = float("-inf")
    """when it last reported a task without a completion"""
    is_idle: bool = False
    """its last interval had no completed operation"""

    def silent_s(self, now_s: float) -> float:
        """The time without a completed operation while one is due, in s; 0 where it works.

        An agent of an open loop at a low rate may be idle: it is silent only if a task waits, or if
        the agent itself sends nothing.
        """
        if self.state is not AgentState.RUNNING:
            return 0.0
        waits = self.is_idle and now_s - self.stalled_s <= SILENT_AFTER_S
        is_unheard = now_s - self.heard_s > SILENT_AFTER_S
        return now_s - self.answered_s if waits or is_unheard else 0.0

    def taken(self, now_s: float) -> AgentSecond:
        """The figures since the last call, which begins a new interval."""
        second = AgentSecond(
            state=self.state,
            operations_total=self.operations_total,
            errors_total=self.errors_total,
            size_bytes=self.size_bytes,
            operations=self.operations,
            interval_ms=round(self.interval_ns / NS_PER_MS, 1),
            latency_max_ms=round(self.latency_max_ns / NS_PER_MS, 3),
            silent_s=round(self.silent_s(now_s), 1),
        )
        self.size_bytes = self.operations = self.interval_ns = self.latency_max_ns = 0
        self.histograms = []
        return second


class LiveMeter:
    """The agents of one load, as the live file shows them."""

    def __init__(self, load: LiveLoad, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        names = (f"{item.client} {item.stream}".strip() for item in load.agents)
        self._agents = {name: _Agent() for name in names}
        self._keeps_histograms = len(self._agents) <= LATENCY_AGENTS_MAX

    def hear(self, name: str, line: str) -> None:
        """A line of an agent; a line that is not one of an agent is ignored here."""
        try:
            event = json.loads(line)
            with self._lock:
                self._hear(self._agents[name], event)
        except (ValueError, KeyError, TypeError, AttributeError):
            return

    def lose(self, name: str, reason: str) -> None:
        """An agent is lost."""
        with self._lock:
            agent = self._agents.get(name)
            if agent is not None:
                agent.state = AgentState.LOST
                agent.lost = reason

    def second(self) -> LiveSecond:
        """The figures since the last call."""
        now_s = self._clock()
        with self._lock:
            agents = list(self._agents.values())
            texts = {number: tuple(agent.histograms) for number, agent in enumerate(agents)}
            lost = {number: agent.lost for number, agent in enumerate(agents) if agent.lost}
            return LiveSecond(
                size_bytes_total=sum(agent.size_bytes_total for agent in agents),
                operations_total=sum(agent.operations_total for agent in agents),
                agents=tuple(agent.taken(now_s) for agent in agents),
                lost=lost,
                histograms={
                    number: histograms for number, histograms in texts.items() if histograms
                },
            )

    def _hear(self, agent: _Agent, event: Mapping[str, Any]) -> None:
        if agent.lost is not None:
            return
        now_s = self._clock()
        agent.heard_s = now_s
        match event.get("event"):
            case "second":
                self._count(agent, event, now_s)
            case "latencies" if self._keeps_histograms:
                kinds = event["histograms"].items()
                agent.histograms += [text for kind, text in kinds if kind not in UNCOUNTED]
            case "stall":
                agent.stalled_s = now_s
            case "done":
                agent.state = AgentState.DONE
                agent.size_bytes_total = int(event["bytes"])
                agent.operations_total = int(event["operations"])

    @staticmethod
    def _count(agent: _Agent, event: Mapping[str, Any], now_s: float) -> None:
        """Add the figures of one second."""
        operations = int(event["operations"])
        interval_ns = int(event["interval_ns"])
        if agent.state is AgentState.WAITING:
            agent.state = AgentState.RUNNING
            agent.answered_s = now_s - interval_ns / 1e9
        agent.size_bytes_total += int(event["bytes"])
        agent.operations_total += operations
        agent.errors_total += int(event.get("errors") or 0)
        agent.size_bytes += int(event["bytes"])
        agent.operations += operations
        agent.interval_ns += interval_ns
        agent.latency_max_ns = max(agent.latency_max_ns, int(event.get("latency_ns_max") or 0))
        agent.is_idle = not operations
        if operations:
            agent.answered_s = now_s


@contextlib.contextmanager
def written_each_second(file: LiveFile, load: LiveLoad, meter: LiveMeter) -> Iterator[None]:
    """For the body, which runs the agents: the live file gets the load, and a line per second."""
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(INTERVAL_S):
            file.second(meter.second())

    file.load(load)
    writer = threading.Thread(target=write, daemon=True, name="live file")
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
        file.second(meter.second())
        file.load_ended()
