"""The first page, the list of chapters, and the block for the decision."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from seatrial.report.content import Content, VerdictCount
from seatrial.report.front import Fact, Front
from seatrial.report.page.blocks import (
    bold,
    box,
    code,
    listed,
    paragraph,
    picture_if,
    verdict_css,
)
from seatrial.report.tree import Child, Element, element

DECISIONS = ("accepted", "accepted with conditions", "rejected")
SIGNED_BY = ("Supplier", "Acceptance committee")
SIGNED = ("Conditions", "Name", "Organisation", "Date", "Signature")
NOT_PRINTED = (
    "Folded tables and scripts are not printed. Unfold them on the page, or read the PDF of the "
    "evidence."
)


@dataclass(frozen=True)
class Chapter:
    """A chapter that the report has."""

    id: str
    title: str
    """in the list of chapters"""
    number: int


def header(head: Front) -> Element:
    """The title, and the study and the run."""
    kind = paragraph(
        "Seatrial report · study ", code(head.study), " · run ", code(head.run_id), css="kind"
    )
    return element("header", kind, element("h1", head.title))


def summary(content: Content) -> Element:
    """The question, its answer, the main figure, three numbers, open points, and the facts."""
    head = content.head
    headline = content.headline
    question = element(
        "h2",
        head.question or "Summary",
        css="question" if head.question else "unseen",
        id="summary-title",
    )
    lead = f"{headline.lead}: " if headline.lead else ""
    lead_css = f"lead {verdict_css(headline.state)}"
    return element(
        "section",
        question,
        paragraph(element("span", lead, css=lead_css), headline.answer, css="answer"),
        paragraph(headline.more, css="digest") if headline.more else None,
        picture_if(content.main_figure),
        _key_figures(content),
        *_notes(content),
        _counts(content),
        _problems(content.problems),
        _warnings(content.warnings),
        element("dl", *map(_fact, head.facts), css="facts"),
        id="summary",
        aria_labelledby="summary-title",
    )


def _key_figures(content: Content) -> Element | None:
    figures = content.headline.figures
    if not figures:
        return None
    pairs = (
        element("div", element("dt", item.meaning), element("dd", item.value)) for item in figures
    )
    return element("dl", *pairs, css="keys")


def _notes(content: Content) -> Iterator[Element]:
    """The failed, unknown and waived criteria."""
    headline = content.headline
    if headline.failed:
        yield box(paragraph(bold("Failed.")), listed(headline.failed), is_problem=True)
    if headline.unknown:
        yield box(paragraph(bold("Unknown.")), listed(headline.unknown))
    if headline.waived:
        yield box(paragraph(bold("Waived.")), listed(headline.waived))


def _counts(content: Content) -> Element:
    """The criteria by verdict, the coverage, and the published comparison in one short line."""
    criteria = element("a", "Acceptance criteria", href="#acceptance")
    claims: Child = "Published claims"
    if content.is_compared:
        claims = element("a", "Published claims", href="#published")
    compared = content.verdicts.published_words if content.verdicts.published else "none compared."
    return element(
        "div",
        paragraph(_what(criteria), " ", *_verdict_counts(content.verdicts.acceptance_counts)),
        paragraph(_what("Coverage:"), f" {content.head.coverage}"),
        paragraph(_what(claims, ":"), f" {compared}", css="minor"),
        css="counts",
    )


def _what(*children: Child) -> Element:
    return element("span", *children, css="what")


def _verdict_counts(counts: Iterable[VerdictCount]) -> Iterator[Child]:
    for item in counts:
        css = f"count {verdict_css(item.verdict)}" if item.count else "count"
        yield element("span", bold(str(item.count)), f" {item.words}", css=css)
        yield " "


def _problems(problems: Sequence[str]) -> Element | None:
    if not problems:
        return None
    text = (bold("The result is damaged."), " This report uses the readable part only.")
    return box(paragraph(*text), listed(problems), is_problem=True)


def _warnings(warnings: Sequence[str]) -> Element | None:
    if not warnings:
        return None
    if len(warnings) == 1:
        return box(paragraph(bold("Warning."), f" {warnings[0]}"))
    return box(paragraph(bold("Warnings.")), listed(warnings))


def _fact(fact: Fact) -> Element:
    value = element("dd", fact.value, css="mono" if fact.is_code else "")
    return element(
        "div", element("dt", fact.title), value, css="whole-line" if fact.is_wide else ""
    )


def contents(chapters: Iterable[Chapter]) -> Element:
    """The links to the chapters, and the box that unfolds everything."""
    links = (element("li", _link(item.title, item.id)) for item in chapters)
    unfold = element("input", type="checkbox", id="expand-all")
    words = " Show folded tables and scripts"
    others = paragraph(
        _link("Appendix", "appendix"),
        " ",
        _link("References", "references"),
        " ",
        element("label", unfold, words, css="expand"),
    )
    return element("nav", element("ol", *links), others, aria_label="Contents")


def _link(text: str, target: str) -> Element:
    return element("a", text, href=f"#{target}")


def decision(head: Front) -> Element:
    """The block for the decision and the signatures, with the checksum of the result."""
    boxes = "".join(f" ☐ {name}" for name in DECISIONS)
    caption = element("caption", element("b", "Decision on run ", code(head.run_id), ":"), boxes)
    titles = (element("th", title, scope="col") for title in ("signed by", *SIGNED_BY))
    rows = (
        element("tr", element("th", field, scope="row"), *(element("td") for _ in SIGNED_BY))
        for field in SIGNED
    )
    form = element(
        "table",
        caption,
        element("thead", element("tr", *titles)),
        element("tbody", *rows),
        css="sign",
    )
    origin = f"Generated by Seatrial {head.version} from the result {head.run_id}."
    digest = (" SHA-256 of its lines: ", code(head.digest)) if head.digest else ()
    return element(
        "footer",
        form,
        paragraph(NOT_PRINTED, css="note print-only"),
        paragraph(origin, *digest, css="note"),
    )
