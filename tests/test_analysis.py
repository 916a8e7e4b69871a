"""Aggregates and statistics, against printed and textbook figures."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.aggregates import TaskTime, aggregate, jain
from seatrial.analysis.statistics import Sample, difference, t_quantile_95
from seatrial.model import DataPath, Resource, payload_share

TASKS = st.lists(
    st.builds(TaskTime, st.integers(1, 10**12), st.floats(1e-3, 1e4, allow_nan=False)), min_size=1, max_size=64
)


def test_aggregates_by_hand() -> None:
    """Two tasks of 100 bytes in 1 s and 2 s: 200/2, 200/3 and twice that (gpfs-nsd, lines 118-126)."""
    found = aggregate([TaskTime(100, 1.0), TaskTime(100, 2.0)])
    assert found is not None
    assert found.natural_bytes_per_s == 100
    assert found.harmonic_mean_bytes_per_s == pytest.approx(200 / 3)
    assert found.harmonic_aggregate_bytes_per_s == pytest.approx(400 / 3)
    assert (found.first_done_s, found.last_done_s) == (1, 2)


@given(TASKS)
def test_natural_never_exceeds_harmonic(tasks: list[TaskTime]) -> None:
    """The longest time is at least the mean time, so the natural aggregate is the smaller one."""
    found = aggregate(tasks)
    assert found is not None
    assert found.natural_bytes_per_s <= found.harmonic_aggregate_bytes_per_s * (1 + 1e-9)
    assert 1 / len(tasks) - 1e-9 <= found.fairness <= 1 + 1e-9


def test_nothing_moved_has_no_aggregate() -> None:
    """No rate is invented."""
    assert aggregate([]) is None
    assert aggregate([TaskTime(0, 1.0), TaskTime(5, 0.0)]) is None
    assert jain([]) == 1.0


def test_welch_against_a_textbook() -> None:
    """Variances 9 and 1, n = 4 each: standard error sqrt(2.5), 3.66 degrees of freedom (table row 3)."""
    a, b = Sample((97.0, 103.0, 97.0, 103.0)), Sample((109.0, 111.0, 109.0, 111.0))
    found = difference(a, b)
    assert found is not None
    error = (statistics.variance(a.values) / 4 + statistics.variance(b.values) / 4) ** 0.5
    assert found.relative == pytest.approx(0.10)
    assert found.high - found.relative == pytest.approx(t_quantile_95(3) * error / 100)


@pytest.mark.parametrize(
    ("a", "b", "direction"),
    [
        ((100, 101, 99), (120, 121, 119), "up"),
        ((120, 121, 119), (100, 101, 99), "down"),
        ((100, 100.1, 99.9), (100.2, 100.1, 100), "flat"),
        ((100, 150, 50), (120, 60, 180), None),
    ],
)
def test_directions(a: tuple[float, ...], b: tuple[float, ...], direction: str | None) -> None:
    """Up and down only when the repeats decide it; noise decides nothing."""
    found = difference(Sample(a), Sample(b))
    assert found is not None
    assert found.direction() == direction


def test_one_repeat_decides_nothing() -> None:
    """There is no interval then."""
    assert difference(Sample((1.0,)), Sample((2.0, 2.1))) is None


@given(st.floats(1, 1000))
def test_t_is_never_below_the_normal_quantile(freedom: float) -> None:
    """Between table rows the careful value is taken."""
    assert 1.95 < t_quantile_95(freedom) <= 12.706


def test_payload_shares() -> None:
    """The shares of the first model: 0.9415 at MTU 1500, 0.9900 at 9000."""
    assert payload_share(1500) == pytest.approx(0.9415, abs=1e-4)
    assert payload_share(9000) == pytest.approx(0.9900, abs=1e-4)


def test_bottleneck_and_bound() -> None:
    """A cache can outrun the disks, not the link."""
    path = DataPath(1, (Resource("link", 100, 100), Resource("disks", 50, 40, hard=False)))
    assert path.bottleneck("write") == Resource("disks", 50, 40, hard=False)
    assert path.bound("write") == Resource("link", 100, 100)
    assert DataPath(1, ()).bound("read") is None
