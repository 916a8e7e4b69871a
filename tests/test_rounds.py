"""The order of repeats, and when there are enough of them."""

import math
import random

import pytest

from seatrial.analysis.statistics import Sample, half_width
from seatrial.cases import Case, vary
from seatrial.load.rounds import shuffled, stop_reason, widest, with_the_same_settings
from seatrial.result.phases import PhaseResult
from seatrial.study.experiment import Precision
from seatrial.study.points import Point
from seatrial.study.workload import Workload
from tests.builders.results import phase
from tests.builders.strategies import study

WANTED = Precision.model_validate({"interval": 0.05, "at_most": 6, "within": "60s"})


def point(clients: int, threads: int = 8) -> Point:
    """One that needs a number of threads."""
    work = Workload.model_validate({"transfer_size": "4KiB", "file_size": "1MiB"})
    return Point({"clients": clients}, clients, work, {"solution.export.threads": threads})


def repeats(*rates: float, phases: tuple[str, ...] = ("read",)) -> list[PhaseResult]:
    """In MB/s."""
    return [
        phase(rate * 1e6, repeat=number, phase=it)
        for number, rate in enumerate(rates, 1)
        for it in phases
    ]


def test_points_are_grouped_by_their_deployment() -> None:
    """In their order; a setting that returns is a separate group."""
    wanted = [point(1), point(2), point(1, 16), point(1)]
    found = study()
    cases = [
        Case("one", found.experiments["one"], item, vary(found, item.changes)) for item in wanted
    ]
    groups = list(with_the_same_settings(cases))
    assert [len(group) for group in groups] == [2, 1, 1]


def test_rounds_are_shuffled_by_their_seed() -> None:
    """The first is in the study's order; each other is a permutation, the same for the same seed
    and no other.
    """
    points = [point(n) for n in range(1, 9)]
    assert shuffled(points, "a", 1) == points
    assert shuffled(points, "a", 2) == shuffled(points, "a", 2)
    orders = {
        tuple(it.clients for it in shuffled(points, seed, n)) for seed in "ab" for n in range(2, 6)
    }
    assert len(orders) == 8
    assert all(sorted(order) == list(range(1, 9)) for order in orders)


def test_a_point_has_enough_repeats() -> None:
    """When its interval is narrow, when no more are allowed, and when the time is over; and not
    before.
    """
    assert stop_reason(WANTED, 2, repeats(10), 0, 1) is None
    assert stop_reason(WANTED, 2, repeats(10, 12, 8), 0, 1) is None
    assert (found := stop_reason(WANTED, 2, repeats(10, 10.02, 9.98), 0, 1)) is not None
    assert found.reason == "narrow"
    assert (found := stop_reason(WANTED, 2, repeats(10, 14, 8, 12, 9, 15), 0, 1)) is not None
    assert (found.reason, found.repeats) == ("at_most", 6)
    assert (found := stop_reason(WANTED, 2, repeats(10, 12, 8), 59.5, 1)) is not None
    assert found.reason == "within"


def test_each_look_has_its_share_of_the_error() -> None:
    """Five looks, at 2 to 6 repeats: an interval that is narrow at one look may be the
    luckiest of five.
    """
    alike = repeats(10, 10.15, 9.85)
    assert (widest(alike) or 1) < 0.05
    assert stop_reason(WANTED, 2, alike, 0, 1) is None
    assert stop_reason(WANTED, 6, alike, 0, 1) is not None  # a single look


def test_the_widest_phase_decides() -> None:
    """A point with known reads still has unknown writes; a point without two usable repeats
    knows nothing.
    """
    reads = repeats(10, 10, 10)
    writes = repeats(5, 9, 7, phases=("write",))
    assert widest(reads) == 0
    assert (widest([*reads, *writes]) or 0) > 0.3
    assert widest([*reads, *writes[:1]]) is None


@pytest.mark.parametrize("count", [3, 5, 10])
def test_the_interval_of_a_mean_covers(count: int) -> None:
    """In 93 to 97 % of cases: logarithms that are normal, deviation 10 %."""
    chance = random.Random(count)
    covered = 0
    cases = 4000
    for _ in range(cases):
        logs = [chance.gauss(0, 0.1) for _ in range(count)]
        half = half_width(Sample(tuple(math.exp(it) for it in logs)))
        assert half is not None
        covered += abs(sum(logs) / count) <= math.log1p(half)
    assert 0.93 <= covered / cases <= 0.97
