"""`check: outage`: no client waited longer than allowed, during and after each fault.

Passes when no task of any client was without an answer for longer than the limit. The longest time
from one completion to the next counts, if it ends after the injection. A client that lost its own
power does not count.

Unknown when a stream was lost or had ended, when the fault could not be completed, or when the lab
machine was short of processors. A skipped fault is unknown if `goals` names it, and else has no
effect.
"""

from dataclasses import replace

from pydantic import Field

from seatrial.basics.schema import Duration, Model
from seatrial.judge.answer import Answer, Reason, combine, passed, skipped, unknown
from seatrial.judge.busy import fail_unless_busy, shortage_of_course
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import only_if_shown
from seatrial.result.faults import DID_NOTHING, FaultResult, StreamResult, outage_words
from seatrial.result.result import Result
from seatrial.study.timers import sum_words

TITLE = "no client waits longer than allowed"
RESTS_ON = frozenset({Evidence.FAULTS, Evidence.STREAMS, Evidence.AGENT_LINES})


class Options(Model):
    """`{check: outage, goals: {server-panic: 60s}}`."""

    goals: dict[str, Duration] = Field(
        default_factory=dict,
        description="Longest outage by fault. By default `expect.outage` of each fault.",
    )


def check(result: Result, options: Options) -> Answer:
    """Judge every fault that has a goal."""
    found = {item.name: item for item in result.faults}
    stated = {name: item.expect.get("outage") for name, item in found.items() if not item.controls}
    expected = {name: goal_s for name, goal_s in stated.items() if goal_s is not None}
    goals = options.goals or expected
    answers = []
    for name, goal_s in goals.items():
        if name not in found:
            answer = unknown("not injected in this run", Reason.NOTHING_CHECKED)
        else:
            answer = judge_outage(found[name], goal_s)
        if answer.verdict == "skipped" and name in options.goals:
            answer = replace(answer, verdict="unknown")
        answers.append(answer.about(name))
    return combine(answers, "no fault has a goal")


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
        outage = longest.longest or {}
        lasted = f"{longest.longest_s:.1f} s{', to the end' if outage.get('open') else ''}"
        words = f"{longest.client} {longest.stream} without an answer for {lasted}"
        until_s = float(outage.get("end_unix_s") or 0.0)
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
