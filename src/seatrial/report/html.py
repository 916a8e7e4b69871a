"""Assembles the report from a result and its judgements: one self-contained HTML file.

The same result gives the same bytes: every date is the result's own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from seatrial.basics.units import counted
from seatrial.judge.base import Judgement
from seatrial.judge.waivers import PASS_WITH_WAIVERS, number_words
from seatrial.report import (
    baselines,
    beside,
    criteria,
    environment,
    fault_tables,
    faults,
    front,
    overview,
    references,
    score,
    tested,
)
from seatrial.report.appendix import scripts
from seatrial.report.beside import Beside
from seatrial.report.built import scale_table
from seatrial.report.main_figure import main_figure
from seatrial.report.plots import outage_bars
from seatrial.report.results import at_a_glance, sections
from seatrial.report.tables import Numbers, claims
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.summary.conclusions import Conclusions, conclusions
from seatrial.summary.coverage import Coverage
from seatrial.summary.io500_score import score_of
from seatrial.summary.outage_parts import DividedOutage, divided_outages
from seatrial.summary.points import STEADY_MIN_S
from seatrial.summary.recommendations import Steps
from seatrial.summary.scaling import scaling_laws
from seatrial.summary.sources import Sources, sources_of
from seatrial.summary.system import ratio

TEMPLATES = Path(__file__).parent / "templates"
PROBLEMS_MAX = 10
"""at most this many problems of a damaged result are on the page"""
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
    sources = sources_of(result)
    study, system = sources.study, sources.system
    found = conclusions(sources, judgements, steps)
    system_line = result.first("system")
    numbers = Numbers()
    before = {
        "head": front.front(sources, found),
        "problems": _first_problems(sources.problems),
        "warnings": list(sources.warnings),
        "system": system,
        "system_words": overview.in_words(system),
        "built_figure": numbers.figure(overview.built_figure(system)),
        "parts": numbers.table(overview.parts(system)),
        "scale": numbers.table(scale_table(system)) if system and system.scaled else None,
        "scale_ratio": ratio(system.scale) if system else "",
        "reasons": numbers.table(overview.reasons(system_line)),
        "not_available": numbers.table(overview.not_available(system_line)),
        "baselines": numbers.table(baselines.table(result.baselines)),
    }
    io500 = score_of(sources)
    score_table = numbers.table(score.table(io500))
    shown = sections(sources, numbers)
    files = (result.folder / "scripts").glob("*")
    is_fitted = any(scaling_laws(item.points) for item in sources.experiments)
    is_measured = any(item.points for item in sources.experiments)
    outages = divided_outages(result.faults, study)
    return {
        **before,
        "main_figure": main_figure(found, shown, outages),
        "glance": [*score.sentence(io500), *at_a_glance(sources.titled_points)],
        "score": score_table,
        "sections": shown,
        **_faults(sources, judgements, outages, numbers),
        **_claims(judgements, sources.published, found.coverage, numbers),
        "shares": numbers.table(beside.shares(study)),
        "beside": numbers.tables(*beside.tables(result, judgements, others)),
        **_summary(found),
        "environment": numbers.tables(*environment.tables(result)),
        "deploy": numbers.table(environment.deploy_table(result)),
        "steps": environment.steps(result),
        "scripts": scripts({path.name: path.read_text(errors="replace") for path in files if path.is_file()}),
        "study_text": result.text("study.yaml") or "",
        "references": references.references(sources.published, measured=is_measured, scaled=is_fitted),
    }


def _faults(
    sources: Sources,
    judgements: Sequence[Judgement],
    outages: Sequence[DividedOutage],
    numbers: Numbers,
) -> dict[str, Any]:
    injected, rows = sources.result.faults, sources.published.get("faults") or []
    profile = sources.result.first("run").get("profile", "full")
    load = sources.study.background_load_in(profile) if sources.study else {}
    return {
        "outage_figure": numbers.figure(outage_bars.picture(outages)) if outages else None,
        "fault_table": numbers.table(faults.table(injected, rows, judgements)) if injected else None,
        "predicted_table": numbers.table(fault_tables.predicted(injected)),
        "fault_details": numbers.tables(
            fault_tables.consistency(injected, judgements),
            fault_tables.copies(injected),
            fault_tables.slowdowns(injected, load),
            fault_tables.rebuilds(injected),
            tested.evidence_of_faults(injected),
        ),
        "courses": list(_courses(injected, numbers)),
    }


def _courses(injected: Sequence[FaultResult], numbers: Numbers) -> Iterator[faults.Course]:
    """The figure of each fault; the page folds some of many."""
    open_names = faults.open_names(injected)
    for fault in injected:
        drawn = numbers.figure(faults.course(fault, numbers))
        if drawn is not None:
            yield replace(drawn, is_folded=fault.name not in open_names)


def _claims(
    judgements: Sequence[Judgement],
    published: Mapping[str, Any],
    covered: Coverage,
    numbers: Numbers,
) -> dict[str, Any]:
    of_study = [item for item in judgements if item.kind == "acceptance"]
    of_paper = [item for item in judgements if item.kind == "published"]
    verdicts = {"acceptance": _counts(of_study, ACCEPTANCE), "published": _counts(of_paper, PUBLISHED)}
    return {
        "verdicts": verdicts,
        "counted": {kind: _counted(items) for kind, items in verdicts.items()},
        "acceptance": numbers.table(criteria.overview(of_study)),
        "criteria_evidence": numbers.tables(*criteria.details(of_study)),
        "not_tested": numbers.table(tested.not_tested(covered)),
        "document": references.document(published),
        "published": numbers.table(claims("Published claims.", of_paper)),
        "published_parts": numbers.table(references.parts(published)) if of_paper else None,
    }


def _first_problems(problems: Sequence[str]) -> list[str]:
    """The first problems, and the number of the others: the first page has to stay one page."""
    more = len(problems) - PROBLEMS_MAX
    rest = [f"{counted(more, 'further problem')}: see results.json"] if more > 0 else []
    return [*problems[:PROBLEMS_MAX], *rest]


def _counted(items: Iterable[tuple[str, int, str]]) -> str:
    counts = [f"{count} {word}" for _, count, word in items if count]
    return f"{', '.join(counts)}." if counts else ""


def _summary(found: Conclusions) -> dict[str, Any]:
    """The answer and the recommendations, for the template."""
    words = found.survival.words if found.survival else ""
    return {
        "summary": found.headline,
        "steady_min_s": f"{STEADY_MIN_S:g}",
        "fault_words": f"{words[:1].upper()}{words[1:]}." if words else "",
        "recommendations": found.recommendations,
    }


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
