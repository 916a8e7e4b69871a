"""`check: consistency`: the operations of all clients are consistent with one storage, across every
fault.

Passes when every consistency test of every fault checked something and found no violation. Each
lock has one holder, and each name has one winner. A rename neither loses nor duplicates a file.
Acknowledged data are visible to later opens and at the end. Every client still has the lock that it
keeps. [All rules](consistency-rules.md).

Unknown when nothing was checked, when a history is incomplete, or when the storage could not be
inspected. Also unknown when clocks are less certain than the tested effect, when clients did not
compete for locks, or when too few operations were answered. An EEXIST or ENOENT of the outage may
answer a retransmitted request, and is unknown too.

`lost_locks: waive` is for faults that last longer than the lease of the server (RFC 8881, section
8.4.3). `stale_reads: waive` is for NFSv3 clients of Linux 5.16 and later, which may open a file
again [without a request](nfs3-reader/README.md).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field

from seatrial.analysis.histories import RETRANSMITTED, FindingsEntry
from seatrial.analysis.reasons import Unknown
from seatrial.judge.answer import Answer, Reason, combine, failed, skipped, unknown
from seatrial.judge.base import answer_on_control
from seatrial.judge.busy import fail_unless_busy
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import only_if_shown
from seatrial.judge.waivers import PASS_WITH_WAIVERS, Waiver, WaivingOptions
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.study.consistency_kinds import kind_names, load_kind

TITLE = "all clients see one consistent storage"
NEEDS_FAULTS = True
FINDS_DAMAGE = True
RESTS_ON = frozenset({Evidence.FAULTS, Evidence.STREAMS, Evidence.CONSISTENCY})
NAMED_MAX = 3
NOTHING = "no consistency test ran"


class Options(WaivingOptions):
    """`{check: consistency, lost_locks: waive, ambiguous_errors: waive, stale_reads: waive,
    reasons: {stale_reads: why}}`.
    """

    WAIVES: ClassVar[dict[str, str]] = {
        "lost_locks": "waive",
        "ambiguous_errors": "waive",
        "stale_reads": "waive",
    }
    lost_locks: Literal["fail", "waive"] = Field(
        "fail",
        description="`waive` waives lost locks, for faults that last longer than the lease of "
        "the server.",
    )
    ambiguous_errors: Literal["unknown", "waive"] = Field(
        "unknown",
        description="`waive` waives operations with an error that may answer a retransmitted "
        "request.",
    )
    stale_reads: Literal["fail", "waive"] = Field(
        "fail",
        description="`waive` waives stale NFSv3 opens for which the client provably sent no "
        "request.",
    )


STRICT = Options()


def check(result: Result, options: Options) -> Answer:
    """Judge every consistency test of every fault."""
    answers: list[Answer] = []
    for fault in result.faults:
        if not fault.controls:
            tests = (only_if_shown(fault, item) for item in judge_fault(fault, options))
            answers += [item.about(fault.name, " ") for item in tests]
        elif "consistency" in fault.controls:
            answers.append(answer_on_control(fault, judge(fault)).about(fault.name))
    return combine(answers, NOTHING)


def judge(fault: FaultResult) -> Answer:
    """The answer on one fault; for a negative control, by every promise of the kind."""
    return skipped(fault) if fault.skipped is not None else combine(judge_fault(fault), NOTHING)


def judge_fault(fault: FaultResult, options: Options = STRICT) -> list[Answer]:
    """The answers on each consistency test of one fault."""
    if fault.skipped is not None:
        return [skipped(fault)]
    if fault.failed is not None and not fault.consistency:
        return [unknown(fault.failed, Reason.NOT_CARRIED_THROUGH)]
    return [judge_test_of(fault, name, options).about(name) for name in fault.consistency]


def judge_test_of(fault: FaultResult, name: str, options: Options = STRICT) -> Answer:
    """The answer on one consistency test of a fault, for the criterion and for the report's
    table.
    """
    subject = f"{fault.name} {name}"
    return judge_consistency_test(fault.consistency[name], options, fault.limited(), subject)


def waivers_of(subject: str, findings: FindingsEntry, options: Options) -> list[Waiver]:
    """The findings of one consistency test that the options waive."""
    waivers = []
    if findings["lost_locks_count"] and options.lost_locks == "waive":
        waivers.append(
            Waiver(
                "lost_locks",
                "violation",
                findings["lost_locks_count"],
                subject,
                _first(findings, "lost_locks"),
            )
        )
    unasked = _unasked(findings)
    if unasked and options.stale_reads == "waive":
        waivers.append(
            Waiver("stale_reads", "violation", unasked, subject, _first(findings, "unasked"))
        )
    again = _sent_again(findings)
    if again and again == findings["unknowns_count"] and options.ambiguous_errors == "waive":
        waivers.append(
            Waiver(
                "ambiguous_errors", "unknown answer", again, subject, _first(findings, "unknowns")
            )
        )
    return waivers


def _first(findings: Mapping[str, Any], key: str) -> str:
    return str(next(iter(findings[key]), "not recorded"))


def judge_consistency_test(
    findings: FindingsEntry,
    options: Options = STRICT,
    shortage: str | None = None,
    subject: str = "",
) -> Answer:
    """The answer on one test, with the findings that the options waive.

    `shortage`: why the lab machine's processors may have kept a client silent for longer than its
    lease. `subject`: the fault and the test, for the waivers.
    """
    waivers = tuple(waivers_of(subject, findings, options))
    answer = _wrong(findings, options, shortage) or _not_shown(findings, options)
    if answer is None:
        answer = Answer(PASS_WITH_WAIVERS if waivers else "pass", _checked_words(findings))
    return replace(answer, waivers=waivers)


def _wrong(findings: FindingsEntry, options: Options, shortage: str | None) -> Answer | None:
    """The findings that no consistent storage allows; None without such findings, or where the
    study waives them.
    """
    if findings["violations_count"]:
        return failed(_words(findings, "violations", "violations"))
    if findings["lost_locks_count"] and options.lost_locks == "fail":
        return fail_unless_busy(_words(findings, "lost_locks", "locks lost"), shortage)
    if _unasked(findings) and options.stale_reads == "fail":
        return failed(_words(findings, "unasked", "opens without a request to the server"))
    return None


def _not_shown(findings: FindingsEntry, options: Options) -> Answer | None:
    """Why the test shows too little for a pass; None where it shows enough."""
    waives_unknowns = (
        options.ambiguous_errors == "waive" and _sent_again(findings) >= findings["unknowns_count"]
    )
    if findings["unknowns_count"] and not waives_unknowns:
        words = _words(findings, "unknowns", "unknown")
        return unknown(words, Reason.NOT_DISTINGUISHABLE)
    counts = _checked(findings)
    if not counts:
        return unknown("nothing was checked", Reason.NOTHING_CHECKED)
    needed = _needed(str(findings.get("consistency_test", "")))
    lacking = [what for what in needed if what not in counts]
    if lacking:
        words = f"no {' and no '.join(lacking)}: the test shows nothing"
        return unknown(words, Reason.NOTHING_CHECKED)
    never = [client for client, state in findings["kept_locks"].items() if state == "unknown"]
    if never:
        words = f"unknown whether {', '.join(never)} kept the lock"
        return unknown(words, Reason.INCOMPLETE)
    return None


def _checked(findings: FindingsEntry) -> dict[str, int]:
    """Each thing that was checked, and how often; without those that were not."""
    return {what: number for what, number in findings["checked"].items() if number}


def _checked_words(findings: FindingsEntry) -> str:
    words = [f"{number} {what}" for what, number in _checked(findings).items()]
    again = _sent_again(findings)
    unasked = _unasked(findings)
    if again:
        words.append(f"{again} of them may answer retransmitted requests")
    if unasked:
        words.append(f"{unasked} of them show nothing: their open sent no request to the server")
    return ", ".join(words)


def _unasked(findings: FindingsEntry) -> int:
    """The number of opens without a request to the server; 0 in older results, which do not count
    them.
    """
    return int(findings.get("unasked_count", 0))


def _sent_again(findings: FindingsEntry) -> int:
    """The number of unknowns that may answer retransmitted requests."""
    if "reasons" not in findings:  # results that are older than the codes
        return sum(RETRANSMITTED in words for words in findings["unknowns"])
    return int(findings["reasons"].get(Unknown.SENT_AGAIN, 0))


def _needed(kind: str) -> tuple[str, ...]:
    """The things that must have been checked; empty for a kind that this version does not know."""
    return load_kind(kind).NEEDED if kind in kind_names() else ()


def _words(findings: Mapping[str, Any], key: str, what: str) -> str:
    more = "; ..." if findings[f"{key}_count"] > NAMED_MAX else ""
    return f"{findings[f'{key}_count']} {what}: {'; '.join(findings[key][:NAMED_MAX])}{more}"
