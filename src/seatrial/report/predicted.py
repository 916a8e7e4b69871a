"""The predicted outage of each fault, which is the sum of its timers, term by term, beside the measured one."""

from collections.abc import Iterable

from seatrial.judge.checks.outage import why_unknown
from seatrial.record.faults import FaultResult
from seatrial.report.tables import NONE, Column, Table, percent
from seatrial.study.timers import sum_words

NOTE = (
    "Predicted at most: the sum of the solution’s timers that the fault has to wait for, known before it is injected, "
    "and of the work between them at what starting a process cost on these nodes during the fault. A measured outage "
    "above it is one that no timer explains. Outages below the threshold are not told. A goal is what the study aims "
    "at, whatever the timers allow."
)
COLUMNS = (
    Column("fault", head=True),
    Column("predicted at most", "s", number=True),
    Column("measured", "s", number=True),
    Column("share", number=True),
    Column("goal"),
    Column("made of"),
)


def table(faults: Iterable[FaultResult]) -> Table:
    """A row for each fault that has a limit."""
    rows = tuple(_row(fault) for fault in faults if fault.expect.get("outage") is not None and not fault.controls)
    caption = "Outages: the sum of the timers beside what was measured."
    return Table(caption, COLUMNS, rows, NOTE, "cards wordy")


def _row(fault: FaultResult) -> tuple[str, ...]:
    limit_s = float(fault.expect["outage"])
    parts = fault.expect.get("outage_parts") or ()
    made_of = sum_words(parts) if parts else f"{limit_s:.1f} s, as stated"
    goal_s = fault.expect.get("goal")  # absent in older records
    goal = NONE if goal_s is None else f"{goal_s:g} s"
    if fault.skipped is not None or fault.failed is not None or not fault.judged:
        return fault.name, f"{limit_s:.1f}", NONE, NONE, goal, made_of
    measured = f"{fault.longest_s:.1f}" if fault.longest_s else "< threshold"
    share = percent(fault.longest_s / limit_s) if fault.longest_s and limit_s else NONE
    if goal_s is not None and (fault.longest_s > goal_s or why_unknown(fault) is None):
        goal += ", missed" if fault.longest_s > goal_s else ", met"
    return fault.name, f"{limit_s:.1f}", measured, share, goal, made_of
