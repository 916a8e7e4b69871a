"""From single phases to the points that are drawn and tabled: repeats together, in the order of the run.

Rates are bytes per second, times seconds, latencies milliseconds, shares of one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from seatrial.quantities import Quantity, quantity_of
from seatrial.record import PhaseResult
from seatrial.units import parse_duration, parse_rate, parse_size


@dataclass(frozen=True)
class Measured:
    """One phase of one point of an experiment: all of its repeats."""

    point: dict[str, Any]
    phase: str
    repeats: tuple[PhaseResult, ...]
    quantity: Quantity
    """what its figures are of: the rate, or operations"""

    @property
    def whole(self) -> tuple[PhaseResult, ...]:
        """The repeats that every client finished and that moved something."""
        return tuple(item for item in self.repeats if not item.partial and self.quantity.of(item) > 0)

    @property
    def usable(self) -> tuple[PhaseResult, ...]:
        """The whole repeats that a claim may use."""
        return tuple(item for item in self.whole if not item.lab_limited)

    @property
    def basis(self) -> tuple[PhaseResult, ...]:
        """What the point's figures are means of: its usable repeats; if there is none, all whole ones."""
        return self.usable or self.whole

    @property
    def values(self) -> list[float]:
        """The natural aggregates of the basis, or its operations per second."""
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
        """Every whole repeat was limited by the lab machine: no claim may use the point."""
        return bool(self.whole) and not self.usable

    @property
    def done_s(self) -> tuple[float, float] | None:
        """Times of the first and of the last task, means over the repeats; None when no task reported."""
        times = [[elapsed for client in item.clients for _, elapsed, _ in client.tasks] for item in self.basis]
        times = [item for item in times if item]
        return (fmean(min(item) for item in times), fmean(max(item) for item in times)) if times else None

    @property
    def latency_ms(self) -> tuple[float, float, float] | None:
        """(p50, p99, maximum) of the phase's own operation: all clients' histograms merged, the worst of the repeats.

        An older record holds percentiles only, which cannot be merged: then of the worst client.
        """
        merged = [item.latency_ms[self.phase] for item in self.basis if self.phase in item.latency_ms]
        if merged:
            return tuple(max(item[key] for item in merged) for key in ("p50", "p99", "max"))  # type: ignore[return-value]
        found = [
            client.latency_ms[self.phase]
            for item in self.basis
            for client in item.clients
            if self.phase in client.latency_ms
        ]
        if not found:
            return None
        p50, p99, highest = ([item.get(key, 0.0) for item in found] for key in ("p50", "p99", "max"))
        return median(p50), max(p99), max(highest)

    def mean_of(self, name: str) -> float | None:
        """The mean of a number of the basis (`fairness`); None when it is not known."""
        values = [value for item in self.basis if (value := getattr(item, name)) is not None]
        return fmean(values) if values else None

    def first_of(self, name: str) -> Any:
        """A field that is the same in every repeat, such as the bound; None when there is no repeat."""
        return getattr(self.repeats[0], name) if self.repeats else None


def measured(phases: Iterable[PhaseResult], asked: str | None = None) -> list[Measured]:
    """The repeats of every point and phase together, in the order of the run; `asked`: see `Figure.y`."""
    groups: dict[tuple[str, str], list[PhaseResult]] = {}
    for phase in phases:
        groups.setdefault((repr(phase.point), phase.phase), []).append(phase)
    return [
        Measured(group[0].point, group[0].phase, tuple(group), quantity_of(group[0].phase, asked))
        for group in groups.values()
    ]


def short(key: str) -> str:
    """The last word of a path: `solution.export.threads` is `threads`."""
    return key.rpartition(".")[2]


def point_name(point: Mapping[str, Any]) -> str:
    """A point in words: `clients 4, threads 8`; `only point` where nothing varies."""
    return ", ".join(f"{short(key)} {value}" for key, value in point.items()) or "only point"


def axis_key(wanted: str | None, points: Sequence[Measured]) -> str | None:
    """Which key is the horizontal axis: the wanted one if it varies here, else the first; None if nothing does."""
    keys = list(dict.fromkeys(key for item in points for key in item.point))
    return wanted if wanted in keys else next(iter(keys), None)


def as_number(value: Any) -> float | None:
    """A value as a number for an axis: 8, 8.0, `64KiB`, `10Gbit/s`, `5s`; None for a word such as `async`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    for parse in (parse_size, parse_rate, parse_duration, float):
        try:
            return float(parse(value))
        except (TypeError, ValueError):
            continue
    return None


@dataclass(frozen=True)
class Axis:
    """The horizontal axis: where each value lies, and how it is named."""

    key: str | None
    log: bool
    places: dict[str, float]
    """by repr of the value"""
    names: dict[str, str]

    @property
    def title(self) -> str:
        """What is written below the axis."""
        return AXIS_TITLES.get(self.key or "", short(self.key or ""))

    def place(self, point: Mapping[str, Any]) -> float:
        """Where a point lies."""
        return self.places[repr(point.get(self.key) if self.key else None)]


AXIS_TITLES = {
    "clients": "clients (number)",
    "solution.export.threads": "nfsd threads (number)",
    "tasks": "tasks per client (number)",
    "record": "record size",
    "file": "file size",
}


def axis(key: str | None, log: bool, points: Sequence[Measured]) -> Axis:
    """The axis of some points: numbers to scale, words evenly spaced in the order of the run."""
    values = {repr(item.point.get(key) if key else None): item.point.get(key) if key else None for item in points}
    numbers = {name: as_number(value) for name, value in values.items()}
    if key and all(number is not None for number in numbers.values()):
        places = {name: number for name, number in numbers.items() if number is not None}
        log = log and min(places.values(), default=1) > 0
    else:
        places, log = {name: float(index) for index, name in enumerate(values)}, False
    names = {name: str(value) if key else "only point" for name, value in values.items()}
    return Axis(key, log, places, names)
