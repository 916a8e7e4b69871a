"""The answer of a check, of a negative control and of a published claim, and the combination of
several answers.

Every judging function returns an `Answer`. Its evidence decides nothing. The verdict decides, and
for an open verdict the reason code.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, Self

from seatrial.judge.waivers import PASS_WITH_WAIVERS, Waiver
from seatrial.result.faults import FaultResult

Contrary = Literal["better", "worse", "different"]
"""of a published claim that this run does not agree with"""
Verdict = (
    Literal[
        "pass",
        "pass with waivers",
        "fail",
        "unknown",
        "skipped",
        "agrees",
        "inconclusive",
    ]
    | Contrary
)
"""only one fault can have `skipped`; no criterion has it"""
PASSING: frozenset[Verdict] = frozenset({"pass", PASS_WITH_WAIVERS})
WORST_FIRST: tuple[Verdict, ...] = ("fail", "unknown", "skipped", PASS_WITH_WAIVERS)


class Reason(StrEnum):
    """Why a verdict is open, or why a fault has none."""

    SKIPPED = "skipped"
    """the run did not inject the fault"""
    NOT_CARRIED_THROUGH = "not-carried-through"
    """the fault, or the run, broke off"""
    NOT_SHOWN = "not-shown"
    """no evidence shows that the fault happened while clients were at work"""
    NOTHING_CHECKED = "nothing-checked"
    """the result has no line about the subject of the criterion"""
    NOT_MEASURED = "not-measured"
    """the profile of the run did not measure it, or did not inject the fault"""
    INCOMPLETE = "incomplete"
    """a part of the subject of the criterion was not measured"""
    NOT_DISTINGUISHABLE = "not-distinguishable"
    """the measurement fits both a pass and a failure"""
    BUSY_MACHINE = "busy-machine"
    """the processors of the lab machine may have caused it"""
    EVIDENCE_MISSING = "evidence-missing"
    """the result lacks something of its manifest, or has it twice"""
    CONTRADICTED = "contradicted"
    """lines of the result cannot all be true"""
    TOO_FEW_FAULTS = "too-few-faults"
    """the run skipped most faults"""
    EDITED = "edited"
    """the result was changed after the run"""
    CHECKER_FAILED = "checker-failed"
    """the check ended with an error"""


@dataclass(frozen=True)
class Answer:
    """A verdict and its basis."""

    verdict: Verdict
    evidence: str
    """the reasons in words"""
    reason: Reason | None = None
    """why the verdict is open; None where the findings decide, or the checker gives no reason"""
    waivers: tuple[Waiver, ...] = ()
    """the findings that the study waives"""

    @property
    def is_passing(self) -> bool:
        """Whether it is a pass, with or without waivers."""
        return self.verdict in PASSING

    def about(self, subject: str) -> Self:
        """The same, with the subject in front of the evidence: `panic: the service failed over`."""
        return replace(self, evidence=f"{subject}: {self.evidence}")

    def reopened(self, verdict: Verdict, evidence: str, reason: Reason) -> Self:
        """An open verdict in place of this one, with the same waivers."""
        return replace(self, verdict=verdict, evidence=evidence, reason=reason)

    def withheld(self, verdict: Verdict, why: str, reason: Reason) -> Self:
        """An open verdict in place of this one; the evidence names both."""
        return self.reopened(verdict, f"{why} (otherwise: {self.evidence})", reason)


def passed(evidence: str) -> Answer:
    """A pass."""
    return Answer("pass", evidence)


def failed(evidence: str) -> Answer:
    """A failure."""
    return Answer("fail", evidence)


def unknown(evidence: str, reason: Reason) -> Answer:
    """An acceptance criterion or a fault that cannot be decided."""
    return Answer("unknown", evidence, reason)


def inconclusive(evidence: str, reason: Reason = Reason.NOT_DISTINGUISHABLE) -> Answer:
    """A published claim that cannot be decided."""
    return Answer("inconclusive", evidence, reason)


def skipped(fault: FaultResult) -> Answer:
    """The answer for a fault that the run skipped."""
    return Answer("skipped", f"skipped, {fault.skipped}", Reason.SKIPPED)


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts; pass where every one is a pass."""
    found = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in found), "pass")


def reason_of(verdict: Verdict, answers: Iterable[Answer]) -> Reason | None:
    """The reason of the first answer with the verdict that decides; None where none has one."""
    return next((item.reason for item in answers if item.verdict == verdict), None)


def combine(found: Iterable[Answer], nothing: str) -> Answer:
    """One answer from those of several faults.

    The worst one decides. The evidence has all of them, those that did not pass first. Where none
    passed and none failed, the answer is unknown; `nothing` is its evidence where there is no
    answer.
    """
    answers = list(found)
    open_or_failed = [item for item in answers if not item.is_passing]
    passing = [item for item in answers if item.is_passing]
    evidence = "; ".join(item.evidence for item in (*open_or_failed, *passing) if item.evidence)
    waivers = tuple(waiver for item in answers for waiver in item.waivers)
    verdict = worst_verdict(item.verdict for item in answers)
    if verdict == "fail":
        return Answer("fail", evidence, waivers=waivers)
    if verdict == "unknown" or not passing:
        reason = reason_of(verdict, answers) if answers else Reason.NOTHING_CHECKED
        return Answer("unknown", evidence or nothing, reason, waivers)
    is_waived = any(item.verdict == PASS_WITH_WAIVERS for item in passing)
    return Answer(PASS_WITH_WAIVERS if is_waived else "pass", evidence, waivers=waivers)


def invert_for_control(fault: FaultResult, answer: Answer) -> Answer:
    """The answer on a negative control from that on a fault.

    Damage of a fault that could not be completed proves nothing.
    """
    if fault.failed is not None:
        words = f"negative control, not completed: {fault.failed}"
        return unknown(words, Reason.NOT_CARRIED_THROUGH)
    if answer.verdict == "fail":
        return passed(f"negative control, detected: {answer.evidence}")
    if answer.verdict == "pass":
        return failed(f"negative control, not detected: {answer.evidence}")
    return replace(answer, evidence=f"negative control: {answer.evidence}")
