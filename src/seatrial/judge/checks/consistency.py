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

`lost_locks: allowed` is for faults that last longer than the lease of the server (RFC 8881, section
8.4.3). `unasked: told` is for NFSv3 clients of Linux 5.16 and later, which may open a file again
[without a request](nfs3-reader/README.md).
"""

from typing import Any, ClassVar, Literal

from pydantic import Field

from seatrial.analysis.histories import RETRANSMITTED
from seatrial.analysis.reasons import Unknown
from seatrial.judge.base import Answer, together, turned
from seatrial.judge.busy import unless_limited
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import happened
from seatrial.judge.waivers import PASS_WITH_WAIVERS, Waiver, WaivingOptions
from seatrial.record.faults import FaultResult
from seatrial.record.record import Record
from seatrial.study.consistency_kinds import kind_names, load_kind

TITLE = "what all clients see fits one storage"
RESTS_ON = frozenset({Evidence.FAULTS, Evidence.STREAMS, Evidence.CONSISTENCY})
NAMED_MAX = 3
NOTHING = "no consistency test was done"


class Options(WaivingOptions):
    """`{check: consistency, lost_locks: allowed, retried: told, unasked: told, reasons: {unasked: why}}`."""

    WAIVES: ClassVar[dict[str, str]] = {"lost_locks": "allowed", "retried": "told", "unasked": "told"}
    lost_locks: Literal["fail", "allowed"] = Field(
        "fail",
        description="`allowed` waives lost locks, for faults that last longer than the lease of the server.",
    )
    retried: Literal["unknown", "told"] = Field(
        "unknown",
        description="`told` waives operations with an error that may answer a retransmitted request.",
    )
    unasked: Literal["fail", "told"] = Field(
        "fail",
        description="`told` waives stale NFSv3 opens for which the client provably sent no request.",
    )


STRICT = Options()


def check(record: Record, options: Options) -> Answer:
    """Judge every consistency test of every fault."""
    answers: list[tuple[str, str]] = []
    waivers: list[Waiver] = []
    for fault in record.faults:
        if not fault.controls:
            judged = (happened(fault, *found) for found in judge_fault(fault, options))
            answers += [(verdict, f"{fault.name} {words}") for verdict, words in judged]
            for name, found in fault.consistency.items():
                waivers += waivers_of(f"{fault.name} {name}", found, options)
        elif "consistency" in fault.controls:
            verdict, words = turned(fault, *happened(fault, *judge(fault)))
            answers.append((verdict, f"{fault.name}: {words}"))
    answer = together(answers, NOTHING)
    return Answer(answer.verdict, answer.evidence, tuple(waivers))


def judge(fault: FaultResult) -> tuple[str, str]:
    """(pass, fail or unknown, what it rests on) of one fault: of a negative control, by all that is promised."""
    if fault.skipped is not None:
        return "skipped", f"skipped, {fault.skipped}"
    answer = together(judge_fault(fault), NOTHING)
    return answer.verdict, answer.evidence


def judge_fault(fault: FaultResult, options: Options = STRICT) -> list[tuple[str, str]]:
    """(verdict, what it rests on) of each consistency test."""
    if fault.skipped is not None:
        return [("skipped", f"skipped, {fault.skipped}")]
    if fault.failed is not None and not fault.consistency:
        return [("unknown", fault.failed)]
    limited = fault.limited()
    judged = [(name, judge_consistency_test(found, options, limited)) for name, found in fault.consistency.items()]
    return [(verdict, f"{name}: {words}") for name, (verdict, words) in judged]


def waivers_of(subject: str, found: dict[str, Any], options: Options) -> list[Waiver]:
    """What the options let pass of what one consistency test found, which `judge_consistency_test` does not count."""
    waivers = []
    if found["lost_locks_count"] and options.lost_locks == "allowed":
        waivers.append(
            Waiver("lost_locks", "violation", found["lost_locks_count"], subject, _first(found, "lost_locks"))
        )
    unasked = found.get("unasked_count", 0)  # absent in older records
    if unasked and options.unasked == "told":
        waivers.append(Waiver("unasked", "violation", unasked, subject, _first(found, "unasked")))
    again = _sent_again(found)
    if again and again == found["unknowns_count"] and options.retried == "told":
        waivers.append(Waiver("retried", "unknown answer", again, subject, _first(found, "unknowns")))
    return waivers


def _first(found: dict[str, Any], key: str) -> str:
    return str(next(iter(found[key]), "not noted"))


def judge_consistency_test(
    found: dict[str, Any], options: Options = STRICT, limited: str | None = None
) -> tuple[str, str]:
    """(pass, pass with waivers, fail or unknown, what it rests on).

    `limited`: why the lab machine's processors may have kept a client silent for longer than its lease.
    """
    if found["violations_count"]:
        return "fail", _words(found, "violations", "violations")
    if found["lost_locks_count"] and options.lost_locks == "fail":
        return unless_limited(_words(found, "lost_locks", "locks lost"), limited)
    without = found.get("unasked_count", 0)  # absent in older records
    if without and options.unasked == "fail":
        return "fail", _words(found, "unasked", "opens that asked the server for nothing")
    again = _sent_again(found)
    if found["unknowns_count"] and (options.retried != "told" or again < found["unknowns_count"]):
        return "unknown", _words(found, "unknowns", "unknown")
    counts = {what: number for what, number in found["checked"].items() if number}
    if not counts:
        return "unknown", "nothing was checked"
    lacking = [what for what in _needed(found.get("consistency_test", "")) if what not in counts]
    if lacking:
        return "unknown", f"no {' and no '.join(lacking)}: nothing was shown"
    never = [client for client, state in found["kept_locks"].items() if state == "unknown"]
    if never:
        return "unknown", f"not known whether {', '.join(never)} kept the lock"
    told = [f"{again} of them may be answers to requests that were sent again"] if again else []
    told += [f"{without} of them showed too little, by an open that asked the server for nothing"] if without else []
    waived = bool(waivers_of("", found, options))
    words = ", ".join([*(f"{number} {what}" for what, number in counts.items()), *told])
    return PASS_WITH_WAIVERS if waived else "pass", words


def _sent_again(found: dict[str, Any]) -> int:
    """How many unknowns may be answers to requests that were sent again."""
    if "reasons" not in found:  # records that are older than the codes
        return sum(RETRANSMITTED in words for words in found["unknowns"])
    return int(found["reasons"].get(Unknown.SENT_AGAIN, 0))


def _needed(kind: str) -> tuple[str, ...]:
    """What has to have been looked at; nothing of a kind that this version does not know."""
    return load_kind(kind).NEEDED if kind in kind_names() else ()


def _words(found: dict[str, Any], key: str, what: str) -> str:
    more = "; ..." if found[f"{key}_count"] > NAMED_MAX else ""
    return f"{found[f'{key}_count']} {what}: {'; '.join(found[key][:NAMED_MAX])}{more}"
