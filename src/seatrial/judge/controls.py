"""Negative controls: faults that a check has to find (`expect: {caught: [...]}`), and that fail no
other claim.

Such a fault is counted as passed only when every check that it names has found damage; one that
found nothing would find nothing where it matters either.
"""

from seatrial.judge.base import turned, worst
from seatrial.judge.checks import consistency, fencing, integrity, recovery
from seatrial.judge.happened import happened
from seatrial.record.faults import FaultResult

JUDGES = {
    "consistency": consistency.judge,
    "fencing": fencing.judge,
    "integrity": integrity.judge,
    "recovery": recovery.judge,
}

EVIDENCE = {
    "consistency": consistency.RESTS_ON,
    "fencing": fencing.RESTS_ON,
    "integrity": integrity.RESTS_ON,
    "recovery": recovery.RESTS_ON,
}


def judge_control(fault: FaultResult) -> tuple[str, str]:
    """Whether every check that it names has caught it."""
    answers = []
    for name in fault.controls:
        verdict, words = turned(fault, *happened(fault, *JUDGES[name](fault)))
        answers.append((verdict, f"{name}, {words}"))
    return worst(verdict for verdict, _ in answers), "; ".join(words for _, words in answers)
