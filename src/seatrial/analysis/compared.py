"""A point that two results have, and whether its repeats decide a difference."""

from dataclasses import dataclass
from typing import Any, Literal

Finding = Literal["higher", "lower", "not decided"]


@dataclass(frozen=True)
class Compared:
    """One phase of one point that both results have."""

    experiment: str
    point: dict[str, Any]
    phase: str
    unit: str
    a: float
    """mean of the first result, in `unit`"""
    b: float
    a_repeats: int
    b_repeats: int
    ratio: float
    """b over a"""
    low: float | None
    """the 95 % interval of the ratio; None where a side has one repeat"""
    high: float | None
    finding: Finding
    """of b against a"""
