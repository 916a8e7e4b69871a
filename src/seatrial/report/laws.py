"""Results across the points of an experiment: scaling, and the headroom of layers and servers."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from seatrial.analysis.scaling import Scaling, fit
from seatrial.analysis.statistics import Sample, mean_of
from seatrial.report.lab_marks import marked
from seatrial.report.series import Measured, best_of_phases, heading, limits, point_name
from seatrial.report.tables import NONE, Column, Table, figures, grouped, mega, number_columns, percent, written
from seatrial.result.quantities import RATE
from seatrial.study.experiment import VARIANT, Experiment, VariantChanges

# ---- the scaling law

LAW_NOTE = (
    "The universal scalability law, X(N) = λ N / (1 + σ (N − 1) + κ N (N − 1)), fitted to the "
    "points of at least five "
    "client counts. Contention σ is the serial share, coherency κ the cost of agreement between "
    "clients; κ above 0 makes "
    "the rate decline beyond its peak. Bands cover 90 % (parametric bootstrap)."
)


def scaling(caption: str, points: Sequence[Measured]) -> Table | None:
    """One row per phase and per value of everything else that varies; None where no sweep is long
    enough.
    """
    groups: dict[str, list[Measured]] = {}
    for item in points:
        if isinstance(item.point.get("clients"), int) and item.values:
            rest = {key: value for key, value in item.point.items() if key != "clients"}
            groups.setdefault(heading(rest, item.phase), []).append(item)
    rows = [
        _fitted(name, group, found)
        for name, group in groups.items()
        if (found := fit([(int(item.point["clients"]), fmean(item.values)) for item in group])) is not None
    ]
    if not rows:
        return None
    unit = points[0].quantity.unit
    columns = (
        Column("series", head=True),
        Column("one client", unit, number=True),
        *number_columns("", "contention σ, 90 %", "coherency κ, 90 %"),
        *number_columns("clients", "knee", "peak, 90 %"),
        Column("at the peak", unit, number=True),
        Column("beyond the peak"),
    )
    what = limits(points)
    note = LAW_NOTE
    if what:
        note += f" Points that were {what} count only where there are no others."
    return marked(Table(caption, columns, tuple(rows), note), in_lab=any(item.in_lab for item in points))


def _fitted(name: str, group: Sequence[Measured], found: Scaling) -> tuple[str, ...]:
    law, quantity = found.law, group[0].quantity
    last = max(int(item.point["clients"]) for item in group)
    peak = law.peak_clients
    return (
        name,
        written(quantity, law.one_client),
        _with_band(law.contention, found.contention),
        _with_band(law.coherency, found.coherency),
        _clients(law.knee_clients),
        NONE
        if math.isinf(peak)
        else f"{_clients(peak)} ({_clients(found.peak_clients[0])} to {_clients(found.peak_clients[1])})",
        NONE if math.isinf(peak) else written(quantity, law.rate(peak)),
        "declines" if found.coherency[0] > 0 and peak < last else "no decline shown",
    )


def _with_band(value: float, band: tuple[float, float]) -> str:
    return f"{_small(value)} ({_small(band[0])} to {_small(band[1])})"


def _small(value: float) -> str:
    return "0" if value < 1e-6 else f"{value:.2g}" if value >= 1e-4 else f"{value:.6f}"


def _clients(value: float) -> str:
    return "∞" if math.isinf(value) else figures(value, 2) if value < 10 else f"{value:.0f}"


# ---- the balance of layers

LAYERS_NOTE = (
    "For the highest point of each phase, in bytes of clients: a layer that each byte crosses "
    "twice counts half "
    "of its rate. A balanced system has shares close to each other. The bound is the slowest "
    "layer that no cache can "
    "bypass. Where its share is low, something else limits the throughput: latency, locks, or CPUs."
)
LAYERS = (
    Column("layer", head=True),
    *number_columns(RATE.unit, "could carry", "carried"),
    Column("share", number=True),
    Column("bound"),
)


def balance(caption: str, points: Sequence[Measured]) -> Table:
    """One row per layer, grouped by phase; empty where fewer than two layers have a known rate."""
    rates = [item for item in points if item.quantity is RATE and item.usable and item.mean]
    highest = best_of_phases(rates)
    groups = ((heading(item.point, item.phase), _layers(item)) for item in highest)
    return grouped(caption, LAYERS, groups, LAYERS_NOTE, "")


def _layers(item: Measured) -> list[tuple[str, ...]]:
    layers = [(name, rate) for name, rate in item.first_of("layers") or () if rate > 0]
    bound, carried = item.first_of("bound"), item.mean or 0.0
    return [
        (name, mega(rate), mega(carried), percent(carried / rate), "this" if name == bound else "")
        for name, rate in (layers if len(layers) > 1 else ())
    ]


# ---- the shortfall of servers

BOUNDS = {
    "solution.servers": ("server links", "server link"),
    "solution.block_servers": ("block servers' links to nodes",),
    "solution.members": ("front-end ports",),
}
"""key of a study that sets the number of servers -> the bounds that grow with it"""
SERVERS_NOTE = (
    "rate(n) = n·X − k(n), where X is the rate of one server’s link. Where k(n) grows with n, the "
    "servers hinder each "
    "other. Its 95 % interval is that of the mean of the repeats."
)


def servers_of(experiment: Experiment | None, point: Mapping[str, Any]) -> tuple[str, str] | None:
    """(key, number of servers) of an experiment at one point; None where it has those
    of the study.
    """
    if experiment is None:
        return None
    row = experiment.variants.get(str(point.get(VARIANT)), VariantChanges())
    paths = {**experiment.overrides, **row.overrides, **point}
    return next(((key, str(paths[key])) for key in BOUNDS if key in paths), None)


def shortfall(caption: str, points: Sequence[Measured], experiment: Experiment | None) -> Table | None:
    """One row per point that the servers' links bound; None where the number of servers does not
    vary.
    """
    bounded, numbers = [], set()
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
        return None
    columns = (
        Column("point", head=True),
        Column("phase"),
        *number_columns(RATE.unit, "n·X", "rate(n)", "k(n)"),
        Column("95 % interval of k(n)", RATE.unit),
        Column("rate(n) of n·X", number=True),
    )
    return Table(caption, columns, tuple(_short(item) for item in bounded), SERVERS_NOTE)


def _short(item: Measured) -> tuple[str, ...]:
    carried, rate = item.first_of("bound_bytes_per_s") / RATE.divisor, (item.mean or 0.0) / RATE.divisor
    short = carried - rate
    mean = mean_of(Sample(tuple(item.values)))
    interval = NONE
    if mean is not None:
        rates = mean.interval()
        least, most = (carried - limit / RATE.divisor for limit in (rates.high, rates.low))
        interval = f"{figures(least)} to {figures(most)}"
    return (
        point_name(item.point),
        item.phase,
        figures(carried),
        figures(rate),
        figures(short),
        interval,
        percent(rate / carried),
    )
