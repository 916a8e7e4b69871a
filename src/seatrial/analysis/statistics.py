"""Means with their uncertainty, and the comparison of two small samples, with the standard library alone.

Repeats are few (2 to 10) and noisy, so a difference counts only when its confidence interval excludes zero.
"""

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

LEVEL = 0.05
"""of a false decision: 95 % intervals"""

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


def t_quantile(both_tails: float, freedom: float) -> float:
    """Student's t that is exceeded in absolute value with this probability, for any degrees of freedom from 1 on.

    Hill's algorithm 396 (1970, Communications of the ACM 13, 619): to four digits, and better from 5 degrees on. It is
    not for fewer than two: between the exact values of one and of two the logarithm goes with 1 / freedom.
    """
    if freedom < 2:
        one = 1 / math.tan(both_tails * math.pi / 2)
        two = math.sqrt(2 / (both_tails * (2 - both_tails)) - 2)
        share = 2 / max(freedom, 1.0) - 1
        return math.exp(share * math.log(one) + (1 - share) * math.log(two))
    a = 1 / (freedom - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * freedom
    y = (d * both_tails) ** (2 / freedom)
    if y <= 0.05 + a:
        tail = ((freedom + 6) / (freedom * y) - 0.089 * d - 0.822) * (freedom + 2) * 3
        y = ((1 / tail + 0.5 / (freedom + 4)) * y - 1) * (freedom + 1) / (freedom + 2) + 1 / y
        return math.sqrt(freedom * y)
    x = statistics.NormalDist().inv_cdf(both_tails / 2)
    c += 0.3 * (freedom - 4.5) * (x + 0.6) if freedom < 5 else 0.0
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
    y = x * x
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    return math.sqrt(freedom * math.expm1(a * y * y))


def both_tails(t: float, freedom: float) -> float:
    """The probability that Student's t lies so far from zero: the inverse of `t_quantile`, by bisection."""
    low, high = 1e-12, 1 - 1e-9
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if t_quantile(middle, freedom) > abs(t) else (low, middle)
    return high


def half_width(sample: Sample) -> float | None:
    """Half of the 95 % interval of a mean, as a share of it, on logarithms; None for fewer than two values."""
    if len(sample.values) < 2 or min(sample.values) <= 0:
        return None
    logs = Sample(tuple(map(math.log, sample.values)))
    count = len(logs.values)
    return math.expm1(t_quantile(LEVEL, count - 1) * math.sqrt(logs.variance / count))


def chi_square_quantile(below: float, freedom: int) -> float:
    """The value that chi square lies below with this probability: the inverse of its distribution, by bisection."""
    low, high = 0.0, freedom + 20 * math.sqrt(2 * freedom) + 40
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _chi_square_below(middle, freedom) < below else (low, middle)
    return high


def _chi_square_below(value: float, freedom: int) -> float:
    """The regularised incomplete gamma function, by its series (Digital Library of Mathematical Functions, 8.7.1)."""
    a, x = freedom / 2, value / 2
    term = total = 1 / a
    while term > 1e-12 * total:
        a += 1
        term *= x / a
        total += term
    return total * math.exp(freedom / 2 * math.log(x) - x - math.lgamma(freedom / 2))


@dataclass(frozen=True)
class Spread:
    """How far repeats lie apart: standard deviation over mean (coefficient of variation)."""

    relative: float
    freedom: int
    """repeats less means"""

    @property
    def high(self) -> float:
        """What the true spread is below, with 95 %."""
        return self.relative * math.sqrt(self.freedom / chi_square_quantile(LEVEL, self.freedom))

    def low(self, among: int = 1) -> float:
        """What the true spread is above, with 95 % for all of so many such figures together (Bonferroni)."""
        return self.relative * math.sqrt(self.freedom / chi_square_quantile(1 - LEVEL / among, self.freedom))


def spread(samples: Iterable[Sample]) -> Spread | None:
    """Of repeats of one measurement, or of several that are taken to be as repeatable as each other: their variances
    are pooled. None where none has two repeats, or one has a mean that is not above zero.
    """
    used = [sample for sample in samples if len(sample.values) > 1]
    freedom = sum(len(sample.values) - 1 for sample in used)
    if not freedom or min(sample.mean for sample in used) <= 0:
        return None
    squares = sum((len(item.values) - 1) * item.variance / item.mean**2 for item in used)
    return Spread(math.sqrt(squares / freedom), freedom)


@dataclass(frozen=True)
class Difference:
    """How far b lies above a, as a share of a, with the 95 % interval of that share."""

    relative: float
    low: float
    high: float
    chance: float = 0.0
    """of so large a difference, where there is none"""

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
    """How far b's mean lies above a's: Welch's unequal-variances interval (1947, Biometrika 34) of their logarithms.

    Rates differ by factors, and so do their errors: on logarithms the interval of a ratio has both samples' errors in
    it (Fieller's problem has no other simple answer). None when a side has fewer than two values, or one that is not
    above zero: there is no interval then.
    """
    if min(len(a.values), len(b.values)) < 2 or min(*a.values, *b.values) <= 0:
        return None
    log_a, log_b = (Sample(tuple(map(math.log, item.values))) for item in (a, b))
    part_a, part_b = log_a.variance / len(a.values), log_b.variance / len(b.values)
    change = log_b.mean - log_a.mean
    if part_a + part_b < 1e-24:  # the logarithms' own rounding
        relative = math.expm1(change)
        return Difference(relative, relative, relative, float(abs(change) < 1e-12))
    freedom = (part_a + part_b) ** 2 / (part_a**2 / (len(a.values) - 1) + part_b**2 / (len(b.values) - 1))
    error = math.sqrt(part_a + part_b)
    half = t_quantile(LEVEL, freedom) * error
    low, middle, high = (math.expm1(change + shift) for shift in (-half, 0.0, half))
    return Difference(middle, low, high, both_tails(change / error, freedom))


def decided(changes: Mapping[Any, Difference], least: float) -> dict[Any, Direction]:
    """Which of several differences are up or down, so that all of them together are wrong in 5 % of cases at most.

    Holm's step-down procedure (1979, Scandinavian Journal of Statistics 6). One below `least` matters to nobody.
    """
    found: dict[Any, Direction] = {}
    for rank, (name, change) in enumerate(sorted(changes.items(), key=lambda item: item[1].chance)):
        if change.chance > LEVEL / (len(changes) - rank):
            break
        if abs(change.relative) >= least:
            found[name] = "up" if change.relative > 0 else "down"
    return found
