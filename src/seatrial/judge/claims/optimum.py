"""`optimum`: one value of what varies is the best."""

from seatrial.analysis.statistics import decided, difference
from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import NOT_RESOLVED
from seatrial.judge.series import NoAnswer, short


def judge(context: Context) -> Answer:
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
