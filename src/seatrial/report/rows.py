"""The tables of variants: measured and published columns, with ratios to the first variant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from seatrial.analysis.copies import Copies
from seatrial.judge.published import published_experiment
from seatrial.report.copies import pooled
from seatrial.report.lab_marks import marked
from seatrial.report.series import limits
from seatrial.report.tables import Column, Table
from seatrial.result.quantities import RATE
from seatrial.study.experiment import VARIANT, Experiment
from seatrial.summary.notation import NONE, figures, mega, ratio, written
from seatrial.summary.points import Measured
from seatrial.summary.variant_rates import compared_at

NOTE = (
    "Of copies a value is the mean over the file sizes of each size’s mean rate, of one transfer,"
    " and σ the standard deviation of the rate of single files of the largest size. To first: the"
    " ratio to the first row, by which "
)
COLUMN_OF = {"copy-to-storage": "write", "copy-from-storage": "read"}
"""published column of a phase; other columns have the phase's name"""
SIGMAS_OF = {"write": ("sigma_w", "sigma_write"), "read": ("sigma_r", "sigma_read")}


@dataclass(frozen=True)
class Rows:
    """The measured variants of an experiment."""

    experiment: Experiment
    points: Sequence[Measured]
    skipped: Mapping[str, str]
    """variant -> why it was not measured"""
    printed: Mapping[int, Mapping[str, Any]]
    """line of the published table -> column -> value"""

    @property
    def phases(self) -> list[str]:
        """The phases, in the order of the run."""
        return list(dict.fromkeys(item.phase for item in self.points)) or list(
            self.experiment.workload.phases
        )

    @property
    def at(self) -> dict[str, Any]:
        """The values at which variants are compared when something else varies: the last ones."""
        return compared_at(self.points)

    def point(self, phase: str, row: str) -> Measured | None:
        """The measured point of a variant."""
        expected = {**self.at, VARIANT: row}
        return next(
            (item for item in self.points if item.phase == phase and item.point == expected), None
        )

    def kinds(self, phase: str) -> list[str]:
        """The kinds of clients that took part in a phase, where there is more than one kind."""
        repeats = (item for point in self.points if point.phase == phase for item in point.basis)
        names = list(dict.fromkeys(kind for item in repeats for kind in item.kinds_bytes_per_s))
        return names if len(names) > 1 else []

    def printed_column(self, phase: str, kind: str) -> str:
        """The published column of a kind of clients: by its name, or the one with a name of no kind
        here.

        A paper names clients of its file system after it, such as `gpfs_read`.
        """
        columns = {name: f"{name}_{_name(phase)}" for name in self.kinds(phase)}
        parts = [
            key for key in next(iter(self.printed.values()), {}) if key.endswith(f"_{_name(phase)}")
        ]
        nameless = [name for name, column in columns.items() if column not in parts]
        without_kind = [key for key in parts if key not in columns.values()]
        return without_kind[0] if nameless == [kind] and len(without_kind) == 1 else columns[kind]

    def prints_harmonic(self, phase: str) -> bool:
        """Whether the published table has the harmonic aggregate of a phase as well as the
        aggregate.
        """
        return f"harmonic_agg_{_name(phase)}" in next(iter(self.printed.values()), {})

    def unit(self, phase: str) -> str:
        """The unit of the values of a phase."""
        return next((item.quantity.unit for item in self.points if item.phase == phase), "MB/s")


def _bracketed(note: str, points: Sequence[Measured]) -> str:
    """The note with the meaning of brackets, where a value may have them."""
    what = limits(points)
    return f"{note} A value in brackets was {what}." if what else note


def table(rows: Rows) -> Table:
    """One line per variant of the study, also those that were not measured, with the reason."""
    columns = [Column("line", number=True, optional=True), Column("variant", head=True)]
    for phase in rows.phases:
        unit = rows.unit(phase)
        columns += [Column(phase, unit, number=True), Column("σ", unit, number=True, optional=True)]
        columns += [
            Column("to first", number=True),
            Column("published", "MB/s", number=True, optional=True),
        ]
        columns += [
            Column("σ", "MB/s", number=True, optional=True),
            Column("to first", number=True, optional=True),
        ]
        if rows.prints_harmonic(phase):
            columns += [Column(f"{phase}, harmonic aggregate", "MB/s", number=True)]
            columns += [Column("published", "MB/s", number=True, optional=True)]
        for kind in rows.kinds(phase):
            columns += [Column(f"{phase}, {kind}", "MB/s", number=True)]
            columns += [Column(f"published, {kind}", "MB/s", number=True, optional=True)]
    columns.append(Column("not measured, because", optional=True))
    context = f", compared with the published table {rows.experiment.table}" if rows.printed else ""
    cells = tuple(_row(rows, name) for name in rows.experiment.variants)
    at = ", ".join(f"{key.rpartition('.')[2]} {value}" for key, value in rows.at.items())
    context = (f" at {at}" if at else "") + context
    side = "a scale model" if any(item.in_lab for item in rows.points) else "this system"
    note = _bracketed(f"{NOTE}{side} and a published table can be set side by side.", rows.points)
    filled = Table(f"Each variant{context}.", tuple(columns), cells, note, "rows").slim()
    return marked(filled, in_lab=any(item.in_lab for item in rows.points))


def _row(rows: Rows, name: str) -> tuple[str, ...]:
    row = rows.experiment.variants[name]
    printed = rows.printed.get(row.line or -1, {})
    first = next(iter(rows.printed.values()), {})
    cells = [NONE if row.line is None else str(row.line), name]
    for phase in rows.phases:
        column = _column(phase, first)
        sigma = next((printed[key] for key in SIGMAS_OF.get(column, ()) if key in printed), None)
        point = rows.point(phase, name)
        cells += _measured(point, rows.point(phase, next(iter(rows.experiment.variants))))
        cells += [
            figures(printed.get(column)),
            figures(sigma, 2),
            ratio(printed.get(column), first.get(column)),
        ]
        if rows.prints_harmonic(phase):
            harmonic = point.mean_of("harmonic_aggregate_bytes_per_s") if point else None
            cells += [mega(harmonic), figures(printed.get(f"harmonic_agg_{_name(phase)}"))]
        for kind in rows.kinds(phase):
            repeats = [item.kinds_bytes_per_s for item in point.basis] if point else []
            rates = [item[kind] for item in repeats if kind in item]
            cells += [
                mega(fmean(rates) if rates else None),
                figures(printed.get(rows.printed_column(phase, kind))),
            ]
    if rows.point(rows.phases[0], name) is not None:
        return (*cells, NONE)
    return (*cells, rows.skipped.get(name) or row.skip or "this profile omits it")


def _name(phase: str) -> str:
    """The name of a phase in published tables."""
    return COLUMN_OF.get(phase, phase)


def _column(phase: str, printed: Mapping[str, Any]) -> str:
    """The published column of a phase: by its name, or the aggregate where several means are
    printed.
    """
    name = _name(phase)
    # An aggregate belongs to a phase with one column per kind of client.
    parts = ["aggregate"] if any(key.endswith(f"_{name}") for key in printed) else []
    return next((key for key in (name, f"natural_{name}", *parts) if key in printed), name)


def _measured(point: Measured | None, first: Measured | None) -> list[str]:
    if point is None or point.mean is None:
        return [NONE, NONE, NONE]
    value = written(point.quantity, point.mean)
    sigma = rate_deviation(pooled(point))
    return [
        f"({value})" if point.lab_limited else value,
        mega(sigma, 2),
        ratio(point.mean, first.mean if first else None),
    ]


def rate_deviation(sizes: Sequence[Copies]) -> float | None:
    """Standard deviation of a single file's rate, largest size, bytes/s; None for too few files.

    To first order, the relative deviation of the rate equals that of the time.
    """
    if not sizes or sizes[-1].deviation_s is None or not sizes[-1].mean_s:
        return None
    largest = sizes[-1]
    return largest.file_bytes * (largest.deviation_s or 0.0) / largest.mean_s**2


SIZES_NOTE = (
    "The mean rate of the files of each size, and the ratio of the largest to the smallest. The "
    "published sizes are "
    "listed in order next to those of this run."
)


@dataclass(frozen=True)
class Sizes:
    """Rates by file size of some variants, compared with a published table of the same kind."""

    title: str
    columns: Mapping[str, Measured | None]
    printed: Mapping[str, Any]
    """the published table: `columns` and `rows`; the first column is the size"""

    @property
    def rates(self) -> dict[str, dict[int, float | None]]:
        """By column: file size -> bytes/s."""
        return {
            title: (
                {item.file_bytes: item.rate_bytes_per_s for item in pooled(point)} if point else {}
            )
            for title, point in self.columns.items()
        }

    @property
    def printed_names(self) -> list[str]:
        """The published columns that are rates."""
        return [name for name in self.printed.get("columns", ())[1:] if not name.endswith("sigma")]

    def printed_row(self, index: int) -> list[Any]:
        """Size and rates of a published row; dashes where the table is shorter."""
        columns = self.printed.get("columns", ())
        rows = self.printed.get("rows", ())
        row = (
            dict(zip(columns, rows[index], strict=True)) if -len(rows) <= index < len(rows) else {}
        )
        return [next(iter(row.values()), None), *(row.get(name) for name in self.printed_names)]


def sizes_table(sizes: Sizes) -> Table | None:
    """One line per size, and the ratio of the first to the last; None where nothing was copied."""
    rates = sizes.rates
    files = sorted({size for column in rates.values() for size in column}, reverse=True)
    if not files:
        return None
    columns = [
        Column("file", "KiB", head=True),
        *(Column(title, "MB/s", number=True) for title in rates),
    ]
    if sizes.printed:
        columns.append(Column("published file", "MB", number=True))
        columns += [
            Column(name.replace("_", " "), "MB/s", number=True) for name in sizes.printed_names
        ]
    lines = []
    for index, size in enumerate(files):
        printed = sizes.printed_row(index) if sizes.printed else []
        measured = [mega(column.get(size)) for column in rates.values()]
        lines.append(
            (
                f"{size / 1024:g}",
                *measured,
                *(NONE if value is None else f"{value:g}" for value in printed),
            )
        )
    first = sizes.printed_row(0)
    last = sizes.printed_row(-1)
    measured = [ratio(column.get(files[0]), column.get(files[-1])) for column in rates.values()]
    ratios = [NONE, *map(ratio, first[1:], last[1:])] if sizes.printed else []
    lines.append(("largest to smallest", *measured, *ratios))
    return Table(f"{sizes.title}.", tuple(columns), tuple(lines), SIZES_NOTE, "rows")


# ---- sweeps over clients

MEANS = {
    "natural": ("aggregate throughput", RATE.attribute),
    "harmonic_agg": ("harmonic aggregate", "harmonic_aggregate_bytes_per_s"),
    "harmonic_mean": ("harmonic mean", "harmonic_mean_bytes_per_s"),
}
"""head of a published column -> the mean's name, and its field in a phase's result
(analysis/aggregates.py)
"""

SWEEP_NOTE = (
    "Aggregate throughput: all data over the time of the slowest task. Harmonic mean: all data "
    "over the sum of the tasks’ "
    "times; harmonic aggregate: that times the tasks. Of few: the ratio to the aggregate "
    "throughput of the fewest clients "
    "of the same side, which makes both comparable. Where the published facts correct a printed "
    "cell, the "
    "corrected value is shown."
)


@dataclass(frozen=True)
class Sweep:
    """The points of one variant, by number of clients, and the published table."""

    points: Sequence[Measured]
    printed: Mapping[int, Mapping[str, Any]]
    """number of clients -> column -> MB/s"""

    @property
    def phases(self) -> list[str]:
        """The measured phases in the order of the run, or the printed ones where none
        was measured.
        """
        measured = dict.fromkeys(item.phase for item in self.points)
        printed = dict.fromkeys(
            name.rpartition("_")[2]
            for line in self.printed.values()
            for name in line
            if name.startswith("natural_")
        )
        return list(measured or printed)

    def measured(self, clients: int, phase: str) -> Measured | None:
        """The measured point of this client count."""
        matching = (
            item
            for item in self.points
            if item.phase == phase and item.point.get("clients") == clients
        )
        return next(matching, None)

    @property
    def clients(self) -> list[int]:
        """Every client count of either side."""
        return sorted({*self.printed, *(item.point["clients"] for item in self.points)})


def printed_by_clients(
    published: Mapping[str, Any], number: str | None
) -> dict[int, dict[str, Any]]:
    """A published table by client count, with its corrections: clients -> column -> value."""
    experiment = published_experiment(published, number)
    columns = experiment.get("columns", ())
    if "clients" not in columns:
        return {}
    lines = [*experiment.get("rows", ()), *experiment.get("rows_corrected", ())]
    cells = [dict(zip(columns, line, strict=True)) for line in lines]
    return {line["clients"]: line for line in cells}


def sweep_table(title: str, number: str, sweep: Sweep) -> Table:
    """One line per client count and mean; a dash for values not measured or not printed."""
    columns = [Column("clients", head=True), Column("mean", head=True)]
    for phase in sweep.phases:
        columns += [Column(phase, "MB/s", number=True), Column("of few", number=True)]
        columns += [Column("published", "MB/s", number=True), Column("of few", number=True)]
    rows = tuple(_line(sweep, clients, mean) for clients in sweep.clients for mean in MEANS)
    note = _bracketed(SWEEP_NOTE, sweep.points)
    caption = f"{title}, compared with the published table {number}."
    return Table(caption, tuple(columns), rows, note, "rows").slim()


def _line(sweep: Sweep, clients: int, mean: str) -> tuple[str, ...]:
    name, attribute = MEANS[mean]
    cells = [str(clients), name]
    for phase in sweep.phases:
        point = sweep.measured(clients, phase)
        fewest = next(
            (
                point_of_count
                for number in sweep.clients
                if (point_of_count := sweep.measured(number, phase))
            ),
            None,
        )
        first = fewest.mean_of(RATE.attribute) if fewest and fewest.whole else None
        value = point.mean_of(attribute) if point is not None and point.whole else None
        text = mega(value)
        cells += [
            f"({text})" if point and point.lab_limited and value else text,
            ratio(value, first),
        ]
        printed = sweep.printed.get(clients, {}).get(f"{mean}_{phase}")
        few = next(iter(sweep.printed.values()), {}).get(f"natural_{phase}")
        cells += [figures(printed), ratio(printed, few)]
    return tuple(cells)
