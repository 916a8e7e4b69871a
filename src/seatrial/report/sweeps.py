"""A row's sweep beside the published table that it repeats: every cell, in each of the means that the paper prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.judge.published import published_experiment
from seatrial.record.quantities import RATE
from seatrial.report.series import Measured, limits
from seatrial.report.tables import Column, Table, figures, mega, ratio

MEANS = {
    "natural": ("natural aggregate", RATE.attribute),
    "harmonic_agg": ("harmonic aggregate", "harmonic_aggregate_bytes_per_s"),
    "harmonic_mean": ("harmonic mean", "harmonic_mean_bytes_per_s"),
}
"""head of a published column -> the mean's name, and where a phase's result has it (analysis/aggregates.py)"""

NOTE = (
    "Natural aggregate: all data over the time of the slowest task. Harmonic mean: all data over the sum of the tasks’ "
    "times; harmonic aggregate: that times the tasks. Of few: the ratio to the natural aggregate of the fewest clients "
    "of the same side, by which both can be set side by side. Where the published facts correct a printed cell, the "
    "corrected one stands here."
)


@dataclass(frozen=True)
class Sweep:
    """The points of one row, by number of clients, and the published table beside them."""

    points: Sequence[Measured]
    printed: Mapping[int, Mapping[str, Any]]
    """number of clients -> column -> MB/s"""

    @property
    def phases(self) -> list[str]:
        """Those that were measured, in the order of the run; those that are printed where none was."""
        measured = dict.fromkeys(item.phase for item in self.points)
        printed = dict.fromkeys(
            name.rpartition("_")[2] for line in self.printed.values() for name in line if name.startswith("natural_")
        )
        return list(measured or printed)

    def measured(self, clients: int, phase: str) -> Measured | None:
        """What was measured with so many clients."""
        found = (item for item in self.points if item.phase == phase and item.point.get("clients") == clients)
        return next(found, None)

    @property
    def clients(self) -> list[int]:
        """Every number of clients of either side."""
        return sorted({*self.printed, *(item.point["clients"] for item in self.points)})


def printed_by_clients(published: Mapping[str, Any], number: str | None) -> dict[int, dict[str, Any]]:
    """A published table whose lines are numbers of clients, with its corrections: clients -> column -> value."""
    experiment = published_experiment(published, number)
    columns = experiment.get("columns", ())
    if "clients" not in columns:
        return {}
    lines = [*experiment.get("rows", ()), *experiment.get("rows_corrected", ())]
    cells = [dict(zip(columns, line, strict=True)) for line in lines]
    return {line["clients"]: line for line in cells}


def table(title: str, number: str, sweep: Sweep) -> Table:
    """A line for each number of clients and each mean; what was not measured or not printed is a dash."""
    columns = [Column("clients", head=True), Column("mean", head=True)]
    for phase in sweep.phases:
        columns += [Column(phase, "MB/s", number=True), Column("of few", number=True)]
        columns += [Column("published", "MB/s", number=True), Column("of few", number=True)]
    rows = tuple(_line(sweep, clients, mean) for clients in sweep.clients for mean in MEANS)
    what = limits(sweep.points)
    note = f"{NOTE} A value in brackets was {what}." if what else NOTE
    return Table(f"{title}, beside the published table {number}.", tuple(columns), rows, note, "rows").slim()


def _line(sweep: Sweep, clients: int, mean: str) -> tuple[str, ...]:
    name, attribute = MEANS[mean]
    cells = [str(clients), name]
    for phase in sweep.phases:
        point, first = sweep.measured(clients, phase), _first(sweep, phase)
        value = point.mean_of(attribute) if point is not None and point.whole else None
        text = mega(value)
        cells += [f"({text})" if point and point.lab_limited and value else text, ratio(value, first)]
        there = sweep.printed.get(clients, {}).get(f"{mean}_{phase}")
        cells += [figures(there), ratio(there, _first_printed(sweep, phase))]
    return tuple(cells)


def _first(sweep: Sweep, phase: str) -> float | None:
    """The natural aggregate of the fewest clients."""
    found = [point for clients in sweep.clients if (point := sweep.measured(clients, phase)) is not None]
    return found[0].mean_of(RATE.attribute) if found and found[0].whole else None


def _first_printed(sweep: Sweep, phase: str) -> float | None:
    return next(iter(sweep.printed.values()), {}).get(f"natural_{phase}")
