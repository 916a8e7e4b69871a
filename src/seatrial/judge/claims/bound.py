"""`bound`: a rate as a share of what bounds it, or what one series has less than another, against a limit."""

import math

from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import NOT_RESOLVED, compare_share, mean_ratio, plus_minus, within


def judge(context: Context) -> Answer:
    """The best measured value against a published rate, both as a share of the bounding resource."""
    if context.form.get("unit") == "%" and context.mapping.other is not None:
        return _impact(context)
    return compare_share(context, context.form["value"], context.form["value"], context.form["op"])


def _impact(context: Context) -> Answer:
    """How much less one series has than another, in percent, as a mean over all common values, against a limit."""
    a, b = context.both()
    ratio, half, unknown, over = mean_ratio(a, b)
    lost, limit = 1 - ratio, float(context.form["value"]) / 100
    told = f"{lost:.0%} less" if lost >= 0 else f"{-lost:.0%} more"
    evidence = (
        f"{a.title} has {told} than {b.title}{plus_minus(half, '.0%')}, {over} "
        f"(published: {context.form['op']} {limit:.0%})"
    )
    accepted = (-math.inf, limit) if context.form["op"] in ("<", "<=") else (limit, math.inf)
    return within(lost, max(half + unknown, NOT_RESOLVED / 2), accepted, evidence)
