"""The longest outage of one fault, against a limit; and why its outages may be incomplete."""

from seatrial.judge.answer import Answer, Reason, passed, skipped, unknown
from seatrial.judge.busy import fail_unless_busy, shortage_of_course
from seatrial.judge.happened import only_if_shown
from seatrial.result.faults import DID_NOTHING, FaultResult, StreamResult, outage_words
from seatrial.study.timers import sum_words


def judge_outage(fault: FaultResult, goal_s: float) -> Answer:
    """The answer on the longest outage of one fault, against its limit in seconds."""
    answer = _outage(fault, goal_s)
    if fault.skipped is None:
        answer = answer.with_row(_length_s(fault), goal_s, "s", note=_row_note(fault, answer))
    return only_if_shown(fault, answer)


def _length_s(fault: FaultResult) -> float | None:
    """The longest outage; None where it has no end, or where none was above the threshold."""
    if fault.unrecovered is not None or not fault.longest_s:
        return None
    return fault.longest_s


def _row_note(fault: FaultResult, answer: Answer) -> str:
    """The client with the longest outage; the evidence where the figures do not decide."""
    longest = fault.longest
    decided_by_figures = answer.reason is None and _length_s(fault) is not None
    if decided_by_figures and longest is not None:
        return f"{longest.client} {longest.stream}"
    if answer.verdict == "pass":
        return outage_words(fault)
    return answer.evidence


def _outage(fault: FaultResult, goal_s: float) -> Answer:
    if fault.skipped is not None:
        return skipped(fault)
    lost = fault.unrecovered
    if lost is not None:
        words = f"{lost.client} {lost.stream} {unrecovered_words(fault, lost)}"
        return fail_unless_busy(words, shortage_of_course(fault))
    longest = fault.longest
    if longest is not None and longest.longest_s > goal_s:
        outage = longest.longest
        to_the_end = ", to the end" if outage is not None and outage.open else ""
        lasted = f"{longest.longest_s:.1f} s{to_the_end}"
        words = f"{longest.client} {longest.stream} without an answer for {lasted}"
        until_s = outage.end_unix_s if outage is not None else 0.0
        shortage = fault.limited(longest.longest_s - goal_s, until_s)
        return fail_unless_busy(f"{words} (> {limit_words(fault, goal_s)})", shortage)
    if fault.failed:
        return unknown(fault.failed, Reason.NOT_CARRIED_THROUGH)
    why = why_unknown(fault)
    if why:
        return unknown(why, Reason.INCOMPLETE)
    return passed(f"{outage_words(fault)} (≤ {limit_words(fault, goal_s)})")


def unrecovered_words(fault: FaultResult, item: StreamResult) -> str:
    """The words for a stream that never got an answer again: how long it was monitored, and the
    error that ended it.
    """
    words = f"not recovered within {fault.watched_s(item):.1f} s"
    ended = item.over_unix_s is not None and item.errors
    return f"{words}, ended by {item.errors[0].get('name')}" if ended else words


def limit_words(fault: FaultResult, goal_s: float) -> str:
    """A limit, and the sum that it is where the study states one."""
    parts = fault.expect.get("outage_parts") or ()
    if goal_s != fault.expect.get("outage") or len(parts) < 2:
        return f"{goal_s:.3g} s"
    return f"{goal_s:.1f} s: {sum_words(parts)}"


def why_unknown(fault: FaultResult) -> str | None:
    """Why the outages of a fault are not complete evidence; None when they are."""
    if not fault.judged:
        return "no client that kept its power had a load"
    broken = [reason for item in fault.judged if (reason := _incomplete(item, fault))]
    return broken[0] if broken else None


def _incomplete(item: StreamResult, fault: FaultResult) -> str | None:
    name = f"{item.client} {item.stream}"
    if item.lost is not None:
        return f"{name}: {item.lost}"
    if item.did_nothing:
        return f"{name} {DID_NOTHING}"
    if item.over_unix_s is not None and item.over_unix_s < (fault.ended_unix_s or 0.0):
        why = f"error {item.errors[0].get('name')}" if item.errors else "its work was complete"
        return f"{name} ended before the fault: {why}"
    return None
