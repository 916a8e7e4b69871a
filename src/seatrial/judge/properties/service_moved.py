"""`service-moved`: the service failed over, and serves there."""

from seatrial.judge.answer import Answer
from seatrial.judge.fault_properties import Limits, place
from seatrial.judge.flaws import Evidence
from seatrial.result.faults import FaultResult

RESTS_ON = frozenset[Evidence]()
CONTRARY = frozenset({"service-stayed"})


def judge(fault: FaultResult, _limits: Limits | None) -> Answer:
    """Whether the service failed over."""
    return place(fault, moves=True)
