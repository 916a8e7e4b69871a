"""Changes of level in a series of a figure over many runs: steps, not single noisy runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from seatrial.analysis.quantiles import t_quantile

FALSE_ALARM = 1 / 200
"""the share of histories without a change in which one is ever seen"""
BEFORE_LEAST = 3
"""runs that make a level; one run after it can be a change, if its value is far enough from the
level"""


@dataclass(frozen=True)
class Change:
    """A step of the level."""

    at: int
    """index of the first run after it"""
    relative: float
    """how far the runs after it are above those before, up to the next changes: -0.05 is 5
    % less"""


def changes(values: Sequence[float], false_alarm: float = FALSE_ALARM) -> list[Change]:
    """Every change of level of positive figures in the order of their runs, as detected with each
    new run.

    The values are all since the last change. Each run tests the split of them that has the largest
    t of two means and one variance, on logarithms (Worsley 1979, Journal of the American
    Statistical Association 74, 365). The limit is Student's quantile for all splits (Bonferroni).
    Test number m has false_alarm / (m (m - 1)): together they have `false_alarm`.
    """
    logarithms = [math.log(value) for value in values]
    starts = [0]
    for end in range(BEFORE_LEAST + 2, len(values) + 1):
        split = _split(logarithms[starts[-1] : end], false_alarm / (end * (end - 1)))
        if split is not None:
            starts.append(starts[-1] + split)
    levels = (
        [fmean(logarithms[low:high]) for low, high in pairwise([*starts, len(values)])]
        if values
        else []
    )
    return [
        Change(at, math.expm1(now - was))
        for at, (was, now) in zip(starts[1:], pairwise(levels), strict=True)
    ]


def _split(values: Sequence[float], false_alarm: float) -> int | None:
    """The index at which one level ends and another one begins; None without evidence of a
    change.
    """
    candidates = range(BEFORE_LEAST, len(values))
    if len(values) < BEFORE_LEAST + 2:
        return None
    size, at = max((_t(values, split), split) for split in candidates)
    return at if size > t_quantile(false_alarm / len(candidates), len(values) - 2) else None


def _t(values: Sequence[float], split: int) -> float:
    """Student's t of the difference of the means before and after a split; infinite where the
    means differ and no value does from its mean.
    """
    before = values[:split]
    after = values[split:]
    mean_before = fmean(before)
    mean_after = fmean(after)
    squares = sum((value - mean_before) ** 2 for value in before)
    squares += sum((value - mean_after) ** 2 for value in after)
    error = math.sqrt(squares / (len(values) - 2) * (1 / len(before) + 1 / len(after)))
    if error:
        return abs(mean_after - mean_before) / error
    return 0.0 if mean_before == mean_after else math.inf
