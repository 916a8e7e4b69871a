"""The table of copies: how long a file of each size took, and what every file costs whatever its size."""

from collections.abc import Iterable, Sequence

from seatrial.analysis.copies import Copies, FileCost, file_cost, pool
from seatrial.report.series import Measured, heading
from seatrial.report.tables import NONE, Column, Table, figures, mega, size

NOTE = (
    "Every file that counts, of all tasks, clients and usable repeats as one sample; the first ones of each size do "
    "not count. ± s is the sample standard deviation of a single file’s time, the rate the size by the mean time. "
    "Fixed cost and rate beyond it are those of the straight line through the mean times over the sizes (least squares "
    "of the relative deviations): what a file costs whatever its size, and how fast its bytes go."
)

COLUMNS = (
    Column("file size", number=True, head=True),
    Column("files", number=True),
    Column("mean time", "ms", number=True),
    Column("± s", "ms", number=True, optional=True),
    Column("shortest", "ms", number=True),
    Column("longest", "ms", number=True),
    Column("rate", "MB/s", number=True),
)


def table(caption: str, points: Sequence[Measured]) -> Table:
    """One row for each size, grouped by point and phase; none where nothing was copied."""
    rows: list[tuple[str, ...]] = []
    groups = []
    for item in points:
        sizes = pooled(item)
        if sizes:
            groups.append((len(rows), heading(item.point, item.phase) + cost_in_words(file_cost(sizes))))
            rows += map(_row, sizes)
    return Table(caption, COLUMNS, tuple(rows), NOTE, "sizes", groups=tuple(groups)).slim()


def pooled(item: Measured) -> list[Copies]:
    """The figures of each size, all clients and usable repeats together, by size."""
    parts: dict[int, list[Copies]] = {}
    for copy in (copy for repeat in item.basis for client in repeat.clients for copy in client.copies):
        if copy["files"] and copy["mean_s"] is not None:
            keys = ("file_bytes", "files", "mean_s", "deviation_s", "min_s", "max_s")
            parts.setdefault(copy["file_bytes"], []).append(Copies(**{key: copy[key] for key in keys}))
    return _known(pool(parts[file_bytes]) for file_bytes in sorted(parts))


def _known(found: Iterable[Copies | None]) -> list[Copies]:
    return [item for item in found if item]


def cost_in_words(cost: FileCost | None) -> str:
    """What a heading adds: `: fixed cost 3.74 ms a file, beyond it 6.25 MB/s`; nothing with a single size."""
    if cost is None:
        return ""
    fixed = f"{figures(cost.fixed_s * 1e3)} ms a file" if cost.fixed_s > 0 else "none to be seen"
    rate = cost.rate_bytes_per_s
    beyond = f"{mega(rate)} MB/s" if rate else "no rate (larger files take no longer)"
    return f": fixed cost {fixed}, beyond it {beyond}"


def _row(item: Copies) -> tuple[str, ...]:
    deviation_s = item.deviation_s
    return (
        size(item.file_bytes),
        str(item.files),
        figures(item.mean_s * 1e3),
        NONE if deviation_s is None else figures(deviation_s * 1e3, 2),
        figures(item.min_s * 1e3),
        figures(item.max_s * 1e3),
        mega(item.rate_bytes_per_s),
    )
