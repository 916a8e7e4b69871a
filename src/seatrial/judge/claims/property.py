"""`property`: each of some series does what the study expects of it."""

from seatrial.analysis.statistics import difference
from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import along, in_order
from seatrial.judge.series import NoAnswer


def judge(context: Context) -> Answer:
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
        where, direction = along(found, sorted(found.samples, key=in_order))
        told.append(where)
        fits.append(None if direction is None else direction == expected.direction)
    evidence = "; ".join(told)
    if None in fits and False not in fits:
        return Answer("inconclusive", f"{evidence}; the repeats do not decide it")
    return Answer("agrees" if all(fits) else "differs", evidence)
