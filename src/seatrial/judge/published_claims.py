"""The published claims: every claim of the paper, answered `agrees`, `differs` or `inconclusive`, with a reason.

What a claim says stands in the published file (`form`, see published/README.md). Which series of the study
answers it stands in the study's `published_claims`. A published rate is compared as a share of the resource
that bounds it there and here, never as bytes per second of a scale model.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from seatrial.judge.base import Answer, Judgement
from seatrial.judge.claim_forms import FORMS, Context, best_value
from seatrial.judge.published_faults import judge_by_faults
from seatrial.judge.series import NoAnswer, NotMeasured
from seatrial.record.record import Record
from seatrial.study.experiment import ROW
from seatrial.study.published import PublishedClaim, SeriesRef
from seatrial.study.study import Study


def published_claims(study: Study, published: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The claims of a published result; InputError when the study answers one that it does not have."""
    claims: list[dict[str, Any]] = published.get("claims") or []
    unknown = set(study.published_claims) - {str(claim["id"]) for claim in claims}
    if unknown:
        name = min(unknown)
        raise study.mistake(("published_claims", name), f"{study.published} has no claim {name}")
    for name, first in study.published_claims.items():
        for answer in first.answers():
            expected = (reference for item in answer.expect for reference in (item.series, item.other))
            for reference in filter(None, (answer.series, answer.other, *expected)):
                _check_series(study, name, answer, reference)
    return claims


def _check_series(study: Study, name: str, answer: PublishedClaim, reference: SeriesRef) -> None:
    """InputError when a series would mix points of different kinds, or names values that are never measured."""
    experiment = study.experiments[reference.experiment]
    vary = {**({ROW: tuple(experiment.rows)} if experiment.rows else {}), **experiment.vary}
    chosen = [answer.a, answer.b, answer.best, *(answer.among or ())]
    for key, value in [*reference.where.items(), *((answer.over, it) for it in chosen if it is not None)]:
        if value not in vary.get(key, ()):
            raise study.mistake(
                ("published_claims", name),
                f"{reference.experiment} does not vary {key} over {value!r}; it has {list(vary.get(key, ()))}",
            )
    mixed = [key for key, values in vary.items() if len(values) > 1 and key not in (answer.over, *reference.where)]
    if mixed:
        raise study.mistake(
            ("published_claims", name), f"{reference.experiment} varies {mixed[0]} too; say with where: at which value"
        )


def judge_published(study: Study, record: Record) -> list[Judgement]:
    """One judgement for every claim of the published file that the record keeps, in its order."""
    return [_judge(study, record, claim) for claim in published_claims(study, record.published)]


def _judge(study: Study, record: Record, claim: dict[str, Any]) -> Judgement:
    identity, statement = str(claim["id"]), str(claim["statement"])
    mapping = study.published_claims.get(identity)
    if mapping is None:
        return Judgement(identity, "published", statement, "inconclusive", "no experiment of this study measures it")
    why = ""
    for better in mapping.answers():
        try:
            answer, measured = _answer(Context(study, record, claim["form"], better))
        except NotMeasured as reason:  # of several, the last one's is told
            why = str(reason)
            continue
        note = f". {better.note}" if better.note and answer.verdict != "inconclusive" else ""
        return Judgement(identity, "published", statement, answer.verdict, f"{answer.evidence}{note}", measured)
    return Judgement(identity, "published", statement, "inconclusive", why)


def _by_faults(context: Context) -> Answer:
    """By faults of this record, or by those that it has of another study."""
    mapping, record, told = context.mapping, context.record, ""
    if mapping.from_ is not None:
        borrowed = record.borrowed.get(mapping.from_)
        if borrowed is None:
            words = f"no whole result of {mapping.from_} lay beside this one when it began; run that study first"
            return Answer("inconclusive", words)
        day = datetime.fromtimestamp(float(borrowed.first("run")["unix_s"]), UTC)
        record, told = borrowed, f"{mapping.from_} of {day:%Y-%m-%d}: "
    answer = judge_by_faults(context.form, mapping, record)
    return Answer(answer.verdict, f"{told}{answer.evidence}")


def _answer(context: Context) -> tuple[Answer, dict[str, Any] | None]:
    """With the figures that were compared; NotMeasured when this run has not measured the claim's series."""
    mapping, form = context.mapping, context.form
    if mapping.inconclusive is not None and mapping.series is None:
        return Answer("inconclusive", mapping.inconclusive), None
    if mapping.faults:
        return _by_faults(context), None
    judge = FORMS.get(form["type"])
    if judge is None:
        return Answer("inconclusive", f"claims of the form {form['type']!r} are not judged from series"), None
    try:
        if mapping.inconclusive is not None:
            answer = Answer("inconclusive", f"{best_value(context)}; {mapping.inconclusive}")
        else:
            answer = judge(context)
    except NotMeasured:
        raise
    except NoAnswer as reason:
        answer = Answer("inconclusive", str(reason))
    return answer, context.measured or None
