"""`service-stayed`: the service stayed where it was, and serves there."""

from seatrial.judge.answer import Answer
from seatrial.judge.fault_properties import Limits, place
from seatrial.judge.flaws import Evidence
from seatrial.result.faults import FaultResult

RESTS_ON = frozenset[Evidence]()


def judge(fault: FaultResult, _limits: Limits | None) -> Answer:
    """Whether the service stayed."""
    return place(fault, moves=False)
