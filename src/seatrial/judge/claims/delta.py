"""`delta`: how far one value, or one series, lies above another."""

import math

from seatrial.analysis.statistics import Difference, half_width
from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import NOT_RESOLVED, difference_of, in_common, mean_ratio, plus_minus, within, words_of
from seatrial.judge.series import NoAnswer, short
from seatrial.record.quantities import EFFICIENCY

NEAR_POINTS = 3.0
"""differences of efficiencies below this are not resolved"""


def judge(context: Context) -> Answer:
    """How far one value of the variable lies above another, in percent, against the printed difference."""
    if context.form.get("unit") == "points":
        return _points(context)
    found, mapping = context.first(), context.mapping
    if mapping.other is not None:
        other = context.series(mapping.other)
        ratio, half, unknown, over = mean_ratio(found, other)
        around = half + unknown
        change = Difference(ratio - 1, ratio - 1 - around, ratio - 1 + around)
        where = f"{found.title} against {other.title}, {over}"
    elif mapping.a is None or mapping.b is None:
        raise NoAnswer("the study does not say which two values are compared")
    else:
        change = difference_of(found, mapping.b, mapping.a)
        where = f"{found.title}, {short(found.over)} {mapping.a} against {mapping.b}"
    printed = context.form["approx"] / 100
    evidence = f"{where}: {words_of(change)}; published: {printed:+.1%}"
    if not printed:
        return _no_difference(change, evidence)
    fits = change.low <= printed <= change.high
    if fits and change.low <= 0 <= change.high:
        return Answer("inconclusive", f"{evidence}; the repeats do not tell it from no difference")
    near = abs(change.relative - printed) <= mapping.tolerance * abs(printed)
    return Answer("agrees" if fits or near else "differs", evidence)


def _points(context: Context) -> Answer:
    """How far the mean efficiency of one series lies above that of another, in points; over all common values."""
    a, b = context.both()
    if {a.quantity, b.quantity} != {EFFICIENCY}:
        raise NoAnswer("points are differences of efficiencies; write quantity: efficiency")
    common = in_common(a, b)
    above, below = (sum(found.samples[value].mean for value in common) / len(common) * 100 for found in (a, b))
    printed, here = float(context.form["value"]), above - below
    samples = [found.samples[value] for found in (a, b) for value in common]
    half = math.hypot(*(100 * sample.mean * (half_width(sample) or 0.0) for sample in samples)) / len(common)
    return within(
        here,
        half,
        (printed - NEAR_POINTS, printed + NEAR_POINTS),
        f"{a.title}: {above:.0f} % of the links and ports, {b.title}: {below:.0f} %, each a mean over "
        f"{short(a.over)} {', '.join(map(str, common))}: {here:+.1f}{plus_minus(half, '.1f')} points "
        f"(published: {printed:+g}; differences below {NEAR_POINTS:g} are not resolved)",
    )


def _no_difference(change: Difference, evidence: str) -> Answer:
    """Two that are printed as equal are, where the whole interval of their difference is too small to be resolved."""
    allowed = f"± {NOT_RESOLVED:.0%}"
    if change.low >= -NOT_RESOLVED and change.high <= NOT_RESOLVED:
        return Answer("agrees", f"{evidence} ({allowed})")
    if change.low > NOT_RESOLVED or change.high < -NOT_RESOLVED:
        return Answer("differs", f"{evidence} ({allowed})")
    return Answer("inconclusive", f"{evidence}; the repeats do not tell whether it is within {allowed}")
