"""Rebuilds: how long an array was rebuilt under load, and what that took from each stream."""

from collections.abc import Iterable

from seatrial.record.faults import FaultResult
from seatrial.report.tables import NONE, Column, Table, figures

COLUMNS = (
    Column("fault", head=True),
    Column("rebuild", "s", number=True),
    Column("stream", head=True),
    Column("before", "operations/s", number=True),
    Column("during", "operations/s", number=True),
    Column("mean before", "ms", number=True),
    Column("mean during", "ms", number=True),
    Column("99 % before", "ms", number=True),
    Column("99 % during", "ms", number=True),
)


def table(faults: Iterable[FaultResult]) -> Table:
    """Every stream of every fault with a rebuild."""
    rows = [
        (
            fault.name,
            _length(fault),
            stream,
            *(_figure(loads.get(span, {}), key) for key in ("operations_per_s", "mean_ms", "p99_ms") for span in SPANS),
        )
        for fault in faults
        for stream, loads in fault.rebuild.get("loads", {}).items()
    ]
    caption = "Rebuilds of the array: how long they took under load, and what they took from the clients."
    note = (
        "Latencies are those of all operations of all clients of a stream that ended in the whole seconds before the "
        "injection, and in those of the rebuild. A stream of a steady pace keeps its rate as long as it can."
    )
    return Table(caption, COLUMNS, tuple(rows), note, "cards").slim()


SPANS = ("before", "rebuild")


def _length(fault: FaultResult) -> str:
    if fault.rebuild_s is not None:
        return figures(fault.rebuild_s)
    return f"> {figures(fault.rebuild['until_unix_s'] - fault.rebuild['begun_unix_s'])}"


def _figure(load: dict[str, float], key: str) -> str:
    return figures(load[key]) if key in load else NONE
