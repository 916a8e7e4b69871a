"""`bound`: a rate as a share of the resource that bounds it, or the loss of one series against
another, compared with a limit.
"""

import math

from seatrial.analysis.statistics import Interval
from seatrial.judge.answer import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import NOT_RESOLVED, compare_share, interval_words, mean_quotient
from seatrial.judge.contrary import exchanged, sides_of, within

NEEDED = (("value",), ("op",))


def judge(context: Context) -> Answer:
    """The best measured value against a published rate, both as a share of the bounding
    resource.
    """
    if context.form.get("unit") == "%" and context.mapping.other is not None:
        return _impact(context)
    return compare_share(context, context.form["value"], context.form["value"], context.form["op"])


def _impact(context: Context) -> Answer:
    """The loss of one series against another, in percent, as a mean over all common values, against
    a limit.
    """
    a, b = context.both()
    quotient = mean_quotient(a, b)
    share = quotient.ratio.interval()
    lost = 1 - quotient.ratio.value
    limit = float(context.form["value"]) / 100
    difference = f"{lost:.0%} less" if lost >= 0 else f"{-lost:.0%} more"
    measured = Interval(1 - share.high, 1 - share.low)
    evidence = (
        f"{a.title} has {difference} than {b.title} ({interval_words(measured, '.0%')}), "
        f"{quotient.where} (published: {context.form['op']} {limit:.0%})"
    )
    around = NOT_RESOLVED / 2
    resolved = Interval(min(measured.low, lost - around), max(measured.high, lost + around))
    below = context.form["op"] in ("<", "<=")
    accepted = Interval(-math.inf, limit) if below else Interval(limit, math.inf)
    return within(resolved, accepted, exchanged(sides_of(a, b)), evidence)
