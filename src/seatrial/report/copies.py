"""The table of copies: how long a file of each size took, and what every file costs whatever its size."""

from collections.abc import Sequence

from seatrial.analysis.copies import Copies, FileCost, file_cost, pool
from seatrial.report.series import Measured, heading
from seatrial.report.tables import Cell, Table, filled, grouped, mega, milliseconds, size

NOTE = (
    "Every file that counts, of all tasks, clients and usable repeats as one sample; the first ones of each size do "
    "not count. ± s is the sample standard deviation of a single file’s time, the rate the size by the mean time. "
    "Fixed cost and rate beyond it are those of the straight line through the mean times over the sizes (least squares "
    "of the relative deviations): what a file costs whatever its size, and how fast its bytes go."
)

CELLS: tuple[Cell[Copies], ...] = (
    Cell("file size", number=True, head=True, of=lambda it: size(it.file_bytes)),
    Cell("files", number=True, of=lambda it: str(it.files)),
    Cell("mean time", "ms", number=True, of=lambda it: milliseconds(it.mean_s)),
    Cell("± s", "ms", number=True, optional=True, of=lambda it: milliseconds(it.deviation_s, 2)),
    Cell("shortest", "ms", number=True, of=lambda it: milliseconds(it.min_s)),
    Cell("longest", "ms", number=True, of=lambda it: milliseconds(it.max_s)),
    Cell("rate", "MB/s", number=True, of=lambda it: mega(it.rate_bytes_per_s)),
)


def table(caption: str, points: Sequence[Measured]) -> Table:
    """One row for each size, grouped by point and phase; none where nothing was copied."""
    sizes = [(item, pooled(item)) for item in points]
    groups = (
        (heading(item.point, item.phase) + cost_in_words(file_cost(found)), filled(CELLS, found))
        for item, found in sizes
        if found
    )
    return grouped(caption, CELLS, groups, NOTE, "sizes")


def pooled(item: Measured) -> list[Copies]:
    """The figures of each size, all clients and usable repeats together, by size."""
    parts: dict[int, list[Copies]] = {}
    for copy in (copy for repeat in item.basis for client in repeat.clients for copy in client.copies):
        if copy["files"] and copy["mean_s"] is not None:
            keys = ("file_bytes", "files", "mean_s", "deviation_s", "min_s", "max_s")
            parts.setdefault(copy["file_bytes"], []).append(Copies(**{key: copy[key] for key in keys}))
    return [found for file_bytes in sorted(parts) if (found := pool(parts[file_bytes]))]


def cost_in_words(cost: FileCost | None) -> str:
    """What a heading adds: `: fixed cost 3.74 ms a file, beyond it 6.25 MB/s`; nothing with a single size."""
    if cost is None:
        return ""
    fixed = f"{milliseconds(cost.fixed_s)} ms a file" if cost.fixed_s > 0 else "none to be seen"
    rate = cost.rate_bytes_per_s
    beyond = f"{mega(rate)} MB/s" if rate else "no rate (larger files take no longer)"
    return f": fixed cost {fixed}, beyond it {beyond}"
