"""The saturation rate: the rates of the search, and its result."""

import random
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.analysis.saturation_search import SaturationSearch, Try, next_rate, saturation_search
from seatrial.basics.errors import InputError
from seatrial.load.saturation_search import met, search
from seatrial.report import saturation_search as report
from seatrial.result.phases import PhaseResult
from seatrial.study import experiment as experiments
from seatrial.study.points import Point
from seatrial.study.workload import Workload
from tests.builders.results import client, phase
from tests.builders.strategies import MINIMAL, study


def searched(
    true_per_s: float, start_per_s: float, within: float, wrong: float = 0.0, seed: int = 0
) -> list[Try]:
    """All tries of a search on a system that meets the objective up to a rate, and answers wrongly
    now and then.
    """
    chance = random.Random(seed)
    tries = list[Try]()
    while (rate := next_rate(tries, start_per_s, within)) is not None and len(tries) < 200:
        tries.append(Try(rate, (rate <= true_per_s) != (chance.random() < wrong)))
    return tries


@given(st.floats(0.01, 1e6), st.floats(0.1, 1e4), st.sampled_from([0.01, 0.1, 0.5]))
def test_the_line_is_between_its_ends(true_per_s: float, start_per_s: float, within: float) -> None:
    """At any place and from any start; and no more tries than doubling and halving need."""
    tries = searched(true_per_s, start_per_s, within)
    found = saturation_search(tries, within)
    assert found.settled
    assert found.holds_per_s is not None
    assert found.breaks_per_s is not None
    assert found.holds_per_s <= true_per_s < found.breaks_per_s
    assert found.breaks_per_s <= found.holds_per_s * (1 + within) * (1 + 1e-9)
    assert len(tries) < 36


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_a_wrong_answer_now_and_then_is_survived(seed: int) -> None:
    """One in twenty: of forty searches no more than a quarter end more than 15 % off."""
    ends = [
        saturation_search(searched(100.0, 10.0, 0.1, 0.05, seed + n), 0.1).holds_per_s or 0.0
        for n in range(40)
    ]
    assert sum(not 80 <= end <= 120 for end in ends) <= 10


def test_a_rate_that_two_tries_refute_is_given_up() -> None:
    """The first try at 40 was luck."""
    tries = [
        Try(10, True),
        Try(20, True),
        Try(40, True),
        Try(80, False),
        Try(56.6, False),
        Try(47.6, False),
    ]
    tries += [Try(43.6, False)]
    assert next_rate(tries, 10, 0.1) == 40
    tries += [Try(40, False)]
    assert saturation_search(tries, 0.1) == SaturationSearch(20, 40, settled=False)
    assert next_rate(tries, 10, 0.1) == pytest.approx(28.28, rel=0.001)


def test_a_system_that_meets_it_at_no_rate() -> None:
    """The search ends."""
    tries = searched(0.0, 10.0, 0.1)
    assert saturation_search(tries, 0.1).holds_per_s is None
    assert next_rate(tries, 10.0, 0.1) is None


LINE = experiments.SaturationSearch.model_validate({"objective": "20ms", "start": 10, "tries": 12})


def result(latency_ms: float, operations_per_s: float, **more: Any) -> PhaseResult:
    """A try's."""
    return phase(
        latency_ms={"read": {"p99": latency_ms}}, operations_per_s=operations_per_s, **more
    )


def test_meeting_an_objective() -> None:
    """Latency, and the rate kept up, and every client."""
    assert met(LINE, result(19, 99), 100)
    assert not met(LINE, result(21, 99), 100)
    assert not met(LINE, result(1, 90), 100)
    assert not met(LINE, result(1, 100, partial=True), 100)
    assert not met(LINE, phase(latency_ms={}, operations_per_s=100), 100)


@pytest.mark.parametrize(
    ("latency", "unserved", "is_met"), [("p99", 13, True), ("p99", 14, False), ("max", 4, False)]
)
def test_a_waiting_client_counts(latency: str, unserved: int, is_met: bool) -> None:
    """Of 100 a second, two come within the objective of 20 ms, and one has just come to each of the
    tasks.
    """
    line = LINE.model_copy(update={"latency": latency})
    left = client(operations=1000 - unserved, unserved=unserved)
    figures = {"read": {"p99": 1.0, "max": 1.0}}
    assert (
        met(line, phase(latency_ms=figures, operations_per_s=100, clients=(left,)), 100) == is_met
    )


def test_a_point_is_searched_and_reported() -> None:
    """A server of 150 operations/s for two clients: each rate is of one client, each figure
    of both.
    """
    timed = {
        "transfer_size": "4KiB",
        "file_size": "1MiB",
        "time_based": True,
        "time_limit": "5s",
        "phases": ["write"],
    }
    point = Point({"clients": 2}, 2, Workload.model_validate(timed), {})
    seen: list[tuple[object, float | None, int]] = []

    def measure(at: Point, number: int) -> PhaseResult:
        rate = 2 * (at.workload.arrivals_per_s or 0)
        seen.append((at.values["arrivals_per_s"], at.workload.arrivals_per_s, number))
        return result(1e3 / max(150 - rate, 0.5), min(rate, 150))

    found = search(LINE, point, measure)
    assert 2 <= len(found.tries) <= 12
    assert found.holds_per_s is not None
    assert seen[0] == (10, 10, 1)
    assert max(number for *_, number in seen) == 2
    line = {"point": {"clients": 2}, **asdict(found)}
    drawn, every = (of([line], in_lab=True) for of in (report.table, report.tries))
    assert [column.title for column in (*drawn.columns, *every.columns)].count("latency †") == 1
    assert drawn.rows[0][:2] == ("clients=2", "p99 ≤ 20.0 ms")
    assert every.rows[0][1:] == ("20.0", "7.69", "yes")
    assert every.rows[-1][3] == "no"
    assert "is met at" in found.text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"workload": {"phases": ["read"], "prepare": True}}, "needs one phase that is time_based"),
        (
            {"workload": {"time_based": True, "time_limit": "5s"}},
            "needs one phase that is time_based",
        ),
        ({"repeats": 3}, "leave repeats out"),
        ({"sweep": {"arrivals_per_s": [1, 2]}}, "leave arrivals_per_s out"),
    ],
)
def test_a_wrong_saturation_search_is_refused(changes: dict[str, object], words: str) -> None:
    """Reported before any run."""
    timed = {"phases": ["read"], "prepare": True, "time_based": True, "time_limit": "5s"}
    base = {"transfer_size": "4KiB", "file_size": "1MiB"}
    one = {"workload": {**base, **timed}, "saturation_search": {"objective": "20ms"}, **changes}
    one["workload"] = {**base, **(one["workload"] if "workload" in changes else timed)}  # type: ignore[dict-item]
    with pytest.raises(InputError, match=words):
        study({**MINIMAL, "experiments": {"one": one}})
