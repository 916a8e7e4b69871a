"""A figure of the report in its two forms."""

from dataclasses import dataclass

from seatrial.report.tables import Numbered, Table


@dataclass(frozen=True)
class Picture(Numbered):
    """A figure in two widths."""

    title: str
    """empty where the heading above it has the title"""
    caption: str
    wide: str
    narrow: str
    data: Table | None
    """its values as a table, as text alternative"""
