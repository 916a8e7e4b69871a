"""`order`: one series is above another, at every value that both have.

*Agrees* is a claim on every value: each of them has to exclude that the order is reversed by more
than matters, and then all of them together are wrong no more often than one (R. L. Berger 1982,
Technometrics 24, 295). *Different* is a claim on some value, and is corrected for their number
(Holm).
"""

from typing import Any

from seatrial.analysis.statistics import Interval, contrast, decided, difference
from seatrial.judge.answer import Answer, inconclusive
from seatrial.judge.claim import Context
from seatrial.judge.comparing import SMALLEST, in_common, interval_words
from seatrial.judge.series import NoAnswer, short

NEEDED = (("order",),)


def judge(context: Context) -> Answer:
    """The first series is above the second: decidedly somewhere, and nowhere plausibly below it."""
    if context.mapping.step is not None:
        return _steps(context, *context.mapping.step)
    a, b = context.both()
    common = in_common(a, b)
    changes = {value: difference(b.samples[value], a.samples[value]) for value in common}
    known_changes = {value: change for value, change in changes.items() if change is not None}
    directions = decided(known_changes, SMALLEST)
    open_at = [
        value
        for value in common
        if value not in known_changes or known_changes[value].low < -SMALLEST
    ]
    scale = a.quantity.divisor
    words = ", ".join(
        f"{'' if value is None else f'{value}: '}{a.samples[value].mean / scale:.3g} against "
        f"{b.samples[value].mean / scale:.3g}"
        for value in common
    )
    along = "" if common == [None] else f", by {short(a.over)}"
    evidence = f"{a.title} against {b.title} in {a.quantity.unit} {context.of_here}{along}: {words}"
    places = f" at {', '.join(map(str, directions))}" if along and directions else ""
    evidence += f"; the repeats {'decide' if directions else 'do not decide'} it{places}"
    if "down" in directions.values():
        return Answer("different", evidence)
    if not directions or not open_at:
        return Answer("agrees", evidence) if directions else inconclusive(evidence)
    return inconclusive(
        f"{evidence}; the order may be reversed at {', '.join(map(str, open_at))}",
    )


def _steps(context: Context, low: Any, high: Any) -> Answer:
    """The change of the first series from one value to another is above that of the second.

    Changes that differ by less than SMALLEST of the mean rate are equal.
    """
    a, b = context.both()
    parts = [(1.0, a.at(high)), (-1.0, a.at(low)), (-1.0, b.at(high)), (1.0, b.at(low))]
    change = contrast(parts)
    if change is None:
        raise NoAnswer(f"{a.title} and {b.title} have no two usable repeats at each value")
    scale = a.quantity.divisor
    steps = [(item.at(high).mean - item.at(low).mean) / scale for item in (a, b)]
    interval = change.interval()
    unit = a.quantity.unit
    shown = Interval(interval.low / scale, interval.high / scale)
    smallest = SMALLEST * sum(sample.mean for _, sample in parts) / len(parts)
    evidence = (
        f"from {short(a.over)} {low} to {high}, {a.title} changes by {steps[0]:+.3g} {unit}, "
        f"{b.title} by {steps[1]:+.3g} {unit} {context.here} (difference: "
        f"{interval_words(shown, '+.3g')}; below {smallest / scale:.2g} they"
        " are equal)"
    )
    if interval.low > smallest:
        return Answer("agrees", evidence)
    return Answer("different", evidence) if interval.high < smallest else inconclusive(evidence)
