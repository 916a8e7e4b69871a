"""What more servers bring: n·X, what the links of n servers carry, less what was measured, k(n)."""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.analysis.statistics import Sample, half_width
from seatrial.record.quantities import RATE
from seatrial.report.series import Measured, point_name
from seatrial.report.tables import NONE, Column, Table, figures, percent
from seatrial.study.experiment import ROW, Experiment, Row

BOUNDS = {
    "solution.servers": ("server links", "server link"),
    "solution.block_servers": ("block servers' links to nodes",),
    "solution.members": ("front-end ports",),
}
"""what of a study says how many servers there are -> the bounds that grow with them"""
NOTE = (
    "rate(n) = n·X − k(n): X is what one server's link carries. Where k(n) grows with n, the servers hinder each "
    "other; its 95 % interval is that of the mean of the repeats."
)


def servers_of(experiment: Experiment | None, point: Mapping[str, Any]) -> tuple[str, str] | None:
    """What an experiment says of the servers at one of its points, and where; None where it has those of the study."""
    if experiment is None:
        return None
    row = experiment.rows.get(str(point.get(ROW)), Row())
    paths = {**experiment.set, **row.set, **point}
    return next(((key, str(paths[key])) for key in BOUNDS if key in paths), None)


def table(caption: str, points: Sequence[Measured], experiment: Experiment | None) -> Table | None:
    """A row for each point that servers' links bound; None where their number does not vary."""
    bounded, numbers = [], set()
    for item in points:
        said = servers_of(experiment, item.point)  # faster links are no more servers
        if said is None or item.quantity is not RATE or not item.usable or item.mean is None:
            continue
        key, servers = said
        if item.first_of("bound") in BOUNDS[key]:
            bounded.append(item)
            numbers.add(servers)
    if len(numbers) < 2:
        return None
    columns = (
        Column("point", head=True),
        Column("phase"),
        Column("n·X", RATE.unit, number=True),
        Column("rate(n)", RATE.unit, number=True),
        Column("k(n)", RATE.unit, number=True),
        Column("95 % interval of k(n)", RATE.unit),
        Column("rate(n) of n·X", number=True),
    )
    return Table(caption, columns, tuple(_row(item) for item in bounded), NOTE)


def _row(item: Measured) -> tuple[str, ...]:
    carried, rate = item.first_of("bound_bytes_per_s") / RATE.divisor, (item.mean or 0.0) / RATE.divisor
    short = carried - rate
    share = half_width(Sample(tuple(item.values)))
    interval = NONE if share is None else f"{figures(short - share * rate)} to {figures(short + share * rate)}"
    return (
        point_name(item.point),
        item.phase,
        figures(carried),
        figures(rate),
        figures(short),
        interval,
        percent(rate / carried),
    )
