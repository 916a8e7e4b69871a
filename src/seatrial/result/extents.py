"""The damaged extents of a client or a stream.

An agent lists a limited number of extents. Where there were more, the last entry is
`{"class": "more", "omitted": N}`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import TypedDict

Extent = TypedDict(
    "Extent",
    {"class": str, "file": str, "offset": int, "length": int, "detail": str, "omitted": int},
    total=False,
)
"""`offset` and `length` in bytes; `omitted`: the number of extents without an entry"""
OMITTED = "more"


def extents_of(verification: Mapping[str, Any]) -> tuple[Extent, ...]:
    """The extents of an agent's verification, with an entry for those that it did not list."""
    listed: list[Extent] = list(verification.get("extents", ()))
    omitted = verification.get("extents_omitted")
    if omitted:
        listed.append({"class": OMITTED, "omitted": omitted})
    return tuple(listed)


def extent_count(damage: Iterable[Extent]) -> int:
    """The number of damaged extents, also of those without an entry."""
    return sum(item.get("omitted", 1) for item in damage)


def has_place(extent: Extent) -> bool:
    """Whether an entry is one extent, with its class and place."""
    return extent.get("class") != OMITTED
