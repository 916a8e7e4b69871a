"""The tree of the report: the page that is written from it has the same elements and text."""

from hypothesis import given
from hypothesis import strategies as st

from seatrial.report.html import render, tree
from seatrial.report.tree import Element, drawing, element, html_of
from seatrial.result.result import read_result
from tests.builders.html_tree import tree_of
from tests.builders.reports import JUDGEMENTS, SAMPLE

TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1)


def tags(item: Element) -> list[str]:
    """The tags of all elements below it, in order."""
    return [tag for child in item.elements for tag in (child.tag, *tags(child))]


@given(TEXT, TEXT)
def test_text_and_attributes_are_read_back_as_they_are(text: str, value: str) -> None:
    """No text of a result becomes markup."""
    written = html_of(element("p", element("b", text), css="x", aria_label=value))
    (found,) = tree_of(written).all("p")
    assert found.attributes == {"class": "x", "aria-label": value}
    assert found.first("b").text == text
    assert tags(found) == ["b"]


def test_absent_children_are_left_out() -> None:
    """An element without an end tag has none."""
    assert html_of(element("span", None, "a", None)) == "<span>a</span>"
    assert html_of(element("input", type="checkbox")) == '<input type="checkbox">'


def test_a_drawing_is_written_as_it_is() -> None:
    """Its class and its text alternative are attributes; its text is that of a figure."""
    svg = '<svg viewBox="0 0 1 1" class="plot" aria-label="a &lt; b"><text>1 &lt; 2</text></svg>'
    item = drawing(svg)
    assert item.classes == {"plot"}
    assert item.attributes["aria-label"] == "a < b"
    assert (item.text, html_of(item)) == ("", svg)


def test_the_page_has_the_elements_of_the_tree() -> None:
    """Page and paper are made from the same one."""
    result = read_result(SAMPLE)
    made = tree(result, JUDGEMENTS)
    found = tree_of(render(result, JUDGEMENTS)).first("html")
    assert tags(found) == tags(made)
    assert "".join(found.text.split()) == "".join(made.text.split())
