"""Marks on what of a table or a figure is a lab's own and no hardware's: they stand where the figure is read.

Rates of links and disks are modelled and scaled; times are not. So operations per second that rest on times, latencies
and shares of a processor are those of the lab, whatever the scale.
"""

from collections.abc import Collection
from dataclasses import replace

from seatrial.record.quantities import OPERATIONS, Quantity
from seatrial.report.tables import Table

MARK = "†"
NOTE = (
    f"{MARK} The lab’s own, and no hardware’s: times are not scaled, disks have no seek and links no delay, and a node "
    "has one CPU, which counts in ticks of 10 ms."
)
UNITS = ("1/s", OPERATIONS.unit)
"""of what a lab does in its own time"""
WORDS = "the lab’s own, no hardware’s"


def marked(table: Table, titles: Collection[str] = (), *, in_lab: bool) -> Table:
    """The same with a mark on the columns of these titles and of all rates of operations, and what it means below.

    Unchanged outside of a lab.
    """
    found = [column for column in table.columns if column.title in titles or column.unit in UNITS]
    if not in_lab or not found:
        return table
    columns = tuple(
        replace(column, title=f"{column.title} {MARK}") if column in found else column for column in table.columns
    )
    return replace(table, columns=columns, note=f"{table.note} {NOTE}".strip())


def unit(quantity: Quantity, *, in_lab: bool) -> str:
    """The unit of an axis: `operations/s, the lab’s own, no hardware’s`."""
    return f"{quantity.unit}, {WORDS}" if in_lab and quantity is OPERATIONS else quantity.unit
