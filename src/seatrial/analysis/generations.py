"""Files that one client rewrites, generation after generation, and that another opens: which
generation may be seen.
"""

from collections.abc import Sequence
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.looks import Certainty, Look, asked_nothing, enough_looks, evidence, looks
from seatrial.analysis.views import UNASKED

STAMP_BYTES = 36


class Reason(StrEnum):
    """Possible errors of the generation that a reader sees."""

    MISSING = "missing"
    STALE = "stale"
    """an older generation than one that had been closed"""
    NOT_WRITTEN = "not-written"
    """a generation that had not begun"""
    NO_GENERATION = "no-generation"
    """the content is no generation, or parts of several, and no client was writing"""


def wrong(generation: int | None, facts: Certainty) -> tuple[Reason, str] | None:
    """The error in a look at a file that no client was changing; None where the look is correct."""
    closed = facts.closed
    if generation is None:
        return (
            Reason.NO_GENERATION,
            f"saw no generation, while no one wrote; {closed} had been closed",
        )
    if facts.may_show(generation):
        return None
    older = closed is not None and generation < closed
    reason = Reason.STALE if older else Reason.NOT_WRITTEN
    return (
        reason,
        f"saw generation {generation}; {closed} had been closed, and none after it had begun",
    )


def judge_pages(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Judge files of one size with the `generation` of each look, and the time of change that the
    server reports.
    """
    findings = evidence(histories, circumstances, looks_at_end=False)
    judged = 0
    for look in looks(histories, "write", "generation"):
        if look.facts.quiet and look.facts.closed is not None:
            judged += 1
            _judge_look(look, findings)
    for item in histories:
        findings.count("writes", sum(event["outcome"] == "ok" for event in item.of("write")))
    findings.count("reads", judged)
    enough_looks(histories, findings, judged)
    return findings


def _judge_look(look: Look, findings: Findings) -> None:
    event = look.event
    closed = look.facts.closed
    if event["outcome"] == "missing":
        findings.violate(
            Reason.MISSING, f"{look.text} and it was missing; generation {closed} had been closed"
        )
        return
    answer = wrong(event["generation"], look.facts)
    if answer is None:
        return
    reason, what = answer
    written = next(item for item in look.writer.of("write") if item["generation"] == closed)
    server_had_it = _changed_as(written, event)
    if reason is Reason.STALE and asked_nothing(look, ("generation",), server_had_it=server_had_it):
        findings.unasked.append(f"{look.text} and {what}; {UNASKED}")
    else:
        findings.violate(reason, f"{look.text} and {what}")


def _changed_as(written: Event, look: Event) -> bool:
    """Whether the server reported right after a look that this write was the last change of the
    file.
    """
    return written.get("mtime_ns") is not None and written["mtime_ns"] == look.get(
        "mtime_at_server_ns"
    )


def stamped(run_id: str, index: int, content: bytes) -> int | None:
    """The generation in a stamp of this client; None where it is none."""
    start = f"{run_id} {index:05} ".encode()
    digits = content[len(start) : len(start) + 12]
    return int(digits) if digits.isdigit() and content == start + digits + b"\n" else None
