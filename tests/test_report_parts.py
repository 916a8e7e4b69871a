"""The parts of the paper: which elements of a page each of them has."""

from seatrial.report.paper import _tall_figure_last
from seatrial.report.parts import IN_EVIDENCE, Part, sections_of
from seatrial.report.tree import Element, drawing, element


def page() -> Element:
    """A chapter with an open, a long and a folded figure."""
    chapter = element(
        "section",
        element("h2", "Faults"),
        element("h3", "panic"),
        element("figure", "the rate"),
        element("figure", "the outages of each stream", css=f"outages {IN_EVIDENCE}"),
        element("details", "the events"),
    )
    return element("body", element("main", chapter))


def text_of(part: Part) -> str:
    """The text of a part."""
    return " ".join(item.text for item in sections_of(page(), part))


def test_a_long_figure_is_in_the_evidence_with_its_headings() -> None:
    """The technical report has at most 40 pages."""
    assert "the rate" in text_of(Part.TECHNICAL)
    assert "the outages of each stream" not in text_of(Part.TECHNICAL)
    assert "the events" not in text_of(Part.TECHNICAL)
    evidence = text_of(Part.EVIDENCE)
    assert [word in evidence for word in ("panic", "the outages of each stream", "the events")] == [
        True,
        True,
        True,
    ]
    assert "the rate" not in evidence


def first_page(height: float) -> list[str]:
    """The order of the first page on paper, with a figure of this height in units of its width."""
    svg = f'<svg viewBox="0 0 100 {100 * height:g}"></svg>'
    figure = element("figure", drawing(svg), "a figure")
    items = [element("p", "the answer"), figure, element("div", "the counts")]
    return [item.tag for item in _tall_figure_last(items)]


def test_a_high_figure_does_not_empty_the_first_page() -> None:
    """It follows the text; a figure that fits stays below the answer."""
    assert first_page(1.2) == ["p", "figure", "div"]
    assert first_page(1.4) == ["p", "div", "figure"]
