"""The properties of one fault that a published sentence may be about, each tested separately.

A row of the published fault table and a claim of the text are tested by the same functions: two
equal statements cannot get two answers. What a study expects of a fault decides nothing here: it
may expect what no paper prints.
"""

from dataclasses import dataclass

from seatrial.basics.units import counted
from seatrial.judge.answer import Answer, Reason, inconclusive
from seatrial.judge.busy import shortage_of_course
from seatrial.judge.checks.faults import judge_fault
from seatrial.judge.checks.outage import why_unknown
from seatrial.judge.contrary import LOWER_IS_BETTER
from seatrial.judge.controls import JUDGES
from seatrial.judge.happened import only_if_shown, why_not_shown
from seatrial.result.faults import FaultResult, outage_words
from seatrial.study.published import FaultProperty

NOT_INTERRUPTED_S = 2.0
"""a shorter outage is no interruption: a path is given up in about this time"""


@dataclass(frozen=True)
class Limits:
    """A printed recovery."""

    low_s: float
    high_s: float

    @property
    def words(self) -> str:
        """`30 to 60 s`."""
        high = f"{self.high_s:g} s"
        return high if self.low_s == self.high_s else f"{self.low_s:g} to {high}"


def without_course(fault: FaultResult) -> Answer | None:
    """Why the result of a fault is unknown, whatever its streams show; None where it is known."""
    if fault.skipped is not None:
        return inconclusive(f"skipped: {fault.skipped}", Reason.SKIPPED)
    if fault.failed is not None:
        return inconclusive(fault.failed, Reason.NOT_CARRIED_THROUGH)
    if fault.moved is None:
        return inconclusive("no server reported the location of the service", Reason.INCOMPLETE)
    return None


def untestable(fault: FaultResult) -> Answer | None:
    """Why a property cannot be tested; None where it can. A stream that never got an answer again
    is sufficient for a decision.
    """
    answer = without_course(fault)
    if answer is not None or fault.unrecovered is not None:
        return answer
    why = why_unknown(fault)
    return inconclusive(why, Reason.INCOMPLETE) if why else None


def place(fault: FaultResult, *, moves: bool) -> Answer:
    """Whether the service failed over, or stayed, and serves there: one that never answered again
    does neither.
    """
    if (answer := untestable(fault)) is not None:
        return answer
    words = "the service failed over" if fault.moved else "the service stayed"
    if fault.unrecovered is not None:
        return _founded(fault, Answer("worse", f"{words}, {outage_words(fault)}"))
    return _founded(fault, Answer("agrees" if fault.moved == moves else "different", words))


def outage(fault: FaultResult, limits: Limits) -> Answer:
    """Whether the longest outage of any client is within the printed recovery."""
    if (answer := untestable(fault)) is not None:
        return answer
    words = f"longest outage {outage_words(fault)}"
    if fault.unrecovered is not None:
        return _founded(fault, Answer(LOWER_IS_BETTER.above, words))
    words += f" (published: {limits.words})"
    least_s, most_s = limits.low_s, limits.high_s
    if most_s <= NOT_INTERRUPTED_S:
        least_s, most_s = 0.0, NOT_INTERRUPTED_S
    if fault.longest_s < least_s:
        return _founded(fault, Answer(LOWER_IS_BETTER.below, f"{words}: shorter"))
    if fault.longest_s > most_s:
        return _founded(fault, Answer(LOWER_IS_BETTER.above, f"{words}: longer"))
    return _founded(fault, Answer("agrees", words))


def _founded(fault: FaultResult, answer: Answer) -> Answer:
    """The answer; inconclusive for a fault without evidence that it happened.

    The same holds for a deviation while the lab machine was short of processors.
    """
    unseen = why_not_shown(fault) if answer.verdict in ("agrees", "better") else None
    if unseen is not None:
        return inconclusive(unseen, Reason.NOT_SHOWN)
    shortage = shortage_of_course(fault) if answer.verdict in ("worse", "different") else None
    if shortage is None:
        return answer
    return inconclusive(f"{answer.evidence}, but {shortage}", Reason.BUSY_MACHINE)


def io_completes(fault: FaultResult) -> Answer:
    """Whether every client got an answer to each request, and no error, by the agents and by dd."""
    if (answer := untestable(fault)) is not None:
        return answer
    if fault.unrecovered is not None:
        return _founded(fault, Answer("worse", outage_words(fault)))
    errors = [
        f"{item.client} {item.stream}: {error.get('name')}"
        for item in fault.judged
        for error in item.errors
    ]
    errors += [
        f"{item['client']} {name}: dd: {item['error']}"
        for name, item in fault.copies.items()
        if item["error"]
    ]
    if errors:
        return _founded(fault, Answer("worse", ", ".join(errors)))
    return _founded(
        fault,
        Answer("agrees", f"{counted(len(fault.judged), 'stream')} got every answer and no error"),
    )


def by_check(fault: FaultResult, check: str, *, holds_on: str = "pass") -> Answer:
    """Whether a check of safety answers with `holds_on`; the damage that a control must cause may
    end a stream too.
    """
    unknown = without_course(fault) if fault.controls else untestable(fault)
    if unknown is not None:
        return unknown
    is_course = check == "faults"
    answer = judge_fault(fault) if is_course else only_if_shown(fault, JUDGES[check](fault))
    if answer.verdict not in ("pass", "fail"):
        return Answer("inconclusive", answer.evidence, answer.reason)
    if answer.verdict == holds_on:
        return Answer("agrees", answer.evidence)
    return Answer("better" if answer.verdict == "pass" else "worse", answer.evidence)


def as_expected(fault: FaultResult) -> Answer:
    """The result as the study expects it, the only property that older studies name; it decides
    nothing where any result is expected.
    """
    if fault.expect.get("fails_over") == "may" and not fault.controls:
        return inconclusive(
            "the study accepts both outcomes, and names no property that decides",
            Reason.NOTHING_CHECKED,
        )
    return by_check(fault, "faults")


def tested(name: FaultProperty, fault: FaultResult, limits: Limits | None) -> Answer:
    """`agrees` where a fault has the property; else the side of its difference, or `inconclusive`
    with the reason.
    """
    if name in ("service-moved", "service-stayed"):
        return place(fault, moves=name == "service-moved")
    if name == "outage":
        if limits is None:
            return inconclusive("the publication prints no time", Reason.NOTHING_CHECKED)
        return outage(fault, limits)
    if name == "io-completes":
        return io_completes(fault)
    if name == "data-lost":
        return by_check(fault, "integrity", holds_on="fail")
    return by_check(fault, name)
