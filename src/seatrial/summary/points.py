"""From single phases to measured points: the repeats of one phase at one point, in the order of the
run.

Units: rates in bytes/s, times in s, latencies in ms, shares from 0 to 1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev
from typing import Any

from seatrial.analysis.histogram import P99_OPERATIONS
from seatrial.result.phases import PhaseResult, SteadyState
from seatrial.result.quantities import Quantity, quantity_of_result
from seatrial.result.validity import sorted_repeats
from seatrial.study.workload import COPY_PHASES

STEADY_MIN_S = 2.0
"""minimum duration of a phase in the summary: it contains one whole second of every node's own
counters, whatever their offset
"""


@dataclass(frozen=True)
class Latency:
    """Latencies of operations."""

    p50_ms: float
    p99_ms: float | None
    """None where there were fewer than P99_OPERATIONS"""
    max_ms: float
    operations: int
    """the count of operations; the lowest of several repeats or clients"""


def own_operations(phase: str) -> tuple[str, ...]:
    """The kinds of operations that a phase consists of, as the agent names them."""
    if phase in COPY_PHASES:
        return ("copy",)
    return ("read", "write") if phase == "mixed" else (phase,)


def own_figures(
    phase: str, latencies: Iterable[Mapping[str, Mapping[str, float]]]
) -> list[Mapping[str, float]]:
    """The complete latencies of a phase's own operations, from latencies by kind of operation."""
    kinds = own_operations(phase)
    of_kinds = [item[name] for item in latencies for name in kinds if name in item]
    return [item for item in of_kinds if {"p50", "p99", "max"} <= item.keys()]


def worst(phase: str, latencies: Iterable[Mapping[str, Mapping[str, float]]]) -> Latency | None:
    """The highest p50, p99 and maximum of a phase's own operations, and the lowest count; None if
    unknown.
    """
    own_latencies = own_figures(phase, latencies)
    if not own_latencies:
        return None
    p99s = [item["p99"] for item in own_latencies if item.get("count", 0) >= P99_OPERATIONS]
    return Latency(
        p50_ms=max(item["p50"] for item in own_latencies),
        p99_ms=max(p99s, default=None),
        max_ms=max(item["max"] for item in own_latencies),
        operations=int(min(item.get("count", 0) for item in own_latencies)),
    )


@dataclass(frozen=True)
class Measured:
    """All repeats of one phase at one point of an experiment."""

    point: dict[str, Any]
    phase: str
    repeats: tuple[PhaseResult, ...]
    quantity: Quantity
    """the quantity of its figures: the rate, or operations"""

    @property
    def whole(self) -> tuple[PhaseResult, ...]:
        """The repeats that every client finished and that moved something."""
        return sorted_repeats(self.repeats, self.quantity).complete

    @property
    def usable(self) -> tuple[PhaseResult, ...]:
        """The whole repeats that a criterion may use."""
        return sorted_repeats(self.repeats, self.quantity).valid

    @property
    def basis(self) -> tuple[PhaseResult, ...]:
        """The repeats of the point's means: the usable ones; if there are none,
        all whole ones.
        """
        return sorted_repeats(self.repeats, self.quantity).basis

    @property
    def values(self) -> list[float]:
        """The aggregate throughput of each basis repeat, or its operations per second."""
        return [self.quantity.of(item) for item in self.basis]

    @property
    def mean(self) -> float | None:
        """The mean of the values; None when no repeat is whole."""
        return fmean(self.values) if self.whole else None

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation (n - 1); None below two repeats."""
        return stdev(self.values) if len(self.basis) > 1 else None

    @property
    def lab_limited(self) -> bool:
        """No whole repeat is usable because of the lab's CPUs or caches: no published claim may use
        the point.
        """
        return bool(self.whole) and not self.usable

    @property
    def in_lab(self) -> bool:
        """Whether its nodes shared the CPUs of one machine."""
        return any(item.in_lab for item in self.repeats)

    @property
    def cached(self) -> bool:
        """Whether a repeat may have read from a cache that could not be emptied."""
        return any(item.cached for item in self.basis)

    @property
    def done_s(self) -> tuple[float, float] | None:
        """Times of the first and of the last task, means over the repeats; None when no task
        reported.
        """
        by_repeat = [
            [task.elapsed_s for client in repeat.clients for task in client.tasks]
            for repeat in self.basis
        ]
        times_s = [repeat_s for repeat_s in by_repeat if repeat_s]
        if not times_s:
            return None
        return fmean(min(elapsed_s) for elapsed_s in times_s), fmean(
            max(elapsed_s) for elapsed_s in times_s
        )

    @property
    def lasted_s(self) -> float | None:
        """Measured duration in s: until the last task ended, or the steady window;
        None if unknown.
        """
        windows_s = [window["to_unix_s"] - window["from_unix_s"] for window in self.steady]
        if windows_s:
            return fmean(windows_s)
        return self.done_s[1] if self.done_s else None

    @property
    def is_short(self) -> bool:
        """Whether it was measured for less than a steady state needs, and so shows burst
        throughput.
        """
        return self.lasted_s is not None and self.lasted_s < STEADY_MIN_S

    @property
    def latency(self) -> Latency | None:
        """Latency of the phase's own operation: all clients' histograms merged, the worst of the
        repeats.

        An older result has only percentiles, which cannot be merged: the worst client's values, and
        the median p50.
        """
        merged = worst(self.phase, (item.latency_ms for item in self.basis))
        if merged:
            return merged
        clients = [client.latency_ms for item in self.basis for client in item.clients]
        highest = worst(self.phase, clients)
        middle = [figures["p50"] for figures in own_figures(self.phase, clients)]
        return replace(highest, p50_ms=median(middle)) if highest else None

    @property
    def steady(self) -> tuple[SteadyState, ...]:
        """The steady windows of the basis; empty where the workload has none."""
        return tuple(item.steady for item in self.basis if item.steady)

    def mean_of(self, name: str) -> float | None:
        """The mean of a number of the basis (`fairness`); None when it is unknown."""
        values = [value for item in self.basis if (value := getattr(item, name)) is not None]
        return fmean(values) if values else None

    def first_of(self, name: str) -> Any:
        """A field that is the same in every repeat, such as the bound; None when there is no
        repeat.
        """
        return getattr(self.repeats[0], name) if self.repeats else None


def measured(phases: Iterable[PhaseResult], quantity_name: str | None = None) -> list[Measured]:
    """All repeats grouped by point and phase, in the order of the run; `quantity_name`: see
    `Figure.y`.
    """
    groups: dict[tuple[str, str], list[PhaseResult]] = {}
    for phase in phases:
        groups.setdefault((repr(phase.point), phase.phase), []).append(phase)
    return [
        Measured(
            group[0].point,
            group[0].phase,
            tuple(group),
            quantity_of_result(group[0], quantity_name),
        )
        for group in groups.values()
    ]


def best_of_phases(points: Iterable[Measured]) -> list[Measured]:
    """The highest point of each phase, in the order of the run."""
    by_phase: dict[str, list[Measured]] = {}
    for item in points:
        by_phase.setdefault(item.phase, []).append(item)
    return [max(items, key=lambda item: item.mean or 0.0) for items in by_phase.values()]
