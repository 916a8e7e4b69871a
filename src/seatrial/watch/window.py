"""The rates and latencies of one client over the last seconds."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from seatrial.analysis.histogram import Histogram, merge
from seatrial.result.live import AgentSecond, AgentState, LiveAgent
from seatrial.result.phases import ClientResult
from seatrial.watch.snapshot import ClientState, ClientView

WINDOW_SECONDS = 5
"""number of lines of the live file, one per second, that rates and latencies cover"""


@dataclass
class _Entry:
    """One second of one agent."""

    second: AgentSecond
    histograms: tuple[str, ...]

    @cached_property
    def decoded(self) -> tuple[Histogram, ...]:
        """Its histograms; those that cannot be read are left out."""
        histograms = []
        for text in self.histograms:
            try:
                histograms.append(Histogram.decode(text))
            except ValueError:
                continue
        return tuple(histograms)


@dataclass
class ClientWindow:
    """One agent of the current load, with its last seconds."""

    agent: LiveAgent
    lost: str | None = None
    entries: deque[_Entry] = field(default_factory=lambda: deque(maxlen=WINDOW_SECONDS))

    def add(self, second: AgentSecond, histograms: tuple[str, ...], lost: str | None) -> None:
        """One more second."""
        self.entries.append(_Entry(second, histograms))
        self.lost = lost

    def view(self) -> ClientView:
        """The client as it is shown."""
        seconds = [entry.second for entry in self.entries]
        last = seconds[-1] if seconds else _NOTHING
        reported_s = sum(second.interval_ms for second in seconds) / 1e3
        latency = _merged(item for entry in self.entries for item in entry.decoded)
        longest_ms = max((second.latency_max_ms for second in seconds), default=0.0)
        moved_bytes = sum(second.size_bytes for second in seconds)
        operations = sum(second.operations for second in seconds)
        return ClientView(
            client=self.agent.client,
            stream=self.agent.stream,
            state=_state(last),
            silent_s=last.silent_s,
            rate_bytes_per_s=moved_bytes / reported_s if reported_s else 0.0,
            operations_per_s=operations / reported_s if reported_s else 0.0,
            operations=last.operations_total,
            errors=last.errors_total,
            latency_p50_ms=latency.quantile(0.5) / 1e6 if latency else None,
            latency_p99_ms=latency.quantile(0.99) / 1e6 if latency else None,
            latency_max_ms=longest_ms or None,
            lost=self.lost,
        )


_NOTHING = AgentSecond(AgentState.WAITING, 0, 0, 0, 0, 0.0, 0.0, 0.0)


def _state(last: AgentSecond) -> ClientState:
    if last.state is AgentState.RUNNING and last.silent_s > 0:
        return ClientState.SILENT
    return ClientState(last.state.value)


def _merged(histograms: Iterable[Histogram]) -> Histogram | None:
    """All latencies; None where there is none, or where they cannot be merged."""
    try:
        return merge(histograms)
    except ValueError:
        return None


def finished_client(result: ClientResult, phase: str) -> ClientView:
    """A client after its phase, with the figures of the whole phase."""
    latency_ms = result.latency_ms.get(phase, {})
    return ClientView(
        client=result.client,
        stream="",
        state=ClientState.LOST if result.lost else ClientState.DONE,
        silent_s=0.0,
        rate_bytes_per_s=result.rate_bytes_per_s,
        operations_per_s=result.operations_per_s,
        operations=result.operations,
        errors=len(result.errors),
        latency_p50_ms=latency_ms.get("p50"),
        latency_p99_ms=latency_ms.get("p99"),
        latency_max_ms=latency_ms.get("max"),
        lost=result.lost,
    )


_ORDER = (
    ClientState.SILENT,
    ClientState.LOST,
    ClientState.RUNNING,
    ClientState.WAITING,
    ClientState.DONE,
)


def in_order(clients: Iterable[ClientView]) -> tuple[ClientView, ...]:
    """The silent clients first, the longest silence first; then the lost ones and the slowest."""
    views = list(clients)
    moves_data = any(item.rate_bytes_per_s for item in views)

    def key(item: ClientView) -> tuple[int, float, float]:
        rate = item.rate_bytes_per_s if moves_data else item.operations_per_s
        return _ORDER.index(item.state), -item.silent_s, rate

    return tuple(sorted(views, key=key))
