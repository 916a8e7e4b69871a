"""The objections to the answer on an acceptance criterion, in the order in which they are
applied.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seatrial.judge.answer import Answer, Reason
from seatrial.judge.checker import LoadedClaim, rests_on
from seatrial.judge.contradicted import contradictions_of, why_contradicted
from seatrial.judge.flaws import EVERYTHING, Flaw
from seatrial.judge.happened import why_untried
from seatrial.judge.missing import Completeness, words_of
from seatrial.judge.objection import Objection
from seatrial.judge.waivers import WaivingOptions, whole_words, with_source
from seatrial.result.invariants.contradiction import Contradiction
from seatrial.result.result import Result
from seatrial.result.sealed import Seal
from seatrial.study.study import Study

DERIVED = (
    "; the expected contents are derived from the stored study, because this result has no manifest"
)


def objections_of(
    study: Study, result: Result, complete: Completeness
) -> tuple[Objection[LoadedClaim], ...]:
    """All objections to the criteria of one result.

    A busy lab machine and a fault without evidence are objections to single faults: see
    `BusyMachine` and `NotShown`.
    """
    return (
        MissingEvidence(complete),
        Contradicted(contradictions_of(study, result)),
        TooFewFaults(result),
        NamedWaivers(study),
        EditedResult(result.seal),
    )


@dataclass(frozen=True)
class MissingEvidence:
    """Something on which the criterion rests is missing or a duplicate."""

    complete: Completeness

    def apply(self, claim: LoadedClaim, answer: Answer, /) -> Answer:
        """No pass; a pass names a manifest that was derived."""
        if not answer.is_passing:
            return answer
        is_derived = self.complete.is_derived
        evidence = f"{answer.evidence}{DERIVED}" if is_derived else answer.evidence
        flaws = self._flaws(claim)
        if flaws:
            why = words_of(flaws)
            words = f"{evidence}; but {why}"
            return answer.reopened("unknown", words, Reason.EVIDENCE_MISSING, why)
        remark = DERIVED.removeprefix("; ") if is_derived else ""
        return replace(answer, evidence=evidence, remark=remark)

    def _flaws(self, claim: LoadedClaim) -> list[Flaw]:
        controls = self.complete.controls

        def concerns(flaw: Flaw) -> bool:
            return flaw.kind in rests_on(claim.checker, controls=flaw.place.fault in controls)

        return self.complete.of(EVERYTHING, concerns)


@dataclass(frozen=True)
class Contradicted:
    """Lines on which the criterion rests cannot all be true."""

    contradictions: Sequence[Contradiction]

    def apply(self, claim: LoadedClaim, answer: Answer, /) -> Answer:
        """No pass."""
        why = why_contradicted(self.contradictions, rests_on(claim.checker))
        return without_pass(answer, why, Reason.CONTRADICTED)


@dataclass(frozen=True)
class TooFewFaults:
    """The run injected too few faults for a check of faults to pass."""

    result: Result

    def apply(self, claim: LoadedClaim, answer: Answer, /) -> Answer:
        """No pass."""
        why = why_untried(self.result, claim.checker)
        return without_pass(answer, why, Reason.TOO_FEW_FAULTS)


@dataclass(frozen=True)
class NamedWaivers:
    """The study waives something of the findings: the evidence names it first, and its source."""

    study: Study

    def apply(self, claim: LoadedClaim, answer: Answer, /) -> Answer:
        """The same verdict."""
        options = claim.options
        if not answer.waivers or not isinstance(options, WaivingOptions):
            return answer
        waivers = tuple(
            with_source(
                item,
                self.study.source.where(("criteria", claim.index, item.key)),
                claim.index,
                options,
            )
            for item in answer.waivers
        )
        evidence = f"{whole_words(waivers)}; {answer.evidence}"
        return replace(answer, evidence=evidence, waivers=waivers)


@dataclass(frozen=True)
class EditedResult:
    """The result was changed after the run: its seal is broken."""

    seal: Seal

    def apply(self, _claim: LoadedClaim, answer: Answer, /) -> Answer:
        """No pass."""
        why = self.seal.words if self.seal.is_broken else None
        return without_pass(answer, why, Reason.EDITED)


def without_pass(answer: Answer, why: str | None, reason: Reason) -> Answer:
    """The answer; unknown in place of a pass where there is a reason not to rely on it."""
    if why is None or not answer.is_passing:
        return answer
    return answer.withheld("unknown", why, reason)
