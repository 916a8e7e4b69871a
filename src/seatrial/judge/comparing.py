"""What the forms of published claims share: values in common, intervals against limits, and their words."""

import math
from collections.abc import Sequence
from typing import Any

from seatrial.analysis.statistics import Difference, Direction, difference, half_width
from seatrial.basics.units import format_rate, parse_size
from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.series import NoAnswer, Series, short

MB = 1e6
SMALLEST = 0.02
"""of an order: differences below this share matter to nobody, whatever the repeats decide"""
NOT_RESOLVED = 0.05
"""differences of best values below this share are not resolved"""
UNREPEATED = 0.25
"""of a value that was measured once: how far it may be off is not known, and this share of it is assumed"""


def in_common(a: Series, b: Series) -> list[Any]:
    """The values that both have; NoAnswer where there is none."""
    found = [value for value in a.samples if value in b.samples]
    if not found:
        raise NoAnswer(f"{a.title} and {b.title} have no believable point in common{a.excuse()}")
    return found


def difference_of(found: Series, a: Any, b: Any) -> Difference:
    """How far the second value of a series lies above the first; NoAnswer where one has no repeats."""
    change = difference(found.at(a), found.at(b))
    if change is None:
        raise NoAnswer(f"{found.title} has too few believable repeats for a trend{found.excuse()}")
    return change


def along(found: Series, values: Sequence[Any]) -> tuple[str, Direction | None]:
    """How a series goes from the first of these values to the last, in words and as a direction."""
    if len(values) < 2:
        raise NoAnswer(f"{found.title} has one believable point only{found.excuse()}")
    change = difference_of(found, values[0], values[-1])
    where = f"{found.title} from {short(found.over)} {values[0]} to {values[-1]}: {words_of(change)}"
    return where, change.direction()


def mean_ratio(a: Series, b: Series) -> tuple[float, float, float, str]:
    """Of a's means over b's at all common values: their mean, half of its interval, what values that were measured once
    add to that, and over what it is a mean.
    """
    common = in_common(a, b)
    changes = [difference(b.samples[value], a.samples[value]) for value in common]
    # The differences are independent; those of single repeats say nothing of their interval.
    half = math.hypot(*((change.high - change.low) / 2 for change in changes if change)) / len(changes)
    mean = sum(a.samples[value].mean / b.samples[value].mean for value in common) / len(common)
    over = f"a mean over {short(a.over)} {', '.join(map(str, common))}"
    return mean, half, UNREPEATED * changes.count(None) / len(changes), over


def within(value: float, half: float, accepted: tuple[float, float], evidence: str) -> Answer:
    """Whether the interval lies in what is accepted, or outside; an interval across a limit tells neither."""
    low, high = value - half, value + half
    if accepted[0] <= low and high <= accepted[1]:
        return Answer("agrees", evidence)
    if high < accepted[0] or low > accepted[1]:
        return Answer("differs", evidence)
    return Answer("inconclusive", f"{evidence}; too close to the limit to be resolved")


def compare_share(context: Context, low: float, high: float, op: str) -> Answer:
    """The best measured value against published limits, each as a share of the bounding resource."""
    if context.form.get("unit") != "MB/s":
        raise NoAnswer(f"a published value in {context.form.get('unit')} has no series here")
    found = context.first()
    value, best = found.best()
    here = context.share(best.mean)
    name, resource = context.resource()
    there_low, there_high = (figure * MB / resource for figure in (low, high))
    tolerance = context.mapping.tolerance
    least, most = there_low * (1 - tolerance), there_high * (1 + tolerance)
    accepted = {"~": (least, most), "<": (-math.inf, most), ">": (least, math.inf)}[op.rstrip("=")]
    width = half_width(best)
    half = here * (width or 0.0)
    printed = f"{there_low:.0%}" if low == high else f"{there_low:.0%} to {there_high:.0%}"
    evidence = (
        f"{found.title}{where_best(found, value)}: {here:.0%}{plus_minus(half, '.0%')} of {name} "
        f"({format_rate(best.mean)} {context.here}); published: {printed} (± {tolerance:.0%}){found.excuse()}"
    )
    answer = within(here, half if width is not None else UNREPEATED * here, accepted, evidence)
    if answer.verdict == "differs" and here < accepted[0] and (more := _left_out(context, found, value)):
        return Answer("inconclusive", f"{evidence}; it is too low, and {more} are missing, where it may be higher")
    return answer


def _left_out(context: Context, found: Series, best: Any) -> str:
    """The larger numbers of clients that the study has and the series not, where the most that it has are best."""
    reference = context.mapping.series
    if found.over != "clients" or reference is None or best is None or best != max(found.samples):
        return ""
    planned = context.study.experiments[reference.experiment].vary.get("clients", ())
    more = [str(count) for count in planned if count > best]
    return f"{', '.join(more)} clients" if more else ""


def best_value(context: Context) -> str:
    """The best measured value of the claim's series, in words, for a claim that gets no verdict."""
    found = context.first()
    value, best = found.best()
    return f"{found.title}{where_best(found, value)}: {found.quantity.written(best.mean)} {context.here}"


def in_order(value: Any) -> tuple[int, float, str]:
    """Numbers and sizes by their size, words after them."""
    try:
        return 0, float(value if isinstance(value, int | float) else parse_size(value)), ""
    except ValueError:
        return 1, 0.0, str(value)


def plus_minus(half: float, form: str) -> str:
    """Half of an interval, in words; nothing where single repeats have none."""
    return f" ± {half:{form}}" if half else ""


def words_of(change: Difference) -> str:
    """A difference for people."""
    return f"{change.relative:+.0%} (95 % interval {change.low:+.0%} to {change.high:+.0%})"


def where_best(found: Series, value: Any) -> str:
    """At which value a series is best; nothing where it has one point that is at none."""
    return "" if value is None else f" is best at {short(found.over)} {value}"
