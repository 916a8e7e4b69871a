"""Means with their uncertainty, and the comparison of two small samples, with the standard library alone.

Repeats are few (2 to 10) and noisy, so a difference counts only when its confidence interval excludes zero.
"""

import math
import statistics
from dataclasses import dataclass
from typing import Literal

# Two-sided 95 % quantiles of Student's t by degrees of freedom (any table; NIST/SEMATECH e-Handbook 1.3.6.7.2).
_T_95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228}
_T_95 |= {12: 2.179, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000}
_NORMAL_95 = 1.960

Direction = Literal["up", "down", "flat"]


@dataclass(frozen=True)
class Sample:
    """Some repeats of one measurement."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Arithmetic mean; 0 for no values."""
        return statistics.fmean(self.values) if self.values else 0.0

    @property
    def variance(self) -> float:
        """Sample variance; 0 for fewer than two values."""
        return statistics.variance(self.values) if len(self.values) > 1 else 0.0


def t_quantile_95(freedom: float) -> float:
    """Student's t for a two-sided 95 % interval; between table rows the larger (more careful) value."""
    smaller = [degrees for degrees in _T_95 if degrees <= freedom]
    if not smaller:
        return _T_95[1]
    return _NORMAL_95 if freedom > 120 else _T_95[max(smaller)]


@dataclass(frozen=True)
class Difference:
    """How far b lies above a, as a share of a, with the 95 % interval of that share."""

    relative: float
    low: float
    high: float

    def direction(self, least: float = 0.05) -> Direction | None:
        """`up` or `down` when the interval excludes zero and the change is at least `least`; `flat` when the whole
        interval lies within ± `least`; None when the repeats do not decide it.
        """
        if self.low > 0 and self.relative >= least:
            return "up"
        if self.high < 0 and self.relative <= -least:
            return "down"
        return "flat" if -least <= self.low and self.high <= least else None


def difference(a: Sample, b: Sample) -> Difference | None:
    """Welch's unequal-variances interval (Welch 1947, Biometrika 34) of (mean b - mean a) / mean a.

    None when a side has fewer than two values or a's mean is zero: there is no interval then.
    """
    if len(a.values) < 2 or len(b.values) < 2 or not a.mean:
        return None
    part_a, part_b = a.variance / len(a.values), b.variance / len(b.values)
    relative = (b.mean - a.mean) / a.mean
    if part_a + part_b == 0:
        return Difference(relative, relative, relative)
    freedom = (part_a + part_b) ** 2 / (part_a**2 / (len(a.values) - 1) + part_b**2 / (len(b.values) - 1))
    half = t_quantile_95(freedom) * math.sqrt(part_a + part_b) / a.mean
    return Difference(relative, relative - half, relative + half)
