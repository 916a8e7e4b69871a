"""A page of HTML as a tree, for tests that look at its parts."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from seatrial.report.tree import VOID, Element


@dataclass
class _Open:
    """An element without its end."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def closed(self) -> Element:
        """The element with its children."""
        return Element(self.tag, self.attributes, tuple(self.children))


class _Reader(HTMLParser):
    """Builds the tree; drawings are kept verbatim, because their names have capital letters."""

    def __init__(self) -> None:
        super().__init__()
        self._open = [_Open("root", {})]
        self._drawn: list[str] = []
        """the open elements of a drawing, as in the source"""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element, or continue a drawing."""
        if self._open[-1].tag == "svg":
            self._draw()
            return
        opened = _Open(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self._open[-1].children.append(opened.closed())
            return
        self._open.append(opened)
        if tag == "svg":
            self._draw()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""
        if self._open[-1].tag == "svg":
            self._open[-1].children.append(self.get_starttag_text() or "")
        else:
            self.handle_starttag(tag, attrs)
            if tag not in VOID:
                self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """End an element, and those inside of it that have no end."""
        if self._open[-1].tag == "svg":
            self._open[-1].children.append(f"</{self._drawn.pop()}>")
            if tag != "svg":
                return
        if tag in {item.tag for item in self._open[1:]}:
            while self._close() != tag:
                pass

    def _close(self) -> str:
        closed = self._open.pop()
        self._open[-1].children.append(closed.closed())
        return closed.tag

    def _draw(self) -> None:
        text = self.get_starttag_text() or ""
        self._drawn.append(text[1:].split(maxsplit=1)[0].rstrip(">"))
        self._open[-1].children.append(text)

    def handle_data(self, data: str) -> None:
        """Text, which a drawing keeps escaped."""
        inside = self._open[-1].tag == "svg"
        kept = data.replace("&", "&amp;").replace("<", "&lt;") if inside else data
        self._open[-1].children.append(kept)

    def root(self) -> Element:
        """The tree of the whole text."""
        while len(self._open) > 1:
            self._close()
        return self._open[0].closed()


def tree_of(html: str) -> Element:
    """The page as a tree."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root()
