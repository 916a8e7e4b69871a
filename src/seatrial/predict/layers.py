"""The layers that a request passes, as data: what each can carry, for whom, and where that figure comes from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from seatrial.predict.laws import Station, asymptotic_bound_per_s, throughput_per_s


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

    def units_for(self, clients: int) -> int:
        """How many units so many clients use."""
        return self.units * clients if self.of_client else self.units

    def capacity_bytes_per_s(self, clients: int, request_bytes: float) -> float:
        """What all its units carry of requests of this size; infinite for a delay."""
        demand_s = self.demand_s(request_bytes)
        return self.units_for(clients) * request_bytes / demand_s if demand_s and not self.delay else float("inf")

    def demand_s(self, request_bytes: float) -> float:
        """What one request takes of a unit."""
        return self.per_request_s + request_bytes / self.rate_bytes_per_s


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
    """sizes of the files that are copied one after the other; the rate is the mean of those of each size"""
    per_file_s: float = 0.0
    """what opening, closing and committing a file takes, in which no byte of its task moves"""

    @property
    def customers(self) -> int:
        """Requests under way in all."""
        return self.clients * self.tasks * self.window


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
        Station(layer.name, layer.demand_s(demand.request_bytes), layer.units_for(demand.clients), not layer.delay)
        for layer in layers
    ]


def bound(layers: Sequence[Layer], demand: Demand) -> tuple[float, str]:
    """(bytes per second, name) of the hard layer that carries least; infinite and no name where none is known."""
    hard = [layer for layer in layers if layer.hard and not layer.delay]
    rates = {layer.name: layer.capacity_bytes_per_s(demand.clients, demand.request_bytes) for layer in hard}
    name = min(rates, key=lambda item: rates[item], default="")
    return rates.get(name, float("inf")), name


def _with_files(rate_bytes_per_s: float, demand: Demand) -> float:
    """What opening and closing files leaves of a rate."""
    if not demand.files_bytes or not rate_bytes_per_s:
        return rate_bytes_per_s
    streams = demand.clients * demand.tasks
    each = [streams / (streams / rate_bytes_per_s + demand.per_file_s / size) for size in demand.files_bytes]
    return sum(each) / len(each)


def forecast(layers: Sequence[Layer], demand: Demand) -> Forecast:
    """The bound of the hard layers, and mean value analysis of them all; the estimate never exceeds the bound."""
    stations = _stations(layers, demand)
    bound_bytes_per_s, bound_layer = bound(layers, demand)
    per_s = throughput_per_s(stations, demand.customers)
    estimate = min(_with_files(per_s * demand.request_bytes, demand), bound_bytes_per_s)
    busy = {
        station.name: min(estimate / demand.request_bytes * station.demand_s / station.servers, 1.0)
        for station in stations
        if station.queue
    }
    waits = max(stations, key=lambda station: station.demand_s / station.servers, default=None)
    slowest = max(busy, key=lambda name: busy[name], default=waits.name if waits else "")
    if asymptotic_bound_per_s(stations, demand.customers) < 0.98 * min(item.rate_per_s for item in stations):
        slowest = max(stations, key=lambda item: item.demand_s).name  # latency, with too few requests under way
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
