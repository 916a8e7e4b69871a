"""The expectations of a fault, as its line of the result has them."""

from collections.abc import Mapping

from seatrial.result.fault_parts import Expectations
from seatrial.service.session import Session
from seatrial.solutions.base import timers_of
from seatrial.study.faults import Fault


def expected(session: Session, fault: Fault) -> Expectations:
    """Every expectation, before the cost of work is measured."""
    expect = fault.expect
    return Expectations(
        fails_over=expect.fails_over,
        target=expect.target,
        min_stall=expect.min_stall,
        errors=expect.errors,
        blocks=expect.blocks,
        detected_by=expect.detected_by,
        **limit(session, fault, {}),
    )


def limit(session: Session, fault: Fault, work_ms: Mapping[str, float]) -> Expectations:
    """The longest allowed outage in s, and the terms of its sum."""
    if fault.expect.outage is None:
        return {"outage": None}
    parts = fault.expect.outage.parts(timers_of(session.solution), work_ms)
    return {"outage": sum(seconds for _, seconds in parts), "outage_parts": parts}
