"""Comparison of a report's system with other studies and generations.

It also shows the properties that a study shares with the system that it models.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from seatrial.analysis.compared import Compared
from seatrial.basics.errors import SeatrialError
from seatrial.judge.base import Judgement
from seatrial.judge.judge import study_of
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.report.faults import NOT_RECOVERED
from seatrial.report.tables import Cell, Column, Table, of_items
from seatrial.result.faults import FaultResult
from seatrial.result.quantities import RATE
from seatrial.result.result import Result
from seatrial.study.study import Study
from seatrial.summary.names import point_name
from seatrial.summary.notation import NONE, figures, mega
from seatrial.summary.points import best_of_phases, measured
from seatrial.summary.system import Built, built

SYSTEMS_NOTE = (
    "Peaks are the highest means of usable repeats{}. Each is at its own number of clients and "
    "with its own workload. "
    "Outages are the longest outage of a client in any fault of that run."
)
MODELLED = ", in the rates of the modelled system"
POINTS_NOTE = "Rates as measured. A ratio is decided where its 95 % interval (Welch) excludes 1."


SYSTEMS = (
    Column("study", head=True),
    Column("system"),
    Column("measured"),
    Column("criteria passed", number=True),
    Column("peak write", "MB/s"),
    Column("peak read", "MB/s"),
    Column("faults", number=True),
    Column("longest outage", "s", number=True),
)


@dataclass(frozen=True)
class ComparedResult:
    """Another result."""

    result: Result
    judgements: Sequence[Judgement]
    compared: Sequence[Compared] = ()
    """points that both results have"""


def tables(
    result: Result, judgements: Sequence[Judgement], others: Sequence[ComparedResult]
) -> list[Table]:
    """The table of systems, then one table of common points per other result; empty
    without others.
    """
    if not others:
        return []
    compared = (ComparedResult(result, judgements), *others)
    systems = [_kind_and_system(item.result)[1] for item in compared]
    note = SYSTEMS_NOTE.format(
        MODELLED if any(system and system.scaled for system in systems) else ""
    )
    rows = tuple(map(_system, compared))
    table = Table("Comparison of studies and generations.", SYSTEMS, rows, note, "cards")
    return [table, *map(_points, others)]


def shares(study: Study | None) -> Table | None:
    """The shared properties: one column for the system and one per solution; None without any."""
    shared = study.comparable_to if study else None
    if shared is None:
        return None
    columns = (Column("point", head=True), Column(shared.system), *map(Column, shared.solutions))
    rows = tuple((item.point, item.system, *item.solutions) for item in shared.points)
    caption = f"Shared properties of {shared.system} and the systems that model it."
    return Table(caption, columns, rows, shared.note or "", "cards wordy")


def _title(item: ComparedResult) -> str:
    run = item.result.first("run")
    return str(run.get("title") or run.get("study"))


def _system(item: ComparedResult) -> tuple[str, ...]:
    result = item.result
    run = result.first("run")
    verdicts = [
        judgement.verdict for judgement in item.judgements if judgement.kind == "acceptance"
    ]
    kind, system = _kind_and_system(result)
    scale = system.scale if system else 1.0
    faults = result.faults
    kind_and_raid = [kind, system.raid if system else ""]
    return (
        _title(item),
        ", ".join(filter(None, kind_and_raid)),
        (
            f"{datetime.fromtimestamp(float(run.get('unix_s', 0)), UTC):%Y-%m-%d},"
            f" {run.get('profile')}"
        ),
        _passed(verdicts) if verdicts else NONE,
        _peak(result, "write", scale),
        _peak(result, "read", scale),
        str(len(faults)) if faults else NONE,
        _longest_outage(faults),
    )


def _passed(verdicts: Sequence[str]) -> str:
    """`7 of 8, 1 with waivers`."""
    waived = verdicts.count(PASS_WITH_WAIVERS)
    return (
        f"{verdicts.count('pass')} of {len(verdicts)}{f', {waived} with waivers' if waived else ''}"
    )


def _longest_outage(faults: Sequence[FaultResult]) -> str:
    """The longest outage of all faults in seconds; an outage that never ended has no length."""
    if not faults:
        return NONE
    if any(fault.unrecovered for fault in faults):
        return NOT_RECOVERED
    return figures(max(fault.longest_s for fault in faults))


def _kind_and_system(result: Result) -> tuple[str, Built | None]:
    """(kind of solution, system as built), where the result contains a readable study."""
    try:
        study = study_of(result)
        return study.solution.kind, built(result.first("system"), study)
    except SeatrialError:
        return NONE, None


def _peak(result: Result, phase: str, scale: float) -> str:
    points = (
        item
        for item in measured(result.phases)
        if item.phase == phase and item.quantity is RATE and item.usable
    )
    best = best_of_phases(points)
    return f"{mega((best[0].mean or 0.0) / scale)} ({point_name(best[0].point)})" if best else NONE


def _interval(item: Compared) -> str:
    return NONE if item.low is None else f"{figures(item.low)} to {figures(item.high)}"


POINTS: tuple[Cell[Compared], ...] = (
    Cell("point", head=True, of=lambda point: f"{point.experiment}, {point_name(point.point)}"),
    Cell("phase", of=lambda point: point.phase),
    Cell("this study", number=True, of=lambda point: figures(point.a)),
    Cell("the other", number=True, of=lambda point: figures(point.b)),
    Cell("unit", of=lambda point: point.unit),
    Cell("ratio", number=True, of=lambda point: figures(point.ratio)),
    Cell("95 % interval", of=_interval),
    Cell("the other is", of=lambda point: point.finding),
)


def _points(item: ComparedResult) -> Table:
    return of_items(f"Common points with {_title(item)}.", POINTS, item.compared, POINTS_NOTE)
