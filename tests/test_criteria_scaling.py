"""The checks `scaling` and `variation` on results with known rates."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.answer import Answer, Reason
from seatrial.judge.checks import scaling, variation
from seatrial.result.phases import PhaseResult, Second
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import changed

NOISE = (0.99, 1.0, 1.01)


def at(
    count: int, rate: float, noise: tuple[float, ...] = NOISE, **changes: Any
) -> list[PhaseResult]:
    """The repeats of one number of clients."""
    point = {"clients": count, **changes.pop("point", {})}
    return [
        phase(rate * factor, point=point, repeat=number, **changes)
        for number, factor in enumerate(noise, start=1)
    ]


def judged(tmp_path: Path, check: Any, options: dict[str, Any], *phases: PhaseResult) -> Answer:
    """The answer of a check on a result of these phases."""
    result = result_of(tmp_path / "r", changed("criteria", []), *phases)
    answer: Answer = check.check(result, check.Options(experiment="one", **options))
    return answer


SWEEP = [*at(1, 10e6), *at(4, 36e6), *at(16, 80e6)]
"""efficiencies of 1, 0.9 and 0.5"""


@pytest.mark.parametrize(
    ("options", "verdict", "words"),
    [
        ({"at_least": 0.4}, "pass", "at 16 clients: 5 MB/s per client"),
        ({"at_least": 0.6}, "fail", "0.5 of the reference, 95 % interval 0.4"),
        ({"at_least": 0.5}, "unknown", "would decide"),
        ({"at_least": 0.85, "clients": 4}, "pass", "0.9 of the reference"),
        ({"at_least": 0.95, "clients": 4}, "fail", "0.95 of that at 1 client, 10 MB/s per client"),
        ({"at_least": 0.5, "relative_to": 4}, "pass", "at 4 clients"),
        ({"at_least": 0.6, "relative_to": 4}, "fail", "at 4 clients"),
        ({"at_least": 0.1, "clients": 8}, "unknown", "no two points to compare"),
        ({"at_least": 0.1, "clients": 4, "relative_to": 2}, "unknown", "measured: 1, 4, 16"),
    ],
)
def test_scaling(tmp_path: Path, options: dict[str, Any], verdict: str, words: str) -> None:
    """The rate per client, at any two client counts."""
    found = judged(tmp_path, scaling, options, *SWEEP)
    assert (found.verdict, words in found.evidence) == (verdict, True), found


@pytest.mark.parametrize(
    ("phases", "reason"),
    [
        ([], Reason.NOTHING_CHECKED),
        (at(1, 10e6), Reason.NOTHING_CHECKED),
        ([*at(1, 10e6, (1.0,)), *at(4, 40e6)], Reason.NOT_DISTINGUISHABLE),
        ([*at(1, 10e6), *at(4, 40e6, (1.0,))], Reason.NOT_DISTINGUISHABLE),
        ([*at(1, 10e6), *at(4, 40e6, lab_limited=True)], Reason.NOT_DISTINGUISHABLE),
        ([*at(1, 1e6, cpus_short_share=0.5), *at(4, 40e6)], Reason.BUSY_MACHINE),
        ([*at(1, 10e6, partial=True), *at(4, 40e6)], Reason.NOT_DISTINGUISHABLE),
    ],
)
def test_scaling_that_decides_nothing(
    tmp_path: Path, phases: list[PhaseResult], reason: Reason
) -> None:
    """A slow reference would make the storage scale well."""
    found = judged(tmp_path, scaling, {"at_least": 0.5}, *phases)
    assert (found.verdict, found.reason) == ("unknown", reason), found


def test_scaling_of_metadata_operations(tmp_path: Path) -> None:
    """In operations per second."""
    phases = [
        phase(0.0, phase="create", point={"clients": clients}, operations_per_s=rate, repeat=number)
        for clients, rates in ((1, (99.0, 100.0, 101.0)), (4, (198.0, 200.0, 202.0)))
        for number, rate in enumerate(rates, start=1)
    ]
    assert judged(tmp_path / "a", scaling, {"at_least": 0.4}, *phases).verdict == "pass"
    assert judged(tmp_path / "b", scaling, {"at_least": 0.6}, *phases).verdict == "fail"


# ---- variation


def with_clients(*rates: float, **changes: Any) -> list[PhaseResult]:
    """Three repeats with clients of these rates."""
    clients = tuple(
        client(client=f"c{number}", size_bytes=int(rate), elapsed_s=1.0)
        for number, rate in enumerate(rates, start=1)
    )
    return at(len(rates), 10e6, clients=clients, **changes)


def with_seconds(
    *rates: int, noise: tuple[int, ...] = (0, 1, 2), **changes: Any
) -> list[PhaseResult]:
    """Three repeats with seconds of these rates; the last, cut one does not count."""
    found = []
    for number, more in enumerate(noise, start=1):
        seconds = tuple(
            Second(second, rate + more * (second % 2), 1, {})
            for second, rate in enumerate((*rates, 1))
        )
        found.append(
            phase(repeat=number, seconds=seconds, first_done_s=len(rates) + 0.5, **changes)
        )
    return found


@pytest.mark.parametrize(
    ("rates", "below", "verdict"),
    [
        ((100.0, 100.0, 100.0, 96.0), 0.1, "pass"),
        ((100.0, 100.0, 100.0, 40.0), 0.1, "fail"),
        ((100.0, 100.0, 100.0, 40.0), 0.6, "pass"),
    ],
)
def test_variation_between_clients(
    tmp_path: Path, rates: tuple[float, ...], below: float, verdict: str
) -> None:
    """One client that is slower than the mean."""
    options = {"between": "clients", "below": below}
    found = judged(tmp_path, variation, options, *with_clients(*rates))
    assert (found.verdict, "slowest client" in found.evidence) == (verdict, True), found


def test_variation_between_clients_needs_repeats_and_clients(tmp_path: Path) -> None:
    """A slow client of one repeat may be chance; one client has no other."""
    options = {"between": "clients", "below": 0.1}
    slow = [*with_clients(100.0, 99.0)[:2], *with_clients(100.0, 20.0)[2:]]
    assert judged(tmp_path / "a", variation, options, *slow).verdict == "unknown"
    one = judged(tmp_path / "b", variation, options, *with_clients(100.0))
    assert one.reason is Reason.NOTHING_CHECKED
    single = judged(tmp_path / "c", variation, options, *with_clients(100.0, 100.0)[:1])
    assert single.verdict == "unknown"
    points = [*with_clients(100.0, 100.0), *with_clients(100.0, 100.0, 20.0)]
    found = judged(tmp_path / "d", variation, options, *points)
    assert (found.verdict, "clients=3" in found.evidence) == ("fail", True)


STEADY = (1000, 1010, 990, 1000, 1005, 995, 1000, 1010, 990, 1000)
STALLS = (1000, 1010, 990, 0, 0, 995, 1000, 1010, 990, 1000)


@pytest.mark.parametrize(
    ("phases", "verdict"),
    [
        (with_seconds(*STEADY), "pass"),
        (with_seconds(*STALLS), "fail"),
        (with_seconds(*STEADY[:9]), "unknown"),
        ([*with_seconds(*STEADY)[:2], *with_seconds(*STALLS)[2:]], "unknown"),
        (with_seconds(*STEADY)[:1], "unknown"),
        (with_seconds(*STALLS, cpus_short_share=0.5), "unknown"),
        (with_seconds(*STEADY, lab_limited=True), "pass"),
    ],
)
def test_variation_between_seconds(tmp_path: Path, phases: list[PhaseResult], verdict: str) -> None:
    """The whole seconds in which all tasks were at work."""
    found = judged(tmp_path, variation, {"between": "seconds", "below": 0.1}, *phases)
    assert found.verdict == verdict, found


def test_a_second_without_a_line_is_a_stall() -> None:
    """Agents write no line for a second without a completion."""
    (whole, *_) = with_seconds(*STALLS)
    (without, *_) = with_seconds(*STALLS)
    kept = tuple(item for item in without.seconds if item.size_bytes)
    found = variation.variation_of_seconds(phase(seconds=kept, first_done_s=10.5))
    assert found == variation.variation_of_seconds(whole)
    assert found is not None
    assert found > 0.4
