"""`delta`: the difference of one value, or one series, from another.

It agrees where the whole interval is within the tolerance of the printed difference: noise never
makes it agree.
"""

from seatrial.analysis.statistics import Interval, contrast
from seatrial.judge.answer import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import NOT_RESOLVED, interval_words, mean_quotient, repeated_in_common
from seatrial.judge.contrary import HIGHER_IS_BETTER, sides_of, within
from seatrial.judge.course import change_words, difference_of
from seatrial.judge.series import NoAnswer, short
from seatrial.result.published import FIGURES
from seatrial.result.quantities import EFFICIENCY

NEEDED = (FIGURES,)


NEAR_POINTS = 3.0
"""differences of efficiencies below this are not resolved"""


def judge(context: Context) -> Answer:
    """The difference of one value of the variable from another, in percent, against the printed
    difference.
    """
    if context.form.get("unit") == "points":
        return _points(context)
    series = context.first()
    mapping = context.mapping
    printed = context.form["approx"] / 100
    around = mapping.tolerance * abs(printed) if printed else NOT_RESOLVED
    accepted = Interval(printed - around, printed + around)
    published = f"published: {printed:+.1%} (± {around:.1%})"
    if mapping.other is not None:
        other = context.series(mapping.other)
        quotient = mean_quotient(series, other)
        share = quotient.ratio.interval()
        measured = Interval(share.low - 1, share.high - 1)
        words = f"{quotient.ratio.value - 1:+.0%} ({interval_words(measured, '+.0%')})"
        evidence = f"{series.title} against {other.title}, {quotient.where}: {words}; {published}"
        return within(measured, accepted, sides_of(series, other), evidence)
    if mapping.a is None or mapping.b is None:
        raise NoAnswer("the study does not name the two values to compare")
    change = difference_of(series, mapping.b, mapping.a)
    evidence = (
        f"{series.title}, {short(series.over)} {mapping.a} against {mapping.b}: "
        f"{change_words(change)}; {published}"
    )
    return within(Interval(change.low, change.high), accepted, HIGHER_IS_BETTER, evidence)


def _points(context: Context) -> Answer:
    """The difference of the mean efficiency of one series from that of another, in points; over all
    common values.
    """
    a, b = context.both()
    if {a.quantity, b.quantity} != {EFFICIENCY}:
        raise NoAnswer("points are differences of efficiencies; write quantity: efficiency")
    common = repeated_in_common(a, b)
    share = 100 / len(common)
    above, below = (
        share * sum(series.samples[value].mean for value in common) for series in (a, b)
    )
    parts = [
        part for value in common for part in ((share, a.samples[value]), (-share, b.samples[value]))
    ]
    here = contrast(parts)
    assert here is not None  # all of them have repeats
    measured = here.interval()
    printed = float(context.form["value"])
    return within(
        measured,
        Interval(printed - NEAR_POINTS, printed + NEAR_POINTS),
        sides_of(a, b),
        f"{a.title}: {above:.0f} % of the links and ports, {b.title}: {below:.0f} %, each a mean "
        f"over {short(a.over)} {', '.join(map(str, common))}: {here.value:+.1f} points "
        f"({interval_words(measured, '+.1f')}; published: {printed:+g}; differences below "
        f"{NEAR_POINTS:g} are not resolved)",
    )
