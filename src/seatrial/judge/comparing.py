"""Common parts of the forms of published claims: values in common, the best of a series against
limits, and their words.
"""

import math
from dataclasses import dataclass
from typing import Any

from seatrial.analysis.statistics import Highest, Interval, Ratio, highest, ratio
from seatrial.basics.units import format_rate, parse_size
from seatrial.judge.answer import Answer, inconclusive
from seatrial.judge.claim import Context
from seatrial.judge.contrary import HIGHER_IS_BETTER, within
from seatrial.judge.series import NoAnswer, Series, short

MB = 1e6
SMALLEST = 0.02
"""of an order: differences below this share have no practical meaning, whatever the repeats
decide"""
NOT_RESOLVED = 0.05
"""differences of best values below this share are not resolved"""
ONCE = "it was measured once; a verdict needs at least two usable repeats"


def in_common(a: Series, b: Series) -> list[Any]:
    """The values that both have; NoAnswer where there is none."""
    common = [value for value in a.samples if value in b.samples]
    if not common:
        raise NoAnswer(f"{a.title} and {b.title} have no valid point in common{a.excuse()}")
    return common


def repeated_in_common(a: Series, b: Series) -> list[Any]:
    """The values that both have with two repeats or more; NoAnswer where there is none."""
    repeated = [
        value
        for value in in_common(a, b)
        if a.samples[value].has_interval and b.samples[value].has_interval
    ]
    if not repeated:
        raise NoAnswer(
            f"{a.title} and {b.title} have no point in common with two usable repeats "
            f"each{a.excuse()}"
        )
    return repeated


@dataclass(frozen=True)
class Quotient:
    """One series over another."""

    ratio: Ratio
    where: str
    """at which values of the variable, in words; empty where there is one point that is at none"""


def mean_quotient(a: Series, b: Series) -> Quotient:
    """The quotient of a over b at all common values with repeats: the geometric mean."""
    common = repeated_in_common(a, b)
    mean = ratio([(a.samples[value], b.samples[value]) for value in common])
    assert mean is not None  # all have intervals
    return Quotient(mean, f"a mean over {short(a.over)} {', '.join(map(str, common))}")


def quotient_at_best(a: Series, b: Series) -> Quotient:
    """The quotient of a over b at the common value where the product of both is highest.

    A quotient of each series' best value would favour the series with more values. The product of
    two logarithmic errors is independent of their quotient, so this choice favours neither. Two
    series of one point each are compared whatever their values are.
    """
    if len(a.samples) == len(b.samples) == 1:
        at = next(iter(a.samples))
        (above,) = a.samples.values()
        (below,) = b.samples.values()
        where = "" if at is None else f"at {short(a.over)} {at}"
    else:
        at = max(
            repeated_in_common(a, b),
            key=lambda value: a.samples[value].mean * b.samples[value].mean,
        )
        above = a.samples[at]
        below = b.samples[at]
        where = f"at {short(a.over)} {at}, where both are best together"
    quotient = ratio([(above, below)])
    if quotient is None:
        raise NoAnswer(f"{a.title} and {b.title} have no two usable repeats each{a.excuse()}")
    return Quotient(quotient, where)


def best_of(series: Series) -> Highest:
    """The highest mean of a series, with an interval that allows for the choice; NoAnswer where it
    has no repeats.
    """
    best = highest(series.samples)
    if best is None:
        at, sample = series.best()
        words = f"{series.title}{where_best(series, at)}: {series.quantity.written(sample.mean)}"
        raise NoAnswer(f"{words}; {ONCE}{series.excuse()}")
    return best


def compare_share(context: Context, low: float, high: float, op: str) -> Answer:
    """The best measured value against published limits, each as a share of the bounding
    resource.
    """
    if context.form.get("unit") != "MB/s":
        raise NoAnswer(f"a published value in {context.form.get('unit')} has no series here")
    series = context.first()
    best = best_of(series)
    measured = Interval(context.share(best.interval.low), context.share(best.interval.high))
    name, resource = context.resource()
    published_low, published_high = (figure * MB / resource for figure in (low, high))
    tolerance = context.mapping.tolerance
    least = published_low * (1 - tolerance)
    most = published_high * (1 + tolerance)
    accepted = {
        "~": Interval(least, most),
        "<": Interval(-math.inf, most),
        ">": Interval(least, math.inf),
    }
    printed = (
        f"{published_low:.0%}" if low == high else f"{published_low:.0%} to {published_high:.0%}"
    )
    evidence = (
        f"{series.title}{where_best(series, best.at)}: {context.share(best.value):.0%} of {name} "
        f"({format_rate(best.value)} {context.here}; "
        f"{interval_words(measured, '.0%')}{choice_words(best)}); published: {printed} (± "
        f"{tolerance:.0%}){series.excuse()}"
    )
    answer = within(measured, accepted[op.rstrip("=")], HIGHER_IS_BETTER, evidence)
    if answer.verdict == "worse" and (more := _left_out(context, series, best.at)):
        return inconclusive(
            f"{evidence}; it is too low, but {more} are missing and may have a higher value",
        )
    return answer


def _left_out(context: Context, series: Series, best: Any) -> str:
    """The larger client counts that the study has and the series lacks, where the series is best at
    its largest count.
    """
    reference = context.mapping.series
    if series.over != "clients" or reference is None or best is None or best != max(series.samples):
        return ""
    planned = context.study_of(reference).experiments[reference.experiment].sweep.get("clients", ())
    more = [str(count) for count in planned if count > best]
    return f"{', '.join(more)} clients" if more else ""


def best_value(context: Context) -> str:
    """The best measured value of the claim's series, in words, for a claim that gets no verdict."""
    series = context.first()
    value, best = series.best()
    return (
        f"{series.title}{where_best(series, value)}: {series.quantity.written(best.mean)} "
        f"{context.here}"
    )


def in_order(value: Any) -> tuple[int, float, str]:
    """Numbers and sizes by their size, words after them."""
    try:
        return 0, float(value if isinstance(value, int | float) else parse_size(value)), ""
    except ValueError:
        return 1, 0.0, str(value)


def interval_words(interval: Interval, form: str) -> str:
    """`95 % interval 34 % to 51 %`."""
    return f"95 % interval {interval.low:{form}} to {interval.high:{form}}"


def choice_words(best: Highest) -> str:
    """The words for an interval that allows for the choice of the best, where there was a
    choice.
    """
    return f", as the best of {best.among}" if best.among > 1 else ""


def where_best(series: Series, value: Any) -> str:
    """The value at which a series is best, in words; empty for a series of one point without a
    value.
    """
    return "" if value is None else f" is best at {short(series.over)} {value}"
