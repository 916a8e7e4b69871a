"""Assembles the report from a result and its judgements: one self-contained HTML file.

The same result gives the same bytes: every date is the result's own.
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
from seatrial.result.result import LINES, Result
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
    result: Result, judgements: list[Judgement], steps: Steps | None = None, others: Sequence[Beside] = ()
) -> Path:
    """Write `report.html` into the result folder and return its path; `steps` and `others`: see
    `render`.
    """
    path = result.folder / "report.html"
    path.write_text(render(result, judgements, steps, others), encoding="utf-8")
    return path


def render(
    result: Result, judgements: Sequence[Judgement], steps: Steps | None = None, others: Sequence[Beside] = ()
) -> str:
    """The report as HTML text.

    `steps`: the upgrades that would lift the bound of each point, for the recommendations.
    `others`: results to compare with.
    """
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    page = _templates().get_template("report.html.j2")
    return page.render(css=css, **context(result, judgements, steps or {}, others))


@cache
def _templates() -> jinja2.Environment:
    """The template environment, cached because compilation takes longer than rendering a small
    result.
    """
    loader = jinja2.FileSystemLoader(TEMPLATES)
    templates = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    # Only markup that this package drew or wrote is marked as safe; everything else is escaped.
    templates.filters["drawn"] = Markup
    return templates


def context(result: Result, judgements: Sequence[Judgement], steps: Steps, others: Sequence[Beside]) -> dict[str, Any]:
    """The values of the template, in the order of their numbers."""
    folder_name = result.folder.resolve().name
    seal_problems = [f"{folder_name}: {result.seal.words}"] if result.seal.words else []
    problems = [*(seal_problems if result.seal.is_broken else []), *result.problems]
    problems += [item.words for item in result.contradictions]
    study: Study | None = None
    published: Mapping[str, Any] = {}
    if result.text("study.yaml") is None:
        problems.append("study.yaml is missing")
    else:
        with _readable("study.yaml", problems):
            study = study_of(result)
            problems += [item.words for item in against_study(study, result)]
    with _readable("published.yaml", problems):
        published = result.published
    system_line = result.first("system")
    system = built(system_line, study)
    numbers = Numbers()
    sources = Sources(result, study, published, system)
    before = {
        "head": _head(result, study),
        "problems": problems,
        "warnings": [
            *(seal_problems if not result.seal.is_broken else []),
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
        "not_available": numbers.table(overview.not_available(system_line)),
        "baselines": numbers.table(baselines.table(result.baselines)),
    }
    shown = sections(sources, numbers)
    titled_points = [(item.title, points_of(sources, item.name)) for item in shown]
    files = (result.folder / "scripts").glob("*")
    captions = [table.caption for section in shown for table in section.tables]
    scaled = any("scales with clients" in caption for caption in captions)
    return {
        **before,
        "glance": at_a_glance(titled_points),
        "sections": shown,
        **_faults(sources, judgements, numbers),
        **_claims(judgements, sources.published, numbers),
        "shares": numbers.table(beside.shares(study)),
        "beside": numbers.tables(*beside.tables(result, judgements, others)),
        **_summary(sources, judgements, titled_points, steps),
        "environment": numbers.tables(*environment.tables(result)),
        "deploy": numbers.table(environment.deploy_table(result)),
        "steps": environment.steps(result),
        "scripts": scripts({path.name: path.read_text(errors="replace") for path in files if path.is_file()}),
        "study_text": result.text("study.yaml") or "",
        "references": references.references(
            sources.published, measured=any(points for _, points in titled_points), scaled=scaled
        ),
    }


def _faults(sources: Sources, judgements: Sequence[Judgement], numbers: Numbers) -> dict[str, Any]:
    injected, rows = sources.result.faults, sources.published.get("faults") or []
    profile = sources.result.first("run").get("profile", "full")
    load = sources.study.background_load_in(profile) if sources.study else {}
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
        "acceptance": numbers.table(claims("Acceptance criteria.", of_study)),
        "document": references.document(published),
        "published": numbers.table(claims("Published claims.", of_paper)),
        "published_parts": numbers.table(references.parts(published)) if of_paper else None,
    }


def _counted(items: Iterable[tuple[str, int, str]]) -> str:
    counts = [f"{count} {word}" for _, count, word in items if count]
    return f"{', '.join(counts)}." if counts else ""


def _summary(
    sources: Sources,
    judgements: Sequence[Judgement],
    titled_points: Sequence[tuple[str, Sequence[Measured]]],
    steps: Steps,
) -> dict[str, Any]:
    """The answer, the counts and the recommendations.

    `titled_points`: the points of each experiment, by its title.
    """
    result, study, system = sources.result, sources.study, sources.system
    profile = result.first("run").get("profile")
    # All faults of the study, also those that this profile omits.
    planned = len(study.faults) if study else 0
    survived = survival(result.faults, planned)
    rates = throughput(titled_points, ratio(system.scale) if system and system.scaled else "")
    longer = f"“seatrial run {study.id} --full”" if study and profile != "full" else ""
    points = [item for _, items in titled_points for item in items]
    findings = Findings(
        question=(study.question or "") if study else "",
        judgements=judgements,
        survival=survived,
        blocks=blocks(result),
        throughput=rates,
        outcome=_outcome(result),
        edited=result.seal.words if result.seal.is_broken else "",
        broken=result.failed_experiments,
        left_out=_left_out(result, study),
    )
    return {
        "summary": summary(findings),
        "steady_min_s": f"{STEADY_MIN_S:g}",
        "fault_words": f"{survived.words[:1].upper()}{survived.words[1:]}." if survived and survived.words else "",
        "recommendations": recommendations(Basis(rates.peaks, steps, points, result.faults, judgements, longer)),
    }


LEFT_OUT_MAX = 3
"""at most this many experiments are named; more are counted"""


def _left_out(result: Result, study: Study | None) -> str:
    """The number of the study's experiments that this profile did not begin, as text."""
    planned = list(study.experiments) if study else []
    begun = {line["name"] for line in result.of("experiment")}
    left = [name for name in planned if name not in begun]
    are = "is" if len(left) == 1 else "are"
    names = f" ({', '.join(left)})" if len(left) <= LEFT_OUT_MAX else ""
    return f"{len(left)} of {counted(len(planned), 'experiment')} {are} not in this run{names}" if left else ""


@contextlib.contextmanager
def _readable(name: str, problems: list[str]) -> Iterator[None]:
    """Record a problem where a file of the result cannot be read."""
    try:
        yield
    except SeatrialError as error:
        problems.append(f"{name} cannot be read: {error}")


def _counts(
    judgements: Sequence[Judgement],
    titles: Iterable[tuple[str, str]],
) -> list[tuple[str, int, str]]:
    verdicts: list[str] = [item.verdict for item in judgements]
    waived = tuple(waiver for item in judgements for waiver in item.waivers if item.verdict == PASS_WITH_WAIVERS)
    suffixes = {PASS_WITH_WAIVERS: f" ({number_words(waived)})"} if waived else {}
    counts = [
        # One entry per verdict, with the count of waivers as a suffix.
        (verdict, verdicts.count(verdict), f"{title}{suffixes.get(verdict, '')}")
        for verdict, title in titles
    ]
    # A study without waivers has no waiver counts.
    return [item for item in counts if item[1] or item[0] != PASS_WITH_WAIVERS]


def _head(result: Result, study: Study | None) -> dict[str, str]:
    run, lines = result.first("run"), result.folder / LINES
    started = run.get("unix_s")
    date = f"{datetime.fromtimestamp(started, UTC):%Y-%m-%d %H:%M UTC}" if isinstance(started, int | float) else ""
    times = [line["unix_s"] for line in result.lines if isinstance(line.get("unix_s"), int | float)]
    return {
        "title": str(run.get("title") or (study and study.title) or run.get("study") or "Untitled study"),
        "question": (study.question or "") if study else "",
        "study": str(run.get("study", "")),
        "profile": str(run.get("profile", "")),
        "version": str(run.get("seatrial", "")),
        "date": date,
        "duration": format_duration(max(times) - min(times)) if times else "",
        "outcome": _outcome(result),
        "result": result.folder.resolve().name,
        "digest": hashlib.sha256(lines.read_bytes()).hexdigest() if lines.is_file() else "",
    }


def _outcome(result: Result) -> str:
    end = result.last("end")
    if end.get("complete"):
        return "complete"
    if end:
        return f"not complete: {end.get('reason') or 'no reason given'}"
    return "not ended: running, or interrupted"
