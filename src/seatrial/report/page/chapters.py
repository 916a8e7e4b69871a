"""The chapters of the page, except the method and the faults."""

from collections.abc import Iterator

from seatrial.report.content import Content
from seatrial.report.environment import StepRow
from seatrial.report.page.blocks import (
    bold,
    box,
    claim_table,
    code,
    folded,
    listed,
    outages,
    paragraph,
    picture,
    pictures,
    strips,
    table,
    table_if,
    tables,
)
from seatrial.report.page.chapter import Digest, chapter
from seatrial.report.results import Fold, Section
from seatrial.report.tree import Child, Element, element

SCALE = (
    "The hardware is a model at a scale of {ratio}. The rates of links and disks are those of the "
    "modelled system multiplied by {ratio}. They, and not the CPUs of the lab machine, therefore "
    "limit the throughput. Memory, disk capacities and file sizes are those of the study, not of "
    "the modelled system. Times are not scaled: one second in the lab is one second. Latencies, "
    "caches and CPUs are those of the lab. A rate in this report is therefore never a rate of the "
    "modelled hardware. Its share of the link or of the disks that bound it can be compared."
)


def overview(content: Content, number: int) -> Element:
    """The system under test, and both sides of a scale model."""
    system = content.system
    missing = "Not recorded: the run ended before the system was described."
    figure = picture(system.figure) if system.figure else paragraph(missing)
    return chapter(
        "built",
        f"{number} Solution overview",
        system.words,
        figure,
        table_if(system.parts),
        *_scale(content, number),
    )


def _scale(content: Content, number: int) -> Iterator[Element]:
    if content.system.scale is None:
        return
    yield element("h3", f"{number}.1 Scale model")
    yield paragraph(SCALE.format(ratio=content.system.scale_ratio))
    yield table(content.system.scale)


def tuning(content: Content, number: int) -> Element:
    """The settings and their reasons."""
    reasons = content.system.reasons
    count = len(reasons.rows) if reasons else 0
    digest = f"{count} settings applied, each with its reason."
    return chapter("practices", f"{number} Tuning applied", digest, table_if(reasons))


def performance(content: Content, number: int) -> Element:
    """Baselines, the score, and each experiment."""
    shown = content.performance
    return chapter(
        "results",
        f"{number} Performance",
        shown.glance or _unmeasured(content),
        element("h3", "Baselines", id="baselines") if shown.baselines else None,
        table_if(shown.baselines),
        element("h3", "Score", id="score") if shown.score else None,
        table_if(shown.score),
        *_experiments(content, number),
    )


def _unmeasured(content: Content) -> Digest:
    if content.performance.sections or content.performance.baselines:
        return ""
    if content.faults.table:
        return "This run measured no throughput outside of its faults."
    return "No experiment was begun."


def _experiments(content: Content, number: int) -> Iterator[Element]:
    for index, section in enumerate(content.performance.sections, start=1):
        yield element("h3", f"{number}.{index} {section.title}", id=f"experiment-{index}")
        yield from _experiment(section)


def _experiment(section: Section) -> Iterator[Element]:
    printed = f" (figure {section.number} of the published document)" if section.number else ""
    yield paragraph(code(section.name), f"{printed}. {section.workload}", css="workload")
    if section.failure is not None:
        failed = bold("This experiment could not be completed.")
        yield box(paragraph(failed, f" {section.failure}", css="reason"), is_problem=True)
    yield from pictures(section.pictures)
    if not section.pictures and not section.tabled:
        yield paragraph(_without_figure(section))
    yield from tables(section.tables)
    if section.troubles:
        trouble = paragraph(bold("Lost clients, errors and damaged data."))
        yield box(trouble, listed(section.troubles), is_problem=True)
    if section.outages:
        yield from outages(section.outages)
    if section.strips:
        yield strips(section.strips)
    if section.folds:
        yield element("div", *map(_fold, section.folds), css="folds")


def _without_figure(section: Section) -> str:
    if not section.tables:
        return "Nothing was measured."
    return "No repeat was finished by every client, so there is no rate to draw."


def _fold(fold: Fold) -> Element:
    pictured = strips(fold.strips) if fold.strips else None
    return folded(fold.summary, table_if(fold.table), pictured)


def acceptance(content: Content, number: int) -> Element:
    """Every criterion, its evidence, and the untested part of the study."""
    verdicts = content.verdicts
    shown: list[Child] = []
    if verdicts.acceptance:
        decides = "They alone decide acceptance of the system."
        shown += [paragraph(f"These are the study’s criteria. {decides}")]
        shown += [claim_table(verdicts.acceptance), *tables(verdicts.evidence)]
    else:
        shown += [paragraph("The study has no acceptance criterion, or none could be judged.")]
    return chapter(
        "acceptance",
        f"{number} Acceptance criteria",
        verdicts.acceptance_words,
        *shown,
        table_if(verdicts.not_tested),
    )


def comparison(content: Content, number: int) -> Element:
    """The published claims, and other systems and results."""
    verdicts = content.verdicts
    has_document = bool(verdicts.document or verdicts.published)
    title = "Comparison with the published results" if has_document else "Comparison"
    return chapter(
        "published",
        f"{number} {title}",
        verdicts.published_words,
        *_published(content),
        table_if(content.shares),
        *tables(content.comparison_tables),
    )


def _published(content: Content) -> Iterator[Element]:
    verdicts = content.verdicts
    if verdicts.document:
        reference = element("a", "[1]", href="#references")
        yield paragraph(f"Compared with: {verdicts.document} ", reference, ".")
    if verdicts.published:
        finding = "A difference is a finding and no failure"
        yield paragraph(f"{finding}: kernels, disks and networks have changed.")
        yield claim_table(verdicts.published)
        if verdicts.published_parts:
            yield table(verdicts.published_parts)


def recommendations(content: Content, number: int) -> Element:
    """The next actions, each with its evidence."""
    title = f"{number} Recommendations"
    if not content.recommendations:
        nothing = paragraph("This run gives no reason for a change.")
        return chapter("recommendations", title, "", nothing)
    items = []
    for item in content.recommendations:
        why = element("span", f"Evidence: {item.why}.", css="why")
        items.append(element("li", bold(item.what), " ", why))
    digest = "Each follows from evidence of this run only."
    return chapter("recommendations", title, digest, element("ol", *items, css="advice"))


def environment(content: Content, number: int) -> Element:
    """Machines, software and deployment."""
    is_recorded = bool(content.environment) or content.deploy is not None
    missing = None if is_recorded else paragraph("The environment is not recorded.")
    return chapter(
        "environment",
        f"{number} Environment",
        "",
        missing,
        *tables(content.environment),
        table_if(content.deploy),
        _origin(content.head.digest),
    )


def _origin(digest: str) -> Element | None:
    if not digest:
        return None
    origin = "This report is derived from the result alone and can be regenerated from it."
    checksum = element("span", digest, css="mono digest")
    return paragraph(f"{origin} SHA-256 of the result’s lines: ", checksum, css="note")


def appendix(content: Content) -> Element:
    """The scripts, the steps and the study."""
    return chapter(
        "appendix",
        "Appendix: commands and study",
        "",
        *_scripts(content),
        *_steps(content),
        *_study(content),
    )


def _scripts(content: Content) -> Iterator[Element]:
    if not content.scripts:
        yield paragraph("The result contains no script.")
        return
    yield element("h3", "A Commands")
    verbatim = "The scripts that each node ran, verbatim."
    yield paragraph(f"{verbatim} Nodes with the same steps share one script.")
    for script in content.scripts:
        nodes = f"({script.count} nodes)"
        count = element("span", nodes, css="unit") if script.count > 1 else None
        title = element(
            "summary", f"{script.number} {script.stage} ", code(script.nodes), " ", count
        )
        yield element("details", title, _verbatim(script.text))


def _verbatim(text: str) -> Element:
    return element("pre", text, tabindex="0")


def _steps(content: Content) -> Iterator[Element]:
    if not content.steps:
        return
    yield element("h3", "B Steps and their results")
    titles = ("stage", "node set", "step", "result of each deploy")
    heads = (element("th", title, scope="col") for title in titles)
    caption = element("caption", element("span", "Every step of each deploy."))
    whole = element(
        "table",
        caption,
        element("thead", element("tr", *heads)),
        element("tbody", *map(_step, content.steps)),
        css="pairs paragraphs",
    )
    scrolling = element(
        "div", whole, css="scroll", tabindex="0", role="group", aria_label="Every step"
    )
    yield folded(f"{len(content.steps)} steps", scrolling)


def _step(step: StepRow) -> Element:
    return element(
        "tr",
        element("th", step.stage, scope="row"),
        element("td", step.nodes, css="mono", data_title="node set"),
        element("td", step.step, data_title="step"),
        element("td", step.results, data_title="result"),
    )


def _study(content: Content) -> Iterator[Element]:
    if not content.study_text:
        yield paragraph("The result contains no study.")
        return
    yield element("h3", "C Study")
    yield folded(code("study.yaml"), _verbatim(content.study_text))


def references(content: Content) -> Element:
    """The published document and the methods."""
    lines = (element("li", line) for line in content.references)
    return chapter("references", "References", "", element("ol", *lines, css="references"))
