"""`trend`: a series rises, falls or is flat, over its whole range."""

from seatrial.judge.answer import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import in_order
from seatrial.judge.course import judge_course

NEEDED = (("direction",),)


def judge(context: Context) -> Answer:
    """From the first to the last measured value: up, down or flat."""
    series = context.first()
    values = list(series.samples) if context.mapping.among else sorted(series.samples, key=in_order)
    return judge_course(series, values, context.form["direction"])
