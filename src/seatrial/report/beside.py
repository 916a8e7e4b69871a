"""Other studies and generations beside the one of a report: what each is, what it gives, and what was compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from seatrial.analysis.compared import Compared
from seatrial.basics.errors import SeatrialError
from seatrial.judge.base import Judgement
from seatrial.judge.judge import study_of
from seatrial.record.quantities import RATE
from seatrial.record.record import Record
from seatrial.report.built import Built, built
from seatrial.report.series import measured, point_name
from seatrial.report.tables import NONE, Column, Table, figures

SYSTEMS_NOTE = (
    "Peaks are the highest means of usable repeats{}, each at its own number of clients and by its own workload. "
    "Outages are the longest that a client saw in any fault of that run."
)
MODELLED = ", in the rates of the modelled system"
POINTS_NOTE = "Rates as they were measured. A ratio is decided where its 95 % interval (Welch) excludes 1."


@dataclass(frozen=True)
class Beside:
    """Another record."""

    record: Record
    judgements: Sequence[Judgement]
    compared: Sequence[Compared] = ()
    """points that it shares with the report's own record"""


def tables(record: Record, judgements: Sequence[Judgement], others: Sequence[Beside]) -> list[Table]:
    """The systems, then the common points of each with this one; nothing where there is no other."""
    if not others:
        return []
    everyone = (Beside(record, judgements), *others)
    columns = (
        Column("study", head=True),
        Column("system"),
        Column("measured"),
        Column("claims passed", number=True),
        Column("peak write", "MB/s"),
        Column("peak read", "MB/s"),
        Column("faults", number=True),
        Column("longest outage", "s", number=True),
    )
    rows = tuple(_system(item) for item in everyone)
    systems = [_built(item.record) for item in everyone]
    note = SYSTEMS_NOTE.format(MODELLED if any(it and it.scaled for it in systems) else "")
    systems_table = Table("Studies and generations side by side.", columns, rows, note, "cards")
    return [systems_table, *map(_points, others)]


def _system(item: Beside) -> tuple[str, ...]:
    record = item.record
    run, own = record.first("run"), [it for it in item.judgements if it.kind == "acceptance"]
    system = _built(record)
    scale = system.scale if system else 1.0
    faults = record.faults
    return (
        str(run.get("title") or run.get("study")),
        _kind(record, system),
        datetime.fromtimestamp(float(run.get("unix_s", 0)), UTC).strftime("%Y-%m-%d") + f", {run.get('form')}",
        f"{sum(it.verdict == 'pass' for it in own)} of {len(own)}" if own else NONE,
        _peak(record, "write", scale),
        _peak(record, "read", scale),
        str(len(faults)) if faults else NONE,
        figures(max((fault.longest_s for fault in faults), default=0.0)) if faults else NONE,
    )


def _built(record: Record) -> Built | None:
    try:
        return built(record.first("system"), study_of(record))
    except SeatrialError:
        return None


def _kind(record: Record, system: Built | None) -> str:
    """`nfs-ha, RAID 6`."""
    try:
        kind = study_of(record).solution.kind
    except SeatrialError:
        return NONE
    return ", ".join(word for word in (kind, system.raid if system else "") if word)


def _peak(record: Record, phase: str, scale: float) -> str:
    points = [item for item in measured(record.phases) if item.phase == phase and item.quantity is RATE and item.usable]
    best = max(points, key=lambda item: item.mean or 0.0, default=None)
    if best is None or best.mean is None:
        return NONE
    return f"{figures(best.mean / scale / RATE.divisor)} ({point_name(best.point)})"


def _points(item: Beside) -> Table:
    columns = (
        Column("point", head=True),
        Column("phase"),
        Column("this study", number=True),
        Column("the other", number=True),
        Column("unit"),
        Column("ratio", number=True),
        Column("95 % interval"),
        Column("the other is"),
    )
    rows = tuple(
        (
            f"{row.experiment}, {point_name(row.point)}",
            row.phase,
            figures(row.a),
            figures(row.b),
            row.unit,
            f"{row.ratio:.2f}",
            NONE if row.low is None or row.high is None else f"{row.low:.2f} to {row.high:.2f}",
            row.finding,
        )
        for row in item.compared
    )
    run = item.record.first("run")
    return Table(f"Common points with {run.get('title') or run.get('study')}.", columns, rows, POINTS_NOTE)
