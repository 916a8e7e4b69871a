"""The whole page: its head, the first page, and the chapters that the result has."""

from collections.abc import Iterator

from seatrial.report.content import Content
from seatrial.report.page.chapters import (
    acceptance,
    appendix,
    comparison,
    environment,
    overview,
    performance,
    recommendations,
    references,
    tuning,
)
from seatrial.report.page.fault_chapter import faults
from seatrial.report.page.first_page import Chapter, contents, decision, header, summary
from seatrial.report.page.method import method
from seatrial.report.tree import Element, element

WRITERS = {
    "built": overview,
    "practices": tuning,
    "method": method,
    "results": performance,
    "faults": faults,
    "acceptance": acceptance,
    "published": comparison,
    "recommendations": recommendations,
    "environment": environment,
}
"""id of a chapter -> the function that makes it, in their order"""


def page_of(content: Content, css: str) -> Element:
    """The page as a tree; `css` is its style sheet."""
    chapters = list(_chapters(content))
    main = element(
        "main",
        summary(content),
        contents(chapters),
        *(WRITERS[chapter.id](content, chapter.number) for chapter in chapters),
        appendix(content),
        references(content),
        id="content",
    )
    skip = element("a", "Skip to the answer", css="skip", href="#content")
    body = element("body", skip, header(content.head), main, decision(content.head))
    return element("html", _head(content, css), body, lang="en")


def _head(content: Content, css: str) -> Element:
    return element(
        "head",
        element("meta", charset="utf-8"),
        _meta("viewport", "width=device-width, initial-scale=1"),
        _meta("generator", f"Seatrial {content.head.version}"),
        element("title", f"{content.head.title} – Seatrial report"),
        element("style", css),
    )


def _meta(name: str, content: str) -> Element:
    return element("meta", name=name, content=content)


def _chapters(content: Content) -> Iterator[Chapter]:
    """The chapters with content, with their numbers."""
    titles = {
        "built": "Solution overview",
        "practices": "Tuning applied" if content.system.reasons else "",
        "method": "Method",
        "results": "Performance",
        "faults": "Faults" if content.faults.table else "",
        "acceptance": "Acceptance criteria",
        "published": "Comparison" if content.is_compared else "",
        "recommendations": "Recommendations",
        "environment": "Environment",
    }
    present = [(name, title) for name, title in titles.items() if title]
    for number, (name, title) in enumerate(present, start=1):
        yield Chapter(name, title, number)
