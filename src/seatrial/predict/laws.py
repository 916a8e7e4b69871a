"""Operational laws of a closed system with N customers, each with one request in flight.

Sources: E. Lazowska, J. Zahorjan, G. Graham, K. Sevcik, *Quantitative System Performance* (1984):
chapter 3 (utilisation), 5 (asymptotic bounds), 6 (exact mean value analysis, and Schweitzer's
approximation). A station of several equal servers is replaced as A. Seidmann, P. Schweitzer and S.
Shalev-Oren proposed (1987).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

EXACT_CUSTOMERS_MAX = 2000
"""up to this number of customers the recursion is exact; beyond, Schweitzer's fixed
point is used
"""
_ROUNDS_MAX = 10_000
_CLOSE = 1e-10


@dataclass(frozen=True)
class Station:
    """A station that every request passes."""

    name: str
    demand_s: float
    """time in s that one request needs of one of its servers, all visits together"""
    servers: int = 1
    """number of requests served at the same time"""
    queue: bool = True
    """False: no contention, as for a round trip or a client's own work"""

    @property
    def rate_per_s(self) -> float:
        """The highest rate in requests per second: the utilisation law at 100 %; infinite without
        contention.
        """
        return self.servers / self.demand_s if self.queue and self.demand_s else float("inf")


def unevenness(pieces: float, places: int) -> float:
    """The ratio of the fullest of `places` to the mean when a hash distributes this many pieces; 1
    for many.

    The counts are taken as normal, and their expected maximum as approximated by G. Blom,
    *Statistical Estimates and Transformed Beta-Variables* (1958); at least one place has one piece.
    """
    mean = pieces / places
    if places == 1 or not mean:
        return 1.0
    highest = NormalDist().inv_cdf((places - 0.375) / (places + 0.25))
    spread = math.sqrt(mean * (1 - 1 / places))
    return max(1.0, mean + highest * spread) / mean


def utilisation(station: Station, throughput_per_s: float) -> float:
    """The share of its time that each server is busy: U = X D / m (Lazowska et al., 3.2)."""
    return throughput_per_s * station.demand_s / station.servers


def bottleneck(stations: Sequence[Station]) -> Station | None:
    """The station with the lowest rate; None without contention."""
    queues = [station for station in stations if station.queue and station.demand_s > 0]
    return min(queues, key=lambda station: station.rate_per_s, default=None)


def asymptotic_bound_per_s(stations: Sequence[Station], customers: int) -> float:
    """No system is faster: X <= min(1 / Dmax, N / (D + Z)) (5.2); requests per second."""
    slowest = bottleneck(stations)
    total_s = sum(station.demand_s for station in stations)
    peak = slowest.rate_per_s if slowest else float("inf")
    return min(peak, customers / total_s if total_s else float("inf"))


def throughput_per_s(stations: Sequence[Station], customers: int) -> float:
    """Requests per second by mean value analysis; exact for single servers and few customers, else
    approximate.

    Assumes product profile: at a station all requests take equally long on average, in any order.
    """
    if customers < 1:
        return 0.0
    single = _single_servers(stations)
    think_s = sum(station.demand_s for station in single if not station.queue)
    demands = [station.demand_s for station in single if station.queue and station.demand_s > 0]
    if not demands:
        return customers / think_s if think_s else float("inf")
    solve = _exact if customers <= EXACT_CUSTOMERS_MAX else _schweitzer
    return min(solve(demands, think_s, customers), asymptotic_bound_per_s(stations, customers))


def _single_servers(stations: Sequence[Station]) -> list[Station]:
    """Seidmann: m servers are replaced by one of m times the speed, and a delay of the rest of the
    demand.
    """
    split = []
    for station in stations:
        if station.queue and station.servers > 1:
            share = station.demand_s / station.servers
            split.append(replace(station, demand_s=share, servers=1))
            split.append(Station(station.name, station.demand_s - share, queue=False))
        else:
            split.append(station)
    return split


def _exact(demands: Sequence[float], think_s: float, customers: int) -> float:
    lengths = [0.0] * len(demands)
    rate = 0.0
    for count in range(1, customers + 1):
        times = [demand * (1 + length) for demand, length in zip(demands, lengths, strict=True)]
        rate = count / (think_s + sum(times))
        lengths = [rate * time for time in times]
    return rate


def _schweitzer(demands: Sequence[float], think_s: float, customers: int) -> float:
    lengths = [customers / len(demands)] * len(demands)
    rate = 0.0
    for _ in range(_ROUNDS_MAX):
        others = (customers - 1) / customers
        times = [
            demand * (1 + others * length) for demand, length in zip(demands, lengths, strict=True)
        ]
        before, rate = rate, customers / (think_s + sum(times))
        lengths = [rate * time for time in times]
        if abs(rate - before) <= _CLOSE * rate:
            break
    return rate
