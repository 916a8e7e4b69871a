"""`outage`: the longest outage of any client is within the printed recovery."""

from seatrial.judge import fault_properties
from seatrial.judge.answer import Answer, Reason, inconclusive
from seatrial.judge.fault_properties import Limits
from seatrial.judge.flaws import Evidence
from seatrial.result.faults import FaultResult

RESTS_ON = frozenset[Evidence]()
NEEDS_TIME = True


def judge(fault: FaultResult, limits: Limits | None) -> Answer:
    """Whether the outage is within the limits."""
    if limits is None:
        return inconclusive("the publication prints no time", Reason.NOTHING_CHECKED)
    return fault_properties.outage(fault, limits)
