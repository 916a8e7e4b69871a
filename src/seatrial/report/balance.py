"""The table of balance: what each layer between clients and disks could carry, and the share of it that was carried."""

from collections.abc import Sequence

from seatrial.record.quantities import RATE
from seatrial.report.series import Measured, heading
from seatrial.report.tables import Column, Table, figures, percent

NOTE = (
    "Of the highest point of each phase, in bytes of clients: a layer that each of them crosses twice could carry half "
    "of its rate. A balanced system has shares near each other. The bound is the slowest layer that no cache can "
    "outrun; where its share is low, something else holds the whole up: latency, locks, or processors."
)
COLUMNS = (
    Column("layer", head=True),
    Column("could carry", RATE.unit, number=True),
    Column("carried", RATE.unit, number=True),
    Column("share", number=True),
    Column("bound"),
)


def table(caption: str, points: Sequence[Measured]) -> Table:
    """A row for each layer, grouped by phase; none where fewer than two layers' rates are known."""
    rows: list[tuple[str, ...]] = []
    groups = []
    told = [item for item in points if item.quantity is RATE and item.usable and item.mean]
    for phase in dict.fromkeys(item.phase for item in told):
        best = max((item for item in told if item.phase == phase), key=lambda item: item.mean or 0.0)
        layers = [(name, rate) for name, rate in best.first_of("layers") or () if rate > 0]
        if len(layers) < 2:
            continue
        groups.append((len(rows), heading(best.point, best.phase)))
        bound = best.first_of("bound")
        rows += [_row(name, rate, best.mean or 0.0, "this" if name == bound else "") for name, rate in layers]
    return Table(caption, COLUMNS, tuple(rows), NOTE, groups=tuple(groups))


def _row(name: str, rate: float, carried: float, bound: str) -> tuple[str, ...]:
    could, did = figures(rate / RATE.divisor), figures(carried / RATE.divisor)
    return name, could, did, percent(carried / rate), bound
