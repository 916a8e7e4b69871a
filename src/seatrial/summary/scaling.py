"""Results across the points of an experiment: scaling laws, and the headroom of layers and servers.

Rates are in bytes/s or in operations/s, as the quantity of the points.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from seatrial.analysis.scaling import Scaling, fit
from seatrial.analysis.statistics import Interval, Sample, mean_of
from seatrial.result.quantities import RATE, Quantity
from seatrial.study.experiment import VARIANT, Experiment, VariantChanges
from seatrial.summary.names import heading
from seatrial.summary.points import Measured, best_of_phases

BOUNDS = {
    "solution.servers": ("server links", "server link"),
    "solution.block_servers": ("block servers' links to nodes",),
    "solution.members": ("front-end ports",),
}
"""key of a study that sets the number of servers -> the bounds that grow with it

These are names, because a result stores the name of a bound and not its role. A test compares them
with the roles in the shipped studies.
"""


@dataclass(frozen=True)
class ScalingLaw:
    """The universal scalability law of one phase, fitted to its points by number of clients."""

    name: str
    """the phase, with every other varied value"""
    phase: str
    quantity: Quantity
    fit: Scaling
    clients_max: int
    """highest client count that was measured"""

    @property
    def peak_clients(self) -> float | None:
        """The client count with the highest rate of the law; None where the rate never declines."""
        peak = self.fit.law.peak_clients
        return None if math.isinf(peak) else peak

    @property
    def peak_rate(self) -> float | None:
        """The highest rate of the law, in the SI unit of the quantity; None as above."""
        return None if self.peak_clients is None else self.fit.law.rate(self.peak_clients)

    @property
    def is_declining(self) -> bool:
        """Whether the measured range shows a decline of the rate beyond the peak."""
        least_coherency = self.fit.coherency[0]
        return least_coherency > 0 and self.fit.law.peak_clients < self.clients_max


def scaling_laws(points: Sequence[Measured]) -> list[ScalingLaw]:
    """The law of each phase and of each value of everything else that varies, in the order of the
    run.

    Sweeps over too few client counts (`analysis.scaling.POINTS_MIN`) have none.
    """
    groups: dict[str, list[Measured]] = {}
    for item in points:
        if isinstance(item.point.get("clients"), int) and item.values:
            rest = {key: value for key, value in item.point.items() if key != "clients"}
            groups.setdefault(heading(rest, item.phase), []).append(item)
    laws = []
    for name, group in groups.items():
        law = fit([(int(item.point["clients"]), fmean(item.values)) for item in group])
        if law is not None:
            clients_max = max(int(item.point["clients"]) for item in group)
            laws.append(ScalingLaw(name, group[0].phase, group[0].quantity, law, clients_max))
    return laws


@dataclass(frozen=True)
class LayerShare:
    """A layer of the data path at one point: the rate it could carry, and the rate it carried."""

    name: str
    capacity_bytes_per_s: float
    carried_bytes_per_s: float
    is_bound: bool
    """the slowest layer that no cache can bypass"""

    @property
    def share(self) -> float:
        """The carried rate as a share of the capacity."""
        return self.carried_bytes_per_s / self.capacity_bytes_per_s


@dataclass(frozen=True)
class Headroom:
    """The layers at the highest point of a phase."""

    point: dict[str, Any]
    phase: str
    layers: tuple[LayerShare, ...]
    """empty where fewer than two layers have a known rate"""


def headroom(points: Sequence[Measured]) -> list[Headroom]:
    """The layers at the highest valid point of each phase that moves data."""
    rates = [item for item in points if item.quantity is RATE and item.usable and item.mean]
    return [Headroom(item.point, item.phase, _layers(item)) for item in best_of_phases(rates)]


def _layers(item: Measured) -> tuple[LayerShare, ...]:
    with_rate = [(name, rate) for name, rate in item.first_of("layers") or () if rate > 0]
    if len(with_rate) < 2:
        return ()
    bound = item.first_of("bound")
    carried = item.mean or 0.0
    return tuple(LayerShare(name, rate, carried, name == bound) for name, rate in with_rate)


@dataclass(frozen=True)
class ServerShortfall:
    """The rate that the servers' links could carry at one point, and the rate that they carried.

    rate(n) = n·X − k(n), where X is the rate of one server's link and k(n) the shortfall.
    """

    item: Measured
    links_bytes_per_s: float
    rate_bytes_per_s: float
    interval_bytes_per_s: Interval | None
    """95 % interval of the shortfall, from that of the mean; None below two repeats"""

    @property
    def shortfall_bytes_per_s(self) -> float:
        """k(n)."""
        return self.links_bytes_per_s - self.rate_bytes_per_s


def servers_of(experiment: Experiment | None, point: Mapping[str, Any]) -> tuple[str, str] | None:
    """(key, number of servers) of an experiment at one point; None where it has those of the
    study.
    """
    if experiment is None:
        return None
    row = experiment.variants.get(str(point.get(VARIANT)), VariantChanges())
    paths = {**experiment.overrides, **row.overrides, **point}
    return next(((key, str(paths[key])) for key in BOUNDS if key in paths), None)


def server_shortfalls(
    points: Sequence[Measured], experiment: Experiment | None
) -> list[ServerShortfall]:
    """The points that the servers' links bound; empty where the number of servers does not vary."""
    bounded: list[Measured] = []
    numbers: set[str] = set()
    for item in points:
        number_of_servers = servers_of(experiment, item.point)  # faster links do not add servers
        if number_of_servers is None:
            continue
        if item.quantity is not RATE or not item.usable or item.mean is None:
            continue
        key, servers = number_of_servers
        if item.first_of("bound") in BOUNDS[key]:
            bounded.append(item)
            numbers.add(servers)
    if len(numbers) < 2:
        return []
    return [_shortfall(item) for item in bounded]


def _shortfall(item: Measured) -> ServerShortfall:
    links = float(item.first_of("bound_bytes_per_s"))
    mean = mean_of(Sample(tuple(item.values)))
    interval = None
    if mean is not None:
        rates = mean.interval()
        interval = Interval(links - rates.high, links - rates.low)
    return ServerShortfall(item, links, item.mean or 0.0, interval)
