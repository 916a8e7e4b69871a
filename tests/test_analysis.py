"""Aggregates and statistics, against printed and textbook figures."""

import math
import statistics
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.aggregates import TaskTime, aggregate, jain
from seatrial.analysis.copies import Copies, file_cost, pool
from seatrial.analysis.quantiles import both_tails, chi_square_quantile, t_quantile
from seatrial.analysis.statistics import Sample, decided, difference, spread
from seatrial.plan.data_path import DataPath, Resource, ResourceRole, payload_share

TASKS = st.lists(
    st.builds(TaskTime, st.integers(1, 10**12), st.floats(1e-3, 1e4, allow_nan=False)),
    min_size=1,
    max_size=64,
)


def test_aggregates_by_hand() -> None:
    """Two tasks of 100 bytes in 1 s and 2 s: 200/2, 200/3, twice that (gpfs-nsd, lines 118-126)."""
    found = aggregate([TaskTime(100, 1.0), TaskTime(100, 2.0)])
    assert found is not None
    assert found.natural_bytes_per_s == 100
    assert found.harmonic_mean_bytes_per_s == pytest.approx(200 / 3)
    assert found.harmonic_aggregate_bytes_per_s == pytest.approx(400 / 3)
    assert (found.first_done_s, found.last_done_s) == (1, 2)


@pytest.mark.parametrize("starved_s", [60.0, 0.5])
def test_a_task_that_got_nothing_counts(starved_s: float) -> None:
    """One of two tasks has everything: half fair, by bytes or, without data, by operations;
    its time counts.
    """
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
    """The longest time is at least the mean time, so the aggregate throughput is the smaller
    one.
    """
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
    """Logarithms of variances 12 and 4/3 (times 1e-4), n = 4 each: 3.66 degrees of freedom, t =
    2.88 (Welch 1947).
    """
    a = Sample(tuple(math.exp(4.6 + part) for part in (-0.03, 0.03, -0.03, 0.03)))
    b = Sample(tuple(math.exp(4.7 + part) for part in (-0.01, 0.01, -0.01, 0.01)))
    found = difference(a, b)
    assert found is not None
    error = math.sqrt(12e-4 / 4 + 12e-4 / 9 / 4)
    assert found.relative == pytest.approx(math.expm1(0.1))
    assert math.log((1 + found.high) / (1 + found.relative)) == pytest.approx(
        2.879 * error, rel=1e-3
    )


# Two-sided (NIST/SEMATECH e-Handbook 1.3.6.7.2): probability outside, degrees of freedom, t.
PRINTED_T = [
    (0.05, 1, 12.706),
    (0.05, 2, 4.303),
    (0.05, 4, 2.776),
    (0.05, 30, 2.042),
    (0.01, 3, 5.841),
    (0.5, 3, 0.765),
]


@pytest.mark.parametrize(("outside", "freedom", "printed"), PRINTED_T)
def test_t_as_printed(outside: float, freedom: float, printed: float) -> None:
    """And back."""
    assert t_quantile(outside, freedom) == pytest.approx(printed, rel=1e-3)
    assert both_tails(t_quantile(outside, freedom), freedom) == pytest.approx(outside, rel=1e-3)


def repeats(random: Random, true: float, deviation: float, count: int) -> Sample:
    """`count` repeats of a rate with this relative deviation."""
    return Sample(tuple(true * math.exp(random.gauss(0, deviation)) for _ in range(count)))


@pytest.mark.parametrize("gain", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("count", [3, 5])
def test_95_percent_intervals_cover_in_95_percent_of_cases(gain: float, count: int) -> None:
    """For any ratio: the denominator's error is part of it."""
    random = Random(f"{gain} {count}")
    covered = 0
    for _ in range(2000):
        found = difference(
            repeats(random, 100, 0.05, count), repeats(random, 100 * (1 + gain), 0.1, count)
        )
        covered += found is not None and found.low <= gain <= found.high
    assert 0.93 <= covered / 2000 <= 0.975


def test_a_whole_claim_decides_wrongly_in_5_percent_of_cases_at_most() -> None:
    """Of eight points that do not differ, in one run of twenty one is taken to."""
    random = Random(8)
    wrong = 0
    for _ in range(1000):
        pairs = ((repeats(random, 100, 0.05, 3), repeats(random, 100, 0.05, 3)) for _ in range(8))
        changes = {
            index: change
            for index, pair in enumerate(pairs)
            if (change := difference(*pair)) is not None
        }
        wrong += bool(decided(changes, 0.0))
    assert wrong / 1000 <= 0.06


def test_a_tenth_more_is_seen_in_four_repeats() -> None:
    """At a deviation of 3 %, in four trials of five."""
    random = Random(3)
    seen = 0
    for _ in range(1000):
        change = difference(repeats(random, 100, 0.03, 4), repeats(random, 110, 0.03, 4))
        seen += change is not None and decided({"": change}, 0.02) == {"": "up"}
    assert seen / 1000 >= 0.8


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


# NIST/SEMATECH e-Handbook 1.3.6.7.4: probability below, degrees of freedom, chi square.
PRINTED_CHI_SQUARE = [
    (0.05, 3, 0.352),
    (0.95, 1, 3.841),
    (0.99, 10, 23.209),
    (0.025, 30, 16.791),
    (0.95, 100, 124.342),
]


@pytest.mark.parametrize(("below", "freedom", "printed"), PRINTED_CHI_SQUARE)
def test_chi_square_as_printed(below: float, freedom: int, printed: float) -> None:
    """To the digits that are printed."""
    assert chi_square_quantile(below, freedom) == pytest.approx(printed, abs=6e-4)


@pytest.mark.parametrize(("points", "count"), [(1, 2), (4, 2), (14, 3)])
def test_limits_of_a_spread_hold_in_95_percent_of_cases(points: int, count: int) -> None:
    """The upper one of all points together, and the lower ones of all of them at once."""
    random = Random(f"{points} {count}")
    within = 0
    above = 0
    for _ in range(1000):
        samples = [repeats(random, 100, 0.05, count) for _ in range(points)]
        together = spread(samples)
        own = [spread([sample]) for sample in samples]
        assert together is not None
        assert together.freedom == points * (count - 1)
        within += together.high > 0.05
        above += any(found is not None and found.low(points) > 0.05 for found in own)
    assert 0.93 <= within / 1000 <= 0.97
    assert above / 1000 <= 0.07


def test_one_repeat_has_no_spread() -> None:
    """A phase without data has no rate."""
    assert spread([Sample((1.0,))]) is None
    assert spread([Sample((0.0, 0.0))]) is None


@given(st.floats(1, 1000))
def test_t_is_never_below_the_normal_quantile(freedom: float) -> None:
    """And not above that of one degree of freedom."""
    assert 1.959 < t_quantile(0.05, freedom) <= 12.7063


def test_payload_shares() -> None:
    """The shares of the first model: 0.9415 at MTU 1500, 0.9900 at 9000."""
    assert payload_share(1500) == pytest.approx(0.9415, abs=1e-4)
    assert payload_share(9000) == pytest.approx(0.9900, abs=1e-4)


def test_bottleneck_and_bound() -> None:
    """A cache can outrun the disks, not the link."""
    path = DataPath(
        1,
        (
            Resource(ResourceRole.SERVER_LINKS, "link", 100, 100),
            Resource(ResourceRole.DISKS, "disks", 50, 40, hard=False),
        ),
    )
    assert path.bottleneck("write") == Resource(ResourceRole.DISKS, "disks", 50, 40, hard=False)
    assert path.bound("write") == Resource(ResourceRole.SERVER_LINKS, "link", 100, 100)
    assert DataPath(1, ()).bound("read") is None


def test_layers_of_a_result_are_numbers() -> None:
    """A direction without a byte has no rate there, and JSON has no infinity."""
    path = DataPath(
        1,
        (
            Resource(ResourceRole.SERVER_LINKS, "link", 100, 100),
            Resource(ResourceRole.BACKEND_LINKS, "cluster links", math.inf, 40),
        ),
    )
    assert path.finite_rates("read") == (("link", 100),)
    assert path.finite_rates("write") == (("link", 100), ("cluster links", 40))


def test_a_bucket_lets_a_little_more_than_the_rate_pass() -> None:
    """The first 250 of 1000 bytes pass immediately: the rest takes 7.5 s; a long transfer
    does not notice it.
    """
    link = Resource(ResourceRole.SERVER_LINKS, "link", 100, 100, burst_bytes=250)
    assert link.most_bytes_per_s("read", 1000) == pytest.approx(1000 / 7.5)
    assert link.most_bytes_per_s("read") == 100
    assert link.most_bytes_per_s("read", 250) == float("inf")
    slower = Resource(ResourceRole.SERVER_LINKS, "server link", 90, 90)
    assert DataPath(1, (link, slower)).bound("read", 1000) == slower


SAMPLES = st.lists(
    st.lists(st.floats(0.001, 100.0), min_size=1, max_size=8), min_size=1, max_size=6
)


def _copies(times_s: list[float], file_bytes: int = 1000) -> Copies:
    deviation_s = statistics.stdev(times_s) if len(times_s) > 1 else None
    return Copies(
        file_bytes, len(times_s), statistics.fmean(times_s), deviation_s, min(times_s), max(times_s)
    )


@given(SAMPLES)
def test_pooled_copies_are_those_of_all_files(samples: list[list[float]]) -> None:
    """Mean, deviation and range of the parts give those of the whole, as if the single times were
    known.
    """
    found = pool([_copies(times_s) for times_s in samples])
    whole = [time_s for item in samples for time_s in item]
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


@given(
    st.floats(1e-5, 1.0),
    st.floats(1e4, 1e9),
    st.sets(st.integers(1, 10**8), min_size=2, max_size=6),
)
def test_a_file_cost_is_found_again(
    fixed_s: float, rate_bytes_per_s: float, sizes: set[int]
) -> None:
    """Times from a fixed cost and a rate are on the fitted line."""
    cost = file_cost(_copies([fixed_s + size / rate_bytes_per_s], size) for size in sizes)
    assert cost is not None
    slope = 1 / cost.rate_bytes_per_s if cost.rate_bytes_per_s else 0.0
    for size in sizes:
        assert cost.fixed_s + slope * size == pytest.approx(
            fixed_s + size / rate_bytes_per_s, rel=1e-3
        )


def test_a_noisy_large_file_does_not_hide_the_fixed_cost() -> None:
    """4 ms and 10 MB/s, and a largest size that took 20 % too long; a plain fit would say less than
    nothing.
    """
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
