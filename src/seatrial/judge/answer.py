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
class EvidenceRow:
    """The evidence on one subject of a criterion, such as a fault, an experiment or a member."""

    subject: str
    """empty where the criterion has one subject only"""
    verdict: Verdict
    value: float | None = None
    """measured, in `unit`; None where the evidence is no figure, or where it is not known"""
    limit: float | None = None
    """the limit of `value`, in `unit`"""
    unit: str = ""
    """of `value` and `limit`: `s`, `blocks`; empty without figures"""
    note: str = ""
    """the rest of the evidence in words"""


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
    rows: tuple[EvidenceRow, ...] = ()
    """the evidence by subject; empty where the checker gives words only"""
    objection: str = ""
    """why the verdict is weaker than the findings, in words; empty where nothing objects"""
    remark: str = ""
    """a condition of all of the evidence, in words; empty for none"""

    @property
    def is_passing(self) -> bool:
        """Whether it is a pass, with or without waivers."""
        return self.verdict in PASSING

    @property
    def evidence_rows(self) -> tuple[EvidenceRow, ...]:
        """Its rows; one row with the evidence in words where the checker gives none."""
        if self.rows or not self.evidence:
            return self.rows
        return (EvidenceRow("", self.verdict, note=self.evidence),)

    def about(self, subject: str, separator: str = ": ") -> Self:
        """The same, with the subject in front of the evidence: `panic: the service failed over`."""
        rows = tuple(_with_subject(row, subject) for row in self.evidence_rows)
        return replace(self, evidence=f"{subject}{separator}{self.evidence}", rows=rows)

    def with_row(
        self, value: float | None, limit: float | None, unit: str, *, note: str = ""
    ) -> Self:
        """The same, with its evidence as one row of figures."""
        return replace(self, rows=(EvidenceRow("", self.verdict, value, limit, unit, note),))

    def reopened(self, verdict: Verdict, evidence: str, reason: Reason, why: str = "") -> Self:
        """An open verdict in place of this one, with the same waivers.

        `why`: the objection alone, where `evidence` also has the findings. No row passes any more.
        """
        objection = why or evidence
        rows = tuple(_reopened_row(row, verdict, objection) for row in self.rows)
        return replace(
            self, verdict=verdict, evidence=evidence, reason=reason, rows=rows, objection=objection
        )

    def withheld(self, verdict: Verdict, why: str, reason: Reason) -> Self:
        """An open verdict in place of this one; the evidence names both."""
        return self.reopened(verdict, f"{why} (otherwise: {self.evidence})", reason, why)


def _with_subject(row: EvidenceRow, subject: str) -> EvidenceRow:
    """The same row of a larger subject: the fault in front of its consistency test."""
    return replace(row, subject=f"{subject} {row.subject}".strip())


def _reopened_row(row: EvidenceRow, verdict: Verdict, objection: str) -> EvidenceRow:
    """The row under an objection: a weakened verdict has the objection as its note."""
    if row.verdict in (verdict, "skipped"):
        return row
    return replace(row, verdict=verdict, note=objection)


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
    present = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in present), "pass")


def reason_of(verdict: Verdict, answers: Iterable[Answer]) -> Reason | None:
    """The reason of the first answer with the verdict that decides; None where none has one."""
    return next((item.reason for item in answers if item.verdict == verdict), None)


def combine(single_answers: Iterable[Answer], nothing: str) -> Answer:
    """One answer from those of several faults.

    The worst one decides. The evidence has all of them, those that did not pass first. Where none
    passed and none failed, the answer is unknown; `nothing` is its evidence where there is no
    answer.
    """
    answers = list(single_answers)
    open_or_failed = [item for item in answers if not item.is_passing]
    passing = [item for item in answers if item.is_passing]
    evidence = "; ".join(item.evidence for item in (*open_or_failed, *passing) if item.evidence)
    waivers = tuple(waiver for item in answers for waiver in item.waivers)
    rows = tuple(row for item in answers for row in item.evidence_rows)
    verdict = worst_verdict(item.verdict for item in answers)
    if verdict == "fail":
        return Answer("fail", evidence, waivers=waivers, rows=rows)
    if verdict == "unknown" or not passing:
        reason = reason_of(verdict, answers) if answers else Reason.NOTHING_CHECKED
        return Answer("unknown", evidence or nothing, reason, waivers, rows)
    is_waived = any(item.verdict == PASS_WITH_WAIVERS for item in passing)
    return Answer(PASS_WITH_WAIVERS if is_waived else "pass", evidence, None, waivers, rows)


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
    return replace(answer, evidence=f"negative control: {answer.evidence}", rows=())
