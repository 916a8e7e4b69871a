"""The content of the report, from a result and its judgements: texts, figures and tables, numbered
in the order of the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.basics.text import capitalised
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
    overview,
    references,
    score,
    tested,
)
from seatrial.report.appendix import Script, scripts
from seatrial.report.beside import ComparedResult
from seatrial.report.built import scale_table
from seatrial.report.environment import StepRow
from seatrial.report.front import Front, front
from seatrial.report.main_figure import main_figure
from seatrial.report.picture import Picture
from seatrial.report.plots import outage_bars
from seatrial.report.results import Section, at_a_glance, sections
from seatrial.report.tables import Numbers, Table, claims
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.summary.conclusions import Conclusions, conclusions
from seatrial.summary.coverage import Coverage
from seatrial.summary.headline import Summary
from seatrial.summary.io500_score import score_of
from seatrial.summary.outage_parts import DividedOutage, divided_outages
from seatrial.summary.recommendations import Recommendation, Steps
from seatrial.summary.scaling import scaling_laws
from seatrial.summary.sources import Sources, sources_of
from seatrial.summary.system import Built, ratio

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


@dataclass(frozen=True)
class VerdictCount:
    """How many criteria or claims have a verdict."""

    verdict: str
    count: int
    words: str
    """`passed`, `passed with waivers (1 violation waived)`"""


@dataclass(frozen=True)
class SystemContent:
    """The system under test."""

    built: Built | None
    """None where the run ended before the system was described"""
    words: str
    figure: Picture | None
    parts: Table | None
    scale: Table | None
    """both sides of a scale model"""
    reasons: Table | None
    not_available: Table | None

    @property
    def scale_ratio(self) -> str:
        """`1/40`."""
        return ratio(self.built.scale) if self.built else ""


@dataclass(frozen=True)
class PerformanceContent:
    """The experiments."""

    baselines: Table | None
    score: Table | None
    """of IO500"""
    glance: tuple[str, ...]
    """one sentence for each experiment"""
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class FaultContent:
    """The faults."""

    words: str
    figure: Picture | None
    """the outages of all faults"""
    table: Table | None
    """None where the run has no fault"""
    predicted: Table | None
    details: tuple[Table, ...]
    courses: tuple[faults.Course, ...]


@dataclass(frozen=True)
class VerdictContent:
    """The criteria, and the comparison with the published document."""

    acceptance_counts: tuple[VerdictCount, ...]
    acceptance_words: str
    """`8 passed, 1 failed.`"""
    published_words: str
    acceptance: Table | None
    evidence: tuple[Table, ...]
    not_tested: Table | None
    document: str
    """the published document; empty without one"""
    published: Table | None
    published_parts: Table | None


@dataclass(frozen=True)
class Content:
    """Everything that the report shows."""

    head: Front
    headline: Summary
    main_figure: Picture | None
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    system: SystemContent
    performance: PerformanceContent
    faults: FaultContent
    verdicts: VerdictContent
    shares: Table | None
    """the properties that the study shares with other systems"""
    comparison_tables: tuple[Table, ...]
    """the comparison with other results"""
    recommendations: tuple[Recommendation, ...]
    environment: tuple[Table, ...]
    deploy: Table | None
    steps: tuple[StepRow, ...]
    scripts: tuple[Script, ...]
    study_text: str
    references: tuple[str, ...]

    @property
    def is_compared(self) -> bool:
        """Whether the report has a chapter with a comparison."""
        has_document = bool(self.verdicts.document or self.verdicts.published)
        return has_document or self.shares is not None or bool(self.comparison_tables)


def content(
    result: Result,
    judgements: Sequence[Judgement],
    steps: Steps | None = None,
    others: Sequence[ComparedResult] = (),
) -> Content:
    """The content of the report of a result.

    `steps`: the upgrades that would lift the bound of each point, for the recommendations.
    `others`: results to compare with.
    """
    sources = sources_of(result)
    findings = conclusions(sources, judgements, steps)
    # Figures and tables get their numbers in this order, which is that of the page.
    numbers = Numbers()
    outages = divided_outages(result.faults, sources.study)
    system = _system(sources, numbers)
    performance = _performance(sources, numbers)
    files = (path for path in (result.folder / "scripts").glob("*") if path.is_file())
    is_fitted = any(scaling_laws(item.points) for item in sources.experiments)
    is_measured = any(item.points for item in sources.experiments)
    return Content(
        head=front(sources, findings),
        headline=findings.headline,
        main_figure=main_figure(findings, performance.sections, outages),
        problems=_first_problems(sources.problems),
        warnings=tuple(sources.warnings),
        system=system,
        performance=performance,
        faults=_faults(sources, findings, judgements, outages, numbers),
        verdicts=_verdicts(judgements, sources.published, findings.coverage, numbers),
        shares=numbers.table(beside.shares(sources.study)),
        comparison_tables=numbers.tables(*beside.tables(result, judgements, others)),
        recommendations=findings.recommendations,
        environment=numbers.tables(*environment.tables(result)),
        deploy=numbers.table(environment.deploy_table(result)),
        steps=tuple(environment.steps(result)),
        scripts=tuple(scripts({path.name: path.read_text(errors="replace") for path in files})),
        study_text=result.text("study.yaml") or "",
        references=tuple(
            references.references(sources.published, measured=is_measured, scaled=is_fitted)
        ),
    )


def _system(sources: Sources, numbers: Numbers) -> SystemContent:
    system = sources.system
    system_line = sources.result.first("system")
    return SystemContent(
        built=system,
        words=overview.in_words(system),
        figure=numbers.figure(overview.built_figure(system)),
        parts=numbers.table(overview.parts(system)),
        scale=numbers.table(scale_table(system)) if system and system.scaled else None,
        reasons=numbers.table(overview.reasons(system_line)),
        not_available=numbers.table(overview.not_available(system_line)),
    )


def _performance(sources: Sources, numbers: Numbers) -> PerformanceContent:
    io500 = score_of(sources)
    return PerformanceContent(
        baselines=numbers.table(baselines.table(sources.result.baselines)),
        score=numbers.table(score.table(io500)),
        glance=(*score.sentence(io500), *at_a_glance(sources.titled_points)),
        sections=tuple(sections(sources, numbers)),
    )


def _faults(
    sources: Sources,
    conclusions: Conclusions,
    judgements: Sequence[Judgement],
    outages: Sequence[DividedOutage],
    numbers: Numbers,
) -> FaultContent:
    injected = sources.result.faults
    rows = sources.published.get("faults") or []
    profile = sources.result.first("run").get("profile", "full")
    load = sources.study.background_load_in(profile) if sources.study else {}
    words = conclusions.survival.words if conclusions.survival else ""
    found_figure = outage_bars.picture(outages) if outages else None
    found_table = faults.table(injected, rows, judgements) if injected else None
    return FaultContent(
        words=f"{capitalised(words)}." if words else "",
        figure=numbers.figure(found_figure),
        table=numbers.table(found_table),
        predicted=numbers.table(fault_tables.predicted(injected)),
        details=numbers.tables(
            fault_tables.consistency(injected, judgements),
            fault_tables.copies(injected),
            fault_tables.slowdowns(injected, load),
            fault_tables.rebuilds(injected),
            tested.evidence_of_faults(injected),
        ),
        courses=tuple(_courses(injected, numbers)),
    )


def _courses(injected: Sequence[FaultResult], numbers: Numbers) -> Iterator[faults.Course]:
    """The figure of each fault; the page folds some of many."""
    open_names = faults.open_names(injected)
    for fault in injected:
        drawn = numbers.figure(faults.course(fault, numbers))
        if drawn is not None:
            yield replace(
                drawn,
                is_folded=fault.name not in open_names,
                is_in_evidence=fault.name not in open_names[: faults.ON_PAPER_MAX],
            )


def _verdicts(
    judgements: Sequence[Judgement],
    published: Mapping[str, Any],
    covered: Coverage,
    numbers: Numbers,
) -> VerdictContent:
    of_study = [item for item in judgements if item.kind == "acceptance"]
    of_paper = [item for item in judgements if item.kind == "published"]
    acceptance_counts = tuple(_counts(of_study, ACCEPTANCE))
    return VerdictContent(
        acceptance_counts=acceptance_counts,
        acceptance_words=_count_words(acceptance_counts),
        published_words=_count_words(tuple(_counts(of_paper, PUBLISHED))),
        acceptance=numbers.table(criteria.overview(of_study)),
        evidence=numbers.tables(*criteria.details(of_study)),
        not_tested=numbers.table(tested.not_tested(covered)),
        document=references.document(published),
        published=numbers.table(claims("Published claims.", of_paper)),
        published_parts=numbers.table(references.parts(published)) if of_paper else None,
    )


def _counts(
    judgements: Sequence[Judgement], titles: Sequence[tuple[str, str]]
) -> Iterator[VerdictCount]:
    """One count per verdict; a study without waivers has no count of them."""
    verdicts = [str(item.verdict) for item in judgements]
    waiving = [item for item in judgements if item.verdict == PASS_WITH_WAIVERS]
    waived = tuple(waiver for item in waiving for waiver in item.waivers)
    for verdict, title in titles:
        count = verdicts.count(verdict)
        if verdict != PASS_WITH_WAIVERS:
            yield VerdictCount(verdict, count, title)
        elif count:
            suffix = f" ({number_words(waived)})" if waived else ""
            yield VerdictCount(verdict, count, f"{title}{suffix}")


def _count_words(counts: Sequence[VerdictCount]) -> str:
    words = [f"{item.count} {item.words}" for item in counts if item.count]
    return f"{', '.join(words)}." if words else ""


def _first_problems(problems: Sequence[str]) -> tuple[str, ...]:
    """The first problems, and the number of the others: the first page has to stay one page."""
    more = len(problems) - PROBLEMS_MAX
    rest = [f"{counted(more, 'further problem')}: see results.json"] if more > 0 else []
    return (*problems[:PROBLEMS_MAX], *rest)
