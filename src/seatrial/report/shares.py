"""What a study shares with the system that it stands in for: one table, as the study says it."""

from seatrial.report.tables import Column, Table
from seatrial.study.study import Study


def table(study: Study | None) -> Table | None:
    """Point by point, a column for the system and one for each solution; None where the study says nothing of it."""
    told = study.shares_with if study else None
    if told is None:
        return None
    columns = (Column("point", head=True), Column(told.system), *map(Column, told.solutions))
    rows = tuple((item.point, item.system, *item.solutions) for item in told.points)
    caption = f"Point by point: {told.system}, and what stands in for it."
    return Table(caption, columns, rows, told.note or "", css="cards wordy")
