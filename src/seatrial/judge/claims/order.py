"""`order`: one series is above another, at every value that both have.

*Agrees* is a claim on every value: each of them has to exclude that the order is reversed by more
than matters, and then all of them together are wrong no more often than one (R. L. Berger 1982,
Technometrics 24, 295). *Different* is a claim on some value, and is corrected for their number
(Holm).
"""

from seatrial.analysis.statistics import decided, difference
from seatrial.judge.answer import Answer, inconclusive
from seatrial.judge.claim import Context
from seatrial.judge.comparing import SMALLEST, in_common
from seatrial.judge.series import short


def judge(context: Context) -> Answer:
    """The first series is above the second: decidedly somewhere, and nowhere plausibly below it."""
    a, b = context.both()
    common = in_common(a, b)
    changes = {value: difference(b.samples[value], a.samples[value]) for value in common}
    known = {value: change for value, change in changes.items() if change is not None}
    directions = decided(known, SMALLEST)
    open_at = [value for value in common if value not in known or known[value].low < -SMALLEST]
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
