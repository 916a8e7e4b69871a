"""Negative controls: faults that a check has to detect (`expect: {detected_by: [...]}`), and
that fail no other criterion.

Such a fault passes only when every check that it names has found damage. A check that finds nothing
here would find nothing in a real failure either.
"""

from dataclasses import replace
from typing import Any, cast

from seatrial.basics.errors import not_known
from seatrial.judge.answer import Answer, Reason, reason_of, unknown, worst_verdict
from seatrial.judge.base import answer_on_control, checker, checker_names
from seatrial.judge.checker import rests_on
from seatrial.judge.flaws import Evidence
from seatrial.result.faults import FaultResult


def judges_faults(name: str) -> bool:
    """Whether a check of that name exists and can judge a single fault: it has `judge`."""
    return name in checker_names() and hasattr(checker(name), "judge")


def names_of_judges() -> list[str]:
    """The checks that can judge a single fault."""
    return [name for name in checker_names() if judges_faults(name)]


def means_two_writers(name: str) -> bool:
    """Whether damage that the check detects means that two nodes wrote the same storage."""
    return name in checker_names() and getattr(checker(name), "MEANS_TWO_WRITERS", False)


def finds_damage(name: str) -> bool:
    """Whether a fault that fails the check damaged data, so that a run does not repeat it."""
    return name in checker_names() and getattr(checker(name), "FINDS_DAMAGE", False)


def judged_by(name: str, fault: FaultResult) -> Answer:
    """The answer of a check on one fault; unknown where no such check is installed."""
    if not judges_faults(name):
        words = not_known(name, names_of_judges())
        return unknown(f"no check judges this fault: {words}", Reason.CHECKER_FAILED)
    answer: Answer = cast(Any, checker(name)).judge(fault)
    return answer


def evidence_for(name: str, other: frozenset[Evidence]) -> frozenset[Evidence]:
    """The evidence of a check that can judge a single fault; `other` for another word."""
    return rests_on(checker(name)) if judges_faults(name) else other


def judge_control(fault: FaultResult) -> Answer:
    """Whether every check that it names has caught it."""
    answers = [_caught(fault, name) for name in fault.controls]
    verdict = worst_verdict(item.verdict for item in answers)
    evidence = "; ".join(item.evidence for item in answers)
    return Answer(verdict, evidence, reason_of(verdict, answers))


def _caught(fault: FaultResult, check: str) -> Answer:
    answer = answer_on_control(fault, judged_by(check, fault))
    return replace(answer, evidence=f"{check}, {answer.evidence}")
