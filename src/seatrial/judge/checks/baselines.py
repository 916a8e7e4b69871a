"""`check: baselines`: no disk, path, link or pair of MTUs gives less than its like, or than the
study says.

What is an outlier is said in `seatrial.record.baselines`. A form that measures no baselines cannot
say it. What was less when it was measured first, and not afterwards, is no outlier, and told. What
the lab machine's own processors limited each time is unknown.
"""

from dataclasses import replace

from seatrial.basics.schema import Model
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.busy import AGAIN
from seatrial.judge.flaws import Evidence
from seatrial.record.baselines import outliers, unmeasured
from seatrial.record.record import Record

TITLE = "what was measured bottom up gives what it should"
RESTS_ON = frozenset({Evidence.BASELINES})
Options = Model


def check(record: Record, _options: Options) -> Answer:
    """Judge every baseline of the record."""
    found = record.baselines
    if not found:
        return unknown("no baselines were measured", Reason.NOTHING_CHECKED)
    named, not_measured = outliers(found), unmeasured(found)
    told = "; ".join(f"{item.name}: {reason}" for item, reason in [*named, *not_measured])
    if any(not item.lab_limited for item, _ in named):
        return failed(told)
    if named:
        return unknown(f"{told}; {AGAIN}", Reason.BUSY_MACHINE)
    if not_measured:
        return unknown(told, Reason.INCOMPLETE)
    groups = dict.fromkeys(item.group for item in found)
    # What was less at another time comes and goes: it is told, though it is no outlier.
    at_worst = [
        replace(item, value=item.lowest) if item.lowest is not None else item for item in found
    ]
    less = "; ".join(
        f"{item.name}: {reason}" for item, reason in outliers(at_worst) if item.lowest is not None
    )
    again = f"; at another time {less}" if less else ""
    return passed(f"{len(found)} measured, no outlier: {', '.join(groups)}{again}")
