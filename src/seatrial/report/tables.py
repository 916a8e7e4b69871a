"""The report's tables as rows of plain text, which the template escapes, and their numbering."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

from seatrial.basics.units import written_size
from seatrial.judge.base import Judgement
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.summary.notation import NONE, figures, node_set

SYMBOLS = {
    "pass": "✓",
    PASS_WITH_WAIVERS: "(✓)",
    "fail": "✗",
    "unknown": "?",
    "agrees": "=",
    "better": "↑",
    "worse": "↓",
    "different": "≠",
    "inconclusive": "?",
}
"""Shown in addition to the word: the report must be readable in black and white."""
ROWS_MAX = 20
"""The page folds a table with more rows."""


@dataclass(frozen=True)
class Column:
    """A column's title and unit; numbers are set to the right."""

    title: str
    unit: str = ""
    number: bool = False
    head: bool = False
    """the cell is the header of its row"""
    optional: bool = False
    """left out where no row has a value"""
    is_multiline: bool = False
    """the lines of a cell stay lines in a table of claims"""

    @property
    def label(self) -> str:
        """Title and unit on one line, for narrow pages where a row is a paragraph."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


def number_columns(unit: str, *titles: str) -> list[Column]:
    """Columns of figures in the same unit."""
    return [Column(title, unit, number=True) for title in titles]


Item = TypeVar("Item")


@dataclass(frozen=True)
class Cell(Column, Generic[Item]):
    """A column and the function that computes its cell."""

    of: Callable[[Item], str] = field(kw_only=True)


def filled(cells: Sequence[Cell[Item]], items: Iterable[Item]) -> Iterator[tuple[str, ...]]:
    """One row per item."""
    return (tuple(cell.of(item) for cell in cells) for item in items)


@dataclass(frozen=True)
class Numbered:
    """A figure or a table."""

    label: str = field(default="", kw_only=True)
    """`Table 3`; empty until it has a number"""


@dataclass(frozen=True)
class Table(Numbered):
    """A table with its caption."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    css: str = ""
    marks: frozenset[int] = field(default=frozenset())
    """highlighted rows (their flags give the reason)"""
    groups: tuple[tuple[int, str], ...] = ()
    """(first row, heading) of each group of rows"""

    @property
    def is_long(self) -> bool:
        """Whether the page folds it."""
        return len(self.rows) > ROWS_MAX

    @property
    def bodies(self) -> list[tuple[str, list[int]]]:
        """(heading or nothing, indexes of its rows) of every group."""
        starts = [start for start, _ in self.groups]
        if not starts:
            return [("", list(range(len(self.rows))))]
        ends = [*starts[1:], len(self.rows)]
        return [
            (title, list(range(start, end)))
            for (start, title), end in zip(self.groups, ends, strict=True)
        ]

    def slim(self) -> Self:
        """The table without optional columns that are empty in every row."""
        indexes = [
            index
            for index, column in enumerate(self.columns)
            if not column.optional or any(row[index] != NONE for row in self.rows)
        ]
        columns = tuple(self.columns[index] for index in indexes)
        return replace(
            self,
            columns=columns,
            rows=tuple(tuple(row[index] for index in indexes) for row in self.rows),
        )


def grouped(
    caption: str,
    columns: Sequence[Column],
    groups: Iterable[tuple[str, Iterable[tuple[str, ...]]]],
    note: str = "",
    css: str = "cards",
) -> Table:
    """A table of (heading, rows), without empty groups and empty optional columns."""
    rows: list[tuple[str, ...]] = []
    starts = []
    for heading, group_rows in groups:
        start = len(rows)
        rows += group_rows
        if len(rows) > start:
            starts.append((start, heading))
    return Table(caption, tuple(columns), tuple(rows), note, css, groups=tuple(starts)).slim()


def of_items(
    caption: str, cells: Sequence[Cell[Item]], items: Iterable[Item], note: str = "", css: str = ""
) -> Table:
    """A table with one row per item, without empty optional columns."""
    return Table(caption, tuple(cells), tuple(filled(cells, items)), note, css).slim()


AnyNumbered = TypeVar("AnyNumbered", bound=Numbered)


class Numbers:
    """Numbers figures and tables in the order in which they are shown; absent ones
    take no number.
    """

    def __init__(self) -> None:
        self._given = Counter[str]()

    def figure(self, item: AnyNumbered | None) -> AnyNumbered | None:
        """The same as `Figure 1`, `Figure 2`, ..."""
        return self._numbered("Figure", item) if item else None

    def table(self, table: Table | None) -> Table | None:
        """The same as `Table 1`, `Table 2`, ...; None where it has no row."""
        return self._numbered("Table", table) if table and table.rows else None

    def tables(self, *tables: Table | None) -> tuple[Table, ...]:
        """The numbered tables that have a row."""
        return tuple(item for item in map(self.table, tables) if item)

    def _numbered(self, word: str, item: AnyNumbered) -> AnyNumbered:
        self._given[word] += 1
        return replace(item, label=f"{word} {self._given[word]}")


CLAIM_COLUMNS = (
    Column("claim"),
    Column("verdict"),
    Column("statement"),
    Column("measured", is_multiline=True),
    Column("reason"),
)


def claims(caption: str, judgements: Iterable[Judgement]) -> Table:
    """Published claims with verdict, statement, the compared figures and the reason."""
    rows = []
    has_values = False
    for item in judgements:
        measured = [f"{key}: {_value(value)}" for key, value in (item.measured or {}).items()]
        has_values = has_values or bool(measured)
        verdict = f"{SYMBOLS.get(item.verdict, '')} {item.verdict}"
        values = "\n".join(measured) or NONE
        rows.append((item.claim, verdict, item.statement, values, item.evidence))
    note = MEASURED_NOTE if has_values else ""
    return Table(caption, CLAIM_COLUMNS, tuple(rows), note, "claims")


MEASURED_NOTE = (
    "Measured: the varied values → every usable repeat of this run. Published rates are "
    "compared with them only as shares of the resource that bounds both."
)


def _value(value: Any) -> str:
    if isinstance(value, float):
        return figures(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key} → {_value(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_value(part) for part in value)
    return str(value)


def folded(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Nodes with the same value as one node set: [("c[1-8]", value)], in order of
    first occurrence.
    """
    groups: dict[str, tuple[list[str], Any]] = {}
    for node, value in values.items():
        groups.setdefault(repr(value), ([], value))[0].append(node)
    return [(node_set(nodes), value) for nodes, value in groups.values()]


def pairs(caption: str, titles: tuple[str, str], rows: Iterable[tuple[str, str]]) -> Table:
    """A plain table of two columns."""
    return Table(caption, tuple(Column(title) for title in titles), tuple(rows), css="pairs two")


def size(size_bytes: Any) -> str:
    """Bytes in the shortest notation to at most three digits: `512 MiB`, `23.5 GiB`."""
    if not isinstance(size_bytes, int | float) or isinstance(size_bytes, bool):
        return NONE
    return written_size(size_bytes)
