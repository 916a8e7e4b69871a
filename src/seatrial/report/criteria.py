"""The acceptance criteria: one short row for each, and a table with the evidence of each."""

from collections.abc import Iterator, Sequence

from seatrial.basics.text import capitalised
from seatrial.judge.answer import EvidenceRow
from seatrial.judge.base import Judgement
from seatrial.report.tables import ROWS_MAX, SYMBOLS, Column, Table
from seatrial.summary.briefs import brief, findings, is_complete, value_words
from seatrial.summary.notation import NONE

CAPTION = "Acceptance criteria."
SIMPLE = frozenset({"pass", "skipped"})
"""verdicts that a long table folds"""
COLUMNS = (Column("criterion"), Column("verdict"), Column("statement"), Column("evidence"))
EVIDENCE = (
    Column("subject", head=True, optional=True),
    Column("verdict"),
    Column("measured", number=True, optional=True),
    Column("limit", number=True, optional=True),
    Column("note", optional=True),
)


def overview(judgements: Sequence[Judgement]) -> Table:
    """Every criterion with its verdict, and its evidence in at most 30 words."""
    rows = [
        (item.claim, verdict_cell(item.verdict), item.statement, brief(item)) for item in judgements
    ]
    remarks = dict.fromkeys(item.remark for item in judgements if item.remark)
    note = " ".join(_sentence(remark) for remark in remarks)
    return Table(CAPTION, COLUMNS, tuple(rows), note, "claims")


def details(judgements: Sequence[Judgement]) -> Iterator[Table]:
    """The evidence of each criterion by subject, where the overview does not have all of it."""
    for item in judgements:
        if is_complete(item):
            continue
        rows = item.rows or (EvidenceRow("", item.verdict, note=findings(item)),)
        note = f"Objection: {item.objection}." if item.objection else ""
        caption = f"Evidence of {item.claim}: {item.statement}."
        whole = _table(caption, rows, note)
        if whole.is_long:
            # The page folds a long table; what did not simply pass stays open.
            open_rows = [row for row in rows if row.verdict not in SIMPLE][:ROWS_MAX]
            yield _table(f"Evidence of {item.claim} that is no simple pass.", open_rows, note)
        yield whole


def verdict_cell(verdict: str) -> str:
    """A verdict with its sign, which black and white print keeps."""
    return f"{SYMBOLS.get(verdict, NONE)} {verdict}"


def _table(caption: str, rows: Sequence[EvidenceRow], note: str) -> Table:
    cells = tuple(_cells(row) for row in rows)
    return Table(caption, EVIDENCE, cells, note, "cards evidence").slim()


def _sentence(words: str) -> str:
    return f"{capitalised(words)}." if words else ""


def _cells(row: EvidenceRow) -> tuple[str, ...]:
    return (
        row.subject or NONE,
        verdict_cell(row.verdict),
        value_words(row.value, row.unit) or NONE,
        value_words(row.limit, row.unit) or NONE,
        row.note or NONE,
    )
