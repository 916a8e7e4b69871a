"""Quantiles of Student's t and of chi square, with the standard library alone."""

import math
import statistics
from functools import lru_cache


def t_quantile(both_tails: float, freedom: float) -> float:
    """The absolute value that Student's t exceeds with this probability, for any degrees of freedom
    from 1 on.

    Hill's algorithm 396 (1970, Communications of the ACM 13, 619): to four digits, and better from
    5 degrees on. It is not for fewer than two: between the exact values for one and for two the
    logarithm is linear in 1 / freedom.
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
    """The probability that Student's t is at least this far from zero: the inverse of `t_quantile`,
    by bisection.
    """
    low = 1e-12
    high = 1 - 1e-9
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if t_quantile(middle, freedom) > abs(t) else (low, middle)
    return high


@lru_cache(maxsize=1024)
def chi_square_quantile(below: float, freedom: int) -> float:
    """The value that chi square is below with this probability: the inverse of its distribution, by
    bisection.
    """
    low = 0.0
    high = freedom + 20 * math.sqrt(2 * freedom) + 40
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _chi_square_below(middle, freedom) < below else (low, middle)
    return high


def _chi_square_below(value: float, freedom: int) -> float:
    """The regularised incomplete gamma function, by its series (Digital Library of Mathematical
    Functions, 8.7.1).
    """
    a = freedom / 2
    x = value / 2
    term = total = 1 / a
    while term > 1e-12 * total:
        a += 1
        term *= x / a
        total += term
    return total * math.exp(freedom / 2 * math.log(x) - x - math.lgamma(freedom / 2))
