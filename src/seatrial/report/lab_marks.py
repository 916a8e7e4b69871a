"""Marks on values of a table or figure that belong to the lab and not to hardware.

Rates of links and disks are modelled and scaled, but times are not. Operations per second that
depend on times, latencies and CPU shares are therefore those of the lab at any scale.
"""

from collections.abc import Collection
from dataclasses import replace

from seatrial.report.tables import Table
from seatrial.result.quantities import OPERATIONS, Quantity
from seatrial.summary.notation import LAB_OWN

MARK = "†"
NOTE = (
    f"{MARK} Value of the lab, not of hardware: times are not scaled, disks have no seek time, "
    "links have no delay, and a node "
    "has one CPU with ticks of 10 ms."
)
UNITS = ("1/s", OPERATIONS.unit)
"""units of values that depend on the lab's own time"""


def marked(table: Table, titles: Collection[str] = (), *, in_lab: bool) -> Table:
    """Mark the columns with these titles and all operation rates, and explain the mark below.

    Outside of a lab the table is unchanged.
    """
    columns_to_mark = [
        column for column in table.columns if column.title in titles or column.unit in UNITS
    ]
    if not in_lab or not columns_to_mark:
        return table
    columns = tuple(
        replace(column, title=f"{column.title} {MARK}") if column in columns_to_mark else column
        for column in table.columns
    )
    return replace(table, columns=columns, note=f"{table.note} {NOTE}".strip())


def unit(quantity: Quantity, *, in_lab: bool) -> str:
    """The unit of an axis: `operations/s, value of the lab, not of hardware`."""
    return f"{quantity.unit}, {LAB_OWN}" if in_lab and quantity is OPERATIONS else quantity.unit
