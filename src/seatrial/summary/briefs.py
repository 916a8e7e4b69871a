"""The evidence of a criterion in at most 30 words; its rows have the details."""

from collections.abc import Sequence

from seatrial.judge.answer import PASSING, EvidenceRow
from seatrial.judge.base import Judgement
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.summary.notation import figures
from seatrial.summary.survival import thousands

WORDS_MAX = 30
SUBJECTS_MAX = 4
"""at most this many subjects are named for one verdict"""


def brief(item: Judgement) -> str:
    """Why a criterion has its verdict, in at most 30 words."""
    if item.objection:
        return shortened(item.objection)
    if len(item.rows) > 1:
        return shortened(_of_rows(item.rows))
    return shortened(findings(item))


def findings(item: Judgement) -> str:
    """The evidence without the remark, which is the same for many criteria."""
    return item.evidence.removesuffix(f"; {item.remark}") if item.remark else item.evidence


def is_complete(item: Judgement) -> bool:
    """Whether the brief text has everything that the evidence has, except the remark."""
    return len(item.rows) <= 1 and brief(item) == findings(item)


def shortened(text: str) -> str:
    """The first 30 words of a text; an ellipsis is the last one where words are left out."""
    words = text.split(" ")
    if len(words) <= WORDS_MAX:
        return text
    return f"{' '.join(words[: WORDS_MAX - 1])} …"


def value_words(value: float | None, unit: str) -> str:
    """`9.10 s`, `8 360 blocks`; empty where it is not known."""
    if value is None:
        return ""
    number = figures(value) if unit == "s" else thousands(round(value))
    return f"{number} {unit}".strip()


def _of_rows(rows: Sequence[EvidenceRow]) -> str:
    """`10 of 11 passed; failed: panic; closest to its limit: cut, 9.10 s of 26.1 s`."""
    judged = [row for row in rows if row.verdict != "skipped"]
    passed = [row for row in judged if row.verdict in PASSING]
    parts = [f"{len(passed)} of {len(judged)} passed"]
    waived = [row for row in passed if row.verdict == PASS_WITH_WAIVERS]
    if waived:
        parts[0] += f", {len(waived)} of them with waivers"
    for verdict, title in (("fail", "failed"), ("unknown", "unknown"), ("skipped", "skipped")):
        parts += _rows_with(rows, verdict, title)
    return "; ".join([*parts, *_figure_words(judged)])


def _rows_with(rows: Sequence[EvidenceRow], verdict: str, title: str) -> list[str]:
    """`failed: panic, cut and 3 more`; empty where no row has the verdict."""
    names = [row.subject or "the run" for row in rows if row.verdict == verdict]
    if not names:
        return []
    more = len(names) - SUBJECTS_MAX
    rest = f" and {more} more" if more > 0 else ""
    return [f"{title}: {', '.join(names[:SUBJECTS_MAX])}{rest}"]


def _figure_words(rows: Sequence[EvidenceRow]) -> list[str]:
    """The row that is closest to its limit, or the sum of values without limits."""
    limited = [row for row in rows if row.value is not None and row.limit]
    if limited:
        closest = max(limited, key=_share_of_limit)
        value = value_words(closest.value, closest.unit)
        limit = value_words(closest.limit, closest.unit)
        return [f"closest to its limit: {closest.subject}, {value} of {limit}"]
    counted = [row for row in rows if row.value is not None]
    units = {row.unit for row in counted}
    if len(units) == 1:
        total = sum(row.value or 0.0 for row in counted)
        return [f"{value_words(total, units.pop())} checked"]
    return []


def _share_of_limit(row: EvidenceRow) -> float:
    return (row.value or 0.0) / (row.limit or 1.0)
