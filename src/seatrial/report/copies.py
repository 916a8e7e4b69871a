"""The table of copies: the time of a file of each size, and the fixed cost per file."""

from collections.abc import Sequence

from seatrial.analysis.copies import Copies, FileCost, file_cost, pool
from seatrial.report.tables import Cell, Table, filled, grouped, size
from seatrial.summary.names import heading
from seatrial.summary.notation import mega, milliseconds
from seatrial.summary.points import Measured

NOTE = (
    "All counted files of all tasks, clients and usable repeats profile one sample; the first files"
    " of each size are not counted. ± s is the sample standard deviation of a single file’s time."
    " The rate is the size divided by the mean time. Fixed cost and rate beyond it come from the"
    " straight line through the mean times over the sizes (least squares of the relative"
    " deviations): the cost of a file of any size, and the rate of its bytes."
)

CELLS: tuple[Cell[Copies], ...] = (
    Cell("file size", number=True, head=True, of=lambda copies: size(copies.file_bytes)),
    Cell("files", number=True, of=lambda copies: str(copies.files)),
    Cell("mean time", "ms", number=True, of=lambda copies: milliseconds(copies.mean_s)),
    Cell(
        "± s",
        "ms",
        number=True,
        optional=True,
        of=lambda copies: milliseconds(copies.deviation_s, 2),
    ),
    Cell("shortest", "ms", number=True, of=lambda copies: milliseconds(copies.min_s)),
    Cell("longest", "ms", number=True, of=lambda copies: milliseconds(copies.max_s)),
    Cell("rate", "MB/s", number=True, of=lambda copies: mega(copies.rate_bytes_per_s)),
)


def table(caption: str, points: Sequence[Measured]) -> Table:
    """One row per size, grouped by point and phase; empty where nothing was copied."""
    sizes = [(item, pooled(item)) for item in points]
    groups = (
        (
            heading(item.point, item.phase) + cost_in_words(file_cost(figures_of_sizes)),
            filled(CELLS, figures_of_sizes),
        )
        for item, figures_of_sizes in sizes
        if figures_of_sizes
    )
    return grouped(caption, CELLS, groups, NOTE, "sizes")


def pooled(item: Measured) -> list[Copies]:
    """The figures of each size over all clients and usable repeats, by size."""
    parts: dict[int, list[Copies]] = {}
    for copy in (
        copy for repeat in item.basis for client in repeat.clients for copy in client.copies
    ):
        if copy["files"] and copy["mean_s"] is not None:
            keys = ("file_bytes", "files", "mean_s", "deviation_s", "min_s", "max_s")
            parts.setdefault(copy["file_bytes"], []).append(
                Copies(**{key: copy[key] for key in keys})
            )
    return [of_size for file_bytes in sorted(parts) if (of_size := pool(parts[file_bytes]))]


def cost_in_words(cost: FileCost | None) -> str:
    """The suffix of a heading: `: fixed cost 3.74 ms a file, beyond it 6.25 MB/s`; empty for a
    single size.
    """
    if cost is None:
        return ""
    fixed = f"{milliseconds(cost.fixed_s)} ms per file" if cost.fixed_s > 0 else "none detectable"
    rate = cost.rate_bytes_per_s
    beyond = f"{mega(rate)} MB/s" if rate else "no rate (larger files take no longer)"
    return f": fixed cost {fixed}, beyond it {beyond}"
