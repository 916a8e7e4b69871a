"""The published fault table, and the claims about faults: each answered by the faults of the study
that repeat them.

A row agrees when the service failed over, or stayed, as printed, and the longest outage of any
client is within the printed recovery. A shorter outage is better; a longer one, or one without an
end, is worse. A service that stayed where the paper prints a failover, or the reverse, is
different. Times are not scaled, but rest on timeouts that a study may set otherwise; the evidence
has both. A claim agrees when each of its faults has the properties that the study names for it
(`decides`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from seatrial.basics.errors import not_known
from seatrial.judge.answer import Answer, Reason, Verdict, inconclusive, reason_of
from seatrial.judge.base import Judgement
from seatrial.judge.checks.faults import RESTS_ON as COURSE_RESTS_ON
from seatrial.judge.checks.faults import RESTS_ON_OF_CONTROLS
from seatrial.judge.contrary import verdict_of_all
from seatrial.judge.controls import evidence_for
from seatrial.judge.fault_properties import (
    Limits,
    as_expected,
    by_check,
    contrary_to,
    outage,
    place,
    property_names,
    rests_on_property,
    tested,
    timed_properties,
)
from seatrial.judge.flaws import Evidence
from seatrial.judge.missing import Completeness, borrowed_faults, completeness, words_of
from seatrial.result.faults import FaultResult, outage_words
from seatrial.result.result import Result
from seatrial.study.published import PublishedClaim
from seatrial.study.study import Study

ROW_RESTS_ON = frozenset({Evidence.FAULTS, Evidence.STREAMS, Evidence.ROLES, Evidence.AGENT_LINES})
UNITS_S = {"s": 1.0, "min": 60.0}
FORMS_OF_FAULTS = ("range", "property")
EVIDENCE_MAX = 6
"""the evidence of more properties of faults is a list of the faults"""


def fault_rows(study: Study, published: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The published fault table; InputError when the study repeats a row that it does not have."""
    rows: list[dict[str, Any]] = published.get("faults") or []
    row_ids = {str(row["id"]) for row in rows}
    for name, fault in study.faults.items():
        if published and fault.published is not None and fault.published not in row_ids:
            raise study.mistake(
                ("faults", name, "published"), f"{study.published} has no fault {fault.published}"
            )
    return rows


def judge_fault_rows(study: Study, result: Result) -> list[Judgement]:
    """One judgement for every row of the table that the result keeps.

    A row is answered by the other study of `fault_rows_from` where that repeats it, else by the
    faults of this study.
    """
    complete = completeness(study, result)
    borrowed = result.borrowed.get(study.fault_rows_from or "")
    repeated = {item.published for item in borrowed.faults} if borrowed is not None else set()
    by_row: dict[str, list[FaultResult]] = {}
    for item in result.faults:
        if item.published is not None:
            by_row.setdefault(item.published, []).append(item)
    judgements = []
    for row in fault_rows(study, result.published):
        identity = str(row["id"])
        if borrowed is not None and identity in repeated:
            answer = _borrowed_row(row, borrowed, complete)
        else:
            faults = by_row.get(identity, [])
            # The manifest also knows the faults that repeat the row and are missing.
            names = {item.name for item in faults} | complete.faults_that_repeat(identity)
            answer = agreed_by_all(judge_row(row, faults), complete, ROW_RESTS_ON, names)
        statement = f"{row.get('failure', identity)}: {row.get('expected', '')}".rstrip(": ")
        judgements.append(
            Judgement(
                claim=identity,
                kind="published",
                statement=statement,
                verdict=answer.verdict,
                evidence=answer.evidence,
                reason=answer.reason,
            )
        )
    return judgements


def _borrowed_row(row: Mapping[str, Any], borrowed: Result, complete: Completeness) -> Answer:
    """A row by the faults of another study's result; the lines of its agents were not copied."""
    faults = [item for item in borrowed.faults if item.published == str(row["id"])]
    answer = agreed_by_all(judge_row(row, faults), complete, frozenset({Evidence.BORROWED}), ())
    of_lender = borrowed_faults(borrowed)
    needed = ROW_RESTS_ON - {Evidence.AGENT_LINES}
    names = {item.name for item in faults} | of_lender.faults_that_repeat(str(row["id"]))
    answer = agreed_by_all(answer, of_lender, needed, names)
    return replace(answer, evidence=f"{source_words(borrowed)}{answer.evidence}")


def source_words(borrowed: Result) -> str:
    """The study and the day of a result that was copied into another one."""
    run = borrowed.first("run")
    day = datetime.fromtimestamp(float(run["unix_s"]), UTC)
    return f"{run['study']} of {day:%Y-%m-%d}: "


def agreed_by_all(
    answer: Answer, complete: Completeness, evidence: frozenset[Evidence], faults: Collection[str]
) -> Answer:
    """The answer, or where something of these faults is missing or a duplicate, `inconclusive` in
    place of `agrees`.

    One fault with another result is sufficient for a decision; faults of another published result
    decide nothing.
    """
    if answer.verdict == "inconclusive":
        return answer
    needed = evidence if answer.verdict in ("agrees", "better") else frozenset[Evidence]()
    flaws = complete.of(
        needed | {Evidence.PUBLISHED}, lambda flaw: flaw.place.fault in ("", *faults)
    )
    if not flaws:
        return answer
    return inconclusive(f"{answer.evidence}; but {words_of(flaws)}", Reason.EVIDENCE_MISSING)


def judge_row(row: Mapping[str, Any], faults: Sequence[FaultResult]) -> Answer:
    """A row by all faults that repeat it: one that does not agree decides, and one without an
    answer leaves it open.
    """
    if not faults:
        return inconclusive("no fault of this run repeats it", Reason.NOT_MEASURED)
    answers = [_judge(row, fault).about(fault.name) for fault in faults]
    evidence = "; ".join(item.evidence for item in answers)
    verdict = verdict_of_all(item.verdict for item in answers)
    return Answer(verdict, evidence, reason_of(verdict, answers))


def _judge(row: Mapping[str, Any], fault: FaultResult) -> Answer:
    """The printed place of the service first; then the printed recovery, where it is about this
    kind of event.
    """
    moves = row.get("failover")
    printed = moves if isinstance(moves, bool) else bool(fault.expect.get("fails_over", False))
    where = place(fault, moves=printed)
    if where.verdict in ("inconclusive", "worse") or fault.unrecovered is not None:
        return where
    limits = recovery_s(row.get("recovery"))
    # A recovery time that is printed for a failover does not apply to a fault without one.
    applies = fault.moved or (isinstance(moves, bool) and not moves)
    timed = outage(fault, limits) if limits is not None and applies else None
    longest = timed.evidence if timed else f"longest outage {outage_words(fault)}"
    evidence = f"{where.evidence}, {longest}"
    if where.verdict == "different":
        course = "fails over" if printed else "stays"
        return Answer("different", f"{evidence}; published: the service {course}")
    if timed is None:
        return Answer("agrees", evidence)
    return Answer(timed.verdict, evidence, timed.reason)


def recovery_s(recovery: Any) -> Limits | None:
    """The printed recovery in seconds; None where none is printed."""
    if not isinstance(recovery, Mapping):
        return None
    factor = UNITS_S.get(str(recovery.get("unit", "s")))
    value = recovery.get("value", recovery.get("approx"))
    low = recovery.get("min", value)
    high = recovery.get("max", value)
    if factor is None or not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return Limits(low * factor, high * factor)


def check_decides(study: Study, published: Mapping[str, Any]) -> None:
    """InputError when a claim that faults answer does not name a property that exists and that its
    printed form allows.
    """
    _check_properties(study)
    forms = {str(claim["id"]): claim["form"]["type"] for claim in published.get("claims") or ()}
    for name, first in study.published_claims.items():
        for mapping in first.answers():
            if not mapping.faults or name not in forms:
                continue
            where = ("published_claims", name, "decides" if mapping.decides else "faults")
            if not mapping.decides:
                words = (
                    "faults answer this claim; name the property that decides, such as decides: "
                    f"[service-moved]; known: {', '.join(property_names())}"
                )
                raise study.mistake(where, words)
            if forms[name] not in FORMS_OF_FAULTS:
                raise study.mistake(
                    where, f"the published form is {forms[name]}, which no fault answers"
                )
            timed = timed_properties()
            timed_names = [item for item in mapping.decides if item in timed]
            if (forms[name] == "range") != bool(timed_names):
                wrong = (
                    f"needs {' or '.join(timed)} among them"
                    if forms[name] == "range"
                    else f"prints no time: leave {' and '.join(timed_names)} out"
                )
                raise study.mistake(where, f"the published form is {forms[name]}, which {wrong}")


def _check_properties(study: Study) -> None:
    """InputError when a claim names an unknown property, or two that contradict each other."""
    known_names = property_names()
    for claim, first in study.published_claims.items():
        for mapping in first.answers():
            where = ("published_claims", claim, "decides")
            for name in mapping.decides:
                if name not in known_names:
                    raise study.mistake(where, not_known(name, known_names))
                for other in contrary_to(name).intersection(mapping.decides):
                    pair = " and ".join(sorted((name, other)))
                    raise study.mistake(where, f"no fault has both {pair}")


def judge_by_faults(form: Mapping[str, Any], mapping: PublishedClaim, result: Result) -> Answer:
    """A claim by the property of each of its faults that the study names: one without the property
    decides.
    """
    if form["type"] not in FORMS_OF_FAULTS:
        words = f"claims of the form {form['type']!r} are not judged from faults"
        return inconclusive(words, Reason.NOTHING_CHECKED)
    faults_by_name = {item.name: item for item in result.faults}
    limits = recovery_s(form) if form["type"] == "range" else None
    if form["type"] == "range" and limits is None:
        return inconclusive("the printed range has no unit of time", Reason.NOTHING_CHECKED)
    answers = []
    agreeing: list[str] = []
    for name in mapping.faults:
        of_fault = [
            item.about(name) for item in _properties(mapping, faults_by_name.get(name), limits)
        ]
        answers += of_fault
        if all(item.verdict == "agrees" for item in of_fault):
            agreeing.append(name)
    agrees = [item.evidence for item in answers if item.verdict == "agrees"]
    unclear = [item.evidence for item in answers if item.verdict == "inconclusive"]
    contrary = [item.evidence for item in answers if item.verdict not in ("agrees", "inconclusive")]
    if len(agrees) > EVIDENCE_MAX:
        agrees = [_of_many(agreeing, mapping.decides)] if agreeing else []
    verdict = verdict_of_all(item.verdict for item in answers)
    shown = [*contrary, *agrees] if contrary else [*agrees, *unclear]
    return Answer(verdict, "; ".join(shown), _reason_of_all(verdict, answers))


def _of_many(faults: Sequence[str], properties: Sequence[str]) -> str:
    """The faults with all of the properties; the evidence of each is with the study's criteria."""
    names = ", ".join(faults)
    return f"{names}: each has {', '.join(properties) or 'the expected course'}"


def _reason_of_all(verdict: Verdict, answers: Sequence[Answer]) -> Reason | None:
    """Why the verdict is open. A fault that the run did not inject has precedence: a longer profile
    may decide the claim.
    """
    open_answers = [item for item in answers if item.verdict == verdict]
    if any(item.reason is Reason.NOT_MEASURED for item in open_answers):
        return Reason.NOT_MEASURED
    return reason_of(verdict, open_answers)


def evidence_of(
    form: Mapping[str, Any], mapping: PublishedClaim, *, controls: bool
) -> frozenset[Evidence]:
    """The evidence of `judge_by_faults`; `controls`: some of the faults are negative controls."""
    course = RESTS_ON_OF_CONTROLS if controls else COURSE_RESTS_ON
    if mapping.decides:
        return ROW_RESTS_ON.union(*map(rests_on_property, mapping.decides))
    if form["type"] == "range":
        return ROW_RESTS_ON
    return ROW_RESTS_ON.union(*(evidence_for(name, course) for name in mapping.checks))


def _properties(
    mapping: PublishedClaim, fault: FaultResult | None, limits: Limits | None
) -> list[Answer]:
    """The answers of the named properties on one fault; `fault`: None if the run did not inject it.
    Studies of older results name checks, or nothing.
    """
    if fault is None:
        return [inconclusive("not injected", Reason.NOT_MEASURED)]
    if mapping.decides:
        return [tested(name, fault, limits) for name in mapping.decides]
    if limits is not None:
        return [outage(fault, limits)]
    return [
        as_expected(fault) if check == "faults" else by_check(fault, check)
        for check in mapping.checks
    ]
