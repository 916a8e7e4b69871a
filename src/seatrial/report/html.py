"""Assembles the report: from a record and its judgements to one HTML file that needs nothing else.

The same record gives the same bytes: every date in it is the record's own.
"""

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from seatrial.basics.errors import SeatrialError
from seatrial.basics.units import counted, format_duration
from seatrial.judge.against_study import against_study
from seatrial.judge.base import Judgement
from seatrial.judge.judge import study_of
from seatrial.judge.waivers import PASS_WITH_WAIVERS, number_words
from seatrial.record.record import LINES, Record
from seatrial.report import (
    baselines,
    beside,
    environment,
    fault_tables,
    faults,
    overview,
    references,
)
from seatrial.report.appendix import scripts
from seatrial.report.beside import Beside
from seatrial.report.built import built, ratio, scale_table
from seatrial.report.peaks import throughput
from seatrial.report.recommendations import Basis, Steps, recommendations
from seatrial.report.results import Sources, at_a_glance, points_of, sections
from seatrial.report.series import STEADY_MIN_S, Measured
from seatrial.report.summary import Findings, summary
from seatrial.report.survival import blocks, survival
from seatrial.report.tables import Numbers, claims
from seatrial.study.study import Study

TEMPLATES = Path(__file__).parent / "templates"
ACCEPTANCE = (
    ("pass", "passed"),
    (PASS_WITH_WAIVERS, "passed with waivers"),
    ("fail", "failed"),
    ("unknown", "unknown"),
)
PUBLISHED = (
    ("agrees", "agree"),
    ("better", "better"),
    ("worse", "worse"),
    ("different", "different"),
    ("inconclusive", "inconclusive"),
)


def write_report(
    record: Record, judgements: list[Judgement], steps: Steps | None = None, others: Sequence[Beside] = ()
) -> Path:
    """Write `report.html` into the record's folder; `steps` and `others`: see `render`."""
    path = record.folder / "report.html"
    path.write_text(render(record, judgements, steps, others), encoding="utf-8")
    return path


def render(
    record: Record, judgements: Sequence[Judgement], steps: Steps | None = None, others: Sequence[Beside] = ()
) -> str:
    """The report as text.

    `steps`: what would lift the bound of each point, for the recommendations; `others`: records to set it beside.
    """
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    page = _templates().get_template("report.html.j2")
    return page.render(css=css, **context(record, judgements, steps or {}, others))


@cache
def _templates() -> jinja2.Environment:
    """Made once: it keeps what it has compiled, which takes longer than to fill a small record in."""
    loader = jinja2.FileSystemLoader(TEMPLATES)
    templates = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    # Only what this package has drawn or written itself is taken as markup; everything else is escaped.
    templates.filters["drawn"] = Markup
    return templates


def context(record: Record, judgements: Sequence[Judgement], steps: Steps, others: Sequence[Beside]) -> dict[str, Any]:
    """Everything that the template shows, in the order in which it is numbered."""
    told_by_seal = [f"{record.folder.resolve().name}: {record.seal.words}"] if record.seal.words else []
    problems = [*(told_by_seal if record.seal.is_broken else []), *record.problems]
    problems += [item.words for item in record.contradictions]
    study: Study | None = None
    published: Mapping[str, Any] = {}
    if record.text("study.yaml") is None:
        problems.append("study.yaml is missing")
    else:
        with _readable("study.yaml", problems):
            study = study_of(record)
            problems += [item.words for item in against_study(study, record)]
    with _readable("published.yaml", problems):
        published = record.published
    system_line = record.first("system")
    system = built(system_line, study)
    numbers = Numbers()
    sources = Sources(record, study, published, system)
    before = {
        "head": _head(record, study),
        "problems": problems,
        "warnings": [
            *(told_by_seal if not record.seal.is_broken else []),
            *(str(item) for item in system_line.get("warnings", ())),
        ],
        "system": system,
        "system_words": overview.in_words(system),
        "measured": overview.measured(system),
        "built_figure": numbers.figure(overview.built_figure(system)),
        "parts": numbers.table(overview.parts(system)),
        "scale": numbers.table(scale_table(system)) if system and system.scaled else None,
        "scale_ratio": ratio(system.scale) if system else "",
        "reasons": numbers.table(overview.reasons(system_line)),
        "baselines": numbers.table(baselines.table(record.baselines)),
    }
    found = sections(sources, numbers)
    told = [(item.title, points_of(sources, item.name)) for item in found]
    files = (record.folder / "scripts").glob("*")
    scaled = any("scales with clients" in table.caption for section in found for table in section.tables)
    return {
        **before,
        "glance": at_a_glance(told),
        "sections": found,
        **_faults(sources, judgements, numbers),
        **_claims(judgements, sources.published, numbers),
        "shares": numbers.table(beside.shares(study)),
        "beside": numbers.tables(*beside.tables(record, judgements, others)),
        **_summary(sources, judgements, told, steps),
        "environment": numbers.tables(*environment.tables(record)),
        "deploy": numbers.table(environment.deploy_table(record)),
        "steps": environment.steps(record),
        "scripts": scripts({path.name: path.read_text(errors="replace") for path in files if path.is_file()}),
        "study_text": record.text("study.yaml") or "",
        "references": references.references(
            sources.published, measured=any(points for _, points in told), scaled=scaled
        ),
    }


def _faults(sources: Sources, judgements: Sequence[Judgement], numbers: Numbers) -> dict[str, Any]:
    injected, rows = sources.record.faults, sources.published.get("faults") or []
    form = sources.record.first("run").get("form", "full")
    load = sources.study.fault_load_in(form) if sources.study else {}
    return {
        "fault_table": numbers.table(faults.table(injected, rows, judgements)) if injected else None,
        "predicted_table": numbers.table(fault_tables.predicted(injected)),
        "fault_details": numbers.tables(
            fault_tables.consistency(injected, judgements),
            fault_tables.copies(injected),
            fault_tables.slowdowns(injected, load),
            fault_tables.rebuilds(injected),
        ),
        "courses": [item for fault in injected if (item := numbers.figure(faults.course(fault, numbers)))],
    }


def _claims(judgements: Sequence[Judgement], published: Mapping[str, Any], numbers: Numbers) -> dict[str, Any]:
    of_study = [item for item in judgements if item.kind == "acceptance"]
    of_paper = [item for item in judgements if item.kind == "published"]
    verdicts = {"acceptance": _counts(of_study, ACCEPTANCE), "published": _counts(of_paper, PUBLISHED)}
    return {
        "verdicts": verdicts,
        "counted": {kind: _counted(items) for kind, items in verdicts.items()},
        "acceptance": numbers.table(claims("Acceptance claims.", of_study)),
        "document": references.document(published),
        "published": numbers.table(claims("Published claims.", of_paper)),
        "published_parts": numbers.table(references.parts(published)) if of_paper else None,
    }


def _counted(items: Iterable[tuple[str, int, str]]) -> str:
    told = [f"{count} {word}" for _, count, word in items if count]
    return f"{', '.join(told)}." if told else ""


def _summary(
    sources: Sources, judgements: Sequence[Judgement], told: Sequence[tuple[str, Sequence[Measured]]], steps: Steps
) -> dict[str, Any]:
    """`told`: the points of each experiment, by its title."""
    record, study, system = sources.record, sources.study, sources.system
    form = record.first("run").get("form")
    planned = len(study.faults) if study else 0  # all that are written, also where this form has other nodes
    survived = survival(record.faults, planned)
    rates = throughput(told, ratio(system.scale) if system and system.scaled else "")
    longer = f"“seatrial run {study.id} --full”" if study and form != "full" else ""
    points = [item for _, items in told for item in items]
    findings = Findings(
        question=(study.question or "") if study else "",
        judgements=judgements,
        survival=survived,
        blocks=blocks(record),
        throughput=rates,
        outcome=_outcome(record),
        edited=record.seal.words if record.seal.is_broken else "",
        broken=record.failed_experiments,
        left_out=_left_out(record, study),
    )
    return {
        "summary": summary(findings),
        "steady_min_s": f"{STEADY_MIN_S:g}",
        "fault_words": f"{survived.words[:1].upper()}{survived.words[1:]}." if survived and survived.words else "",
        "recommendations": recommendations(Basis(rates.peaks, steps, points, record.faults, judgements, longer)),
    }


LEFT_OUT_MAX = 3
"""experiments that are named, and not only counted"""


def _left_out(record: Record, study: Study | None) -> str:
    """How many of the study's experiments this form did not begin."""
    planned = list(study.experiments) if study else []
    begun = {line["name"] for line in record.of("experiment")}
    left = [name for name in planned if name not in begun]
    are = "is" if len(left) == 1 else "are"
    names = f" ({', '.join(left)})" if len(left) <= LEFT_OUT_MAX else ""
    return f"{len(left)} of {counted(len(planned), 'experiment')} {are} not in this run{names}" if left else ""


@contextlib.contextmanager
def _readable(name: str, problems: list[str]) -> Iterator[None]:
    """Notes that a file of the record cannot be read, where that is so."""
    try:
        yield
    except SeatrialError as error:
        problems.append(f"{name} cannot be read: {error}")


def _counts(judgements: Sequence[Judgement], words: Iterable[tuple[str, str]]) -> list[tuple[str, int, str]]:
    verdicts: list[str] = [item.verdict for item in judgements]
    waived = tuple(waiver for item in judgements for waiver in item.waivers if item.verdict == PASS_WITH_WAIVERS)
    told = {PASS_WITH_WAIVERS: f" ({number_words(waived)})"} if waived else {}
    counts = [(verdict, verdicts.count(verdict), f"{word}{told.get(verdict, '')}") for verdict, word in words]
    # A study without waivers says nothing of them.
    return [item for item in counts if item[1] or item[0] != PASS_WITH_WAIVERS]


def _head(record: Record, study: Study | None) -> dict[str, str]:
    run, lines = record.first("run"), record.folder / LINES
    started = run.get("unix_s")
    date = f"{datetime.fromtimestamp(started, UTC):%Y-%m-%d %H:%M UTC}" if isinstance(started, int | float) else ""
    times = [line["unix_s"] for line in record.lines if isinstance(line.get("unix_s"), int | float)]
    return {
        "title": str(run.get("title") or (study and study.title) or run.get("study") or "Untitled study"),
        "question": (study.question or "") if study else "",
        "study": str(run.get("study", "")),
        "form": str(run.get("form", "")),
        "version": str(run.get("seatrial", "")),
        "date": date,
        "duration": format_duration(max(times) - min(times)) if times else "",
        "outcome": _outcome(record),
        "record": record.folder.resolve().name,
        "digest": hashlib.sha256(lines.read_bytes()).hexdigest() if lines.is_file() else "",
    }


def _outcome(record: Record) -> str:
    end = record.last("end")
    if end.get("complete"):
        return "complete"
    return f"not complete: {end.get('reason') or 'no reason given'}" if end else "not ended: under way, or cut off"
