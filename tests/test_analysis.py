"""Aggregates and statistics, against printed and textbook figures."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.aggregates import TaskTime, aggregate, jain
from seatrial.analysis.copies import Copies, file_cost, pool
from seatrial.analysis.statistics import Sample, difference, t_quantile_95
from seatrial.plan.data_path import DataPath, Resource, payload_share

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


@pytest.mark.parametrize("starved_s", [60.0, 0.5])
def test_a_task_that_got_nothing_counts(starved_s: float) -> None:
    """Of two tasks one has everything: half fair, by bytes and, where none move, by operations; its time counts."""
    found = aggregate([TaskTime(100, 1.0, 7), TaskTime(0, starved_s)])
    names = aggregate([TaskTime(0, 1.0, 7), TaskTime(0, starved_s)])
    assert found is not None
    assert names is not None
    assert (found.fairness, names.fairness) == (0.5, 0.5)
    longest_s = max(1.0, starved_s)
    assert found.natural_bytes_per_s == 100 / longest_s
    assert (found.last_done_s, names.last_done_s) == (longest_s, longest_s)
    assert found.operations_per_s == names.operations_per_s == 7 / longest_s
    assert found.harmonic_aggregate_bytes_per_s == 2 * 100 / (1.0 + starved_s)


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
    assert aggregate([TaskTime(0, 1.0), TaskTime(0, 2.0)]) is None
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


SAMPLES = st.lists(st.lists(st.floats(0.001, 100.0), min_size=1, max_size=8), min_size=1, max_size=6)


def _copies(times_s: list[float], file_bytes: int = 1000) -> Copies:
    deviation_s = statistics.stdev(times_s) if len(times_s) > 1 else None
    return Copies(file_bytes, len(times_s), statistics.fmean(times_s), deviation_s, min(times_s), max(times_s))


@given(SAMPLES)
def test_pooled_copies_are_those_of_all_files(samples: list[list[float]]) -> None:
    """Mean, deviation and range of the parts give those of the whole, as if the single times were known."""
    found, whole = pool([_copies(times_s) for times_s in samples]), [time_s for item in samples for time_s in item]
    assert found is not None
    assert (found.files, found.min_s, found.max_s) == (len(whole), min(whole), max(whole))
    assert found.mean_s == pytest.approx(statistics.fmean(whole))
    if len(whole) > 1:
        assert found.deviation_s == pytest.approx(statistics.stdev(whole), rel=1e-6, abs=1e-6)
    else:
        assert found.deviation_s is None


def test_no_files_make_no_figures() -> None:
    """Nothing is pooled from nothing."""
    assert pool([]) is None
    assert pool([Copies(1000, 0, 0.0, None, 0.0, 0.0)]) is None


@given(st.floats(1e-5, 1.0), st.floats(1e4, 1e9), st.sets(st.integers(1, 10**8), min_size=2, max_size=6))
def test_a_file_cost_is_found_again(fixed_s: float, rate_bytes_per_s: float, sizes: set[int]) -> None:
    """Times made of a fixed cost and a rate lie on the line that the fit finds."""
    cost = file_cost(_copies([fixed_s + size / rate_bytes_per_s], size) for size in sizes)
    assert cost is not None
    slope = 1 / cost.rate_bytes_per_s if cost.rate_bytes_per_s else 0.0
    for size in sizes:
        assert cost.fixed_s + slope * size == pytest.approx(fixed_s + size / rate_bytes_per_s, rel=1e-3)


def test_a_noisy_large_file_does_not_hide_the_fixed_cost() -> None:
    """4 ms and 10 MB/s, and a largest size that took 20 % too long; a plain fit would say less than nothing."""
    times = {4096: 0.0044, 65536: 0.0106, 524288: 0.0564, 2097152: 0.2137 * 1.2}
    cost = file_cost(_copies([time_s], size) for size, time_s in times.items())
    assert cost is not None
    assert cost.fixed_s == pytest.approx(0.004, rel=0.1)
    assert cost.rate_bytes_per_s == pytest.approx(9.5e6, rel=0.1)


def test_one_size_and_flat_times_have_no_rate() -> None:
    """A line needs two sizes; one that does not rise has no rate."""
    assert file_cost([_copies([1.0]), _copies([2.0])]) is None
    flat = file_cost([_copies([1.0], 1), _copies([1.0], 2)])
    assert flat is not None
    assert flat.fixed_s == pytest.approx(1.0)
    assert flat.rate_bytes_per_s is None
