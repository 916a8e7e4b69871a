"""The report as one self-contained HTML file, from the tree that the paper is made from too.

The same result gives the same bytes: every date is the result's own.
"""

from collections.abc import Sequence
from pathlib import Path

from seatrial.judge.base import Judgement
from seatrial.report.beside import ComparedResult
from seatrial.report.content import content
from seatrial.report.page.page import page_of
from seatrial.report.tree import Element, html_of
from seatrial.result.result import Result
from seatrial.summary.recommendations import Steps

TEMPLATES = Path(__file__).parent / "templates"


def write_report(
    result: Result,
    judgements: Sequence[Judgement],
    steps: Steps | None = None,
    others: Sequence[ComparedResult] = (),
) -> Path:
    """Write `report.html` into the result folder and return its path; `steps` and `others`: see
    `content`.
    """
    path = result.folder / "report.html"
    path.write_text(render(result, judgements, steps, others), encoding="utf-8")
    return path


def render(
    result: Result,
    judgements: Sequence[Judgement],
    steps: Steps | None = None,
    others: Sequence[ComparedResult] = (),
) -> str:
    """The report as HTML text; `steps` and `others`: see `content`."""
    return f"<!doctype html>\n{html_of(tree(result, judgements, steps, others))}\n"


def tree(
    result: Result,
    judgements: Sequence[Judgement],
    steps: Steps | None = None,
    others: Sequence[ComparedResult] = (),
) -> Element:
    """The report as a tree; `steps` and `others`: see `content`."""
    return page_of(content(result, judgements, steps, others), style_sheet())


def style_sheet() -> str:
    """The style sheet of the page, which also has the colours of the paper."""
    return (TEMPLATES / "report.css").read_text(encoding="utf-8")
