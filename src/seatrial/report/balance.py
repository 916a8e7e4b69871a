"""The table of balance: what each layer between clients and disks could carry, and the share of it that was carried."""

from collections.abc import Sequence

from seatrial.record.quantities import RATE
from seatrial.report.series import Measured, best_of_phases, heading
from seatrial.report.tables import Column, Table, grouped, mega, percent

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
    told = best_of_phases(item for item in points if item.quantity is RATE and item.usable and item.mean)
    return grouped(caption, COLUMNS, ((heading(item.point, item.phase), _rows(item)) for item in told), NOTE, "")


def _rows(item: Measured) -> list[tuple[str, ...]]:
    layers = [(name, rate) for name, rate in item.first_of("layers") or () if rate > 0]
    bound, carried = item.first_of("bound"), item.mean or 0.0
    return [
        (name, mega(rate), mega(carried), percent(carried / rate), "this" if name == bound else "")
        for name, rate in (layers if len(layers) > 1 else ())
    ]
