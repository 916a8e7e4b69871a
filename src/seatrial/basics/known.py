"""Figures that may be unknown."""

from collections.abc import Sequence
from typing import TypeVar

Value = TypeVar("Value")


def all_known(values: Sequence[Value | None]) -> list[Value] | None:
    """The values; None where one of them is unknown. No values are all known."""
    known_values = [value for value in values if value is not None]
    return known_values if len(known_values) == len(values) else None
