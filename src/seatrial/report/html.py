"""Assembles the report: from a record and its judgements to one HTML file that needs nothing else.

The same record gives the same bytes: every date in it is the record's own.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from seatrial.basics.errors import SeatrialError
from seatrial.basics.units import format_duration
from seatrial.judge.base import Judgement
from seatrial.judge.judge import study_of
from seatrial.record.faults import FaultResult
from seatrial.record.record import LINES, Record
from seatrial.report import baselines, consistency, environment, faults, rebuilds, referee
from seatrial.report.appendix import scripts
from seatrial.report.built import Built, built, ratio, scale_table
from seatrial.report.diagram import diagram
from seatrial.report.results import Numbers, Picture, Sources, at_a_glance, points_of, sections
from seatrial.report.tables import Column, Table, claims, pairs
from seatrial.study.study import Study

TEMPLATES = Path(__file__).parent / "templates"
ACCEPTANCE = (("pass", "passed"), ("fail", "failed"), ("unknown", "unknown"))
PUBLISHED = (("agrees", "agree"), ("differs", "differ"), ("inconclusive", "inconclusive"))


def write_report(record: Record, judgements: list[Judgement]) -> Path:
    """Write `report.html` into the record's folder."""
    path = record.folder / "report.html"
    path.write_text(render(record, judgements), encoding="utf-8")
    return path


def render(record: Record, judgements: Sequence[Judgement]) -> str:
    """The report as text."""
    loader = jinja2.FileSystemLoader(TEMPLATES)
    templates = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    # Only what this package has drawn or written itself is taken as markup; everything else is escaped.
    templates.filters["drawn"] = Markup
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    return templates.get_template("report.html.j2").render(css=css, **context(record, judgements))


def context(record: Record, judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Everything that the template shows, in the order in which it is numbered."""
    problems = list(record.problems)
    study = _study(record, problems)
    phases = record.phases
    system_line = record.first("system")
    system = built(system_line, study)
    numbers = Numbers()
    sources = Sources(record, phases, study, _published(record, problems), system)
    parts = {
        "system": system,
        "built_figure": _built_figure(system, numbers),
        "parts": _parts(system, numbers),
        "scale": scale_table(numbers.table(), system) if system and system.scaled else None,
        "scale_ratio": ratio(system.scale) if system else "",
        "reasons": _reasons(system_line, numbers),
    }
    measured = record.baselines
    baseline_table = baselines.table(numbers.table(), measured) if measured else None
    found = sections(sources, numbers)
    injected = record.faults
    rows = sources.published.get("faults") or []
    accepted = [item for item in judgements if item.kind == "acceptance"]
    published = [item for item in judgements if item.kind == "published"]
    return {
        **parts,
        "head": _head(record, study),
        "problems": problems,
        "warnings": [str(item) for item in system_line.get("warnings", ())],
        "glance": at_a_glance([(item.title, points_of(sources, item.name)) for item in found]),
        "baselines": baseline_table,
        "sections": found,
        "fault_table": faults.table(numbers.table(), injected, rows, judgements) if injected else None,
        "consistency_table": consistency.table(numbers.table(), injected) if _exercised(injected) else None,
        "referee_table": referee.table(numbers.table(), injected) if any(item.copies for item in injected) else None,
        "rebuild_table": rebuilds.table(numbers.table(), injected) if any(item.rebuild for item in injected) else None,
        "courses": _courses(injected, numbers),
        "verdicts": {"acceptance": _counts(accepted, ACCEPTANCE), "published": _counts(published, PUBLISHED)},
        "acceptance": claims(numbers.table(), "Acceptance claims.", accepted) if accepted else None,
        "document": _document(sources.published),
        "published": claims(numbers.table(), "Published claims.", published) if published else None,
        "environment": environment.tables(record, phases, numbers),
        "deploy": environment.deploy_table(record, numbers),
        "steps": environment.steps(record),
        "scripts": scripts(_scripts(record)),
        "study_text": record.text("study.yaml") or "",
    }


def _study(record: Record, problems: list[str]) -> Study | None:
    if record.text("study.yaml") is None:
        problems.append("study.yaml is missing")
        return None
    try:
        return study_of(record)
    except SeatrialError as error:
        problems.append(f"study.yaml cannot be read: {error}")
        return None


def _published(record: Record, problems: list[str]) -> Mapping[str, Any]:
    try:
        return record.published
    except SeatrialError as error:
        problems.append(f"published.yaml cannot be read: {error}")
        return {}


def _exercised(injected: Iterable[FaultResult]) -> bool:
    """Whether there is something to number a table for."""
    return any(fault.consistency for fault in injected)


def _courses(injected: Iterable[FaultResult], numbers: Numbers) -> list[faults.Course]:
    """Those that were injected, each with its figure and its timeline."""
    told = [fault for fault in injected if fault.injected_unix_s is not None and fault.ended_unix_s is not None]
    drawn = (faults.course(numbers.figure(), fault, numbers.table()) for fault in told)
    return [item for item in drawn if item is not None]


def _counts(judgements: Iterable[Judgement], words: Iterable[tuple[str, str]]) -> list[tuple[str, int, str]]:
    verdicts = [item.verdict for item in judgements]
    return [(verdict, sum(item == verdict for item in verdicts), word) for verdict, word in words]


def _head(record: Record, study: Study | None) -> dict[str, str]:
    run, end = record.first("run"), record.last("end")
    started = run.get("unix_s")
    times = [line["unix_s"] for line in record.lines if isinstance(line.get("unix_s"), int | float)]
    if end.get("complete"):
        outcome = "complete"
    elif end:
        outcome = f"not complete: {end.get('reason') or 'no reason given'}"
    else:
        outcome = "cut off: the record has no end"
    return {
        "title": str(run.get("title") or (study and study.title) or run.get("study") or "Untitled study"),
        "question": (study.question or "") if study else "",
        "study": str(run.get("study", "")),
        "form": str(run.get("form", "")),
        "version": str(run.get("seatrial", "")),
        "date": _date(started),
        "duration": format_duration(max(times) - min(times)) if times else "",
        "outcome": outcome,
        "record": record.folder.resolve().name,
        "digest": _digest(record),
    }


def _date(unix_s: Any) -> str:
    if not isinstance(unix_s, int | float):
        return ""
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _digest(record: Record) -> str:
    path = record.folder / LINES
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _built_figure(system: Built | None, numbers: Numbers) -> Picture | None:
    if system is None or not (system.clients or system.servers):
        return None
    caption = "Names are node sets; a heavy line stands for one link to each node."
    if system.scaled:
        caption += " Rates: as modelled above each link, as the lab gave them below."
    return Picture(
        label=numbers.figure(),
        title="What was built",
        caption=caption,
        wide=diagram(system),
        narrow=diagram(system, narrow=True),
        described="",
    )


def _parts(system: Built | None, numbers: Numbers) -> Table | None:
    if system is None or not system.parts:
        return None
    nodes = [("servers", _nodes(system.servers)), ("clients", _nodes(system.clients))]
    rows = [*nodes, *system.parts]
    if system.mtu and not any("MTU" in part for part, _ in system.parts):
        rows.append(("network", f"MTU {system.mtu} B"))
    return pairs(numbers.table(), "Parts of the system.", ("part", "as built"), rows)


def _nodes(groups: Iterable[Any]) -> str:
    return "; ".join(f"{group.names} ({group.count})" for group in groups) or "none"


def _reasons(system: Mapping[str, Any], numbers: Numbers) -> Table | None:
    rows = [
        (str(item.get("stage", "")), str(item.get("step", "")), str(item.get("reason", "")))
        for item in system.get("reasons", ())
        if isinstance(item, dict)
    ]
    columns = (Column("stage"), Column("step"), Column("reason"))
    return (
        Table(numbers.table(), "Tuning steps and their reasons.", columns, tuple(rows), css="pairs") if rows else None
    )


def _document(published: Mapping[str, Any]) -> str:
    """The published document in one line: authors, title, publisher, date."""
    if not published:
        return ""
    date = published.get("date")
    when = date.get("value") if isinstance(date, dict) else date
    authors = published.get("authors")
    who = ", ".join(str(item) for item in authors) if isinstance(authors, list) else ""
    return ", ".join(str(item) for item in (who, published.get("title"), published.get("publisher"), when) if item)


def _scripts(record: Record) -> dict[str, str]:
    folder = record.folder / "scripts"
    if not folder.is_dir():
        return {}
    return {path.name: path.read_text(errors="replace") for path in folder.iterdir() if path.is_file()}
