"""Results across the points of an experiment: scaling, and the headroom of layers and servers."""

import math
from collections.abc import Sequence

from seatrial.report.lab_marks import marked
from seatrial.report.series import limits
from seatrial.report.tables import Column, Table, grouped, number_columns
from seatrial.result.quantities import RATE
from seatrial.study.experiment import Experiment
from seatrial.summary.names import heading, point_name
from seatrial.summary.notation import NONE, figures, mega, percent, written
from seatrial.summary.points import Measured
from seatrial.summary.scaling import (
    LayerShare,
    ScalingLaw,
    ServerShortfall,
    headroom,
    scaling_laws,
    server_shortfalls,
)

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
    laws = scaling_laws(points)
    if not laws:
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
    in_lab = any(item.in_lab for item in points)
    return marked(Table(caption, columns, tuple(map(_fitted, laws)), note), in_lab=in_lab)


def _fitted(item: ScalingLaw) -> tuple[str, ...]:
    law = item.fit.law
    peak = NONE
    if item.peak_clients is not None:
        low, high = item.fit.peak_clients
        peak = f"{_clients(item.peak_clients)} ({_clients(low)} to {_clients(high)})"
    return (
        item.name,
        written(item.quantity, law.one_client),
        _with_band(law.contention, item.fit.contention),
        _with_band(law.coherency, item.fit.coherency),
        _clients(law.knee_clients),
        peak,
        written(item.quantity, item.peak_rate),
        "declines" if item.is_declining else "no decline shown",
    )


def _with_band(value: float, band: tuple[float, float]) -> str:
    return f"{_small(value)} ({_small(band[0])} to {_small(band[1])})"


def _small(value: float) -> str:
    if value < 1e-6:
        return "0"
    return f"{value:.2g}" if value >= 1e-4 else f"{value:.6f}"


def _clients(value: float) -> str:
    if math.isinf(value):
        return "∞"
    return figures(value, 2) if value < 10 else f"{value:.0f}"


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
    groups = (
        (heading(item.point, item.phase), map(_layer, item.layers)) for item in headroom(points)
    )
    return grouped(caption, LAYERS, groups, LAYERS_NOTE, "")


def _layer(item: LayerShare) -> tuple[str, ...]:
    capacity = mega(item.capacity_bytes_per_s)
    carried = mega(item.carried_bytes_per_s)
    return (item.name, capacity, carried, percent(item.share), "this" if item.is_bound else "")


# ---- the shortfall of servers

SERVERS_NOTE = (
    "rate(n) = n·X − k(n), where X is the rate of one server’s link. Where k(n) grows with n, the "
    "servers hinder each "
    "other. Its 95 % interval is that of the mean of the repeats."
)


def shortfall(
    caption: str, points: Sequence[Measured], experiment: Experiment | None
) -> Table | None:
    """One row per point that the servers' links bound; None where the number of servers does not
    vary.
    """
    shortfalls = server_shortfalls(points, experiment)
    if not shortfalls:
        return None
    columns = (
        Column("point", head=True),
        Column("phase"),
        *number_columns(RATE.unit, "n·X", "rate(n)", "k(n)"),
        Column("95 % interval of k(n)", RATE.unit),
        Column("rate(n) of n·X", number=True),
    )
    return Table(caption, columns, tuple(map(_short, shortfalls)), SERVERS_NOTE)


def _short(item: ServerShortfall) -> tuple[str, ...]:
    interval = NONE
    if item.interval_bytes_per_s is not None:
        limits_bytes_per_s = item.interval_bytes_per_s
        interval = f"{mega(limits_bytes_per_s.low)} to {mega(limits_bytes_per_s.high)}"
    return (
        point_name(item.item.point),
        item.item.phase,
        mega(item.links_bytes_per_s),
        mega(item.rate_bytes_per_s),
        mega(item.shortfall_bytes_per_s),
        interval,
        percent(item.rate_bytes_per_s / item.links_bytes_per_s),
    )
