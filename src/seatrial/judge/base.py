"""What a checker is, the verdicts, and the list of checkers (one file each in `checks`).

A checker is a module with `Options` (the keys beside `check:` in the claim) and `check(record, options)`, which
answers `pass`, `fail` or `unknown` with the evidence. One that crashes answers `unknown`, never silence.

A checker looks at what is there. The manifest of the run says what should be there: where something is missing on which
a checker rests (`RESTS_ON`), its `pass` is `unknown`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, cast

from seatrial.basics.errors import not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import Model, validate
from seatrial.judge.contradicted import contradictions_of, why_contradicted
from seatrial.judge.flaws import EVERYTHING, Evidence, Flaw
from seatrial.judge.happened import happened, why_untried
from seatrial.judge.missing import Completeness, completeness, words_of
from seatrial.judge.waivers import PASS_WITH_WAIVERS, Waiver, WaivingOptions, whole_words, with_source
from seatrial.record.faults import FaultResult
from seatrial.record.phases import PhaseResult
from seatrial.record.record import Record
from seatrial.study.points import phase_text
from seatrial.study.study import Claim, Study

DERIVED = "; what should be there is derived from the stored study, as this record is older than manifests"
Contrary = Literal["better", "worse", "different"]
"""of a published claim that this run does not agree with"""
Verdict = Literal["pass", "pass with waivers", "fail", "unknown", "agrees", "inconclusive"] | Contrary
PASSING = frozenset({"pass", PASS_WITH_WAIVERS})


@dataclass(frozen=True)
class Answer:
    """A verdict and what it rests on."""

    verdict: Verdict
    evidence: str
    waivers: tuple[Waiver, ...] = ()
    """what the study lets pass of what was found"""


@dataclass(frozen=True)
class Judgement:
    """A claim and its answer, as it is stored and printed."""

    claim: str
    kind: Literal["acceptance", "published"]
    statement: str
    verdict: Verdict
    evidence: str
    measured: dict[str, Any] | None = None
    """the figures that were compared, for the report"""
    waivers: tuple[Waiver, ...] = ()
    """what was waived, by whom and why"""


class Checker(Protocol):
    """The module of a check."""

    Options: type[Model]
    TITLE: str
    # RESTS_ON and RESTS_ON_OF_CONTROLS, frozenset[Evidence], may be left out; see `rests_on`.

    def check(self, record: Record, options: Any) -> Answer:
        """Judge; see the module's own docstring for what is claimed."""


def turned(fault: FaultResult, verdict: str, words: str) -> tuple[str, str]:
    """The verdict on a negative control from that on a fault; damage beside a fault that was not carried through
    proves nothing.
    """
    if fault.failed is not None:
        return "unknown", f"negative control, could not be carried through: {fault.failed}"
    if verdict == "fail":
        return "pass", f"negative control, caught: {words}"
    if verdict == "pass":
        return "fail", f"negative control, not caught: {words}"
    return verdict, f"negative control: {words}"


def of_faults(record: Record, check: str, judge: Callable[[FaultResult], tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """(verdict, what it rests on) of each fault; of a negative control of this check the opposite, of others none."""
    for fault in record.faults:
        if fault.controls and check not in fault.controls:
            continue
        verdict, words = happened(fault, *judge(fault))
        if fault.controls:
            verdict, words = turned(fault, verdict, words)
        yield verdict, f"{fault.name}: {words}"


def worst(verdicts: Iterable[str]) -> str:
    """Which of some verdicts decides; pass where none is anything else."""
    found = set(verdicts)
    return next((word for word in ("fail", "unknown", "skipped", PASS_WITH_WAIVERS) if word in found), "pass")


def together(found: Iterable[tuple[str, str]], nothing: str) -> Answer:
    """One answer from those of each fault: the worst decides, what passed is counted, all are told."""
    answers = list(found)
    told = [words for verdict, words in answers if verdict not in PASSING]
    passed = [words for verdict, words in answers if verdict in PASSING]
    evidence = "; ".join(part for part in (*told, *passed) if part)
    if any(verdict == "fail" for verdict, _ in answers):
        return Answer("fail", evidence)
    if not passed or any(verdict == "unknown" for verdict, _ in answers):
        return Answer("unknown", evidence or nothing)
    waived = any(verdict == PASS_WITH_WAIVERS for verdict, _ in answers)
    return Answer(PASS_WITH_WAIVERS if waived else "pass", evidence)


_CHECKS = Plugins("seatrial.judge.checks", "seatrial.checks", ("Options", "TITLE", "check"))


def checker_names() -> list[str]:
    """The checks that a claim can name."""
    return _CHECKS.names()


def checker(name: str) -> Checker:
    """The module of the check `name`."""
    return cast(Checker, _CHECKS.load(name))


def load_checkers(study: Study) -> list[tuple[Claim, Checker, Model]]:
    """Every acceptance claim with its checker and options; InputError when a claim names no check or a wrong key."""
    loaded = []
    for index, claim in enumerate(study.claims):
        if claim.check not in checker_names():
            raise study.mistake(("claims", index, "check"), not_known(claim.check, checker_names()))
        module = checker(claim.check)
        options = validate(module.Options, claim.options(), study.source, ("claims", index))
        loaded.append((claim, module, options))
    return loaded


def rests_on(checker: object, *, controls: bool = False) -> frozenset[Evidence]:
    """The evidence that a checker declares as `RESTS_ON`; one that declares none rests on everything.

    `controls`: of faults that are negative controls, where it declares that as `RESTS_ON_OF_CONTROLS`.
    """
    declared = frozenset(getattr(checker, "RESTS_ON", EVERYTHING))
    return frozenset(getattr(checker, "RESTS_ON_OF_CONTROLS", declared)) if controls else declared


def run_checkers(study: Study, record: Record) -> list[Judgement]:
    """One judgement for every acceptance claim of the study, and for those that the study had when the run began."""
    complete = completeness(study, record)
    contradictions = contradictions_of(study, record)
    judgements = []
    for claim, module, options in load_checkers(study):
        try:
            answer = module.check(record, options)
        except Exception as error:
            answer = Answer("unknown", f"the checker failed: {type(error).__name__}: {error}")
        answer = with_all_evidence(answer, complete, module)
        answer = unless(answer, why_contradicted(contradictions, claim.check) or why_untried(record, claim.check))
        title = claim.title or module.TITLE
        answer = _with_sources(answer, study, claim, options)
        judgements.append(
            Judgement(claim.id, "acceptance", title, answer.verdict, answer.evidence, waivers=answer.waivers)
        )
    return [*judgements, *_claims_gone(study, complete)]


def with_all_evidence(answer: Answer, complete: Completeness, checker: object) -> Answer:
    """The answer, or where it is `pass` and evidence that it rests on is missing or twice, `unknown`."""
    if answer.verdict not in PASSING:
        return answer
    controls = complete.controls

    def concerns(flaw: Flaw) -> bool:
        return flaw.kind in rests_on(checker, controls=flaw.place.fault in controls)

    told = f"{answer.evidence}{DERIVED}" if complete.is_derived else answer.evidence
    flaws = complete.of(EVERYTHING, concerns)
    if flaws:
        return replace(answer, verdict="unknown", evidence=f"{told}; but {words_of(flaws)}")
    return replace(answer, evidence=told)


def _claims_gone(study: Study, complete: Completeness) -> list[Judgement]:
    """Claims that the stored study has no more: nobody can say that they hold."""
    if complete.manifest is None:
        return []
    there = {claim.id for claim in study.claims}
    gone = [claim for claim in complete.manifest.claims if claim.id not in there]
    why = "the study that the record keeps does not make this claim any more"
    return [Judgement(claim.id, "acceptance", f"check {claim.check}", "unknown", why) for claim in gone]


def unless(answer: Answer, reason: str | None) -> Answer:
    """The answer; where there is a reason why it cannot be relied on, no `pass`."""
    if reason is None or answer.verdict not in PASSING:
        return answer
    return replace(answer, verdict="unknown", evidence=f"{reason} (else: {answer.evidence})")


def _with_sources(answer: Answer, study: Study, claim: Claim, options: Model) -> Answer:
    """The same, where something was waived with the place of the study that waives it, and why."""
    if not answer.waivers or not isinstance(options, WaivingOptions):
        return answer
    index = study.claims.index(claim)
    waivers = tuple(
        with_source(item, study.source.where(("claims", index, item.key)), index, options) for item in answer.waivers
    )
    return Answer(answer.verdict, f"{whole_words(waivers)}; {answer.evidence}", waivers)


def refuse_without_reason(study: Study) -> None:
    """InputError when a claim waives something and does not say why: before a run, as older results have no reasons."""
    for index, (_, _, options) in enumerate(load_checkers(study)):
        for key in options.without_reason if isinstance(options, WaivingOptions) else ():
            value = getattr(options, key)
            raise study.mistake(
                ("claims", index, key),
                f"{key}: {value} waives what this claim would not let pass, and a waiver needs a reason; write "
                f'reasons: {{{key}: "why it may pass"}} beside it',
            )


def named(phase: PhaseResult) -> str:
    """A phase in words: `fig7 clients=4 repeat 2 read`."""
    return phase_text(phase.experiment, phase.point, f"repeat {phase.repeat}", phase.phase)
