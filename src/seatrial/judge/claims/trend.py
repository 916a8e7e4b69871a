"""`trend`: a series goes up, down or stays flat."""

from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import along, in_order


def judge(context: Context) -> Answer:
    """From the first to the last measured value: up, down or flat."""
    found = context.first()
    values = list(found.samples) if context.mapping.among else sorted(found.samples, key=in_order)
    where, direction = along(found, values)
    if direction is None:
        return Answer("inconclusive", f"{where}; the repeats do not decide it")
    return Answer("agrees" if direction == context.form["direction"] else "differs", f"{where}, that is {direction}")
