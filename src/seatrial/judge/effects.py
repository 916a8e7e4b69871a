"""Whether one fault had its expected effects, and the system was healthy in the end."""

import errno
import os
from collections import Counter

from seatrial.basics.event_kinds import EventKind
from seatrial.judge.answer import Answer, Reason, passed, skipped, unknown
from seatrial.judge.busy import fail_unless_busy, shortage_of_course
from seatrial.judge.controls import judge_control
from seatrial.judge.happened import only_if_shown
from seatrial.judge.outages import unrecovered_words, why_unknown
from seatrial.result.faults import FaultResult
from seatrial.study.consistency_kinds import kind_names
from seatrial.study.workload import moves_data

UNDER_WAY_S = 2.0
UNDER_WAY_PROCESSES = 100
"""operations in progress at the injection have ended by then, or after the time of this number of
process starts; at the latest they have ended when half of the time until the repair is over"""


def judge_fault(fault: FaultResult) -> Answer:
    """The answer on the result of one fault, or for a negative control, whether the check that it
    names detected it.
    """
    return judge_control(fault) if fault.controls else judge_course(fault)


def judge_course(fault: FaultResult) -> Answer:
    """The answer on the result of one fault."""
    return only_if_shown(fault, _course(fault))


def _course(fault: FaultResult) -> Answer:
    if fault.skipped is not None:
        return skipped(fault)
    if fault.failed is not None:
        return unknown(fault.failed, Reason.NOT_CARRIED_THROUGH)
    wrong = _wrong(fault)
    if wrong:
        # No shortage of processors permits a server to start a service that no server may run.
        is_proved = bool(fault.expect.get("blocks")) and bool(_started_meanwhile(fault))
        return fail_unless_busy(", ".join(wrong), None if is_proved else shortage_of_course(fault))
    reason = why_unknown(fault)
    if reason:
        return unknown(reason, Reason.INCOMPLETE)
    min_stall_s = fault.expect.get("min_stall")  # absent in older results
    if min_stall_s is not None and (stopped_s := _stopped_s(fault)) < min_stall_s:
        words = (
            f"data operations stopped for {stopped_s:.1f} s before the repair; the study requires "
            f"{min_stall_s:g} s"
        )
        return fail_unless_busy(words, fault.limited())
    if fault.moved is None:
        return unknown("no server reported the location of the service", Reason.INCOMPLETE)
    course = "the service failed over" if fault.moved else "the service stayed"
    return passed(", ".join([course, *_error_counts(fault), "healthy in the end"]))


def _error_counts(fault: FaultResult) -> list[str]:
    """The errors that clients saw, which are all allowed."""
    seen = Counter[str]()
    for item in fault.judged:
        for error in item.errors:
            seen[str(error.get("name"))] += int(error.get("count", 1))
    return [f"{count} {name}" for name, count in seen.items()]


def _stopped_s(fault: FaultResult) -> float:
    """The longest time between injection and repair in which a client that moves data got no
    answer.
    """
    from_s = fault.injected_unix_s or 0.0
    until_s = fault.repaired_unix_s or 0.0
    return max(
        (
            min(outage.end_unix_s, until_s) - max(outage.start_unix_s, from_s)
            for item in fault.judged
            if moves_data(item.phase) and item.phase not in kind_names()
            for outage in item.outages
            if outage.start_unix_s < until_s and outage.end_unix_s > from_s
        ),
        default=0.0,
    )


def _misplaced(fault: FaultResult) -> list[str]:
    """Services that failed over and should not, or should have and did not."""
    expected = fault.expect.get("fails_over", False)
    if fault.moved is None or expected == "may":
        return []
    if isinstance(expected, bool):
        if fault.moved == expected:
            return []
        return [
            "the service failed over unexpectedly"
            if fault.moved
            else "the service did not fail over"
        ]
    moved = {
        name for name, node in fault.roles_before.items() if fault.roles_after.get(name) != node
    }
    return [
        *(f"{name} failed over unexpectedly" for name in sorted(moved - set(expected))),
        *(f"{name} did not fail over" for name in expected if name not in moved),
    ]


def _wrong(fault: FaultResult) -> list[str]:
    """The differences from the expected result."""
    differences = _misplaced(fault)
    allowed = fault.expect.get("errors", ())
    for item in fault.judged:
        differences += [
            f"{item.client} {item.stream}: {error.get('name')} of {error.get('operation')}"
            for error in item.errors
            if error.get("name") not in allowed
        ]
    # A program gives the text of an error, not the symbol.
    texts = [os.strerror(getattr(errno, symbol)) for symbol in allowed if hasattr(errno, symbol)]
    differences += [
        f"{item['client']} {name}: dd: {item['error']}"
        for name, item in fault.copies.items()
        if item["error"] and not any(text in item["error"] for text in texts)
    ]
    differences += [
        f"{item.client} {item.stream} {unrecovered_words(fault, item)}"
        for item in fault.judged
        if item.is_unrecovered
    ]
    differences += served_meanwhile(fault) if fault.expect.get("blocks") else []
    if fault.recovered_unix_s is None or fault.healthy is False:
        notes = f": {'; '.join(fault.notes)}" if fault.notes else ""
        is_unhealthy = fault.healthy is False
        words = "the solution was not healthy" if is_unhealthy else "the system had not recovered"
        differences.append(f"{words} in the end{notes}")
    return differences


def served_meanwhile(fault: FaultResult) -> list[str]:
    """The servers that served between the injection and the first act of repair, by the servers, by
    the array and by the clients.

    Operations in progress at the injection may end a little later, and the array's counters are
    read only from time to time. With a crash injected last, `from` is its time.
    """
    window = _unrepaired(fault)
    if window is None:
        return ["the time of the repair is unknown"]
    from_s, until_s = window
    slow_s = min(fault.work_s(UNDER_WAY_PROCESSES), (until_s - from_s) / 2)
    error_s = fault.clock_error_s + fault.writers_error_s + max(UNDER_WAY_S, slow_s)
    texts = _started_meanwhile(fault)
    for server, items in fault.writers.items():
        late_s = max(
            (
                min(item["end_unix_s"], until_s) - from_s
                for item in items
                if item["start_unix_s"] < until_s
            ),
            default=0.0,
        )
        texts += [f"{server} wrote {late_s:.1f} s after the injection"] if late_s > error_s else []
    for item in fault.judged:
        waited = any(
            outage.is_of_whole_client
            and outage.start_unix_s < from_s + error_s
            and outage.end_unix_s >= until_s
            for outage in item.outages
        )
        texts += [] if waited else [f"{item.client} {item.stream} got answers before the repair"]
    return texts


def _unrepaired(fault: FaultResult) -> tuple[float, float] | None:
    """From the end of the last injection to the first repair, in unix seconds; None where it is not
    known.
    """
    if not fault.injections or not fault.repairs:
        return None
    injected_s = max(float(item["ended_unix_s"]) for item in fault.injections)
    return injected_s, min(float(item["started_unix_s"]) for item in fault.repairs)


def _started_meanwhile(fault: FaultResult) -> list[str]:
    """The servers that began to serve before the repair, by their own notes."""
    window = _unrepaired(fault)
    if window is None:
        return []
    from_s, until_s = window
    return [
        f"{item['node']} started {item.get('subject') or 'a service'} before the repair"
        for item in fault.moments
        if item["what"] in (EventKind.STARTING, EventKind.STARTED)
        and from_s <= item["unix_s"] <= until_s - fault.clock_error_s
    ]
