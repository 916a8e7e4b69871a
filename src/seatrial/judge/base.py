"""The list of checkers (one file each in `checks`), and the code that runs them.

A checker is a module with `Options` (the other keys of the criterion next to `check:`) and
`check(result, options)`. It answers `pass`, `fail` or `unknown` with the evidence. One that crashes
answers `unknown`, never silence.

A checker reads the lines that the result has. The manifest of the run lists the lines that must
exist. Where evidence on which a checker rests (`RESTS_ON`) is missing, its `pass` is `unknown`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from seatrial.basics.errors import not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import Model, validate
from seatrial.judge.answer import (
    Answer,
    EvidenceRow,
    Reason,
    Verdict,
    invert_for_control,
    unknown,
)
from seatrial.judge.checker import Checker, LoadedClaim
from seatrial.judge.happened import only_if_shown
from seatrial.judge.missing import Completeness, completeness
from seatrial.judge.objection import apply_objections
from seatrial.judge.objections import objections_of
from seatrial.judge.waivers import Waiver, WaivingOptions
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.study.study import Criterion, Study


@dataclass(frozen=True)
class Judgement:
    """A criterion or a claim and its answer, as it is stored and printed."""

    claim: str
    kind: Literal["acceptance", "published"]
    statement: str
    verdict: Verdict
    evidence: str
    measured: dict[str, Any] | None = None
    """the figures that were compared, for the report"""
    waivers: tuple[Waiver, ...] = ()
    """the waived findings, each with its author and reason"""
    reason: Reason | None = None
    """why the verdict is open; None where the findings decide"""
    rows: tuple[EvidenceRow, ...] = ()
    """the evidence by subject; empty where it has no subjects"""
    objection: str = ""
    """why the verdict is weaker than the findings; empty where nothing objects"""
    remark: str = ""
    """a condition of all of the evidence; empty for none"""


def answers_of_faults(
    result: Result, check: str, judge: Callable[[FaultResult], Answer]
) -> Iterator[Answer]:
    """The answer on each fault: on a negative control of this check the opposite, on other
    controls none.
    """
    for fault in result.faults:
        if not fault.controls:
            yield only_if_shown(fault, judge(fault)).about(fault.name)
        elif check in fault.controls:
            yield answer_on_control(fault, judge(fault)).about(fault.name)


def answer_on_control(fault: FaultResult, answer: Answer) -> Answer:
    """The answer on the negative control that a check must detect."""
    return invert_for_control(fault, only_if_shown(fault, answer))


_CHECKS = Plugins("seatrial.judge.checks", "seatrial.checks", ("Options", "TITLE", "check"))


def checker_names() -> list[str]:
    """The checks that a criterion can name."""
    return _CHECKS.names()


def checker(name: str) -> Checker:
    """The module of the check `name`."""
    return cast(Checker, _CHECKS.load(name))


def load_checkers(study: Study) -> list[LoadedClaim]:
    """Every acceptance criterion with its checker and options.

    InputError when a criterion names no check or a wrong key.
    """
    return [_loaded(study, index, claim) for index, claim in enumerate(study.criteria)]


def _loaded(study: Study, index: int, claim: Criterion) -> LoadedClaim:
    place = ("criteria", index)
    if claim.check not in checker_names():
        raise study.mistake((*place, "check"), not_known(claim.check, checker_names()))
    module = checker(claim.check)
    options: Model = validate(module.Options, claim.options(), study.source, place)
    return LoadedClaim(index, claim, module, options)


def run_checkers(study: Study, result: Result) -> list[Judgement]:
    """One judgement for every acceptance criterion of the study, and for those that the study had
    when the run began.
    """
    complete = completeness(study, result)
    objections = objections_of(study, result, complete)
    judgements = []
    for claim in load_checkers(study):
        answer = apply_objections(objections, claim, _checked(claim, result))
        judgements.append(_judgement(claim, answer))
    return [*judgements, *_removed_claims(study, complete)]


def _checked(claim: LoadedClaim, result: Result) -> Answer:
    """The checker's answer; unknown where it crashes."""
    try:
        return claim.checker.check(result, claim.options)
    except Exception as error:
        words = f"the checker failed: {type(error).__name__}: {error}"
        return unknown(words, Reason.CHECKER_FAILED)


def _judgement(claim: LoadedClaim, answer: Answer) -> Judgement:
    return Judgement(
        claim=claim.claim.id,
        kind="acceptance",
        statement=claim.title,
        verdict=answer.verdict,
        evidence=answer.evidence,
        waivers=answer.waivers,
        reason=answer.reason,
        rows=answer.rows,
        objection=answer.objection,
        remark=answer.remark,
    )


def _removed_claims(study: Study, complete: Completeness) -> list[Judgement]:
    """Criteria that the stored study no longer has: no check can decide them."""
    if complete.manifest is None:
        return []
    current_ids = {claim.id for claim in study.criteria}
    removed = [claim for claim in complete.manifest.criteria if claim.id not in current_ids]
    why = "the stored study no longer has this criterion"
    return [
        Judgement(
            claim=claim.id,
            kind="acceptance",
            statement=f"check {claim.check}",
            verdict="unknown",
            evidence=why,
            reason=Reason.EVIDENCE_MISSING,
        )
        for claim in removed
    ]


def refuse_without_reason(study: Study) -> None:
    """InputError when a criterion waives something without a reason: before a run, as older results
    have no reasons.
    """
    for loaded in load_checkers(study):
        options = loaded.options
        for key in options.without_reason if isinstance(options, WaivingOptions) else ():
            value = getattr(options, key)
            raise study.mistake(
                ("criteria", loaded.index, key),
                f"{key}: {value} waives findings of this criterion, and a waiver needs a reason; "
                f'add reasons: {{{key}: "why it may pass"}}',
            )


def refuse_mistakes(study: Study, published: Mapping[str, Any]) -> None:
    """InputError when the options of a criterion do not fit the study: before a run, as a result
    keeps its study.

    A checker may have `mistakes(study, published, options)`, which yields the place below the
    criterion, and a message.
    """
    for loaded in load_checkers(study):
        find = getattr(loaded.checker, "mistakes", None)
        mistakes = find(study, published, loaded.options) if find is not None else ()
        for location, message in mistakes:
            raise study.mistake(("criteria", loaded.index, *location), message)
