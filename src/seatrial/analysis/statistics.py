"""Means with their uncertainty, and conclusions from several of them, with the standard library
alone.

Repeats are few (2 to 10) and noisy, so that only their interval decides. There is one formula: a
sum of weighted means (`contrast`), its error from the samples' own variances, and its degrees of
freedom after Welch and Satterthwaite. Rates differ by factors, and so do their errors: they are
compared on logarithms, where the interval of a ratio includes the errors of both samples.
docs/statistics.md has every formula, and how often each is wrong.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from seatrial.analysis.quantiles import both_tails, chi_square_quantile, t_quantile

LEVEL = 0.05
"""of a false decision: 95 % intervals"""

Direction = Literal["up", "down", "flat"]


@dataclass(frozen=True)
class Sample:
    """Some repeats of one measurement."""

    values: tuple[float, ...]
    looks: int = 1
    """how often it was looked at whether its repeats are enough; intervals allow for each look
    (Bonferroni)"""

    @property
    def mean(self) -> float:
        """Arithmetic mean; 0 for no values."""
        return statistics.fmean(self.values) if self.values else 0.0

    @property
    def variance(self) -> float:
        """Sample variance; 0 for fewer than two values."""
        return statistics.variance(self.values) if len(self.values) > 1 else 0.0

    @property
    def has_interval(self) -> bool:
        """Whether anything is known of its error: two values at least, all above zero."""
        return len(self.values) > 1 and min(self.values) > 0

    def logs(self) -> "Sample":
        """The logarithms of its values."""
        return Sample(tuple(map(math.log, self.values)), self.looks)


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`; either may be infinite."""

    low: float
    high: float

    def inside(self, other: "Interval") -> bool:
        """Whether the whole interval is inside another one."""
        return other.low <= self.low and self.high <= other.high

    def apart_from(self, other: "Interval") -> bool:
        """Whether it has no value in common with another one."""
        return self.high < other.low or self.low > other.high


@dataclass(frozen=True)
class Estimate:
    """A sum of weighted means with its standard error and the degrees of freedom of that."""

    value: float
    error: float
    freedom: float
    looks: int = 1

    def half(self, level: float = LEVEL) -> float:
        """Half of the interval that misses the truth in `level` of cases."""
        return t_quantile(level / self.looks, self.freedom) * self.error if self.error else 0.0

    def interval(self, level: float = LEVEL) -> Interval:
        """The interval that misses the truth in `level` of cases."""
        return Interval(self.value - self.half(level), self.value + self.half(level))

    @property
    def chance(self) -> float:
        """The probability of a value at least as large, where the truth is zero."""
        if not self.error:
            return float(abs(self.value) < ROUNDING)
        return min(1.0, self.looks * both_tails(self.value / self.error, self.freedom))


ROUNDING = 1e-12
"""errors of logarithms below this are rounding errors"""


def contrast(parts: Sequence[tuple[float, Sample]]) -> Estimate | None:
    """The sum of the samples' means, each times its weight; None where a sample has fewer than two
    values.

    Sources: B. L. Welch (1947), Biometrika 34, 28; F. E. Satterthwaite (1946), Biometrics Bulletin
    2, 110.
    """
    if not parts or min(len(sample.values) for _, sample in parts) < 2:
        return None
    variances = [weight**2 * sample.variance / len(sample.values) for weight, sample in parts]
    value = math.fsum(weight * sample.mean for weight, sample in parts)
    looks = max(sample.looks for _, sample in parts)
    error = math.sqrt(math.fsum(variances))
    if error < ROUNDING:
        return Estimate(value, 0.0, 1.0, looks)
    below = (
        variance**2 / (len(sample.values) - 1)
        for variance, (_, sample) in zip(variances, parts, strict=True)
    )
    return Estimate(value, error, math.fsum(variances) ** 2 / math.fsum(below), looks)


def _exp(logarithm: float) -> float:
    """The exponential function; infinite where the value is above every float."""
    try:
        return math.exp(logarithm)
    except OverflowError:
        return math.inf


@dataclass(frozen=True)
class Ratio:
    """A mean, or a mean over another one, as a factor: its interval is not symmetric."""

    log: Estimate

    @property
    def value(self) -> float:
        """The geometric mean."""
        return _exp(self.log.value)

    def interval(self, level: float = LEVEL) -> Interval:
        """The interval that misses the truth in `level` of cases."""
        of_logs = self.log.interval(level)
        return Interval(_exp(of_logs.low), _exp(of_logs.high))


def ratio(pairs: Sequence[tuple[Sample, Sample]]) -> Ratio | None:
    """The first sample of each pair over the second, as a geometric mean over all pairs.

    None where there is no pair, or a sample has no interval.
    """
    if not pairs or not all(sample.has_interval for pair in pairs for sample in pair):
        return None
    share = 1 / len(pairs)
    parts = [
        part for above, below in pairs for part in ((share, above.logs()), (-share, below.logs()))
    ]
    estimate = contrast(parts)
    return None if estimate is None else Ratio(estimate)


def mean_of(sample: Sample) -> Ratio | None:
    """The mean of one sample, in its own unit; None where it has no interval."""
    estimate = contrast([(1.0, sample.logs())]) if sample.has_interval else None
    return None if estimate is None else Ratio(estimate)


REPEATS_MAX = 1000
"""a larger number of repeats is no help to a reader"""


def repeats_to_decide(
    sample: Sample, limit: float, reference: Sample | None = None, level: float = LEVEL
) -> int | None:
    """The number of repeats of each sample from which the interval of the mean excludes `limit`.

    The interval is that of `mean_of`, or with a `reference` that of `ratio`. The result assumes
    that mean and deviation stay as measured. It is the lowest N above the number of repeats in
    hand with t(level, f) sqrt(v / N) < |d|. d is the distance of the logarithms of mean and limit.
    v is the sum of the samples' variances, and f is N - 1, with a reference Welch's
    (N - 1) (sum v)^2 / sum v^2.

    None for fewer than two repeats, for a value that is not above zero, and above `REPEATS_MAX`.
    """
    samples = [sample] if reference is None else [sample, reference]
    if limit <= 0 or not all(item.has_interval for item in samples):
        return None
    logs = [item.logs() for item in samples]
    mean = logs[0].mean - sum(item.mean for item in logs[1:])
    distance = abs(mean - math.log(limit))
    variances = [item.variance for item in logs]
    total = math.fsum(variances)
    in_hand = max(len(item.values) for item in samples)
    if total <= ROUNDING**2:
        return in_hand + 1 if distance > ROUNDING else None
    freedom_share = total**2 / math.fsum(variance**2 for variance in variances)
    level /= max(item.looks for item in samples)

    def is_enough(number: int) -> bool:
        half = t_quantile(level, (number - 1) * freedom_share) * math.sqrt(total / number)
        return half < distance

    if not is_enough(REPEATS_MAX):
        return None
    # A bisection: the half width falls with each repeat.
    low = in_hand
    high = max(REPEATS_MAX, in_hand + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def half_width(sample: Sample) -> float | None:
    """The upper half of the 95 % interval of a mean, as a share of the mean; None for fewer than
    two values.
    """
    estimate = mean_of(sample)
    return None if estimate is None else math.expm1(estimate.log.half())


@dataclass(frozen=True)
class Highest:
    """The highest of several means, and the interval of the true highest."""

    at: Any
    """which of them is highest as measured"""
    value: float
    interval: Interval
    among: int
    """of how many it is the highest"""


def highest(samples: Mapping[Any, Sample], level: float = LEVEL) -> Highest | None:
    """The highest of several true means; None where the highest has no interval. Means without an
    interval are left out.

    The best of several measured means is above the truth, because the selection prefers lucky ones.
    Each lower limit is therefore one of `level` over their number (Bonferroni), and the highest of
    those is the limit. Above, the highest of the plain upper limits is a limit, as the true best is
    below its own. Both hold together, whatever the means are.
    """
    at = max(samples, key=lambda key: samples[key].mean)
    means = {key: mean for key, sample in samples.items() if (mean := mean_of(sample)) is not None}
    if at not in means:
        return None
    low = max(mean.interval(level / len(means)).low for mean in means.values())
    high = max(mean.interval(level).high for mean in means.values())
    return Highest(at, means[at].value, Interval(low, high), len(means))


@dataclass(frozen=True)
class Spread:
    """The spread of repeats: standard deviation over mean (coefficient of variation)."""

    relative: float
    freedom: int
    """repeats less means"""
    repeats: int

    @property
    def high(self) -> float:
        """The upper limit of the true spread, with 95 %."""
        return self._limit(LEVEL)

    def low(self, among: int = 1) -> float:
        """The lower limit of the true spread, with 95 % for all of `among` such figures together
        (Bonferroni).
        """
        return self._limit(1 - LEVEL / among)

    def _limit(self, below: float) -> float:
        """M. G. Vangel (1996), The American Statistician 50, 21: chi square, corrected for the
        error of the mean.
        """
        quantile = chi_square_quantile(below, self.freedom)
        square = ((quantile + 2) / self.repeats - 1) * self.relative**2 + quantile / self.freedom
        return self.relative / math.sqrt(square) if square > 0 else math.inf


def spread(samples: Iterable[Sample]) -> Spread | None:
    """The spread of repeats of one measurement, or of several that are assumed to be equally
    repeatable: their variances are pooled. None where none has two repeats, or one has a mean that
    is not above zero.
    """
    used = [sample for sample in samples if len(sample.values) > 1]
    freedom = sum(len(sample.values) - 1 for sample in used)
    if not freedom or min(sample.mean for sample in used) <= 0:
        return None
    squares = sum((len(item.values) - 1) * item.variance / item.mean**2 for item in used)
    return Spread(math.sqrt(squares / freedom), freedom, sum(len(sample.values) for sample in used))


@dataclass(frozen=True)
class Difference:
    """The difference of b from a, as a share of a, with the 95 % interval of that share."""

    relative: float
    low: float
    high: float
    chance: float = 0.0
    """of so large a difference, where there is none"""

    def direction(self, least: float = 0.05) -> Direction | None:
        """`up` or `down` when the interval excludes zero and the change is at least `least`; `flat`
        when the whole interval is within ± `least`; None when the repeats do not decide it.
        """
        if self.low > 0 and self.relative >= least:
            return "up"
        if self.high < 0 and self.relative <= -least:
            return "down"
        return "flat" if -least <= self.low and self.high <= least else None


def difference(a: Sample, b: Sample) -> Difference | None:
    """The difference of b's mean from a's: `ratio` less one, Welch's interval of the difference of
    their logarithms.

    None when a side has fewer than two values, or one that is not above zero: there is no interval
    then.
    """
    change = ratio([(b, a)])
    if change is None:
        return None
    interval = change.interval()
    return Difference(change.value - 1, interval.low - 1, interval.high - 1, change.log.chance)


def decided(
    changes: Mapping[Any, Difference], least: float, level: float = LEVEL
) -> dict[Any, Direction]:
    """The direction of each difference that is up or down, so that all of them together are wrong
    in `level` of cases at most.

    Holm's step-down procedure (1979, Scandinavian Journal of Statistics 6). A difference below
    `least` has no practical meaning.
    """
    directions: dict[Any, Direction] = {}
    for rank, (name, change) in enumerate(sorted(changes.items(), key=lambda item: item[1].chance)):
        if change.chance > level / (len(changes) - rank):
            break
        if abs(change.relative) >= least:
            directions[name] = "up" if change.relative > 0 else "down"
    return directions
