"""The rates of the single clients of a point, which show how evenly the storage served them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, quantiles
from typing import Any

from seatrial.result.phases import ClientResult
from seatrial.result.quantities import OPERATIONS, RATE, Quantity
from seatrial.study.workload import moves_data
from seatrial.summary.points import Measured

CLIENTS_MIN = 3
"""at a point, for a comparison of its clients"""


@dataclass(frozen=True)
class ClientRate:
    """The rate of one client over its own time: the mean of the used repeats."""

    client: str
    rate: float
    """in bytes/s, or operations/s"""


@dataclass(frozen=True)
class ClientRates:
    """The clients of a point, from the slowest to the fastest; at least CLIENTS_MIN."""

    point: Mapping[str, Any]
    phase: str
    quantity: Quantity
    repeats: int
    rates: tuple[ClientRate, ...]
    in_lab: bool

    @property
    def slowest(self) -> ClientRate:
        """The client with the lowest rate."""
        return self.rates[0]

    @property
    def fastest(self) -> ClientRate:
        """The client with the highest rate."""
        return self.rates[-1]

    @property
    def median(self) -> float:
        """The median of the rates."""
        return median(item.rate for item in self.rates)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The lower and the upper quartile, interpolated between the clients (inclusive method)."""
        low, _, high = quantiles((item.rate for item in self.rates), n=4, method="inclusive")
        return low, high


def client_rates(points: Sequence[Measured]) -> tuple[ClientRates, ...]:
    """Every point with enough clients, in the order of the run."""
    return tuple(rates for item in points if (rates := _of_point(item)))


def _of_point(item: Measured) -> ClientRates | None:
    quantity = RATE if moves_data(item.phase) else OPERATIONS
    rates: dict[str, list[float]] = {}
    for repeat in item.basis:
        for client in repeat.clients:
            rates.setdefault(client.client, []).append(_rate(client, quantity))
    if len(rates) < CLIENTS_MIN:
        return None
    means = [ClientRate(client, fmean(values)) for client, values in rates.items()]
    return ClientRates(
        point=item.point,
        phase=item.phase,
        quantity=quantity,
        repeats=len(item.basis),
        rates=tuple(sorted(means, key=lambda client_rate: client_rate.rate)),
        in_lab=item.in_lab,
    )


def _rate(client: ClientResult, quantity: Quantity) -> float:
    return client.rate_bytes_per_s if quantity is RATE else client.operations_per_s
