"""The tree of the report: elements of HTML, from which the page and the paper are made."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape

VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})
BLOCKS = frozenset(
    {
        *("body", "caption", "details", "div", "dl", "figcaption", "figure", "footer", "h1", "h2"),
        *("h3", "head", "header", "li", "main", "meta", "nav", "ol", "p", "pre", "section"),
        *("style", "summary", "table", "tbody", "tfoot", "thead", "title", "tr", "ul"),
    }
)
"""elements that end a line of the page's source; blanks between them have no meaning"""
VERBATIM = frozenset({"svg", "style"})
"""elements with text that is written as it is: drawings and the style sheet of this package"""
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')


@dataclass(frozen=True)
class Element:
    """An element with its children; a drawing has only its unchanged text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: tuple["Element | str", ...] = ()

    @property
    def classes(self) -> frozenset[str]:
        """The words of its class."""
        return frozenset(self.attributes.get("class", "").split())

    @property
    def elements(self) -> list["Element"]:
        """Its children that are elements."""
        return [child for child in self.children if isinstance(child, Element)]

    def all(self, *tags: str) -> Iterator["Element"]:
        """Every element of these tags below it, in the order of the page."""
        for child in self.elements:
            if child.tag in tags:
                yield child
            yield from child.all(*tags)

    def first(self, tag: str) -> "Element":
        """The first element of a tag below it; an empty one where there is none."""
        return next(self.all(tag), Element(tag))

    @property
    def text(self) -> str:
        """All text below it, without that of drawings."""
        if self.tag == "svg":
            return ""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


Child = Element | str | None
"""None is left out: a part that the result does not have"""


def element(tag: str, *children: Child, css: str = "", **attributes: str) -> Element:
    """An element; `css` is its class, and `aria_label` the attribute `aria-label`."""
    by_name = {name.replace("_", "-"): value for name, value in attributes.items()}
    of_class = {"class": css} if css else {}
    present = tuple(child for child in children if child is not None)
    return Element(tag, {**of_class, **by_name}, present)


def drawing(svg: str) -> Element:
    """A drawing of this package, from its SVG text."""
    start = svg[: svg.index(">") + 1]
    attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(start)}
    return Element("svg", attributes, (svg,))


def html_of(item: Element) -> str:
    """An element as HTML; all text is escaped, except drawings and the style sheet."""
    return "".join(_pieces(item))


def _pieces(item: Element) -> Iterator[str]:
    if item.tag == "svg":
        yield from (child for child in item.children if isinstance(child, str))
        return
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in item.attributes.items())
    yield f"<{item.tag}{attributes}>"
    for child in item.children:
        if isinstance(child, Element):
            yield from _pieces(child)
        else:
            yield child if item.tag in VERBATIM else escape(child, quote=False)
    if item.tag not in VOID:
        yield f"</{item.tag}>"
    if item.tag in BLOCKS:
        yield "\n"
