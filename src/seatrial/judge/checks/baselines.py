"""`check: baselines`: disks, paths, links and MTUs meet the specification of the study and agree
with their group.

Passes when no disk, path or link gives less than 90 % of the median of its group or 80 % of its
rate in the study. The largest packet must also pass between every two nodes. A lower figure is
measured again, up to three times. The highest figure counts, and the lowest is reported.

Unknown when no baselines were measured, or when the processors of the lab machine limited every
measurement of a component.
"""

from dataclasses import replace

from seatrial.basics.schema import Model
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.busy import AGAIN
from seatrial.judge.flaws import Evidence
from seatrial.result.baselines import outliers, unmeasured
from seatrial.result.result import Result

TITLE = "disks, paths and links meet their specification"
RESTS_ON = frozenset({Evidence.BASELINES})
Options = Model


def check(result: Result, _options: Options) -> Answer:
    """Judge every baseline of the result."""
    baselines = result.baselines
    if not baselines:
        return unknown("no baselines were measured", Reason.NOTHING_CHECKED)
    with_outliers = outliers(baselines)
    not_measured = unmeasured(baselines)
    words = "; ".join(f"{item.name}: {reason}" for item, reason in [*with_outliers, *not_measured])
    if any(not item.lab_limited for item, _ in with_outliers):
        return failed(words)
    if with_outliers:
        return unknown(f"{words}; {AGAIN}", Reason.BUSY_MACHINE)
    if not_measured:
        return unknown(words, Reason.INCOMPLETE)
    groups = dict.fromkeys(item.group for item in baselines)
    # A lower figure at another time is transient: it is reported, though it is no outlier.
    at_worst = [
        replace(item, value=item.lowest) if item.lowest is not None else item for item in baselines
    ]
    less = "; ".join(
        f"{item.name}: {reason}" for item, reason in outliers(at_worst) if item.lowest is not None
    )
    again = f"; at another time {less}" if less else ""
    return passed(f"{len(baselines)} measured, no outlier: {', '.join(groups)}{again}")
