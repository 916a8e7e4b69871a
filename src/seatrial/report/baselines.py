"""The baselines: one line per group of disks, paths, links and MTUs, with the names of the
outliers.
"""

from collections.abc import Sequence
from statistics import median

from seatrial.report.tables import Column, Table, number_columns
from seatrial.result.baselines import BELOW_EXPECTED, BELOW_MEDIAN, Baseline, outliers, unmeasured
from seatrial.summary.notation import NONE, mega

COLUMNS = (
    Column("what", head=True),
    Column("measured", number=True),
    *number_columns("MB/s", "least", "median", "most"),
    Column("expected", "MB/s", number=True, optional=True),
    Column("outliers"),
)
NOTE = (
    "Each component was measured alone, before the first experiment: disks and paths by reads "
    "that bypass the server’s cache (paths from "
    "the array’s), links by TCP in one direction at a time, MTUs by packets that must not be "
    "fragmented. An outlier "
    f"reaches less than {BELOW_MEDIAN:.0%} of the median of its group, or less than "
    f"{BELOW_EXPECTED:.0%} of its expected rate."
)


def table(baselines: Sequence[Baseline]) -> Table:
    """One line per group."""
    remarkable = [*outliers(baselines), *unmeasured(baselines)]
    rows = []
    for group in dict.fromkeys(item.group for item in baselines):
        items = [item for item in baselines if item.group == group]
        reasons = [f"{item.name}: {reason}" for item, reason in remarkable if item.group == group]
        rows.append((group, *_figures(items), "; ".join(reasons) or "none"))
    caption = "Baselines by component: disks, storage paths, links, and largest packets of links."
    return Table(caption, COLUMNS, tuple(rows), NOTE, "cards").slim()


def _figures(items: Sequence[Baseline]) -> tuple[str, ...]:
    values = [item.value for item in items if item.value is not None]
    count = f"{len(values)} of {len(items)}" if len(values) < len(items) else str(len(items))
    if items[0].kind == "mtu" or not values:
        return count, NONE, NONE, NONE, NONE
    expected = [item.expected for item in items if item.expected]
    range_text = NONE if not expected else mega(min(expected))
    if expected and max(expected) != min(expected):
        range_text = f"{mega(min(expected))} to {mega(max(expected))}"
    return count, mega(min(values)), mega(median(values)), mega(max(values)), range_text
