"""An effect that a busy machine may have caused is unknown, with the reason; any other still
fails.
"""

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.judge import limits
from seatrial.judge.answer import Answer, Reason
from seatrial.judge.checks import consistency, idempotence, integrity, spread
from seatrial.judge.effects import judge_course
from seatrial.judge.outages import judge_outage
from seatrial.judge.published_faults import judge_by_faults, judge_row
from seatrial.load.shortage import ShortageMeter, wait_until_calm, watching_processors
from seatrial.report.fault_tables import consistency as consistency_table
from seatrial.result.faults import FaultResult
from seatrial.result.outages import Outage
from seatrial.result.result import SECOND_DEPLOY
from seatrial.result.shortage import Interval, limited, short_s
from seatrial.study.published import PublishedClaim
from tests.builders.fault_results import COMPARED, fault, started, stream, waiting, wrote
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL


def seconds(from_s: int, until_s: int, share: float = 1.0) -> tuple[Interval, ...]:
    """So short was the machine of processors in every second."""
    return tuple(Interval(float(end_s), 1.0, share) for end_s in range(from_s + 1, until_s + 1))


BUSY = seconds(100, 120)
CALM = seconds(100, 165, 0.3)
LONG = 70.0
"""of an outage with a limit of 60 s"""


def test_the_counted_part_of_a_window() -> None:
    """Only seconds in which processes waited for more than half of the time, and of those the
    part within the window.
    """
    assert short_s(BUSY, 110.5, 200.0) == pytest.approx(9.5)
    assert short_s(CALM, 100.0, 165.0) == 0.0
    assert (
        limited(BUSY, 100.0, 200.0) == "this machine was short of processors for 20 of these 100 s"
    )
    assert limited(BUSY, 100.0, 201.0) is None
    assert limited(BUSY, 100.0, 201.0, excess_s=20.0) is not None, "as long as what was too long"
    assert limited(BUSY, 130.0, 201.0, excess_s=0.0) is None, "it was over"
    assert limited((), 100.0, 200.0, excess_s=0.0) is None


def lost() -> dict[str, Any]:
    """A stream that never got an answer again."""
    outage = Outage(None, 100.0, 165.0, open=True)
    return {"streams": (stream(outages=(outage,), recovered=False),), "recovered_unix_s": None}


WRONG: dict[str, tuple[Callable[[FaultResult], Answer], FaultResult]] = {
    "too long": (lambda it: judge_outage(it, 60.0), fault(LONG, ended_unix_s=180.0)),
    "moved": (judge_course, fault(expect={"moves": False})),
    "error": (
        judge_course,
        fault(streams=(stream(9.0, errors=({"name": "EIO", "operation": "write"},)),)),
    ),
    "not well": (judge_course, fault(recovered_unix_s=None, healthy=False)),
    "did not stop": (judge_course, fault(0.0, expect={"moves": True, "min_stall": 9.0})),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_time_or_a_course_of_a_busy_machine_is_unknown(name: str) -> None:
    """And fails on one that had processors left; records that do not say it are judged as they
    were.
    """
    judge, found = WRONG[name]
    assert judge(found).verdict == "fail"
    assert judge(replace(found, shortage=CALM)).verdict == "fail"
    answer = judge(replace(found, shortage=BUSY))
    assert (answer.verdict, answer.reason) == ("unknown", Reason.BUSY_MACHINE), answer
    assert "short of processors for 20 of these" in answer.evidence


NEVER_AGAIN: dict[str, Callable[[FaultResult], Answer]] = {
    "outage": lambda it: judge_outage(it, 60.0),
    "faults": judge_course,
}


@pytest.mark.parametrize("check", NEVER_AGAIN)
@pytest.mark.parametrize(
    ("short_s", "verdict"), [(20.0, "fail"), (32.4, "fail"), (32.5, "unknown"), (65.0, "unknown")]
)
def test_an_outage_without_an_end_needs_a_shortage_of_half_the_watch_time(
    check: str, short_s: float, verdict: str
) -> None:
    """It was watched for 65 s; a fifth of them excuses a late answer, and no client that never got
    one.
    """
    shortage = (Interval(100.0 + short_s, short_s, 1.0),)
    answer = NEVER_AGAIN[check](fault(**lost(), shortage=shortage))
    assert (answer.verdict, "not recovered within 65.0 s" in answer.evidence) == (verdict, True)
    assert (answer.reason is Reason.BUSY_MACHINE) == (verdict == "unknown")


def test_every_outage_without_an_end_needs_its_own_shortage() -> None:
    """One client that had processors for the rest of its time is enough to fail."""
    late = Outage(None, 130.0, 165.0, open=True)
    streams = (*lost()["streams"], stream(client="c2", outages=(late,), recovered=False))
    both = fault(**{**lost(), "streams": streams})
    assert judge_outage(replace(both, shortage=seconds(100, 148)), 60.0).verdict == "unknown"
    assert judge_outage(replace(both, shortage=seconds(100, 140)), 60.0).verdict == "fail"
    calm = fault(**lost(), shortage=CALM)
    assert (calm.limited_silence(), fault(shortage=BUSY).limited_silence()) == (None, None)


def test_a_published_row_is_refuted_by_an_outage_without_an_end() -> None:
    """Unless the machine was short of processors for half of it."""
    never = fault(**lost(), moved=True)
    assert judge_row(VARIANT, [replace(never, shortage=BUSY)]).verdict == "worse"
    assert (
        judge_row(VARIANT, [replace(never, shortage=seconds(100, 133))]).verdict == "inconclusive"
    )


def test_a_failure_beyond_a_short_shortage_fails() -> None:
    """Three seconds make no outage 10 s too long, and are no fifth of it."""
    found = fault(LONG, ended_unix_s=180.0, shortage=seconds(100, 103))
    assert judge_outage(found, 60.0).verdict == "fail"
    assert judge_outage(found, 68.0).verdict == "unknown"


def test_lost_or_wrong_data_fail_on_every_machine() -> None:
    """No shortage of processors loses acknowledged data."""
    always = seconds(90, 200)
    damage = ({"class": "torn", "file": "f", "offset": 0, "length": 4096},)
    assert (
        integrity.judge(fault(shortage=always, streams=(stream(damage=damage),))).verdict == "fail"
    )
    assert (
        integrity.judge(fault(shortage=always, compared={"small": {**COMPARED, "lost": 1}})).verdict
        == "fail"
    )


def test_a_forbidden_service_fails_on_every_machine() -> None:
    """The start of a server is a fact; its late last writes are a matter of time."""
    always = seconds(90, 200)
    assert judge_course(waiting(shortage=always, moments=(started(115.0),))).verdict == "fail"
    late = {"a": [wrote(112.0)]}
    assert judge_course(waiting(writers=late)).verdict == "fail"
    assert judge_course(waiting(shortage=always, writers=late)).verdict == "unknown"


def lost_lock() -> Any:
    """The findings of a consistency test with a lost lock of one client."""
    lists: dict[str, list[str]] = {name: [] for name in ("violations", "lost_locks", "unknowns")}
    test = {
        **lists,
        **{f"{name}_count": 0 for name in lists},
        "consistency_test": "locks",
        "kept_locks": {},
    }
    return test | {"checked": {"holds": 9, "looks": 9}, "lost_locks": ["c1"], "lost_locks_count": 1}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "fail"),
        ({"shortage": CALM}, "fail"),
        ({"shortage": BUSY}, "unknown"),
        (
            {
                "evidence": None,
                "restarted": (),
                "consistency": {"locks": {**lost_lock(), "lost_locks_count": 0}},
            },
            "unknown",
        ),
    ],
    ids=["not watched", "calm", "busy", "not shown"],
)
def test_the_table_of_the_report_agrees_with_the_claim(
    changes: dict[str, Any], verdict: str
) -> None:
    """A row has the criterion's verdict, and its text about the machine and the fault."""
    found = fault(**{"consistency": {"locks": lost_lock()}, **changes})
    kept: Any = SimpleNamespace(faults=[found])
    answer = consistency.check(kept, consistency.Options())
    cell = consistency_table([found], []).rows[0][-1]
    assert (answer.verdict, verdict in cell) == (verdict, True), cell
    assert ("short of processors" in cell) == ("short of processors" in answer.evidence)


def test_a_client_that_got_no_processor_loses_its_lease() -> None:
    """Lost locks are unknown then; a violation is not."""
    test = lost_lock()
    found = fault(consistency={"locks": test})
    assert consistency.judge(found).verdict == "fail"
    assert consistency.judge(replace(found, shortage=BUSY)).verdict == "unknown"
    wrong: Any = {**test, "violations": ["two held it"], "violations_count": 1}
    assert (
        consistency.judge(replace(found, shortage=BUSY, consistency={"locks": wrong})).verdict
        == "fail"
    )


@pytest.mark.parametrize(
    ("short_share", "verdict"), [(None, "fail"), (0.1, "fail"), (0.3, "unknown")]
)
def test_repeats_that_a_busy_machine_spread_decide_nothing(
    tmp_path: Path, short_share: float | None, verdict: str
) -> None:
    """Although its busiest processor had some time left in the mean."""
    rates = (10e6, 10e6, 10e6, 30e6)
    phases = [phase(rate, repeat=number) for number, rate in enumerate(rates, start=1)]
    phases[-1] = replace(phases[-1], cpus_short_share=short_share)
    result = result_of(tmp_path / "r", MINIMAL, *phases)
    answer = spread.check(result, spread.Options(below=0.05))
    assert (answer.verdict, limits.SHORT in answer.evidence) == (verdict, verdict == "unknown"), (
        answer.evidence
    )


def test_the_result_keeps_it() -> None:
    """The values of a line are read back."""
    found = fault(shortage=BUSY)
    assert FaultResult.from_json(asdict(found)) == found
    assert FaultResult.from_json({**asdict(found), "shortage": None}).shortage == ()


IDLE = "cpu{processor} 0 0 0 {idle} 0 0 0 {stolen} 0 0\n"


@pytest.mark.parametrize("reported", ["some avg10=0.00 total=0\nfull avg10=0.00 total=0\n", ""])
def test_stolen_time_of_a_hypervisor_is_a_shortage(tmp_path: Path, reported: str) -> None:
    """Also where the kernel reports no pressure."""
    pressure = tmp_path / "pressure"
    stat = tmp_path / "stat"
    pressure.write_text(reported)
    stat.write_text(IDLE.format(processor=min(os.sched_getaffinity(0)), idle=100, stolen=0))
    meter = ShortageMeter(pressure, stat)
    assert meter.share() == 0.0
    stat.write_text(IDLE.format(processor=min(os.sched_getaffinity(0)), idle=140, stolen=60))
    assert meter.share() == pytest.approx(0.6)


def test_hosts_of_their_own_are_not_watched() -> None:
    """The processors of the controller decide nothing there."""
    with watching_processors("hosts") as watched:
        pass
    assert watched.result_fields() == {}
    with watching_processors("emulated") as watched:
        found = watched.result_fields()
    assert found["shortage"], "the last interval is noted, too"


@pytest.mark.parametrize(
    ("shares", "waited_s"), [([0.1], 3.0), ([0.9, 0.8, 0.2], 9.0), ([0.9] * 99, 30.0)]
)
def test_a_pause_ends_when_the_machine_is_calm_or_has_lasted_long_enough(
    shares: list[float], waited_s: float
) -> None:
    """A machine that never becomes calm is measured again all the same."""
    left = list(shares)
    slept: list[float] = []

    class Meter(ShortageMeter):
        def share(self) -> float:
            return left.pop(0)

    assert wait_until_calm(Meter, slept.append) == sum(slept) == waited_s


def deploy(result: str, *, limited: bool = True) -> dict[str, Any]:
    """A second deploy with one step that has this result."""
    return {
        "title": SECOND_DEPLOY,
        "lab_limited": limited,
        "results": [{"node": "n", "step": "s", "result": result}],
    }


@pytest.mark.parametrize(
    ("deploys", "verdict"),
    [
        ([deploy("changed"), deploy("ok")], "unknown"),
        ([deploy("changed"), deploy("changed")], "fail"),
        ([deploy("changed")], "fail"),
        ([deploy("changed", limited=False), deploy("ok")], "fail"),
    ],
    ids=["once", "each time", "not made again", "on a calm machine"],
)
def test_a_step_that_changed_something_once_may_have_got_no_answer(
    deploys: list[Any], verdict: str
) -> None:
    """One that changes something each time does so on every machine."""
    kept: Any = SimpleNamespace(of=lambda kind: iter(deploys if kind == "deploy" else ()))
    assert idempotence.check(kept, idempotence.Options()).verdict == verdict


VARIANT = {"id": "X1", "failover": True, "recovery": {"min": 30, "max": 60, "unit": "s"}}


def test_a_published_time_is_not_refuted_by_a_busy_machine() -> None:
    """Neither a row of the fault table nor a range; agreement on such a machine still counts."""
    found = fault(LONG, ended_unix_s=180.0)
    assert judge_row(VARIANT, [found]).verdict == "worse"
    assert judge_row(VARIANT, [replace(found, shortage=BUSY)]).verdict == "inconclusive"
    assert judge_row(VARIANT, [fault(40.0, shortage=BUSY)]).verdict == "agrees"
    profile = {"type": "range", "min": 30, "max": 60, "unit": "s"}
    for shortage, verdict in (((), "worse"), (BUSY, "inconclusive")):
        kept: Any = SimpleNamespace(faults=[replace(found, shortage=shortage)])
        assert judge_by_faults(profile, PublishedClaim(faults=("it",)), kept).verdict == verdict
