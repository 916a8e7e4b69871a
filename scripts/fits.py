"""How a cost grows with a count: a power law and a straight line through measured points."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

POINTS_MIN = 3


@dataclass(frozen=True)
class Fit:
    """A cost as a power of a count: `cost = scale * count ** exponent`, and as a straight line."""

    scale: float
    exponent: float
    """1: each one costs the same; 2: the cost of each one grows with their number"""
    each: float
    """slope of the straight line through all points"""
    fixed: float
    """value of that line at a count of 0"""

    def count_at(self, limit: float) -> int | None:
        """The count at which the straight line reaches a limit; None when it never does."""
        if self.each <= 0:
            return None
        return round((limit - self.fixed) / self.each)


def fit(counts: Sequence[int], costs: Sequence[float]) -> Fit | None:
    """The power law and the straight line by least squares; None for fewer than three points.

    Costs of 0 have no logarithm and are left out of the power law.
    """
    if len(counts) < POINTS_MIN:
        return None
    slope, fixed = np.polyfit(counts, costs, 1)
    known = [(count, cost) for count, cost in zip(counts, costs, strict=True) if cost > 0]
    if len(known) < POINTS_MIN:
        return None
    exponent, log_scale = np.polyfit(
        np.log([count for count, _ in known]), np.log([cost for _, cost in known]), 1
    )
    return Fit(float(np.exp(log_scale)), float(exponent), float(slope), float(fixed))
