"""Copies by dd: what another client found of them, one row for each stream of each fault."""

from collections.abc import Iterable

from seatrial.record.faults import FaultResult
from seatrial.report.tables import NONE, SYMBOLS, Column, Table

COLUMNS = (
    Column("fault", head=True),
    Column("stream", head=True),
    Column("copied by"),
    Column("checked by"),
    Column("copies", number=True),
    Column("slowest, s", number=True),
    Column("blocks", number=True),
    Column("valid, KiB", number=True),
    Column("damaged"),
    Column("verdict"),
)


def table(faults: Iterable[FaultResult]) -> Table:
    """Every copy of every fault."""
    rows = [_row(fault, name) for fault in faults for name in fault.copies]
    caption = "Copies by dd: what `seatrial-agent check` found on another client of all that dd had acknowledged."
    note = "Each copy is one dd with conv=fsync. Extents are runs of blocks of one class (docs/content-format.md)."
    return Table(caption, COLUMNS, tuple(rows), note, "cards").slim()


def _row(fault: FaultResult, name: str) -> tuple[str, ...]:
    found = fault.copies[name]
    extents = dict(found["extents"])
    valid = extents.pop("valid", {"size_bytes": 0})
    damaged = [
        f"{item['size_bytes'] / 1024:.0f} KiB {kind} in {item['number']} extents" for kind, item in extents.items()
    ]
    verdict = "unknown" if found["unknown"] else "fail" if extents else "pass"
    reasons = [text for text in (found["unknown"], found["error"] and f"dd: {found['error']}") if text]
    return (
        fault.name,
        name,
        found["client"],
        found["checked_by"],
        str(found["parts"]),
        f"{found['longest_s']:.1f}",
        str(found["blocks"]),
        f"{valid['size_bytes'] / 1024:.0f}",
        ", ".join(damaged) or NONE,
        f"{SYMBOLS.get(verdict, '')} {'; '.join([verdict, *reasons])}".strip(),
    )
