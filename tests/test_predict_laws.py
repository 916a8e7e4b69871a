"""Laws of queueing, layers and RAID: properties, and textbook figures."""

import math
import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.plan.data_path import ResourceRole
from seatrial.predict.costs import Costs, search, server_processor, with_costs
from seatrial.predict.laws import (
    EXACT_CUSTOMERS_MAX,
    Station,
    asymptotic_bound_per_s,
    throughput_per_s,
    unevenness,
    utilisation,
)
from seatrial.predict.layers import Bound, Demand, Layer, balance, bound, forecast, held_s
from seatrial.predict.raid import (
    HOURS_PER_YEAR,
    SMALL_WRITE,
    Wear,
    data_disks,
    loss_probability,
    mean_time_to_loss_h,
    usable_bytes,
)
from seatrial_research.learn import learn

SECONDS = st.floats(1e-6, 10, allow_nan=False)
STATIONS = st.lists(
    st.builds(Station, st.just("s"), SECONDS, st.integers(1, 8), st.booleans()),
    min_size=1,
    max_size=6,
).filter(lambda found: any(station.queue for station in found))
LAYERS = st.lists(
    st.builds(
        Layer,
        st.integers(0, 10**6).map(str),
        st.just("source"),
        st.floats(1e6, 1e10),
        st.floats(0, 1e-2),
        st.integers(1, 64),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda layer: layer.name,
)
DEMANDS = st.builds(
    Demand,
    st.integers(1, 64),
    st.sampled_from([512.0, 65536.0, 2.0**20]),
    window=st.integers(1, 16),
)
CLOSE = 1 + 1e-9


def balanced_bounds_per_s(stations: list[Station], customers: int) -> tuple[float, float]:
    """Balanced-job bounds (Lazowska et al., 5.4), lower and upper, after Seidmann's replacement of
    several servers.
    """
    demands = [item.demand_s / item.servers for item in stations if item.queue]
    think_s = sum(item.demand_s * (1 - 1 / item.servers if item.queue else 1) for item in stations)
    total_s = sum(demands)
    largest_s = max(demands)
    average_s = total_s / len(demands)
    others = customers - 1
    lower = customers / (
        total_s + think_s + others * largest_s / (1 + think_s / (customers * total_s))
    )
    upper = customers / (total_s + think_s + others * average_s / (1 + think_s / total_s))
    return lower, min(upper, 1 / largest_s)


@given(STATIONS, st.integers(1, 300))
def test_mean_value_analysis_is_within_the_bounds(stations: list[Station], customers: int) -> None:
    """Never above the asymptotic and the balanced-job bound, never below the lower one; no station
    above 100 %.
    """
    found = throughput_per_s(stations, customers)
    low, high = balanced_bounds_per_s(stations, customers)
    assert low <= found * CLOSE
    assert found <= high * CLOSE
    assert found <= asymptotic_bound_per_s(stations, customers) * CLOSE
    assert all(utilisation(station, found) <= CLOSE for station in stations if station.queue)


@given(STATIONS, st.integers(1, 200))
def test_more_customers_and_faster_stations_never_slow_a_system_down(
    stations: list[Station], customers: int
) -> None:
    """Monotone in both."""
    found = throughput_per_s(stations, customers)
    faster = [Station(item.name, item.demand_s / 2, item.servers, item.queue) for item in stations]
    assert throughput_per_s(stations, customers + 1) >= found / CLOSE
    assert throughput_per_s(faster, customers) == pytest.approx(2 * found)
    assert throughput_per_s([faster[0], *stations[1:]], customers) >= found / CLOSE


def test_the_textbook_system() -> None:
    """Lazowska et al.

    (1984), 6.4.2: demands 0.605, 2.1 and 1.35 s, think time 15 s, 3 customers: 0.152 a second.
    """
    stations = [
        Station("cpu", 0.605),
        Station("disk 1", 2.1),
        Station("disk 2", 1.35),
        Station("z", 15, queue=False),
    ]
    assert throughput_per_s(stations, 3) == pytest.approx(0.152, abs=0.001)
    assert 3 / throughput_per_s(stations, 3) == pytest.approx(19.74, abs=0.1)
    # The bounds meet at N* = 19.055 / 2.1 customers (5.2), between 9 and 10.
    assert [asymptotic_bound_per_s(stations, count) for count in (9, 10)] == pytest.approx(
        [9 / 19.055, 1 / 2.1]
    )


def test_two_equal_stations_by_hand() -> None:
    """Balanced: X(N) = N / (D (N + K - 1)), K stations of D / K each."""
    stations = [Station("a", 0.5), Station("b", 0.5)]
    assert [throughput_per_s(stations, count) for count in (1, 2, 10)] == pytest.approx(
        [1, 4 / 3, 20 / 11]
    )


@given(STATIONS)
def test_schweitzer_continues_where_the_recursion_ends(stations: list[Station]) -> None:
    """Within 10 % of it at the number of customers where one replaces the other."""
    exact, approximate = (throughput_per_s(stations, EXACT_CUSTOMERS_MAX + more) for more in (0, 1))
    assert approximate == pytest.approx(exact, rel=0.1)


@given(LAYERS, DEMANDS)
def test_an_estimate_never_exceeds_the_bound(layers: list[Layer], demand: Demand) -> None:
    """And it is not below 0; units of a layer are bytes per second, for any size of the request."""
    found = forecast(layers, demand)
    assert 0 < found.estimate_bytes_per_s <= found.bound_bytes_per_s
    assert found.bound_bytes_per_s == bound(layers, demand).rate_bytes_per_s
    assert all(0 <= share <= 1 for share in found.utilisations.values())


@given(LAYERS, DEMANDS)
def test_a_faster_bottleneck_raises_the_bound_to_the_next(
    layers: list[Layer], demand: Demand
) -> None:
    """The steps to a balanced design start at the bound and end where the next begins."""
    steps = balance(layers, demand)
    if steps:
        assert steps[0].from_bytes_per_s == bound(layers, demand).rate_bytes_per_s
        assert steps[0].layer == bound(layers, demand).layer
    for low, high in pairwise(steps):
        assert low.to_bytes_per_s == high.from_bytes_per_s
        assert low.next_layer == high.layer


def test_units_of_layers_grow_with_clients_where_they_are_the_clients() -> None:
    """Four links of 100 bytes/s against one of 250."""
    layers = [Layer("client links", "", 100, of_client=True), Layer("server link", "", 250)]
    assert bound(layers, Demand(2, 10)) == Bound(200, "client links")
    assert bound(layers, Demand(4, 10)) == Bound(250, "server link")


def test_ten_thousand_clients_and_two_hundred_servers() -> None:
    """Answered by the approximation; the servers' links bind: 200 of 12.5 GB/s."""
    layers = [
        Layer("client links", "", 1.25e9, of_client=True),
        Layer("server links", "", 12.5e9, units=200),
        Layer("round trips", "", per_request_s=50e-6, delay=True),
        Layer("disks", "", 150e6, units=200 * 84, hard=False),
    ]
    found = forecast(layers, Demand(10_000, 2.0**20, window=16))
    assert found.bound_bytes_per_s == pytest.approx(2.5e12)
    assert found.bound_layer == "server links"
    assert 0.9 * 2.5e12 < found.estimate_bytes_per_s <= 2.5e12


def test_files_and_commits_take_time_in_which_no_byte_moves() -> None:
    """A file of 1000 bytes at 1000 bytes/s that takes a second more to close: half the rate."""
    layers = [Layer("link", "", 1000)]
    assert (
        forecast(
            layers, Demand(1, 10, window=4, files_bytes=(1000.0,), per_file_s=1)
        ).estimate_bytes_per_s
        == 500
    )


def test_additional_reads_use_shared_links() -> None:
    """Data that a client waits for use every link; read-ahead uses the shared links."""
    layers = [Layer("client links", "", 100, of_client=True), Layer("server link", "", 300)]
    asked = Demand(2, 10, window=64)
    assert forecast(layers, replace(asked, ahead_share=1.4)).estimate_bytes_per_s == pytest.approx(
        200, rel=0.02
    )
    assert forecast(layers, replace(asked, ahead_share=3)).estimate_bytes_per_s == pytest.approx(
        100, rel=0.02
    )
    found = forecast(layers, replace(asked, fetched_share=4))
    assert found.estimate_bytes_per_s == pytest.approx(50, rel=0.02)
    assert found.bound_bytes_per_s == 200


def test_the_fullest_shared_resource_ends_last() -> None:
    """Three clients, two on one of two servers: three quarters of the capacity of both."""
    layers = [Layer("client links", "", 200, of_client=True), Layer("server links", "", 300)]
    found = forecast(layers, Demand(3, 10, window=64, fullest=4 / 3))
    assert found.estimate_bytes_per_s == pytest.approx(225, rel=0.02)
    assert found.bound_bytes_per_s == 300


MIX = st.lists(st.tuples(st.integers(1, 1000), st.floats(1, 1e9)), min_size=1, max_size=5)


@given(MIX, st.floats(0, 10), st.integers(1, 4))
def test_a_mix_of_files_is_all_its_bytes_over_all_its_time(
    mix: list[tuple[int, float]], ends_s: float, tasks: int
) -> None:
    """By hand, for tasks that share a link; without numbers each size's rate has equal weight."""
    counts, sizes = zip(*mix, strict=True)
    layers = [Layer("link", "", 1000)]
    demand = Demand(1, 10, tasks, files_bytes=sizes, files=counts, per_file_s=ends_s)
    moved = sum(count * size for count, size in mix)
    elapsed_s = tasks * moved / 1000 + sum(counts) * ends_s
    assert forecast(layers, demand).estimate_bytes_per_s == pytest.approx(tasks * moved / elapsed_s)
    each = [
        forecast(layers, replace(demand, files_bytes=(size,), files=())).estimate_bytes_per_s
        for size in sizes
    ]
    assert forecast(layers, replace(demand, files=())).estimate_bytes_per_s == pytest.approx(
        fmean(each)
    )


def test_costs_replace_assumptions() -> None:
    """A round trip, and a server's processor with costs per direction; values without a fit
    stay as assumed.
    """
    layers = (
        Layer(
            "round trips",
            "assumed",
            per_request_s=1.0,
            delay=True,
            role=ResourceRole.ROUND_TRIPS,
        ),
        server_processor(Costs(write_s_per_byte=1e-7, source="assumed"), "write", 1000, 1.0, 1),
    )
    costs = Costs(read_s_per_byte=1e-6, round_trip_s=0.5)
    reading, writing = (with_costs(layers, costs, operation) for operation in ("read", "write"))
    assert reading[0].per_request_s == writing[0].per_request_s == 0.5
    assert reading[1].rate_bytes_per_s == pytest.approx(1e6)
    assert reading[1].source == "calibrated"
    assert writing[1] == layers[1]
    assert with_costs(layers, None, "read") == layers
    assert with_costs(layers, Costs(server_s_per_packet=0.2), "read")[1].demand_s(
        5000
    ) == pytest.approx(1 + 5000e-7)


CYCLES = st.builds(Costs, st.floats(1e-10, 1e-6), st.just(0.0), st.floats(1e-7, 1e-3))


@given(CYCLES, st.floats(0.01, 1), st.floats(500, 9000), st.floats(1, 2**20), LAYERS)
def test_a_share_of_a_processor_and_small_packets_slow_requests_down(
    costs: Costs, share: float, packet_bytes: float, request_bytes: float, others: list[Layer]
) -> None:
    """By hand: each request is at least one packet, and slower by the share; bounds do not
    include it.
    """
    byte_s = costs.read_s_per_byte or 0.0
    packet_s = costs.server_s_per_packet or 0.0
    layer = server_processor(costs, "read", packet_bytes, share, 1)
    whole = server_processor(costs, "read", packet_bytes, 1.0, 1)
    expected_s = byte_s * request_bytes + packet_s * max(request_bytes / packet_bytes, 1.0)
    assert whole.demand_s(request_bytes) == pytest.approx(expected_s)
    assert layer.demand_s(request_bytes) == pytest.approx(expected_s / share)
    demand = Demand(1, request_bytes, window=4)
    assert bound([layer, *others], demand) == bound(others, demand)
    slowed, alone = (
        forecast(layers, demand).estimate_bytes_per_s for layers in ([layer, *others], others)
    )
    assert slowed <= alone * CLOSE


@pytest.mark.parametrize(("wanted", "found"), [(3e-4, 3e-4), (0.0, 0.0)])
def test_a_search_finds_the_cost_or_none(wanted: float, found: float) -> None:
    """To a thousandth of it."""
    assert search(lambda value: abs(value - wanted), 1e-6, 1) == pytest.approx(found, rel=1e-3)


def test_effects_are_learned_and_their_band_is_honest() -> None:
    """A trait that doubles every figure; four rows are too few for 90 %, and unseen traits add
    nothing.
    """
    rows = [
        ({"all": 1.0, "twice": float(index % 2)}, math.log(2) * (index % 2)) for index in range(20)
    ]
    found = learn(rows)
    assert found.of({"all": 1.0, "twice": 1.0}) == pytest.approx(math.log(2), abs=0.02)
    assert found.of({"new": 1.0}) == 0
    assert found.band() < 0.1
    assert learn(rows[:4]).band() == math.inf
    assert learn([]).of({"all": 1.0}) == 0


@pytest.mark.parametrize(
    ("array", "data", "small"),
    [((0, 8, 1), 8, 1), ((1, 2, 1), 1, 2), ((5, 5, 1), 4, 4), ((6, 12, 1), 10, 6),
     ((10, 8, 1), 4, 2), ((50, 48, 4), 44, 4)],
)  # fmt: skip
def test_raid_by_level(array: tuple[int, int, int], data: int, small: int) -> None:
    """Data disks and the cost of a write; the paper's RAID 50 of 48 disks has 44."""
    level, disks, spans = array
    assert data_disks(level, disks, spans) == data
    assert usable_bytes(level, disks, 10, spans) == 10 * data
    assert SMALL_WRITE[level] == small


@pytest.mark.parametrize(
    ("pieces", "places"), [(1, 4), (2, 4), (8, 4), (32, 4), (100, 10), (1000, 5)]
)
def test_the_fullest_place_as_dealt_out(pieces: int, places: int) -> None:
    """Within a tenth of the mean of 4000 random assignments."""
    dealer = random.Random(1)
    fullest = [max(Counter(dealer.choices(range(places), k=pieces)).values()) for _ in range(4000)]
    assert unevenness(pieces, places) == pytest.approx(fmean(fullest) / (pieces / places), rel=0.1)
    assert unevenness(pieces, 1) == 1


RATES = st.floats(1, 1e9)


@given(st.lists(st.tuples(RATES, st.floats(0, 1e9)), min_size=1, max_size=5), st.floats(1, 1e9))
def test_held_data_pass_the_stages_in_sequence(
    stages: list[tuple[float, float]], file_bytes: float
) -> None:
    """Without held data there is no cost; with all data held it is the sum of all stages;
    more never costs less.
    """
    layers = [
        Layer(str(index), "", rate, held_bytes=held) for index, (rate, held) in enumerate(stages)
    ]
    demand = Demand(1, 1.0, files_bytes=(file_bytes,), commits=True)
    none = [replace(layer, held_bytes=0.0) for layer in layers]
    whole = [replace(layer, held_bytes=2e9) for layer in layers]
    slowest_s = file_bytes / min(rate for rate, _ in stages)
    assert held_s(none, demand, file_bytes) == 0
    together_s = held_s(whole, demand, file_bytes) + slowest_s
    assert together_s == pytest.approx(sum(file_bytes / rate for rate, _ in stages))
    assert 0 <= held_s(layers, demand, file_bytes) <= together_s


def test_a_commit_waits_for_the_servers_dirty_data() -> None:
    """Link and disks of 100 B/s each: 1000 B that the server holds take twice as long, 100 of 1000
    a tenth longer.
    """
    for held, expected in ((1000.0, 50.0), (100.0, 1000 / 11)):
        layers = [Layer("link", "", 100), Layer("disks", "", 100, hard=False, held_bytes=held)]
        demand = Demand(1, 1.0, window=16, files_bytes=(1000.0,), commits=True)
        assert forecast(layers, demand).estimate_bytes_per_s == pytest.approx(expected, rel=0.07)
        assert forecast(
            layers, replace(demand, commits=False)
        ).estimate_bytes_per_s == pytest.approx(100, rel=0.07)


def test_mean_time_to_loss_by_hand() -> None:
    """MTTF^2 / (G (G - 1) MTTR), and with two parity disks MTTF^3 / (G (G - 1) (G - 2) MTTR^2)."""
    wear = Wear(annual_failure_rate=0.02, rebuild_s=36_000)
    mttf_h = HOURS_PER_YEAR / -math.log(0.98)
    assert mean_time_to_loss_h(0, 4, wear) == pytest.approx(mttf_h / 4)
    assert mean_time_to_loss_h(5, 5, wear) == pytest.approx(mttf_h**2 / (5 * 4 * 10))
    assert mean_time_to_loss_h(6, 12, wear) == pytest.approx(mttf_h**3 / (12 * 11 * 10 * 100))
    assert mean_time_to_loss_h(10, 8, wear) == pytest.approx(mttf_h**2 / (2 * 10) / 4)
    assert mean_time_to_loss_h(50, 48, wear, 4) == pytest.approx(mttf_h**2 / (12 * 11 * 10) / 4)
    with pytest.raises(ValueError, match="not known"):
        data_disks(7, 3)


@given(st.integers(4, 48), st.floats(0.001, 0.2), st.floats(3600, 1e6))
def test_more_parity_loses_less_and_slower_rebuilds_lose_more(
    disks: int, rate: float, rebuild_s: float
) -> None:
    """A probability, for any assumptions."""
    wear = Wear(rate, rebuild_s)
    slow = Wear(rate, 2 * rebuild_s)
    none, one, two = (loss_probability(level, disks, wear) for level in (0, 5, 6))
    assert 0 <= two <= one <= 1
    assert loss_probability(5, disks, slow) >= one
    assert 0 <= none <= 1
