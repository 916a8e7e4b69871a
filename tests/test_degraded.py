"""The check `degraded`: the rate of the background load during and after a fault."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.cases import vary
from seatrial.faults.base import Planned, fault_case
from seatrial.judge.answer import Answer, Reason
from seatrial.judge.base import refuse_mistakes
from seatrial.judge.checks.degraded import Options, check, judge_rates
from seatrial.judge.fault_rates import stream_rates
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.result.shortage import Interval
from tests.builders.fault_studies import broken
from tests.builders.strategies import study
from tests.simulations_regressions import fault_of

STEADY = [1.0, 1.01, 0.99, 1.0, 1.0, 0.99, 1.01, 1.0, 1.0, 1.0]


def times(factor: float) -> list[float]:
    """Ten seconds at a share of the rate."""
    return [factor * rate for rate in STEADY]


def judged(
    during: Sequence[float] = STEADY, after: Sequence[float] = STEADY, **options: Any
) -> Answer:
    """The answer on a fault with these operations per second, in units of the rate before."""
    return judge_rates(fault_of(STEADY, during, after), Options(**options))


@pytest.mark.parametrize(
    ("during", "after", "options", "expected", "evidence"),
    [
        (
            times(0.6),
            STEADY,
            {"during_at_least": 0.5},
            "pass",
            "names during: 60% of the rate before",
        ),
        (
            times(0.4),
            STEADY,
            {"during_at_least": 0.5},
            "fail",
            "names during: 40% of the rate before",
        ),
        (times(0), STEADY, {"during_at_least": 0.5}, "fail", "names during: 0% of the rate before"),
        (times(0.4), STEADY, {"after_at_least": 0.9}, "pass", "names after: 100%"),
        (times(0.4), times(0.8), {"after_at_least": 0.9}, "fail", "names after: 80%"),
        (STEADY, [*times(0)[:5], *STEADY[:5]], {"after_at_least": 0.4}, "unknown", "would decide"),
        (STEADY, STEADY[:3], {"after_at_least": 0.9}, "unknown", "a decision needs 9 s"),
    ],
)
def test_the_whole_interval_decides(
    during: Sequence[float],
    after: Sequence[float],
    options: dict[str, Any],
    expected: str,
    evidence: str,
) -> None:
    """Pass, fail (the negative control) and unknown, each with its evidence."""
    answer = judged(during, after, **options)
    found = answer.verdict == expected and evidence in answer.evidence
    assert found, answer


@pytest.mark.parametrize(
    ("after", "within", "expected", "evidence"),
    [
        ([*times(0), *STEADY], "12s", "pass", "10 s after the repair"),
        ([*times(0), *STEADY], "5s", "fail", "10 s after the repair"),
        ([*times(0), *times(0)], "5s", "fail", "not within 20 s after the repair"),
        (times(0), "60s", "unknown", "not within the 10 s of observation"),
        (STEADY, "5s", "pass", "0 s after the repair"),
    ],
)
def test_the_time_until_the_rate_is_back(
    after: Sequence[float], within: str, expected: str, evidence: str
) -> None:
    """From the repair."""
    answer = judged(times(0), after, recovered_within=within)
    found = answer.verdict == expected and evidence in answer.evidence
    assert found, answer


def test_the_share_of_the_recovery_is_that_of_the_limit() -> None:
    """Half of the rate is a recovery where the criterion permits it."""
    after = [*times(0), *times(0.55)]
    assert judged(after=after, recovered_within="12s").verdict == "fail"
    fault = fault_of(STEADY, STEADY, after)
    options = Options(after_at_least=0.5, recovered_within="12s", streams=("names",))
    assert "names recovery: 10 s" in judge_rates(fault, options).evidence


def test_a_busy_machine_causes_no_failure_and_no_pass() -> None:
    """A shortage after the injection may cause a failure; before it, a pass."""
    slow = fault_of(STEADY, times(0.2), STEADY)
    late = tuple(Interval(at, 1.0, 1.0) for at in range(11, 31))
    options = Options(during_at_least=0.5)
    assert judge_rates(slow, options).verdict == "fail"
    assert judge_rates(replace(slow, shortage=late), options).reason == Reason.BUSY_MACHINE
    fine = fault_of(STEADY, STEADY, STEADY)
    early = tuple(Interval(at, 1.0, 1.0) for at in range(1, 10))
    assert judge_rates(fine, options).verdict == "pass"
    assert judge_rates(replace(fine, shortage=early), options).reason == Reason.BUSY_MACHINE


def test_a_client_without_power_does_not_count() -> None:
    """And a stream without any client is not judged."""
    fault = fault_of(STEADY, STEADY, STEADY)
    (own,) = fault.streams
    dead = replace(own, client="c2", lost_power=True, seconds=own.seconds[:10])
    both = replace(fault, streams=(own, dead))
    assert judge_rates(both, Options(during_at_least=0.9)).verdict == "pass"
    alone = replace(fault, streams=(dead,))
    assert judge_rates(alone, Options(during_at_least=0.9)).reason == Reason.NOTHING_CHECKED


def test_the_clients_of_a_stream_are_added() -> None:
    """One of two that stops halves the rate."""
    fault = fault_of(STEADY, STEADY, STEADY)
    (own,) = fault.streams
    stopped = replace(own, client="c2", seconds=own.seconds[:10])
    both = replace(fault, streams=(own, stopped))
    assert judge_rates(both, Options(during_at_least=0.4)).verdict == "pass"
    assert "50% of the rate before" in judge_rates(both, Options(during_at_least=0.6)).evidence


def test_consistency_tests_are_left_out_unless_named() -> None:
    """Their operations are no load."""
    fault = fault_of(STEADY, STEADY, STEADY)
    (own,) = fault.streams
    locks = replace(own, stream="locks", phase="locks")
    both = replace(fault, streams=(own, locks))
    assert [item.name for item in stream_rates(both, ())] == ["names"]
    assert [item.name for item in stream_rates(both, ("locks",))] == ["locks"]


def test_a_lost_or_failed_fault_is_no_pass() -> None:
    """The evidence is not complete."""
    fault = fault_of(STEADY, STEADY, STEADY)
    (own,) = fault.streams
    options = Options(during_at_least=0.5)
    lost = replace(fault, streams=(replace(own, lost="its agent was killed"),))
    assert judge_rates(lost, options).reason == Reason.INCOMPLETE
    assert judge_rates(replace(fault, failed="no"), options).reason == Reason.NOT_CARRIED_THROUGH
    unknown = replace(fault, ended_unix_s=None)
    assert judge_rates(unknown, options).reason == Reason.NOT_CARRIED_THROUGH


class Given(Result):
    """A result with given faults."""

    faults: list[FaultResult] = []  # noqa: RUF012


def checked(*faults: FaultResult, **options: Any) -> Answer:
    """The answer of the check on a result with these faults."""
    result = Given(Path(), ())
    result.__dict__["faults"] = list(faults)
    return check(result, Options(**options))


def test_a_fault_that_is_not_shown_passes_nothing() -> None:
    """A skipped fault that is named is no pass; a failure needs no evidence of the fault."""
    fine = fault_of(STEADY, STEADY, STEADY)
    assert checked(fine, during_at_least=0.5).reason == Reason.NOT_SHOWN
    skipped = replace(fine, skipped="no such server")
    assert checked(skipped, during_at_least=0.5).reason == Reason.NOTHING_CHECKED
    assert checked(skipped, during_at_least=0.5, faults=("it",)).reason == Reason.SKIPPED
    assert checked(fine, during_at_least=0.5, faults=("that",)).reason == Reason.NOTHING_CHECKED
    slow = fault_of(STEADY, times(0.2), STEADY)
    assert checked(slow, during_at_least=0.5).verdict == "fail"
    control = replace(slow, expect={"detected_by": ["integrity"]})
    assert checked(control, during_at_least=0.5).reason == Reason.NOTHING_CHECKED


def test_a_fault_is_observed_for_as_long_as_it_asks() -> None:
    """Before the injection and after the recovery; the streams have data for both."""

    def planned(**options: Any) -> Planned:
        found = study(broken({"it": {"kind": "panic", **options}}))
        return fault_case(vary(found), "it", found.faults["it"]).planned

    short = planned()
    long = planned(observe="300s")
    assert (short.aftermath_s < 300, long.aftermath_s) == (True, 300)
    assert long.longest_s == short.longest_s + 300 + (300 - short.aftermath_s)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"write during_at_least, after_at_least or recovered_within"),
        ({"during_at_least": 1.5}, r"during_at_least.*less than or equal to 1"),
        (
            {"after_at_least": 0.9, "faults": ["it", "that"]},
            r"criteria\[0\].faults\[1\].*'that' is not known",
        ),
        (
            {"after_at_least": 0.9, "streams": ["x"]},
            r"criteria\[0\].streams\[0\].*'x' is not known",
        ),
    ],
)
def test_wrong_use_is_refused(options: dict[str, Any], message: str) -> None:
    """With file and line."""
    claims = [{"id": "rates", "check": "degraded", **options}]
    found = study(broken({"it": {"kind": "panic", "observe": "30s"}}, criteria=claims))
    with pytest.raises(InputError, match=rf"study.yaml:\d+:\d+: .*{message}"):
        refuse_mistakes(found, {})
