"""Assembles the catalogue: one self-contained HTML file.

The page loads nothing and runs one script, which its own content security policy names by its
hash. The same inputs give the same bytes. Every text of a result is escaped.
"""

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from seatrial.basics.finite import only_finite
from seatrial.basics.units import counted, plain
from seatrial.catalogue.charts import (
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    Chart,
    chart_of,
    interval_words,
    mark_path,
)
from seatrial.catalogue.comparisons import STUDY_RUNS_MAX, comparisons_of, data_of
from seatrial.catalogue.runs import NO_VERDICT, Row, css_word, rows_of
from seatrial.catalogue.sources import Inputs, LeftOut
from seatrial.catalogue.trends import FIGURES_MAX, Kind, StudyTrends, Trend, trends_of
from seatrial.summary.notation import NONE

TEMPLATES = Path(__file__).parent / "templates"
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; "
    "form-action 'none'"
)
COLUMNS = (
    ("study", "run"),
    ("date", "date"),
    ("profile", "profile"),
    ("environment", "environment"),
    ("version", "versions"),
    ("verdict", "verdict"),
    ("criteria", "criteria"),
    ("waivers", "waivers"),
    ("peak", "peaks"),
    ("outage", "faults"),
)
"""(key, title) of the columns of the table"""
IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""characters that could end the element of the data -> their escapes in JSON"""


@dataclass(frozen=True)
class Filter:
    """A choice of the page: the name of a property, and its values."""

    key: str
    title: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class NotRead:
    """An input that is not on the page."""

    path: str
    """relative to the page"""
    words: str


@dataclass(frozen=True)
class DrawnTrend:
    """A trend with its drawing."""

    trend: Trend
    chart: Chart


@dataclass(frozen=True)
class TrendGroup:
    """The trends of one kind."""

    title: str
    drawn: tuple[DrawnTrend, ...]


@dataclass(frozen=True)
class StudySection:
    """The trends of one study, by kind."""

    study: str
    runs: str
    groups: tuple[TrendGroup, ...]
    left_out: int


def render(inputs: Inputs, out: Path) -> str:
    """The page as text. `out`: its path, from which links are relative."""
    rows = rows_of(inputs.runs, out)
    comparisons = comparisons_of(inputs.runs)
    style = _text("catalogue.css")
    script = _text("catalogue.js")
    data = only_finite(data_of(rows, inputs.runs, comparisons))
    policy = POLICY.format(script=_hash(script), style=_hash(style))
    studies = {row.study for row in rows}
    values: dict[str, Any] = {
        "policy": policy,
        "css": Markup(style),
        "script": Markup(script),
        "data": Markup(_json_in_html(data)),
        "columns": COLUMNS,
        "rows": rows,
        "counted_runs": counted(len(rows), "run"),
        "counted_studies": counted(len(studies), "study", "studies"),
        "filters": _filters(rows),
        "days": _days(rows),
        "not_read": tuple(_not_read(item, out) for item in inputs.left_out),
        "sections": tuple(map(_section, trends_of(rows, inputs.runs))),
        "figures_max": FIGURES_MAX,
        "ratios_max": STUDY_RUNS_MAX if comparisons.is_partial else None,
        "no_value": NONE,
    }
    return _template().render(**values)


def write_catalogue(inputs: Inputs, out: Path) -> None:
    """Write the page. A character that UTF-8 does not have becomes a question mark."""
    out.write_bytes(render(inputs, out).encode("utf-8", "replace"))


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _template() -> jinja2.Template:
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters["css_word"] = css_word
    templates.filters["plain"] = plain
    templates.filters["interval"] = interval_words
    templates.globals["mark_path"] = mark_path
    sizes = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT}
    templates.globals.update(sizes)
    return templates.get_template("catalogue.html.j2")


def _hash(text: str) -> str:
    """The source expression of a content security policy for an inline element with this text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _json_in_html(data: Any) -> str:
    """JSON that no parser of HTML takes for markup."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character, escape in IN_SCRIPT.items():
        text = text.replace(character, escape)
    return text


def _filters(rows: Sequence[Row]) -> tuple[Filter, ...]:
    return (
        Filter("study", "Study", _distinct(row.study for row in rows)),
        Filter("verdict", "Verdict", _distinct(row.verdict for row in rows)),
        Filter("profile", "Profile", _distinct(row.profile for row in rows)),
        Filter("environment", "Environment", _distinct(row.environment for row in rows)),
        Filter("version", "Version", _distinct(row.version for row in rows)),
    )


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values), key=lambda value: (value == NO_VERDICT, value)))


def _days(rows: Sequence[Row]) -> tuple[str, str] | None:
    """The first and the last day of the runs; None where no run has a date."""
    days = sorted(row.day for row in rows if row.day)
    return (days[0], days[-1]) if days else None


def _not_read(item: LeftOut, out: Path) -> NotRead:
    path = os.path.relpath(item.path.resolve(), out.resolve().parent)
    return NotRead(path, item.words)


def _section(of_study: StudyTrends) -> StudySection:
    groups = []
    for kind in Kind:
        of_kind = [item for item in of_study.trends if item.kind is kind]
        drawn = tuple(DrawnTrend(item, chart_of(item)) for item in of_kind)
        if drawn:
            groups.append(TrendGroup(kind.value, drawn))
    return StudySection(
        of_study.study, counted(of_study.runs, "run"), tuple(groups), of_study.left_out
    )
