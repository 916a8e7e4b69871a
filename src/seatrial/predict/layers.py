"""The layers that a request passes, as data: what each can carry, for whom, and where that figure comes from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean

from seatrial.predict.laws import Station, asymptotic_bound_per_s, throughput_per_s, unevenness, utilisation


@dataclass(frozen=True)
class Layer:
    """One layer, by what one unit of it carries."""

    name: str
    source: str
    """where the figures come from"""
    rate_bytes_per_s: float = float("inf")
    """of one unit; infinite where bytes cost nothing there"""
    per_request_s: float = 0.0
    """what a request costs beside its bytes: a seek, a call, a commit"""
    units: int = 1
    """how many serve at once: disks, ports, servers, members"""
    of_client: bool = False
    """one unit for each client, so that it grows with them"""
    delay: bool = False
    """nobody waits for anybody: round trips, a client's own work"""
    hard: bool = True
    """no cache can outrun it, and the figure is a limit, not an assumption: it is part of the bound"""
    held_bytes: float = 0.0
    """of what is written, so much waits in front of it until the commit"""
    piece_bytes: float = 0.0
    """a hash deals out what is stored to `places`, in pieces of so many bytes; 0: evenly"""
    places: int = 1
    burst_bytes: float = 0.0
    """what passes at once after a pause, in all: such a layer limits the mean rate and delays no request"""
    packet_bytes: float = 0.0
    """each packet of so many bytes costs what a request costs, and none is smaller than one; 0: it is one whole"""
    share: float = 1.0
    """of a unit's time that requests can have"""

    def units_for(self, clients: int) -> int:
        """How many units so many clients use."""
        return self.units * clients if self.of_client else self.units

    def capacity_bytes_per_s(self, clients: int, request_bytes: float) -> float:
        """What all its units carry of requests of this size; infinite for a delay."""
        demand_s = self.demand_s(request_bytes)
        return self.units_for(clients) * request_bytes / demand_s if demand_s and not self.delay else float("inf")

    def demand_s(self, request_bytes: float) -> float:
        """What one request takes of a unit."""
        packets = max(request_bytes / self.packet_bytes, 1.0) if self.packet_bytes else 1.0
        return (self.per_request_s * packets + request_bytes / self.rate_bytes_per_s) / self.share


@dataclass(frozen=True)
class Demand:
    """What is asked of the layers."""

    clients: int
    request_bytes: float
    tasks: int = 1
    """of each client"""
    window: int = 1
    """requests of a task that are under way at once: read-ahead, write-back, queue depth"""
    files_bytes: tuple[float, ...] = ()
    """sizes of the files that are copied one after the other"""
    per_file_s: float = 0.0
    """what opening, closing and committing a file takes, in which no byte of its task moves"""

    commits: bool = False
    """its time ends when all that it wrote is stored"""
    files: tuple[int, ...] = ()
    """how many of each size: the rate is all bytes over all time; where none is said, the mean of each size's rate"""
    fetched_share: float = 1.0
    """of what is read, so much is waited for"""
    ahead_share: float = 1.0
    """and so much more of that is fetched in advance for nobody: behind what is waited for on a client's own link, but
    before what other clients wait for where they meet"""
    fullest: float = 1.0
    """of what clients share, the fullest has so many times the mean, and ends last"""

    @property
    def customers(self) -> int:
        """Requests under way in all."""
        return self.clients * self.tasks * self.window

    @property
    def streams(self) -> int:
        """Tasks of all clients."""
        return self.clients * self.tasks


@dataclass(frozen=True)
class Forecast:
    """What a path should give."""

    bound_bytes_per_s: float
    """no measurement can be above it, except out of a cache"""
    bound_layer: str
    estimate_bytes_per_s: float
    """what queueing for the layers leaves of it"""
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


def _most(layer: Layer, demand: Demand) -> float:
    """The highest mean rate at which all that is moved can pass."""
    rate = layer.capacity_bytes_per_s(demand.clients, demand.request_bytes)
    moved = demand.streams * demand.files_bytes[0] if demand.files_bytes else float("inf")
    return rate / (1 - layer.burst_bytes / moved) if moved > layer.burst_bytes else float("inf")


def _carried(layer: Layer, demand: Demand) -> float:
    """What it has to carry for each byte that is asked for: what is fetched beside, and more at its fullest place."""
    if layer.delay:
        return 1.0
    fetched = demand.fetched_share * (1.0 if layer.of_client else demand.ahead_share * demand.fullest)
    if not layer.piece_bytes or not demand.files_bytes:
        return fetched
    return fetched * unevenness(max(demand.streams * demand.files_bytes[0] / layer.piece_bytes, 1.0), layer.places)


def held_s(layers: Sequence[Layer], demand: Demand, file_bytes: float) -> float:
    """What it takes, beside the slowest stage's time, until all that was held on the way is stored.

    Layers form stages, each of which begins with a layer in front of which bytes are held. All stages work at once, but
    for what is held: its last bytes leave one stage before they enter the next. So of every stage but the slowest the
    time for what is held beside it is added (a pipeline's time to fill and to empty).
    """
    stages: list[tuple[float, float]] = []  # (bytes held in front, bytes per second)
    for layer in layers:
        if layer.delay:
            continue
        rate = layer.capacity_bytes_per_s(demand.clients, demand.request_bytes) / _carried(layer, demand)
        if layer.held_bytes or not stages:
            stages.append((layer.held_bytes, rate))
        else:
            stages[-1] = stages[-1][0], min(stages[-1][1], rate)
    slowest = min(range(len(stages)), key=lambda index: stages[index][1], default=0)
    held = [stages[index + 1 if index < slowest else index][0] for index in range(len(stages)) if index != slowest]
    others = [rate for index, (_, rate) in enumerate(stages) if index != slowest]
    written = demand.streams * file_bytes
    return sum(min(written, waiting) / rate for waiting, rate in zip(held, others, strict=True))


def bound(layers: Sequence[Layer], demand: Demand) -> tuple[float, str]:
    """(bytes per second, name) of the hard layer that carries least; infinite and no name where none is known."""
    hard = [layer for layer in layers if layer.hard and not layer.delay]
    rates = {layer.name: _most(layer, demand) for layer in hard}
    name = min(rates, key=lambda item: rates[item], default="")
    return rates.get(name, float("inf")), name


def _with_files(rate_bytes_per_s: float, layers: Sequence[Layer], demand: Demand) -> float:
    """What opening, closing and committing files leaves of a rate."""
    if not demand.files_bytes or not rate_bytes_per_s:
        return rate_bytes_per_s
    each = []
    for size in demand.files_bytes:
        ends_s = demand.per_file_s + (held_s(layers, demand, size) if demand.commits else 0.0)
        each.append(demand.streams / (demand.streams / rate_bytes_per_s + ends_s / size))
    if not demand.files:
        return fmean(each)
    moved = [count * size for count, size in zip(demand.files, demand.files_bytes, strict=True)]
    return sum(moved) / sum(size / rate for size, rate in zip(moved, each, strict=True))


def forecast(layers: Sequence[Layer], demand: Demand) -> Forecast:
    """The bound of the hard layers, and mean value analysis of them all; the estimate never exceeds the bound."""
    stations = _stations(layers, demand)
    delaying = _stations([layer for layer in layers if not layer.burst_bytes], demand)
    bound_bytes_per_s, bound_layer = bound(layers, demand)
    shaped = [_most(layer, demand) / _carried(layer, demand) for layer in layers if layer.burst_bytes]
    rate = min([throughput_per_s(delaying, demand.customers) * demand.request_bytes, *shaped])
    estimate = min(_with_files(rate, layers, demand), bound_bytes_per_s)
    busy = {
        station.name: min(utilisation(station, estimate / demand.request_bytes), 1.0)
        for station in stations
        if station.queue
    }
    waits = max(stations, key=lambda station: station.demand_s / station.servers, default=None)
    slowest = max(busy, key=lambda name: busy[name], default=waits.name if waits else "")
    if asymptotic_bound_per_s(delaying, demand.customers) < 0.98 * min(item.rate_per_s for item in stations):
        slowest = max(delaying, key=lambda item: item.demand_s).name  # latency, with too few requests under way
    return Forecast(bound_bytes_per_s, bound_layer, estimate, slowest, busy)


@dataclass(frozen=True)
class Step:
    """The cheapest change that lifts a bound: one layer, and how far until the next one binds."""

    layer: str
    from_bytes_per_s: float
    to_bytes_per_s: float
    next_layer: str


def balance(layers: Sequence[Layer], demand: Demand, steps: int = 3) -> list[Step]:
    """Which layers to raise, one after the other, and to what: the way to a balanced design.

    Of layers that are never worth more than the next one above them, raising the lowest alone changes anything.
    """
    rates = {
        layer.name: layer.capacity_bytes_per_s(demand.clients, demand.request_bytes)
        for layer in layers
        if not layer.delay
    }
    order = [name for name in sorted(rates, key=lambda name: rates[name]) if rates[name] < float("inf")]
    return [Step(low, rates[low], rates[high], high) for low, high in pairwise(order[: steps + 1])]
