"""A point that two results have, and whether its repeats decide a difference."""

from dataclasses import dataclass
from typing import Any, Literal

from seatrial.analysis.statistics import Sample, ratio

Finding = Literal["higher", "lower", "not decided"]


@dataclass(frozen=True)
class MeanRatio:
    """The mean of one sample over that of another, with the finding of its repeats."""

    ratio: float
    """of the arithmetic means"""
    low: float | None
    """the 95 % interval of the ratio; None where a side has one repeat"""
    high: float | None
    finding: Finding
    """higher or lower where the interval excludes 1"""


def mean_ratio(a: Sample, b: Sample) -> MeanRatio:
    """The ratio of b to a. The interval is Welch's, of the difference of the logarithms.

    Both samples need a value, and the mean of `a` is above 0.
    """
    change = ratio([(b, a)])
    interval = change.interval() if change is not None else None
    finding: Finding = "not decided"
    if interval is not None and interval.low > 1:
        finding = "higher"
    elif interval is not None and interval.high < 1:
        finding = "lower"
    return MeanRatio(
        ratio=b.mean / a.mean,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        finding=finding,
    )


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
