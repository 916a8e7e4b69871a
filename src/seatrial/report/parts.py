"""The parts of the paper: which elements of the page's tree each of them has.

The management summary has the first page, the criteria, the recommendations and the decision. The
technical report has everything that the page shows without unfolding, except for the outages of
each stream in most faults. The evidence has these, and everything that the page folds: long tables,
events, values of figures, scripts, steps and the study.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from seatrial.report.tree import Element

FIRST_PAGE = "summary"
ACCEPTANCE = "acceptance"
RECOMMENDATIONS = "recommendations"
APPENDIX = "appendix"
"""ids of sections of the page"""
IN_EVIDENCE = "in-evidence"
"""class of an element that the page shows, and that on paper is in the evidence"""
HEADINGS = frozenset({"h2", "h3"})


class Part(StrEnum):
    """One file of the paper."""

    MANAGEMENT = "management"
    TECHNICAL = "technical"
    EVIDENCE = "evidence"

    @property
    def heading(self) -> str:
        """The words on its first page."""
        return TITLES[self]

    @property
    def has_contents(self) -> bool:
        """Whether it has a table of contents."""
        return self is not Part.MANAGEMENT


TITLES = {
    Part.MANAGEMENT: "Management summary",
    Part.TECHNICAL: "Technical report",
    Part.EVIDENCE: "Evidence",
}


def sections_of(page: Element, part: Part) -> list[Element]:
    """The first page and the sections of one part, in the order of the page."""
    sections = [item for item in page.first("main").elements if item.tag == "section"]
    if part is Part.MANAGEMENT:
        return list(_management(sections, page.first("footer")))
    if part is Part.TECHNICAL:
        return [_open(item) for item in sections if not _is(item, APPENDIX)]
    return list(_evidence(sections))


def _is(section: Element, name: str) -> bool:
    return section.attributes.get("id") == name


def _management(sections: list[Element], footer: Element) -> Iterator[Element]:
    for section in sections:
        if _is(section, ACCEPTANCE):
            yield _with_children(section, _overview(section))
        elif _is(section, FIRST_PAGE) or _is(section, RECOMMENDATIONS):
            yield _open(section)
    yield footer


def _overview(section: Element) -> Iterator[Element | str]:
    """The section without the tables of evidence: its first numbered table only."""
    has_overview = False
    for child in _open(section).children:
        is_table = isinstance(child, Element) and "numbered" in child.classes
        if is_table and has_overview:
            continue
        has_overview = has_overview or is_table
        yield child


def _evidence(sections: list[Element]) -> Iterator[Element]:
    """The facts that identify the run, the folded content of each chapter, and the appendix."""
    for section in sections:
        if _is(section, FIRST_PAGE):
            facts = [item for item in section.elements if "facts" in item.classes]
            yield _with_children(section, iter([*facts, *_outermost(section)]))
        elif _is(section, APPENDIX):
            yield section
        else:
            folded = _with_children(section, _folded(section))
            if any(child.tag not in HEADINGS for child in folded.elements):
                yield folded


def _folded(section: Element) -> Iterator[Element | str]:
    """The headings of a section with folded content, each before its own content."""
    pending: list[Element] = []
    for child in section.elements:
        if child.tag in HEADINGS:
            # A heading of the same level replaces one without content.
            pending = [item for item in pending if item.tag < child.tag]
            pending.append(child)
            continue
        folded = list(_outermost(child))
        if folded:
            yield from pending
            yield from folded
            pending = []


def _outermost(item: Element) -> Iterator[Element]:
    """The folded elements at or below an element, without those inside of other folded ones."""
    if _is_of_evidence(item):
        yield item
        return
    for child in item.elements:
        yield from _outermost(child)


def _open(item: Element) -> Element:
    """An element without its folded content."""
    return _with_children(item, (_opened(child) for child in item.children if _is_open(child)))


def _opened(child: Element | str) -> Element | str:
    return _open(child) if isinstance(child, Element) else child


def _is_open(child: Element | str) -> bool:
    return isinstance(child, str) or not _is_of_evidence(child)


def _is_of_evidence(item: Element) -> bool:
    return item.tag == "details" or IN_EVIDENCE in item.classes


def _with_children(item: Element, children: Iterator[Element | str] | Iterator[Element]) -> Element:
    return replace(item, children=tuple(children))
