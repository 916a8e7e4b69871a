"""The scaling law of each sweep over clients, as a table."""

import math
from collections.abc import Sequence
from statistics import fmean

from seatrial.analysis.scaling import Scaling, fit
from seatrial.report.series import Measured, heading, limits
from seatrial.report.tables import NONE, Column, Table, figures, written

NOTE = (
    "The universal scalability law, X(N) = λ N / (1 + σ (N − 1) + κ N (N − 1)), fitted to the points of at least four "
    "numbers of clients. Contention σ is what has to wait, coherency κ what clients have to agree on; κ above 0 makes "
    "the rate decline beyond its peak. Bands hold 90 % (bootstrap of residuals)."
)


def table(caption: str, points: Sequence[Measured]) -> Table | None:
    """A row for each phase, and each value of what else varies; None where no sweep is long enough."""
    groups: dict[str, list[Measured]] = {}
    for item in points:
        if isinstance(item.point.get("clients"), int) and item.values:
            rest = {key: value for key, value in item.point.items() if key != "clients"}
            groups.setdefault(heading(rest, item.phase), []).append(item)
    rows = [
        _row(name, group, found)
        for name, group in groups.items()
        if (found := fit([(int(item.point["clients"]), fmean(item.values)) for item in group])) is not None
    ]
    if not rows:
        return None
    unit = points[0].quantity.unit
    columns = (
        Column("series", head=True),
        Column("one client", unit, number=True),
        Column("contention σ, 90 %", number=True),
        Column("coherency κ, 90 %", number=True),
        Column("knee", "clients", number=True),
        Column("peak, 90 %", "clients", number=True),
        Column("at the peak", unit, number=True),
        Column("beyond the peak"),
    )
    what = limits(points)
    note = f"{NOTE} Points that were {what} count where there are no others." if what else NOTE
    return Table(caption, columns, tuple(rows), note)


def _row(name: str, group: Sequence[Measured], found: Scaling) -> tuple[str, ...]:
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
