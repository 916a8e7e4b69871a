"""The frame of a chapter."""

from collections.abc import Sequence

from seatrial.report.page.blocks import listed, paragraph
from seatrial.report.tree import Child, Element, element

Digest = str | Sequence[str]
"""one sentence, or several as a list; empty for none"""


def chapter(name: str, title: str, digest: Digest, *children: Child) -> Element:
    """A chapter with its heading; `name` is its id, and `title` begins with its number."""
    return element(
        "section",
        element("h2", title, id=f"{name}-title"),
        _digest(digest),
        *children,
        id=name,
        aria_labelledby=f"{name}-title",
    )


def _digest(digest: Digest) -> Element | None:
    if not digest:
        return None
    return paragraph(digest, css="digest") if isinstance(digest, str) else listed(digest, "digest")
