"""The layers that a request passes, as data: the rate of each, its users, and the source of that
figure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean

from seatrial.plan.data_path import ResourceRole
from seatrial.predict.laws import (
    Station,
    asymptotic_bound_per_s,
    throughput_per_s,
    unevenness,
    utilisation,
)


@dataclass(frozen=True)
class Layer:
    """One layer, by the rate of one of its units."""

    name: str
    """for people; no estimate depends on it"""
    source: str
    """where the figures come from"""
    rate_bytes_per_s: float = float("inf")
    """of one unit; infinite where bytes cost nothing there"""
    per_request_s: float = 0.0
    """cost of a request in addition to its bytes in s: a seek, a call, a commit"""
    units: int = 1
    """number of units that serve at the same time: disks, ports, servers, members"""
    of_client: bool = False
    """one unit for each client, so that it grows with them"""
    delay: bool = False
    """no contention: round trips, a client's own work"""
    hard: bool = True
    """no cache can bypass it, and the figure is a limit, not an assumption: it is part
    of the bound
    """
    held_bytes: float = 0.0
    """written bytes that wait in front of it until the commit"""
    piece_bytes: float = 0.0
    """a hash distributes the stored data to `places`, in pieces of this size; 0: evenly"""
    places: int = 1
    burst_bytes: float = 0.0
    """total bytes that pass at once after a pause: such a layer limits the mean rate and delays no
    request
    """
    packet_bytes: float = 0.0
    """each packet of this size has the cost of a request, with at least one packet; 0: the request
    is one
    """
    share: float = 1.0
    """share of a unit's time that requests can use"""
    role: ResourceRole = ResourceRole.OTHER
    """the part of the system that it is"""

    def units_for(self, clients: int) -> int:
        """Number of units that this many clients use."""
        return self.units * clients if self.of_client else self.units

    def capacity_bytes_per_s(self, clients: int, request_bytes: float) -> float:
        """Rate of all its units in bytes/s for requests of this size; infinite for a delay."""
        demand_s = self.demand_s(request_bytes)
        return (
            self.units_for(clients) * request_bytes / demand_s
            if demand_s and not self.delay
            else float("inf")
        )

    def demand_s(self, request_bytes: float) -> float:
        """Time of a unit per request in s."""
        packets = max(request_bytes / self.packet_bytes, 1.0) if self.packet_bytes else 1.0
        return (self.per_request_s * packets + request_bytes / self.rate_bytes_per_s) / self.share


@dataclass(frozen=True)
class Demand:
    """The demand on the layers."""

    clients: int
    request_bytes: float
    tasks: int = 1
    """of each client"""
    window: int = 1
    """requests of a task in flight: read-ahead, write-back, queue depth"""
    files_bytes: tuple[float, ...] = ()
    """sizes of the files that are copied one after the other"""
    per_file_s: float = 0.0
    """time in s to open, close and commit a file, in which no byte of its task moves"""

    commits: bool = False
    """its time ends when all its written data are stored"""
    files: tuple[int, ...] = ()
    """number of each size: the rate is all bytes over all time; empty: the mean of
    each size's rate
    """
    fetched_share: float = 1.0
    """share of the read data that is waited for"""
    ahead_share: float = 1.0
    """ratio of unnecessary read-ahead to that: it follows the awaited data on a client's own link,
    but precedes other clients' awaited data on shared layers
    """
    fullest: float = 1.0
    """load of the fullest shared place relative to the mean; it ends last"""

    @property
    def customers(self) -> int:
        """Total requests in flight."""
        return self.clients * self.tasks * self.window

    @property
    def streams(self) -> int:
        """Tasks of all clients."""
        return self.clients * self.tasks


@dataclass(frozen=True)
class Forecast:
    """The forecast of a path."""

    bound_bytes_per_s: float
    """upper limit of any measurement, except from a cache"""
    bound_layer: str
    estimate_bytes_per_s: float
    """the bound reduced by queueing for the layers"""
    layer: str
    """the busiest layer of the estimate"""
    utilisations: dict[str, float] = field(default_factory=dict)
    """layer -> share of its time that it is busy at the estimate"""


def _stations(layers: Sequence[Layer], demand: Demand) -> list[Station]:
    return [
        Station(
            layer.name,
            layer.demand_s(demand.request_bytes) * _carried(layer, demand),
            layer.units_for(demand.clients),
            not layer.delay,
        )
        for layer in layers
    ]


def _rate_max_bytes_per_s(layer: Layer, demand: Demand) -> float:
    """The highest mean rate at which all moved data can pass; infinite where its burst holds
    them.
    """
    rate = layer.capacity_bytes_per_s(demand.clients, demand.request_bytes)
    moved_bytes = demand.streams * demand.files_bytes[0] if demand.files_bytes else float("inf")
    if moved_bytes <= layer.burst_bytes:
        return float("inf")
    return rate / (1 - layer.burst_bytes / moved_bytes)


def _carried(layer: Layer, demand: Demand) -> float:
    """Bytes moved per requested byte: with read-ahead, and the excess of its fullest place."""
    if layer.delay:
        return 1.0
    fetched = demand.fetched_share * (
        1.0 if layer.of_client else demand.ahead_share * demand.fullest
    )
    if not layer.piece_bytes or not demand.files_bytes:
        return fetched
    return fetched * unevenness(
        max(demand.streams * demand.files_bytes[0] / layer.piece_bytes, 1.0), layer.places
    )


def held_s(layers: Sequence[Layer], demand: Demand, file_bytes: float) -> float:
    """Time in s, in addition to the slowest stage's, until all buffered data are stored.

    Layers form stages. Each stage begins with a layer with buffered bytes in front. All stages work
    at the same time, except for the buffered data: its last bytes leave one stage before they enter
    the next. The time for the buffered data of every stage except the slowest is therefore
    added (a pipeline's time to fill and to empty).
    """
    stages = _stages(layers, demand)
    if not stages:
        return 0.0
    slowest = min(range(len(stages)), key=lambda index: stages[index].rate_bytes_per_s)
    written_bytes = demand.streams * file_bytes
    # A stage before the slowest one waits for the buffer that it fills, a later one for its own.
    fills_s = [
        min(written_bytes, following.buffer_bytes) / stage.rate_bytes_per_s
        for stage, following in pairwise(stages[: slowest + 1])
    ]
    empties_s = [
        min(written_bytes, stage.buffer_bytes) / stage.rate_bytes_per_s
        for stage in stages[slowest + 1 :]
    ]
    return sum((*fills_s, *empties_s))


@dataclass(frozen=True)
class _Stage:
    """Consecutive layers that no buffer separates."""

    buffer_bytes: float
    """written bytes that wait in front of it"""
    rate_bytes_per_s: float
    """of its slowest layer"""


def _stages(layers: Sequence[Layer], demand: Demand) -> list[_Stage]:
    """The layers as stages; a layer with buffered bytes in front begins one."""
    stages: list[_Stage] = []
    for layer in layers:
        if layer.delay:
            continue
        capacity_bytes_per_s = layer.capacity_bytes_per_s(demand.clients, demand.request_bytes)
        rate_bytes_per_s = capacity_bytes_per_s / _carried(layer, demand)
        if layer.held_bytes or not stages:
            stages.append(_Stage(layer.held_bytes, rate_bytes_per_s))
        else:
            last = stages[-1]
            lower_bytes_per_s = min(last.rate_bytes_per_s, rate_bytes_per_s)
            stages[-1] = _Stage(last.buffer_bytes, lower_bytes_per_s)
    return stages


@dataclass(frozen=True)
class Bound:
    """The upper limit of any measurement, except from a cache."""

    rate_bytes_per_s: float
    """infinite where no layer has a known rate"""
    layer: str
    """the name of the slowest hard layer; empty where none is known"""


def bound(layers: Sequence[Layer], demand: Demand) -> Bound:
    """The rate of the hard layer with the lowest one."""
    hard = [layer for layer in layers if layer.hard and not layer.delay]
    if not hard:
        return Bound(float("inf"), "")
    slowest = min(hard, key=lambda layer: _rate_max_bytes_per_s(layer, demand))
    return Bound(_rate_max_bytes_per_s(slowest, demand), slowest.name)


def _with_files(rate_bytes_per_s: float, layers: Sequence[Layer], demand: Demand) -> float:
    """A rate reduced by opening, closing and committing files."""
    if not demand.files_bytes or not rate_bytes_per_s:
        return rate_bytes_per_s
    rates = []
    for size in demand.files_bytes:
        ends_s = demand.per_file_s + (held_s(layers, demand, size) if demand.commits else 0.0)
        rates.append(demand.streams / (demand.streams / rate_bytes_per_s + ends_s / size))
    if not demand.files:
        return fmean(rates)
    moved = [count * size for count, size in zip(demand.files, demand.files_bytes, strict=True)]
    return sum(moved) / sum(size / rate for size, rate in zip(moved, rates, strict=True))


def forecast(layers: Sequence[Layer], demand: Demand) -> Forecast:
    """The bound of the hard layers, and mean value analysis of them all; the estimate never exceeds
    the bound.
    """
    stations = _stations(layers, demand)
    delaying = _stations([layer for layer in layers if not layer.burst_bytes], demand)
    limit = bound(layers, demand)
    shaped = [
        _rate_max_bytes_per_s(layer, demand) / _carried(layer, demand)
        for layer in layers
        if layer.burst_bytes
    ]
    rate = min([throughput_per_s(delaying, demand.customers) * demand.request_bytes, *shaped])
    estimate = min(_with_files(rate, layers, demand), limit.rate_bytes_per_s)

    def busy_share(station: Station) -> float:
        return min(utilisation(station, estimate / demand.request_bytes), 1.0)

    queueing = [station for station in stations if station.queue]
    if asymptotic_bound_per_s(delaying, demand.customers) < 0.98 * min(
        station.rate_per_s for station in stations
    ):
        # Too few requests are in flight: latency limits the rate.
        busiest = max(delaying, key=lambda station: station.demand_s)
    elif queueing:
        busiest = max(queueing, key=busy_share)
    else:
        busiest = max(stations, key=lambda station: station.demand_s / station.servers)
    utilisations = {station.name: busy_share(station) for station in queueing}
    return Forecast(limit.rate_bytes_per_s, limit.layer, estimate, busiest.name, utilisations)


@dataclass(frozen=True)
class Step:
    """The cheapest change that lifts a bound: one layer, and how far until the next one binds."""

    layer: str
    from_bytes_per_s: float
    to_bytes_per_s: float
    next_layer: str
    role: ResourceRole
    """of the layer to raise"""


def balance(layers: Sequence[Layer], demand: Demand, steps: int = 3) -> list[Step]:
    """The layers to raise in turn, and their rates: the steps to a balanced design.

    As no layer exceeds the next one above it, only raising the lowest changes anything.
    """
    rates = [
        (layer, layer.capacity_bytes_per_s(demand.clients, demand.request_bytes))
        for layer in layers
        if not layer.delay
    ]
    limited = [item for item in rates if item[1] < float("inf")]
    order = sorted(limited, key=lambda item: item[1])[: steps + 1]
    return [
        Step(low.name, low_bytes_per_s, high_bytes_per_s, high.name, low.role)
        for (low, low_bytes_per_s), (high, high_bytes_per_s) in pairwise(order)
    ]
