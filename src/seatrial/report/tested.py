"""The limits of a run: the parts of the study that it did not test, and the evidence of faults."""

from collections.abc import Iterable, Iterator, Sequence

from seatrial.report.tables import Column, Table, pairs
from seatrial.result.faults import FaultResult
from seatrial.summary.coverage import Coverage, NotDone

OTHER_PROFILE = "not in this run: another profile, or left out by --only"


def not_tested(coverage: Coverage) -> Table | None:
    """Every fault and experiment of the study that was not measured; None if nothing is missing."""
    rows = [
        *_rows("fault", coverage.faults_skipped, "skipped: "),
        *_rows("fault", coverage.faults_not_completed, "not completed: "),
        *((f"fault {name}", OTHER_PROFILE) for name in coverage.faults_left_out),
        *((f"experiment {name}", OTHER_PROFILE) for name in coverage.experiments_left_out),
    ]
    if not rows:
        return None
    return pairs("Parts of the study that this run did not test.", ("part", "reason"), rows)


def _rows(kind: str, items: Iterable[NotDone], prefix: str) -> Iterator[tuple[str, str]]:
    for item in items:
        yield f"{kind} {item.name}", f"{prefix}{item.reason}"


def evidence_of_faults(faults: Sequence[FaultResult]) -> Table | None:
    """The observed signs of each action of each fault; None where no result has them.

    docs/result-format.md describes the signs.
    """
    rows = [
        (
            fault.name,
            item.what,
            ", ".join(item.seen) or "none",
            " or ".join(item.needs) or "none stated",
            "yes" if item.is_shown else "no",
        )
        for fault in faults
        for item in fault.evidence or ()
    ]
    if not rows:
        return None
    columns = (
        Column("fault", head=True),
        Column("action"),
        Column("observed signs"),
        Column("required sign"),
        Column("happened"),
    )
    return Table("Evidence that each fault happened.", columns, tuple(rows), css="cards")
