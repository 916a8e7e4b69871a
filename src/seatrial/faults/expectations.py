"""The expectations of a fault, as its line of the result has them."""

from collections.abc import Mapping
from typing import Any

from seatrial.service.session import Session
from seatrial.solutions.base import timers_of
from seatrial.study.faults import Fault

KEYS = ("fails_over", "target", "min_stall", "errors", "blocks", "detected_by")


def expected(session: Session, fault: Fault) -> dict[str, Any]:
    """Every expectation, before the cost of work is measured."""
    return {key: getattr(fault.expect, key) for key in KEYS} | limit(session, fault, {})


def limit(session: Session, fault: Fault, work_ms: Mapping[str, float]) -> dict[str, Any]:
    """The longest allowed outage in s, and the terms of its sum."""
    if fault.expect.outage is None:
        return {"outage": None}
    parts = fault.expect.outage.parts(timers_of(session.solution), work_ms)
    return {"outage": sum(seconds for _, seconds in parts), "outage_parts": parts}
