"""Consistency: what the consistency tests of each fault showed, one row each."""

from collections.abc import Iterable
from typing import Any

from seatrial.judge.checks.consistency import judge_consistency_test
from seatrial.record.faults import FaultResult
from seatrial.report.tables import NONE, SYMBOLS, Column, Table

COLUMNS = (
    Column("fault", head=True),
    Column("consistency test", head=True),
    Column("checked"),
    Column("violations", number=True),
    Column("unknown", number=True),
    Column("locks lost", number=True, optional=True),
    Column("locks kept over the fault", optional=True),
    Column("verdict"),
)
NAMED_MAX = 3


def table(faults: Iterable[FaultResult]) -> Table:
    """Every consistency test of every fault."""
    rows = [_row(fault, name, found) for fault in faults for name, found in fault.consistency.items()]
    caption = "Consistency: what many clients did to one another during each fault."
    note = (
        "A violation is certain in spite of the clocks’ errors. Unknown is what may be the answer to a request that "
        "was sent again (RFC 8881, section 2.10.6; RFC 1813, section 4.5), or what a history does not tell."
    )
    return Table(caption, COLUMNS, tuple(rows), note, "cards").slim()


def _row(fault: FaultResult, name: str, found: dict[str, Any]) -> tuple[str, ...]:
    verdict = judge_consistency_test(found)[0]
    locks = found["consistency_test"] == "locks"
    kept = [f"{client}: {state}" for client, state in found["kept_locks"].items()]
    named = [*found["violations"], *found["lost_locks"], *found.get("unasked", ())][:NAMED_MAX]
    return (
        fault.name,
        name if name == found["consistency_test"] else f"{name}: {found['consistency_test']}",
        ", ".join(f"{number} {what}" for what, number in found["checked"].items()) or "nothing",
        str(found["violations_count"]),
        str(found["unknowns_count"]),
        str(found["lost_locks_count"]) if locks else NONE,
        ", ".join(kept) or NONE,
        f"{SYMBOLS.get(verdict, '')} {'; '.join([verdict, *named])}".strip(),
    )
