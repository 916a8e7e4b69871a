"""`check: faults`: every fault went as the study expects it, and all was well again in the end.

The service moved to another server where it should, and stayed where it should stay; no client saw an error; within
the time that the fault allows every stream got answers again, every node came back and the solution was whole. A fault
that was skipped is named and decides nothing. A negative control went as expected when the checks that it names
caught it.
"""

from seatrial.checkers.base import Answer
from seatrial.checkers.controls import judge_control
from seatrial.checkers.outage import together, why_unknown
from seatrial.record import Record
from seatrial.record_faults import FaultResult, faults_of
from seatrial.schema import Model

TITLE = "every fault goes as expected and leaves all well"


class Options(Model):
    """No options."""


def check(record: Record, _options: Options) -> Answer:
    """Judge every fault."""
    answers = []
    for fault in faults_of(record):
        verdict, words = judge_control(fault) if fault.controls else judge_course(fault)
        answers.append((verdict, f"{fault.name}: {words}"))
    return together(answers, "no fault was injected")


def judge_course(fault: FaultResult) -> tuple[str, str]:
    """(pass, fail, unknown or skipped, what it rests on) of one fault."""
    if fault.skipped is not None:
        return "skipped", f"skipped, {fault.skipped}"
    if fault.failed is not None:
        return "unknown", fault.failed
    wrong = _wrong(fault)
    if wrong:
        return "fail", ", ".join(wrong)
    reason = why_unknown(fault)
    if reason:
        return "unknown", reason
    if fault.moved is None:
        return "unknown", "no server could tell where the service is"
    return "pass", "the service moved, all well" if fault.moved else "the service stayed, all well"


def _wrong(fault: FaultResult) -> list[str]:
    """What was not as it should be."""
    found = []
    if fault.moved is not None and fault.moved != fault.expect.get("moves", False):
        found.append("the service moved, and should not" if fault.moved else "the service did not move, and should")
    for item in fault.judged:
        found += [
            f"{item.client} {item.stream}: {error.get('name')} of {error.get('operation')}" for error in item.errors
        ]
    if fault.settled_unix_s is None:
        notes = f": {'; '.join(fault.notes)}" if fault.notes else ""
        whole = "the solution was not whole" if fault.whole is False else "not all was well"
        found.append(f"{whole} in the end{notes}")
    return found
