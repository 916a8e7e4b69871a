"""`data-lost`: the check `integrity` finds lost or wrong data."""

from seatrial.judge.answer import Answer
from seatrial.judge.controls import evidence_for
from seatrial.judge.fault_properties import Limits, by_check
from seatrial.judge.flaws import EVERYTHING
from seatrial.result.faults import FaultResult

_CHECK = "integrity"
RESTS_ON = evidence_for(_CHECK, EVERYTHING)
CONTRARY = frozenset({_CHECK})


def judge(fault: FaultResult, _limits: Limits | None) -> Answer:
    """Whether data were lost."""
    return by_check(fault, _CHECK, holds_on="fail")
