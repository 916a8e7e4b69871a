"""`check: baselines`: no disk, path, link or pair of MTUs gives less than its like, or than the study says.

What is an outlier is said in `seatrial.load.baselines`. A form that measures no baselines cannot say it.
"""

from seatrial.basics.schema import Model
from seatrial.judge.base import Answer
from seatrial.record.baselines import Baseline, outliers, unmeasured
from seatrial.record.record import Record

TITLE = "what was measured bottom up gives what it should"


class Options(Model):
    """No options."""


def check(record: Record, _options: Options) -> Answer:
    """Judge every baseline of the record."""
    found = [Baseline(**item) for line in record.of("baselines") for item in line["found"]]
    if not found:
        return Answer("unknown", "no baselines were measured")
    named, unknown = outliers(found), unmeasured(found)
    told = "; ".join(f"{item.name}: {reason}" for item, reason in [*named, *unknown])
    if named or unknown:
        return Answer("fail" if named else "unknown", told)
    groups = dict.fromkeys(item.group for item in found)
    return Answer("pass", f"{len(found)} measured, no outlier: {', '.join(groups)}")
