"""The published fault table: each row answered by the fault of the study that repeats it.

A row agrees when the service moved, or stayed, as printed, and the longest outage of any client lies within the
printed recovery. A shorter outage is better; a longer one, or one without an end, is worse. A service that stayed where
it should move, or moved where it should stay, is different. Times are not scaled, but rest on timeouts that a study may
set otherwise; the evidence tells both.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from seatrial.basics.units import format_duration
from seatrial.judge.base import Answer, Judgement, Verdict, worst
from seatrial.judge.checks.faults import RESTS_ON as COURSE_RESTS_ON
from seatrial.judge.checks.faults import RESTS_ON_OF_CONTROLS, judge_fault
from seatrial.judge.checks.outage import why_unknown
from seatrial.judge.contrary import LOWER_IS_BETTER, together
from seatrial.judge.controls import EVIDENCE, JUDGES
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import happened
from seatrial.judge.missing import Completeness, completeness, words_of
from seatrial.record.faults import FaultResult, outage_words
from seatrial.record.record import Record
from seatrial.study.published import FaultCheck
from seatrial.study.study import Study

NOT_INTERRUPTED_S = 2.0
"""a shorter outage is no interruption: a path is given up in about this time"""
ROW_RESTS_ON = frozenset({Evidence.FAULTS, Evidence.STREAMS, Evidence.ROLES, Evidence.AGENT_LINES})
UNITS_S = {"s": 1.0, "min": 60.0}


def fault_rows(study: Study, published: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The published fault table; InputError when the study repeats a row that it does not have."""
    rows: list[dict[str, Any]] = published.get("faults") or []
    known = {str(row["id"]) for row in rows}
    for name, fault in study.faults.items():
        if published and fault.published is not None and fault.published not in known:
            raise study.mistake(("faults", name, "published"), f"{study.published} has no fault {fault.published}")
    return rows


def judge_fault_rows(study: Study, record: Record) -> list[Judgement]:
    """One judgement for every row of the table that the record keeps."""
    complete = completeness(study, record)
    found: dict[str, list[FaultResult]] = {}
    for item in record.faults:
        if item.published is not None:
            found.setdefault(item.published, []).append(item)
    judgements = []
    for row in fault_rows(study, record.published):
        identity = str(row["id"])
        faults = found.get(identity, [])
        answer = judge_row(row, faults)
        # The manifest knows those that repeat the row and are not there any more.
        names = {item.name for item in faults} | complete.faults_that_repeat(identity)
        answer = agreed_by_all(answer, complete, ROW_RESTS_ON, names)
        statement = f"{row.get('failure', identity)}: {row.get('expected', '')}".rstrip(": ")
        judgements.append(Judgement(identity, "published", statement, answer.verdict, answer.evidence))
    return judgements


def agreed_by_all(
    answer: Answer, complete: Completeness, evidence: frozenset[Evidence], faults: Collection[str]
) -> Answer:
    """The answer, or where something of these faults is missing or twice, `inconclusive` in place of `agrees`.

    One fault that went another way decides by itself; of another published result nothing is decided.
    """
    if answer.verdict == "inconclusive":
        return answer
    needed = evidence if answer.verdict == "agrees" else frozenset[Evidence]()
    flaws = complete.of(needed | {Evidence.PUBLISHED}, lambda flaw: flaw.place.fault in ("", *faults))
    return Answer("inconclusive", f"{answer.evidence}; but {words_of(flaws)}") if flaws else answer


def judge_row(row: Mapping[str, Any], faults: Sequence[FaultResult]) -> Answer:
    """A row by all faults that repeat it: one that does not agree decides, one that cannot say leaves it open."""
    if not faults:
        return Answer("inconclusive", "no fault of this run repeats it")
    answers = [_judge(row, fault) for fault in faults]
    evidence = "; ".join(f"{fault.name}: {answer.evidence}" for fault, answer in zip(faults, answers, strict=True))
    return Answer(together(answer.verdict for answer in answers), evidence)


def _judge(row: Mapping[str, Any], fault: FaultResult) -> Answer:
    """One fault; where it went otherwise while the lab machine was short of processors, nothing is known."""
    answer = _compared(row, fault)
    limited = fault.limited() if answer.verdict in ("worse", "different") else None
    return Answer("inconclusive", f"{answer.evidence}, but {limited}") if limited else answer


def _compared(row: Mapping[str, Any], fault: FaultResult) -> Answer:
    reason = _no_course(fault) or (None if fault.unrecovered else why_unknown(fault))
    if reason:
        return Answer("inconclusive", reason)
    moves = row.get("failover")
    printed = moves if isinstance(moves, bool) else bool(fault.expect.get("moves", False))
    told = "the service moved" if fault.moved else "the service stayed"
    if fault.unrecovered is not None:
        return Answer("worse", f"{told}, {outage_words(fault)}")
    told += f", longest outage {outage_words(fault)}"
    limits = recovery_s(row.get("recovery"))
    if limits is not None and (fault.moved or not printed):
        told += f" (published: {range_text(limits)})"
    if fault.moved != printed:
        return Answer("different", f"{told}; published: the service {'moves' if printed else 'stays'}")
    if limits is None or (not isinstance(moves, bool) and not fault.moved):
        return Answer("agrees", told)
    low_s, high_s = limits
    if high_s <= NOT_INTERRUPTED_S:
        low_s, high_s = 0.0, NOT_INTERRUPTED_S
    verdict = _outage_verdict(fault, low_s, high_s)
    length = {"better": ": shorter", "worse": ": longer"}.get(verdict, "")
    return Answer(verdict, f"{told}{length}")


def _outage_verdict(fault: FaultResult, low_s: float, high_s: float) -> Verdict:
    """Of the longest outage beside a printed range: one without an end is worse than any."""
    if fault.unrecovered is not None or fault.longest_s > high_s:
        return LOWER_IS_BETTER.above
    return LOWER_IS_BETTER.below if fault.longest_s < low_s else "agrees"


def _no_course(fault: FaultResult) -> str | None:
    """Why nothing is known of how it went, whatever became of the streams."""
    if fault.skipped is not None:
        return f"skipped: {fault.skipped}"
    if fault.failed is not None:
        return fault.failed
    if fault.moved is None:
        return "no server could tell where the service is"
    return None


def recovery_s(recovery: Any) -> tuple[float, float] | None:
    """The printed recovery as (shortest, longest) in seconds; None where none is printed."""
    if not isinstance(recovery, Mapping):
        return None
    factor = UNITS_S.get(str(recovery.get("unit", "s")))
    value = recovery.get("value", recovery.get("approx"))
    low, high = recovery.get("min", value), recovery.get("max", value)
    if factor is None or not isinstance(low, int | float) or not isinstance(high, int | float):
        return None
    return low * factor, high * factor


def range_text(limits: tuple[float, float]) -> str:
    """`30 to 60 s`."""
    low_s, high_s = limits
    return format_duration(high_s) if low_s == high_s else f"{format_duration(low_s)} to {format_duration(high_s)}"


def judge_by_faults(
    form: Mapping[str, Any],
    names: Sequence[str],
    record: Record,
    checks: Sequence[FaultCheck] = ("faults", "integrity"),
) -> Answer:
    """A claim about failing over: a range of times, or a property that holds when each fault passes these checks."""
    found = {item.name: item for item in record.faults if item.name in names}
    # What a control has to lose may take a stream with it; a time says nothing without all streams.
    reasons = {
        name: _no_course(item) or (None if _is_decided(item, form) else why_unknown(item))
        for name, item in found.items()
    }
    usable = [found[name] for name in names if name in found and reasons[name] is None]
    missing = [f"{name}: {why}" for name in names if (why := reasons.get(name, "not injected")) is not None]
    if form["type"] == "range" and (limits := recovery_s(form)) is not None:
        told = [f"{item.name}: {outage_words(item)}" for item in usable]
        outcomes = [(item, _outage_verdict(item, *limits)) for item in usable]
        limited = {item.name: why for item, it in outcomes if it == "worse" and (why := item.limited())}
        missing += [f"{name}: {why}" for name, why in limited.items()]
        verdict = together(it for item, it in outcomes if item.name not in limited)
        words = f"longest outage, published {range_text(limits)}: {', '.join(told)}"
    elif form["type"] == "property":
        judged = [(item, _by_checks(item, checks)) for item in usable]
        verdict = "worse" if any(it == "fail" for _, (it, _) in judged) else "agrees"
        words = "; ".join(f"{item.name}: {text}" for item, (_, text) in judged)
        missing += [f"{item.name}: {text}" for item, (it, text) in judged if it not in ("pass", "fail")]
    else:
        return Answer("inconclusive", f"claims of the form {form['type']!r} are not judged from faults")
    if usable and verdict != "agrees":
        return Answer(verdict, words)
    if missing or not usable:
        return Answer("inconclusive", "; ".join([*([words] if usable else []), *missing]))
    return Answer("agrees", words)


def evidence_of(form: Mapping[str, Any], checks: Sequence[FaultCheck], *, controls: bool) -> frozenset[Evidence]:
    """What `judge_by_faults` rests on; `controls`: some of the faults are negative controls."""
    if form["type"] == "range":
        return ROW_RESTS_ON
    course = RESTS_ON_OF_CONTROLS if controls else COURSE_RESTS_ON
    return ROW_RESTS_ON.union(*(EVIDENCE.get(name, course) for name in checks))


def _is_decided(fault: FaultResult, form: Mapping[str, Any]) -> bool:
    """Whether a claim can be judged although some stream of the fault is not known to its end."""
    return fault.unrecovered is not None or bool(fault.controls and form["type"] == "property")


def _by_checks(fault: FaultResult, checks: Sequence[FaultCheck]) -> tuple[str, str]:
    """(fail if any check fails, else unknown if any cannot tell, else pass; what decided it, or all that was told)."""
    answers = [judge_fault(fault) if name == "faults" else happened(fault, *JUDGES[name](fault)) for name in checks]
    if not answers:
        return "unknown", "nothing was checked"
    decisive = worst(verdict for verdict, _ in answers)
    told = [words for verdict, words in answers if verdict == decisive]
    return decisive, (", " if decisive == "pass" else "; ").join(told)
