"""`range`: a rate as a share of the resource that bounds it, between two limits."""

from seatrial.judge.answer import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import compare_share

NEEDED = (("min",), ("max",))


def judge(context: Context) -> Answer:
    """The best measured value against a published range, as shares."""
    return compare_share(context, context.form["min"], context.form["max"], "~")
