"""The report's page as a tree, for conversion to another format."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})


@dataclass
class Element:
    """An element with its children; a drawing has only its unchanged text."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

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


class _Reader(HTMLParser):
    """Builds the tree; drawings are kept verbatim, because their names have capital letters."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("root")
        self._open = [self.root]
        self._drawn: list[str] = []
        """the open elements of a drawing, as in the source"""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._open[-1].tag == "svg":
            self._draw()
            return
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)
        if tag == "svg":
            self._draw()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._open[-1].tag == "svg":
            self._keep(self.get_starttag_text() or "")
        else:
            super().handle_startendtag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._open[-1].tag == "svg":
            self._keep(f"</{self._drawn.pop()}>")
            if tag != "svg":
                return
        if tag in {element.tag for element in self._open[1:]}:
            while self._open.pop().tag != tag:
                pass

    def _draw(self) -> None:
        text = self.get_starttag_text() or ""
        self._drawn.append(text[1:].split(maxsplit=1)[0].rstrip(">"))
        self._keep(text)

    def handle_data(self, data: str) -> None:
        inside = self._open[-1].tag == "svg"
        self._keep(data.replace("&", "&amp;").replace("<", "&lt;") if inside else data)

    def _keep(self, text: str) -> None:
        self._open[-1].children.append(text)


def tree_of(html: str) -> Element:
    """The page as a tree."""
    reader = _Reader()
    reader.feed(html)
    return reader.root
