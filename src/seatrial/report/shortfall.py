"""What more servers bring: n·X, what the links of n servers carry, less what was measured, k(n)."""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.analysis.statistics import Sample, half_width
from seatrial.record.quantities import RATE
from seatrial.report.series import Measured, point_name
from seatrial.report.tables import NONE, Column, Table, figures, percent
from seatrial.study.experiment import ROW, Experiment, Row

OF_SERVERS = ("server links", "front-end ports", "server link")
"""bounds that grow with the servers"""
SERVERS = ("solution.servers", "solution.members")
NOTE = (
    "rate(n) = n·X − k(n): X is what one server's link carries. Where k(n) grows with n, the servers hinder each "
    "other; its 95 % interval is that of the mean of the repeats."
)


def servers_of(experiment: Experiment | None, point: Mapping[str, Any]) -> str | None:
    """What an experiment says of the servers at one of its points; None where all points have those of the study."""
    if experiment is None:
        return None
    row = experiment.rows.get(str(point.get(ROW)), Row())
    paths = {**experiment.set, **row.set, **point}
    return next((str(paths[key]) for key in SERVERS if key in paths), None)


def table(label: str, caption: str, points: Sequence[Measured], experiment: Experiment | None) -> Table | None:
    """A row for each point that servers' links bound; None where their number does not vary."""
    bounded = [
        item
        for item in points
        if item.quantity is RATE and item.usable and item.first_of("bound") in OF_SERVERS and item.mean is not None
    ]
    if len({servers_of(experiment, item.point) for item in bounded}) < 2:  # faster links are no more servers
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
    return Table(label, caption, columns, tuple(_row(item) for item in bounded), NOTE)


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
