"""The published claims: every claim of the paper, answered with a reason.

A claim `agrees`, or this system is `better`, `worse` or `different`, or the answer is
`inconclusive`.

The content of a claim is in the published file (`form`, see published/README.md). The series of the
study that answers it is in the study's `published_claims`. A published rate is compared as a share
of the resource that bounds it there and here, never as bytes per second of a scale model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from seatrial.judge.answer import Answer, Reason, inconclusive
from seatrial.judge.base import Judgement
from seatrial.judge.borrowed import missing_words, series_of
from seatrial.judge.claim import Context, claim_form
from seatrial.judge.comparing import best_value
from seatrial.judge.flaws import Evidence, Flaw
from seatrial.judge.missing import (
    Completeness,
    borrowed_faults,
    borrowed_phases,
    completeness,
    words_of,
)
from seatrial.judge.published_faults import (
    agreed_by_all,
    evidence_of,
    judge_by_faults,
    source_words,
)
from seatrial.judge.series import NoAnswer, NotMeasured
from seatrial.result.result import Result
from seatrial.study.experiment import VARIANT
from seatrial.study.profiles import PAPER
from seatrial.study.published import PublishedClaim, SeriesRef
from seatrial.study.study import Study

SERIES_REST_ON = frozenset(
    {Evidence.SYSTEM, Evidence.PHASES, Evidence.AGENT_LINES, Evidence.PUBLISHED}
)


def published_claims(study: Study, published: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The claims of a published result; InputError when the study answers one that it does not
    have.
    """
    claims: list[dict[str, Any]] = published.get("claims") or []
    unknown = set(study.published_claims) - {str(claim["id"]) for claim in claims}
    if unknown:
        name = min(unknown)
        raise study.mistake(("published_claims", name), f"{study.published} has no claim {name}")
    for name, first in study.published_claims.items():
        for answer in first.answers():
            for reference in series_of(answer):
                if reference.from_ is None:
                    _check_series(study, name, answer, reference)
    return claims


def _check_series(study: Study, name: str, answer: PublishedClaim, reference: SeriesRef) -> None:
    """InputError when a series would mix points of different kinds, or names values that are never
    measured.
    """
    experiment = study.experiments[reference.experiment]
    vary = {
        **({VARIANT: tuple(experiment.variants)} if experiment.variants else {}),
        **experiment.sweep,
    }
    in_paper = study.experiments_in(PAPER).get(reference.experiment)
    paper = in_paper.sweep if in_paper is not None else {}
    chosen = [answer.a, answer.b, answer.best, *(answer.among or ()), *(answer.step or ())]
    for key, value in [
        *reference.where.items(),
        *((answer.over, chosen_value) for chosen_value in chosen if chosen_value is not None),
    ]:
        # The profile paper may have further values.
        values_of_key = (*vary.get(key, ()), *paper.get(key, ()))
        if value not in values_of_key:
            raise study.mistake(
                ("published_claims", name),
                f"{reference.experiment} does not sweep {key} over {value!r}; "
                f"it has {list(values_of_key)}",
            )
    mixed = [
        key
        for key, values in vary.items()
        if len(values) > 1 and key not in (answer.over, *reference.where)
    ]
    if mixed:
        raise study.mistake(
            ("published_claims", name),
            f"{reference.experiment} varies {mixed[0]} too; select one value with where:",
        )


def judge_published(study: Study, result: Result) -> list[Judgement]:
    """One judgement for every claim of the published file that the result keeps, in its order."""
    complete = completeness(study, result)
    manifest = complete.manifest
    if manifest is not None and manifest.published_sha256 is not None and not result.published:
        why = "the stored published result is missing"
        without_evidence = inconclusive(why, Reason.EVIDENCE_MISSING)
        return [_judgement(name, "", without_evidence) for name in study.published_claims]
    return [
        _judge(study, result, claim, complete)
        for claim in published_claims(study, result.published)
    ]


def _judge(
    study: Study, result: Result, claim: dict[str, Any], complete: Completeness
) -> Judgement:
    identity = str(claim["id"])
    statement = str(claim["statement"])
    mapping = study.published_claims.get(identity)
    if mapping is None:
        why = "no experiment of this study measures it"
        return _judgement(identity, statement, inconclusive(why, Reason.NOTHING_CHECKED))
    why = ""
    for better in mapping.answers():
        context = Context(study, result, claim["form"], better)
        try:
            answer = _answer(context)
        except NotMeasured as reason:  # of several, the last reason is reported
            why = str(reason)
            continue
        answer = _with_all_points(answer, context, complete)
        note = f". {better.note}" if better.note and answer.verdict != "inconclusive" else ""
        with_note = replace(answer, evidence=f"{answer.evidence}{note}")
        return _judgement(identity, statement, with_note, context.measured or None)
    return _judgement(identity, statement, inconclusive(why, Reason.NOT_MEASURED))


def _judgement(
    identity: str, statement: str, answer: Answer, measured: dict[str, Any] | None = None
) -> Judgement:
    return Judgement(
        claim=identity,
        kind="published",
        statement=statement,
        verdict=answer.verdict,
        evidence=answer.evidence,
        measured=measured,
        reason=answer.reason,
    )


def _with_all_points(answer: Answer, context: Context, complete: Completeness) -> Answer:
    """The answer, or where the evidence that it rests on is missing or a duplicate, `inconclusive`.

    For figures `better`, `worse` and `different` rest on all repeats of all points, too; one fault
    with another result is sufficient for a decision.
    """
    mapping = context.mapping
    if answer.verdict == "inconclusive":
        return answer
    if mapping.faults:
        return _with_all_faults(answer, context, complete)
    references = series_of(mapping)
    others = dict.fromkeys(item.from_ for item in references if item.from_ is not None)
    own_references = [item for item in references if item.from_ is None]
    flaws = (
        complete.of(SERIES_REST_ON, partial(_concerns, own_references)) if own_references else []
    )
    if others:
        flaws += complete.of({Evidence.BORROWED})
    for name in others:
        borrowed_references = [item for item in references if item.from_ == name]
        judged = borrowed_phases(context.result.borrowed[name])
        # The lines of its agents were not copied.
        flaws += judged.of({Evidence.PHASES}, partial(_concerns, borrowed_references))
    if not flaws:
        return answer
    return inconclusive(f"{answer.evidence}; but {words_of(flaws)}", Reason.EVIDENCE_MISSING)


def _concerns(series: Sequence[SeriesRef], flaw: Flaw) -> bool:
    """Whether a flaw is of one of these series."""
    place = flaw.place
    return not place.fault and any(
        place.experiment in ("", item.experiment) and place.phase in ("", item.phase)
        for item in series
    )


def _with_all_faults(answer: Answer, context: Context, complete: Completeness) -> Answer:
    """The answer; for faults of another study, that study's own manifest counts, as far as it was
    copied.
    """
    mapping = context.mapping
    judged = complete
    if mapping.from_ is not None:
        answer = agreed_by_all(answer, complete, frozenset({Evidence.BORROWED}), ())
        if answer.verdict == "inconclusive":
            return answer
        judged = borrowed_faults(context.result.borrowed[mapping.from_])
    controls = any(name in judged.controls for name in mapping.faults)
    evidence = evidence_of(context.form, mapping, controls=controls)
    if mapping.from_ is not None:  # the lines of its agents were not copied
        evidence -= {Evidence.AGENT_LINES}
    return agreed_by_all(answer, judged, evidence, mapping.faults)


def _by_faults(context: Context) -> Answer:
    """The answer by faults of this result, or by those that it has from another study."""
    mapping = context.mapping
    result = context.result
    source = ""
    if mapping.from_ is not None:
        borrowed = result.borrowed.get(mapping.from_)
        if borrowed is None:
            return inconclusive(missing_words(mapping.from_), Reason.NOTHING_CHECKED)
        result = borrowed
        source = source_words(borrowed)
    answer = judge_by_faults(context.form, mapping, result)
    return replace(answer, evidence=f"{source}{answer.evidence}")


def _answer(context: Context) -> Answer:
    """The answer by the claim's series; NotMeasured when this run has not measured it."""
    mapping = context.mapping
    form = context.form
    if mapping.inconclusive is not None and mapping.series is None:
        return inconclusive(mapping.inconclusive)
    if mapping.faults:
        return _by_faults(context)
    # Several series, each with its own limit, are judged alike under every form.
    judged = claim_form("property" if mapping.expect else form["type"])
    if judged is None:
        words = f"claims of the form {form['type']!r} are not judged from series"
        return inconclusive(words, Reason.NOTHING_CHECKED)
    try:
        if mapping.inconclusive is not None:
            return inconclusive(f"{best_value(context)}; {mapping.inconclusive}")
        return judged.judge(context)
    except NotMeasured:
        if mapping.inconclusive is not None:
            return inconclusive(mapping.inconclusive)
        raise
    except NoAnswer as why:
        return inconclusive(str(why), Reason.NOTHING_CHECKED)
