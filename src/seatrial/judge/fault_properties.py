"""The properties of one fault that a published sentence may be about, each tested separately.

A row of the published fault table and a claim of the text are tested by the same functions: two
equal statements cannot get two answers. What a study expects of a fault decides nothing here: it
may expect what no paper prints. A property is a file in `properties`, or a check that judges a
single fault.
"""

from dataclasses import dataclass
from typing import Protocol, cast

from seatrial.basics.plugins import Plugins
from seatrial.judge.answer import Answer, Reason, inconclusive
from seatrial.judge.busy import shortage_of_course
from seatrial.judge.contrary import LOWER_IS_BETTER
from seatrial.judge.controls import evidence_for, judged_by, names_of_judges
from seatrial.judge.effects import judge_fault
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import only_if_shown, why_not_shown
from seatrial.judge.outages import why_unknown
from seatrial.result.faults import FaultResult, outage_words

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
        return founded(fault, Answer("worse", f"{words}, {outage_words(fault)}"))
    return founded(fault, Answer("agrees" if fault.moved == moves else "different", words))


def outage(fault: FaultResult, limits: Limits) -> Answer:
    """Whether the longest outage of any client is within the printed recovery."""
    if (answer := untestable(fault)) is not None:
        return answer
    words = f"longest outage {outage_words(fault)}"
    if fault.unrecovered is not None:
        return founded(fault, Answer(LOWER_IS_BETTER.above, words))
    words += f" (published: {limits.words})"
    least_s = limits.low_s
    most_s = limits.high_s
    if most_s <= NOT_INTERRUPTED_S:
        least_s = 0.0
        most_s = NOT_INTERRUPTED_S
    if fault.longest_s < least_s:
        return founded(fault, Answer(LOWER_IS_BETTER.below, f"{words}: shorter"))
    if fault.longest_s > most_s:
        return founded(fault, Answer(LOWER_IS_BETTER.above, f"{words}: longer"))
    return founded(fault, Answer("agrees", words))


def founded(fault: FaultResult, answer: Answer) -> Answer:
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


def by_check(fault: FaultResult, check: str, *, holds_on: str = "pass") -> Answer:
    """Whether a check of safety answers with `holds_on`; the damage that a control must cause may
    end a stream too.
    """
    unknown = without_course(fault) if fault.controls else untestable(fault)
    if unknown is not None:
        return unknown
    return _sided(only_if_shown(fault, judged_by(check, fault)), holds_on)


def _sided(answer: Answer, holds_on: str) -> Answer:
    """The answer of a check as the answer on a published sentence."""
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
    unknown = without_course(fault) if fault.controls else untestable(fault)
    return _sided(judge_fault(fault), "pass") if unknown is None else unknown


# ---- the list of properties


class FaultProperty(Protocol):
    """The module of a property in `properties`."""

    RESTS_ON: frozenset[Evidence]
    """its evidence, in addition to that of the course of a fault"""
    # CONTRARY, frozenset[str]: properties that no fault has together with this one.
    # NEEDS_TIME, bool: it compares with a printed time.

    def judge(self, fault: FaultResult, limits: Limits | None) -> Answer:
        """`agrees` where a fault has the property; else the side of its difference, or
        `inconclusive` with the reason.
        """


_PROPERTIES = Plugins(
    "seatrial.judge.properties", "seatrial.fault_properties", ("RESTS_ON", "judge")
)


def property_names() -> list[str]:
    """The words of `decides`: the properties, and the checks that judge a single fault."""
    return sorted({*_PROPERTIES.names(), *names_of_judges()})


def tested(name: str, fault: FaultResult, limits: Limits | None) -> Answer:
    """The answer of a property on one fault; that of a check where `name` is one."""
    known_property = _property(name)
    return by_check(fault, name) if known_property is None else known_property.judge(fault, limits)


def rests_on_property(name: str) -> frozenset[Evidence]:
    """The evidence of a property, in addition to that of the course of a fault."""
    known_property = _property(name)
    return evidence_for(name, frozenset()) if known_property is None else known_property.RESTS_ON


def contrary_to(name: str) -> frozenset[str]:
    """The properties that no fault has together with this one, as far as its module names them."""
    return frozenset(getattr(_property(name), "CONTRARY", ()))


def timed_properties() -> list[str]:
    """The properties that compare with a printed time."""
    return [name for name in _PROPERTIES.names() if getattr(_property(name), "NEEDS_TIME", False)]


def _property(name: str) -> FaultProperty | None:
    if name not in _PROPERTIES.names():
        return None
    return cast(FaultProperty, _PROPERTIES.load(name))
