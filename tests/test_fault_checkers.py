"""Verdicts on faults, from results with known answers."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.base import run_checkers
from seatrial.judge.controls import judge_control
from seatrial.judge.effects import judge_course
from seatrial.judge.judge import study_of
from seatrial.result.faults import FaultResult
from seatrial.result.outages import Outage
from tests.builders.fault_results import (
    COMPARED,
    DAMAGE,
    STAYED,
    fault,
    planned_as,
    result,
    started,
    stream,
    waiting,
    wrote,
)
from tests.builders.fault_studies import broken
from tests.builders.strategies import study

CUT = stream(99.0, client="c2", lost_power=True)
OFF = {"unix_s": 100.0, "node": "c2", "what": "off", "by": "operator"}


def refused(name: str) -> dict[str, Any]:
    """A fault in which clients may get ENOSPC, and one got this."""
    errors = ({"name": name, "operation": "write", "count": 7},)
    return {
        "expect": {"fails_over": True, "outage": None, "errors": ["ENOSPC"]},
        "streams": (stream(errors=errors),),
    }


STOPS = {"fails_over": True, "outage": 60.0, "min_stall": 15.0}
LATE = Outage(None, 119.0, 150.0, open=False)
VERDICTS: list[tuple[str, FaultResult, str, str]] = [
    ("in-time", fault(), "pass", "it: 40.0 s (≤ 60 s)"),
    ("course", fault(40.0, expect=STOPS), "pass", "healthy in the end"),
    (
        "course",
        fault(13.0, expect=STOPS),
        "fail",
        "data operations stopped for 13.0 s before the repair; the study requires 15 s",
    ),
    ("course", fault(0.0, expect=STOPS), "fail", "data operations stopped for 0.0 s"),
    # Silence after the repair alone, and silence that blocked no data, do not count.
    (
        "course",
        fault(expect=STOPS, streams=(stream(outages=(LATE,)),)),
        "fail",
        "data operations stopped for 1.0 s",
    ),
    (
        "course",
        fault(expect=STOPS, streams=(stream(40.0, phase="locks"),)),
        "fail",
        "data operations stopped for 0.0 s",
    ),
    (
        "course",
        fault(1.0, expect=STOPS, streams=(stream(1.0, lost="the agent died"),)),
        "unknown",
        "the agent died",
    ),
    ("in-time", fault(61.0), "fail", "c1 small without an answer for 61.0 s (> 60 s)"),
    ("in-time", fault(0.0), "pass", "none above the threshold"),
    ("in-time", fault(skipped="no BMC here"), "unknown", "skipped, no BMC here"),
    ("in-time", fault(failed="no ssh"), "unknown", "no ssh"),
    (
        "in-time",
        fault(streams=(stream(1.0, lost="the agent died"),)),
        "unknown",
        "c1 small: the agent died",
    ),
    (
        "in-time",
        fault(streams=(stream(90.0, lost="the agent died"),)),
        "fail",
        "without an answer for 90.0 s",
    ),
    (
        "in-time",
        fault(streams=(stream(1.0, over_unix_s=130.0),)),
        "unknown",
        "ended before the fault: its work was complete",
    ),
    (
        "in-time",
        fault(streams=(stream(1.0), stream(99.0, client="c2", lost_power=True)), power=(OFF,)),
        "pass",
        "1.0 s",
    ),
    (
        "in-time",
        fault(streams=(stream(1.0), stream(99.0, client="c2", lost_power=True))),
        "unknown",
        "no evidence shows that c2 lost its power",
    ),
    (
        "in-time",
        fault(streams=(stream(99.0, lost_power=True),)),
        "unknown",
        "no client that kept its power",
    ),
    (
        "in-time",
        fault(expect={"fails_over": True, "outage": None}),
        "unknown",
        "no fault has a goal",
    ),
    ("course", fault(), "pass", "the service failed over, healthy in the end"),
    ("course", fault(moved=False), "fail", "did not fail over"),
    (
        "course",
        fault(moved=False, roles_after={"s": "a"}, expect={"fails_over": "may", "outage": None}),
        "pass",
        "healthy in the end",
    ),
    ("course", fault(**{**STAYED, "moved": True}), "fail", "failed over unexpectedly"),
    ("course", fault(**STAYED), "pass", "the service stayed"),
    ("course", fault(moved=None), "unknown", "no server reported the location of the service"),
    (
        "course",
        fault(recovered_unix_s=None, healthy=False, notes=("b did not come back",)),
        "fail",
        "not healthy in the end: b",
    ),
    (
        "course",
        fault(streams=(stream(errors=({"name": "EIO", "operation": "write"},)),)),
        "fail",
        "EIO of write",
    ),
    (
        "course",
        fault(**refused("ENOSPC")),
        "pass",
        "the service failed over, 7 ENOSPC, healthy in the end",
    ),
    ("course", fault(**refused("EIO")), "fail", "c1 small: EIO of write"),
    ("course", waiting(), "pass", "the service failed over, healthy in the end"),
    ("course", waiting(streams=(stream(25.0),)), "fail", "c1 small got answers before the repair"),
    ("course", waiting(moments=(started(105.0),)), "fail", "b started s-nfs before the repair"),
    ("course", waiting(moments=(started(131.0),)), "pass", "healthy in the end"),
    ("course", waiting(writers={"b": [wrote(106.0)]}), "fail", "b wrote 6.0 s after the injection"),
    (
        "course",
        waiting(writers={"b": [wrote(106.0)]}, process_start_ms={"b": 60.0}),
        "pass",
        "healthy in the end",
    ),
    (
        "course",
        waiting(writers={"b": [wrote(129.0)]}, process_start_ms={"b": 900.0}),
        "fail",
        "b wrote 29.0 s after",
    ),
    (
        "course",
        waiting(writers={"a": [wrote(101.0)], "b": [wrote(140.0)]}),
        "pass",
        "healthy in the end",
    ),
    ("course", waiting(actions=()), "fail", "the time of the repair is unknown"),
    ("intact", fault(), "pass", "9 blocks and names match the operation logs"),
    (
        "intact",
        fault(streams=(stream(blocks_checked=3, damage=DAMAGE),)),
        "fail",
        "1 zero among 3 blocks",
    ),
    ("intact", fault(not_compared="no answer"), "unknown", "it: no answer"),
]


@pytest.mark.parametrize(("claim", "item", "verdict", "evidence"), VERDICTS)
def test_acceptance_of_faults(
    tmp_path: Path, claim: str, item: FaultResult, verdict: str, evidence: str
) -> None:
    """Pass, fail and unknown, each with its evidence."""
    kept = result(tmp_path, item)
    found = {judged.claim: judged for judged in run_checkers(study_of(kept), kept)}[claim]
    assert (found.verdict, evidence in found.evidence) == (verdict, True), found


def test_goals_of_a_criterion_replace_the_expectations_of_faults(tmp_path: Path) -> None:
    """A fault that is named and was not injected, or was skipped, leaves the claim open."""
    claims = [
        {"id": f"c{number}", "check": "outage", "goals": goals}
        for number, goals in enumerate(
            [{"it": "30s"}, {"it": "50s"}, {"it": "50s", "gone": "1s"}, {"bmc": "9s"}]
        )
    ]
    injected = (fault(), fault(name="bmc", skipped="none here"))
    data = broken({item.name: planned_as(item) for item in injected}, criteria=claims)
    kept = result(tmp_path, *injected)
    verdicts = [judged.verdict for judged in run_checkers(study(data), kept)]
    assert verdicts == ["fail", "pass", "unknown", "unknown"]


COPY = {
    "client": "c1",
    "checked_by": "c2",
    "parts": 3,
    "size_bytes": 786432,
    "longest_s": 0.1,
    "blocks": 192,
    "extents": {"valid": {"number": 1, "size_bytes": 786432}},
    "damage": [],
    "error": None,
    "unknown": None,
}


def test_errors_of_dd_count_like_those_of_a_stream() -> None:
    """Unless the fault may give clients that error."""
    refused = {
        "dd": {**COPY, "error": "0 3 dd: error writing '/mnt/copy-0': No space left on device"}
    }
    answer = judge_course(fault(copies=refused))
    assert (answer.verdict, "c1 dd: dd: 0 3" in answer.evidence) == ("fail", True)
    allowed = {"fails_over": True, "errors": ["ENOSPC"]}
    assert judge_course(fault(copies=refused, expect=allowed)).verdict == "pass"
    assert judge_course(fault(copies={"dd": COPY})).verdict == "pass"


@pytest.mark.parametrize(
    ("after", "verdict", "words"),
    [
        ({"data": "b", "scratch": "b"}, "pass", ""),
        ({"data": "b", "scratch": "a"}, "fail", "scratch failed over unexpectedly"),
        ({"data": "a", "scratch": "b"}, "fail", "data did not fail over"),
    ],
)
def test_of_two_services_those_move_that_should(
    after: dict[str, str], verdict: str, words: str
) -> None:
    """And no other."""
    found = fault(
        expect={"fails_over": ["data"]},
        roles_before={"data": "a", "scratch": "b"},
        roles_after=after,
        moved=True,
    )
    reported = judge_course(found)
    assert (reported.verdict, words in reported.evidence) == (verdict, True)


def test_a_control_that_was_not_completed_has_detected_nothing() -> None:
    """Other damage proves nothing."""
    damaged = {"small": {**COMPARED, "lost": 3}}
    control = fault(expect={"detected_by": ["integrity"]}, compared=damaged)
    assert judge_control(control).verdict == "pass"
    failed = fault(
        expect={"detected_by": ["integrity"]}, compared=damaged, failed="the power could not be cut"
    )
    assert judge_control(failed).verdict == "unknown"
