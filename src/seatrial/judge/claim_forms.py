"""How each form of a published claim is judged from measured series; one function a form.

A trend or an order counts only where the repeats decide it (`analysis.statistics`); with one repeat a point,
nothing can be said of it. A value or a ratio of single repeats decides only where it is far from the limit.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seatrial.analysis.statistics import Difference, Direction, decided, difference, half_width
from seatrial.basics.units import format_rate, parse_size
from seatrial.judge.base import Answer
from seatrial.judge.series import NoAnswer, Series, series, short
from seatrial.record.quantities import EFFICIENCY, RATE
from seatrial.record.record import Record
from seatrial.study.published import PublishedClaim, SeriesRef
from seatrial.study.study import Study

MB = 1e6


@dataclass
class Context:
    """A claim, what answers it, and the figures that were looked at."""

    study: Study
    record: Record
    form: dict[str, Any]
    mapping: PublishedClaim
    measured: dict[str, Any] = field(default_factory=dict)

    def first(self) -> Series:
        """The claim's series."""
        return self.series(self.mapping.series)

    def both(self) -> tuple[Series, Series]:
        """The claim's series, and that which it is compared with."""
        return self.first(), self.series(self.mapping.other)

    def series(self, reference: SeriesRef | None) -> Series:
        """A series of the record; NoAnswer when there is none."""
        if reference is None:
            raise NoAnswer("the study names no series for this claim")
        form = self.study.experiments[reference.experiment]
        found = series(self.record, reference, self.mapping.over, form.figure.y if form.figure else None)
        if self.mapping.among is not None:
            kept = {value: found.samples[value] for value in self.mapping.among if value in found.samples}
            found = replace(found, samples=kept)
            if not kept:
                raise NoAnswer(f"{found.title} has no believable point among {', '.join(map(str, self.mapping.among))}")
        self.measured[f"{found.title}, {found.quantity.unit}"] = {
            str(value): [round(rate / found.quantity.divisor, 3) for rate in sample.values]
            for value, sample in found.samples.items()
        }
        return found

    def resource(self) -> tuple[str, float]:
        """What bounds the claim, as the study models it: (name, bytes per second, not scaled)."""
        if self.mapping.share_of is None:
            raise NoAnswer("the study does not say which resource the published rate is a share of")
        return self.study.resource(self.mapping.share_of)

    def share(self, rate_bytes_per_s: float) -> float:
        """A measured rate as a share of the modelled resource's rate here; NoAnswer when a series is no rate."""
        if any(not title.endswith(RATE.unit) for title in self.measured):
            raise NoAnswer("operations per second are no share of a rate")
        scale = float(self.record.first("system").get("site", {}).get("scale", 1.0))  # of the lab
        return rate_bytes_per_s / (self.resource()[1] * scale)

    @property
    def here(self) -> str:
        """Where the record's figures were measured, in words."""
        return "here" if self.record.first("system").get("site", {}).get("kind") == "hosts" else "in the lab"

    @property
    def of_here(self) -> str:
        """Whose they are."""
        return "measured here" if self.here == "here" else "of the lab"


def trend(context: Context) -> Answer:
    """From the first to the last measured value: up, down or flat."""
    found = context.first()
    values = list(found.samples) if context.mapping.among else sorted(found.samples, key=_in_order)
    where, direction = _along(found, values)
    if direction is None:
        return Answer("inconclusive", f"{where}; the repeats do not decide it")
    return Answer("agrees" if direction == context.form["direction"] else "differs", f"{where}, that is {direction}")


def _along(found: Series, values: Sequence[Any]) -> tuple[str, Direction | None]:
    """How a series goes from the first of these values to the last, in words and as a direction."""
    if len(values) < 2:
        raise NoAnswer(f"{found.title} has one believable point only{found.excuse()}")
    change = _difference(found, values[0], values[-1])
    where = f"{found.title} from {short(found.over)} {values[0]} to {values[-1]}: {_words(change)}"
    return where, change.direction()


def bound(context: Context) -> Answer:
    """The best measured value against a published rate, both as a share of the bounding resource."""
    if context.form.get("unit") == "%" and context.mapping.other is not None:
        return _impact(context)
    return _compare_share(context, context.form["value"], context.form["value"], context.form["op"])


def _impact(context: Context) -> Answer:
    """How much less one series has than another, in percent, as a mean over all common values, against a limit."""
    a, b = context.both()
    ratio, half, unknown, over = _mean_ratio(a, b)
    lost, limit = 1 - ratio, float(context.form["value"]) / 100
    told = f"{lost:.0%} less" if lost >= 0 else f"{-lost:.0%} more"
    evidence = (
        f"{a.title} has {told} than {b.title}{_plus_minus(half, '.0%')}, {over} "
        f"(published: {context.form['op']} {limit:.0%})"
    )
    accepted = (-math.inf, limit) if context.form["op"] in ("<", "<=") else (limit, math.inf)
    return _within(lost, max(half + unknown, NOT_RESOLVED / 2), accepted, evidence)


def _common(a: Series, b: Series) -> list[Any]:
    """The values that both have; NoAnswer where there is none."""
    found = [value for value in a.samples if value in b.samples]
    if not found:
        raise NoAnswer(f"{a.title} and {b.title} have no believable point in common{a.excuse()}")
    return found


def _mean_ratio(a: Series, b: Series) -> tuple[float, float, float, str]:
    """Of a's means over b's at all common values: their mean, half of its interval, what values that were measured once
    add to that, and over what it is a mean.
    """
    common = _common(a, b)
    changes = [difference(b.samples[value], a.samples[value]) for value in common]
    # The differences are independent; those of single repeats say nothing of their interval.
    half = math.hypot(*((change.high - change.low) / 2 for change in changes if change)) / len(changes)
    mean = sum(a.samples[value].mean / b.samples[value].mean for value in common) / len(common)
    over = f"a mean over {short(a.over)} {', '.join(map(str, common))}"
    return mean, half, UNREPEATED * changes.count(None) / len(changes), over


def _plus_minus(half: float, form: str) -> str:
    """Half of an interval, in words; nothing where single repeats have none."""
    return f" ± {half:{form}}" if half else ""


def _within(value: float, half: float, accepted: tuple[float, float], evidence: str) -> Answer:
    """Whether the interval lies in what is accepted, or outside; an interval across a limit tells neither."""
    low, high = value - half, value + half
    if accepted[0] <= low and high <= accepted[1]:
        return Answer("agrees", evidence)
    if high < accepted[0] or low > accepted[1]:
        return Answer("differs", evidence)
    return Answer("inconclusive", f"{evidence}; too close to the limit to be resolved")


def rate_range(context: Context) -> Answer:
    """The best measured value against a published range, as shares."""
    return _compare_share(context, context.form["min"], context.form["max"], "~")


def _compare_share(context: Context, low: float, high: float, op: str) -> Answer:
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
        f"{found.title}{_where(found, value)}: {here:.0%}{_plus_minus(half, '.0%')} of {name} "
        f"({format_rate(best.mean)} {context.here}); published: {printed} (± {tolerance:.0%}){found.excuse()}"
    )
    answer = _within(here, half if width is not None else UNREPEATED * here, accepted, evidence)
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


def order(context: Context) -> Answer:
    """The first series lies above the second at every value that both have."""
    a, b = context.both()
    common = _common(a, b)
    changes = {value: difference(b.samples[value], a.samples[value]) for value in common}
    directions = decided({value: change for value, change in changes.items() if change is not None}, SMALLEST)
    scale = a.quantity.divisor
    words = ", ".join(
        f"{'' if value is None else f'{value}: '}"
        f"{a.samples[value].mean / scale:.3g} against {b.samples[value].mean / scale:.3g}"
        for value in common
    )
    along = "" if common == [None] else f", by {short(a.over)}"
    evidence = f"{a.title} against {b.title} in {a.quantity.unit} {context.of_here}{along}: {words}"
    places = ", ".join(map(str, directions)) or "none"
    evidence += f"; the repeats {'decide' if directions else 'do not decide'} it" + (f" at {places}" if along else "")
    if "down" in directions.values():
        return Answer("differs", evidence)
    return Answer("agrees" if directions else "inconclusive", evidence)


def ratio(context: Context) -> Answer:
    """Best of the first series over best of the second, or over the resource, against min, max or a value."""
    found, form = context.first(), context.form
    _, best = found.best()
    if context.mapping.other is None:
        quotient, over = context.share(best.mean), context.resource()[0]
        error = difference(best, best)
        effect = 0.0  # of a share all of it counts
    else:
        other = context.series(context.mapping.other)
        _, second = other.best()
        quotient, over, error, effect = best.mean / second.mean, other.title, difference(second, best), 1.0
    half = (error.high - error.low) / 2 / (1 + error.relative) * quotient if error is not None else 0.0
    low, high = _accepted(form, context.mapping.tolerance, effect)
    limits = ", ".join(f"{key} {form[key]}" for key in ("min", "max", "value", "approx") if key in form)
    told = f"{quotient:.2f}{_plus_minus(half, '.2f')}"
    evidence = f"{found.title} over {over}: {told} (published: {limits})"
    limit = min((low, high), key=lambda limit: abs(quotient - limit))
    half = half if error is not None else UNREPEATED * quotient
    within = low <= quotient - half and quotient + half <= high
    if not within and abs(quotient - limit) <= max(half, NOT_RESOLVED * limit):
        return Answer("inconclusive", f"{evidence}; too close to the limit of {limit:.2f} to be resolved")
    return Answer("agrees" if low <= quotient <= high else "differs", evidence)


def _accepted(form: Mapping[str, Any], tolerance: float, effect: float) -> tuple[float, float]:
    """Between which values a ratio fits; the tolerance is on the effect, which is 0.75 where 1.75 is printed.

    Where two are printed as equal, there is no effect, and it is on the ratio itself.
    """
    wanted = form.get("value", form.get("approx"))
    if wanted is None:
        return form.get("min", -math.inf), form.get("max", math.inf)
    around = tolerance * (abs(wanted - effect) or wanted)
    return max(form.get("min", 0.0), wanted - around), min(form.get("max", math.inf), wanted + around)


SMALLEST = 0.02
"""of an order: differences below this share matter to nobody, whatever the repeats decide"""
NOT_RESOLVED = 0.05
"""differences of best values below this share are not resolved"""
UNREPEATED = 0.25
"""of a value that was measured once: how far it may be off is not known, and this share of it is assumed"""


def optimum(context: Context) -> Answer:
    """The published value of the variable is decidedly better than another one, and none is decidedly better than it.

    What counts is the smaller of both series at each value. A flat line has no optimum.
    """
    a, b = context.both()
    smaller = {
        value: min(a.samples[value], b.samples[value], key=lambda sample: sample.mean)
        for value in a.samples
        if value in b.samples
    }
    wanted = context.form["best"] if context.mapping.best is None else context.mapping.best
    if wanted not in smaller or len(smaller) < 2:
        raise NoAnswer(f"{a.title} and {b.title} have too few believable points{a.excuse()}")
    best = max(smaller, key=lambda value: smaller[value].mean)
    words = ", ".join(f"{value}: {sample.mean / a.quantity.divisor:.3g}" for value, sample in smaller.items())
    evidence = (
        f"the smaller of {a.title} and {b.title} in {a.quantity.unit} {context.of_here}, by {short(a.over)}: {words}; "
        f"{wanted} was the published choice, {best} is best here"
    )
    changes = {value: difference(sample, smaller[wanted]) for value, sample in smaller.items() if value != wanted}
    directions = decided({value: item for value, item in changes.items() if item is not None}, NOT_RESOLVED).values()
    if "down" in directions:
        return Answer("differs", evidence)
    if "up" in directions:
        return Answer("agrees", evidence)
    return Answer("inconclusive", f"{evidence}; the repeats do not tell it from any other")


NEAR_POINTS = 3.0
"""differences of efficiencies below this are not resolved"""


def _points(context: Context) -> Answer:
    """How far the mean efficiency of one series lies above that of another, in points; over all common values."""
    a, b = context.both()
    if {a.quantity, b.quantity} != {EFFICIENCY}:
        raise NoAnswer("points are differences of efficiencies; write quantity: efficiency")
    common = _common(a, b)
    above, below = (sum(found.samples[value].mean for value in common) / len(common) * 100 for found in (a, b))
    printed, here = float(context.form["value"]), above - below
    samples = [found.samples[value] for found in (a, b) for value in common]
    half = math.hypot(*(100 * sample.mean * (half_width(sample) or 0.0) for sample in samples)) / len(common)
    return _within(
        here,
        half,
        (printed - NEAR_POINTS, printed + NEAR_POINTS),
        f"{a.title}: {above:.0f} % of the links and ports, {b.title}: {below:.0f} %, each a mean over "
        f"{short(a.over)} {', '.join(map(str, common))}: {here:+.1f}{_plus_minus(half, '.1f')} points "
        f"(published: {printed:+g}; differences below {NEAR_POINTS:g} are not resolved)",
    )


def delta(context: Context) -> Answer:
    """How far one value of the variable lies above another, in percent, against the printed difference."""
    if context.form.get("unit") == "points":
        return _points(context)
    found, mapping = context.first(), context.mapping
    if mapping.other is not None:
        other = context.series(mapping.other)
        ratio, half, unknown, over = _mean_ratio(found, other)
        around = half + unknown
        change = Difference(ratio - 1, ratio - 1 - around, ratio - 1 + around)
        where = f"{found.title} against {other.title}, {over}"
    elif mapping.a is None or mapping.b is None:
        raise NoAnswer("the study does not say which two values are compared")
    else:
        change = _difference(found, mapping.b, mapping.a)
        where = f"{found.title}, {short(found.over)} {mapping.a} against {mapping.b}"
    printed = context.form["approx"] / 100
    evidence = f"{where}: {_words(change)}; published: {printed:+.1%}"
    if not printed:
        return _no_difference(change, evidence)
    fits = change.low <= printed <= change.high
    if fits and change.low <= 0 <= change.high:
        return Answer("inconclusive", f"{evidence}; the repeats do not tell it from no difference")
    near = abs(change.relative - printed) <= mapping.tolerance * abs(printed)
    return Answer("agrees" if fits or near else "differs", evidence)


def _no_difference(change: Difference, evidence: str) -> Answer:
    """Two that are printed as equal are, where the whole interval of their difference is too small to be resolved."""
    allowed = f"± {NOT_RESOLVED:.0%}"
    if change.low >= -NOT_RESOLVED and change.high <= NOT_RESOLVED:
        return Answer("agrees", f"{evidence} ({allowed})")
    if change.low > NOT_RESOLVED or change.high < -NOT_RESOLVED:
        return Answer("differs", f"{evidence} ({allowed})")
    return Answer("inconclusive", f"{evidence}; the repeats do not tell whether it is within {allowed}")


def claimed_property(context: Context) -> Answer:
    """Each of some series does what the claim expects of it; a series that is not decided decides nothing."""
    if not context.mapping.expect:
        raise NoAnswer("the study names no series for this claim")
    told: list[str] = []
    fits: list[bool | None] = []
    for expected in context.mapping.expect:
        found = context.series(expected.series)
        if expected.other is not None:
            other = context.series(expected.other)
            above, below = found.best()[1], other.best()[1]
            quotient, change = above.mean / below.mean, difference(below, above)
            limit = expected.at_least
            told.append(f"{found.title} over {other.title}: {quotient:.2f} (at least {limit:g})")
            decided_it = change is None or not 1 + change.low < limit <= 1 + change.high
            fits.append(quotient >= limit if decided_it else None)
            continue
        where, direction = _along(found, sorted(found.samples, key=_in_order))
        told.append(where)
        fits.append(None if direction is None else direction == expected.direction)
    evidence = "; ".join(told)
    if None in fits and False not in fits:
        return Answer("inconclusive", f"{evidence}; the repeats do not decide it")
    return Answer("agrees" if all(fits) else "differs", evidence)


def _in_order(value: Any) -> tuple[int, float, str]:
    """Numbers and sizes by their size, words after them."""
    try:
        return 0, float(value if isinstance(value, int | float) else parse_size(value)), ""
    except ValueError:
        return 1, 0.0, str(value)


def _where(found: Series, value: Any) -> str:
    """At which value a series is best; nothing where it has one point that is at none."""
    return "" if value is None else f" is best at {short(found.over)} {value}"


def best_value(context: Context) -> str:
    """The best measured value of the claim's series, in words, for a claim that gets no verdict."""
    found = context.first()
    value, best = found.best()
    return f"{found.title}{_where(found, value)}: {found.quantity.written(best.mean)} {context.here}"


def _difference(found: Series, a: Any, b: Any) -> Difference:
    change = difference(found.at(a), found.at(b))
    if change is None:
        raise NoAnswer(f"{found.title} has too few believable repeats for a trend{found.excuse()}")
    return change


def _words(change: Difference) -> str:
    return f"{change.relative:+.0%} (95 % interval {change.low:+.0%} to {change.high:+.0%})"


FORMS: dict[str, Callable[[Context], Answer]] = {
    "trend": trend,
    "bound": bound,
    "range": rate_range,
    "order": order,
    "ratio": ratio,
    "optimum": optimum,
    "delta": delta,
    "property": claimed_property,
}
