"""The page's drawings as pictures that stand alone: in the colours of light paper, with the rules that they need."""

import re
from collections.abc import Mapping
from html import unescape

from seatrial.report.tree import Element

SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
FONT = "'DejaVu Sans'"
"""that of the plotting library, which measured its text in it"""


class Drawings:
    """Drawings of a page with this style sheet and these colours by name."""

    def __init__(self, css: str, colours: Mapping[str, str]) -> None:
        self._colours = colours
        self._styles: dict[str, str] = {}
        for name in ("diagram", "strip", "outage"):
            rules = re.findall(rf"^\.{name} [^{{]*\{{[^}}]*\}}", css, re.MULTILINE)
            self._styles[name] = self._coloured(" ".join(rules).replace(f".{name} ", ""))

    def _coloured(self, text: str) -> str:
        return re.sub(r"var\(--([\w-]+)\)", lambda match: self._colours[match[1]], text)

    def standalone(self, item: Element) -> tuple[str, str]:
        """(the picture, what it shows in words, where it says so)."""
        svg = "".join(child for child in item.children if isinstance(child, str))
        title = re.search(r"<title[^>]*>([^<]*)</title>", svg)
        told = unescape(title[1]) if title else item.attributes.get("aria-label", "")
        style = f"text {{ font-family: {FONT}; }}" + "".join(self._styles.get(name, "") for name in item.classes)
        svg = self._coloured(svg).replace("sans-serif", FONT).replace(" href=", " xlink:href=")
        return svg.replace("<svg ", f"<svg {SPACES} ", 1).replace(">", f"><style>{style}</style>", 1), told
