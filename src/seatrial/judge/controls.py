"""Negative controls: faults that a check has to detect (`expect: {detected_by: [...]}`), and
that fail no other criterion.

Such a fault passes only when every check that it names has found damage. A check that finds nothing
here would find nothing in a real failure either.
"""

from dataclasses import replace

from seatrial.judge.answer import Answer, reason_of, worst_verdict
from seatrial.judge.base import answer_on_control
from seatrial.judge.checks import consistency, fencing, integrity, recovery
from seatrial.result.faults import FaultResult

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


def judge_control(fault: FaultResult) -> Answer:
    """Whether every check that it names has caught it."""
    answers = [_caught(fault, name) for name in fault.controls]
    verdict = worst_verdict(item.verdict for item in answers)
    evidence = "; ".join(item.evidence for item in answers)
    return Answer(verdict, evidence, reason_of(verdict, answers))


def _caught(fault: FaultResult, check: str) -> Answer:
    answer = answer_on_control(fault, JUDGES[check](fault))
    return replace(answer, evidence=f"{check}, {answer.evidence}")
