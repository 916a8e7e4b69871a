"""`optimum`: one value of the variable is the best."""

from typing import Any

from seatrial.analysis.statistics import Sample, decided, difference
from seatrial.judge.answer import Answer, inconclusive
from seatrial.judge.claim import Context
from seatrial.judge.comparing import NOT_RESOLVED
from seatrial.judge.series import NoAnswer, NotMeasured, short

NEEDED = (("best",),)


def judge(context: Context) -> Answer:
    """The published value of the variable is decidedly better than every other; none decidedly
    better than it.

    The smaller of both series at each value counts. Where the repeats cannot separate it from some
    other value, the two are not distinguishable, and the claim is not decided.
    """
    a, b = context.both()
    smaller: dict[Any, Sample] = {
        value: min(a.samples[value], b.samples[value], key=lambda sample: sample.mean)
        for value in a.samples
        if value in b.samples
    }
    published = context.form["best"] if context.mapping.best is None else context.mapping.best
    if published not in smaller:
        raise NotMeasured(f"{published} was not measured in this run")
    if len(smaller) < 2:
        raise NoAnswer(f"{a.title} and {b.title} have too few valid points{a.excuse()}")
    best = max(smaller, key=lambda value: smaller[value].mean)
    words = ", ".join(
        f"{value}: {sample.mean / a.quantity.divisor:.3g}" for value, sample in smaller.items()
    )
    evidence = (
        f"the smaller of {a.title} and {b.title} in {a.quantity.unit} {context.of_here}, by "
        f"{short(a.over)}: {words}; {published} was the published choice, {best} is best here"
    )
    others = [value for value in smaller if value != published]
    changes = {value: difference(smaller[value], smaller[published]) for value in others}
    directions = decided(
        {value: item for value, item in changes.items() if item is not None}, NOT_RESOLVED
    )
    if "down" in directions.values():
        return Answer("different", evidence)
    undecided = [str(value) for value in others if value not in directions]
    if undecided:
        return inconclusive(
            f"{evidence}; {published} is not distinguishable from {', '.join(undecided)}",
        )
    return Answer("agrees", evidence)
