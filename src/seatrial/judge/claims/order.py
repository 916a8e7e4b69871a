"""`order`: one series lies above another."""

from seatrial.analysis.statistics import decided, difference
from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import SMALLEST, in_common
from seatrial.judge.series import short


def judge(context: Context) -> Answer:
    """The first series lies above the second at every value that both have."""
    a, b = context.both()
    common = in_common(a, b)
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
