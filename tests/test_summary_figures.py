"""The values of the figures: outages, rates through faults, latencies, clients, variants."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.analysis.histogram import Histogram
from seatrial.result.outages import Outage
from seatrial.result.quantities import OPERATIONS, RATE
from seatrial.summary.client_rates import client_rates
from seatrial.summary.fault_rates import fault_rates
from seatrial.summary.fault_results import OutageState
from seatrial.summary.latency_results import latency_distributions
from seatrial.summary.outage_parts import CLIENT, OTHER, divided_outages, outage_parts
from seatrial.summary.points import measured
from seatrial.summary.variant_rates import variant_rates
from tests.builders.fault_results import CRITERIA, MOMENTS, fault, stream
from tests.builders.fault_studies import broken
from tests.builders.figures import (
    clients,
    coded,
    going,
    open_stream,
    repeats_of_variants,
    timed,
    variants,
)
from tests.builders.results import phase
from tests.builders.strategies import study


def test_the_parts_of_an_outage_add_up_to_it() -> None:
    """Each part up to its event; the client's part lasts to the end of the outage."""
    parts = outage_parts(fault(moments=MOMENTS))
    durations_s = {part.name: part.duration_s for part in parts}
    assert durations_s == {"detect": 2.0, "fence": 4.0, "start": 3.0, "grace": 21.0, CLIENT: 10.0}
    assert sum(durations_s.values()) == pytest.approx(40.0)


def test_a_client_that_waits_longer_than_the_first_one_keeps_its_whole_time() -> None:
    """The first answer of another client does not shorten the bar of the slowest."""
    early = stream(31.0, client="c2")
    parts = outage_parts(fault(moments=MOMENTS, streams=(stream(40.0), early)))
    assert parts[-1].name == CLIENT
    assert parts[-1].duration_s == pytest.approx(10.0)


def test_time_without_an_event_is_other() -> None:
    """Before the injection, or where the logs have nothing."""
    assert [(part.name, part.duration_s) for part in outage_parts(fault())] == [(OTHER, 40.0)]
    outage = Outage(None, 99.0, 140.0, open=False)
    parts = outage_parts(fault(moments=MOMENTS, streams=(stream(40.0, outages=(outage,)),)))
    assert (parts[0].name, parts[0].duration_s) == (OTHER, 1.0)
    assert sum(part.duration_s for part in parts) == pytest.approx(41.0)


def test_an_outage_that_ends_during_a_part_is_cut_there() -> None:
    """The grace of the server lasts longer than the outage of a client that needs none."""
    parts = outage_parts(fault(moments=MOMENTS, streams=(stream(15.0),)))
    assert sum(part.duration_s for part in parts) == pytest.approx(15.0)
    assert [part.name for part in parts] == ["detect", "fence", "start", CLIENT]


def test_a_fault_without_recovery_has_the_time_of_its_observation() -> None:
    """Its bar is not cut, and the rest is not attributed to the client."""
    streams = (stream(3.0, client="c2"), open_stream())
    lost = fault(moments=MOMENTS, streams=streams, ended_unix_s=165.0)
    (found,) = divided_outages([lost], None)
    assert (found.state, found.client, found.outage_s) == (OutageState.NOT_RECOVERED, "c1", 65.0)
    assert sum(part.duration_s for part in found.parts) == pytest.approx(65.0)
    assert found.parts[-1].name == OTHER


def test_repetitions_are_one_fault_with_its_worst() -> None:
    """Not recovered is worse than any length; the names are those of the study."""
    whole = study(broken({"it": {"kind": "panic", "repeat": 3}}, criteria=CRITERIA))
    lengths_s = {"it-01": 5.0, "it-02": 40.0, "it-03": 9.0}
    measured_ones = [fault(longest_s, name=name) for name, longest_s in lengths_s.items()]
    (found,) = divided_outages(measured_ones, whole)
    assert (found.fault, found.repetition, found.repetitions) == ("it", "it-02", 3)
    assert found.outage_s == 40.0
    lost = [*measured_ones[:2], replace(measured_ones[2], streams=(open_stream(),))]
    assert divided_outages(lost, whole)[0].repetition == "it-03"


def test_faults_without_an_outage_say_why() -> None:
    """Below the threshold, without load, or not injected: three different states without a bar."""
    idle = stream(operations=0)
    short = fault(0.0, name="a")
    skipped = fault(name="c", skipped="no such part")
    found = divided_outages([short, fault(name="b", streams=(idle,)), skipped], None)
    states = [item.state for item in found]
    assert states == [OutageState.NONE, OutageState.NO_LOAD, OutageState.NOT_INJECTED]
    assert {(item.outage_s, item.parts, item.client) for item in found} == {(None, (), None)}


def test_the_limit_is_that_of_the_criterion() -> None:
    """Else that of the fault; a sum of work is a prediction, a time alone is none."""
    summed = {"kind": "panic", "expect": {"outage": {"process_starts": 100, "extra": "1s"}}}
    goals = [{"id": "in-time", "check": "outage", "goals": {"it": "12s"}}]
    parts = [["1 s", 1.0], ["100 process starts", 8.0]]
    it = fault(expect={"outage": 9.0, "outage_parts": parts, "target": 30.0})
    (found,) = divided_outages([it], study(broken({"it": summed}, criteria=goals)))
    assert (found.limit_s, found.predicted_s, found.target_s) == (12.0, 9.0, 30.0)
    stated = {"kind": "panic", "expect": {"outage": "9s"}}
    (found,) = divided_outages([it], study(broken({"it": stated}, criteria=CRITERIA)))
    assert (found.limit_s, found.predicted_s) == (9.0, None)


def test_seconds_begin_at_the_injection() -> None:
    """A start between two seconds gives no part of a second, and the totals are sums of clients."""
    items = (going("c1", [100] * 10), going("c2", [50] * 10))
    (found,) = fault_rates(fault(streams=items, started_unix_s=95.0, ended_unix_s=105.5))
    assert found.quantity is RATE
    assert found.first_s == -5
    assert found.total == (150.0,) * 10
    (later,) = fault_rates(fault(streams=items, started_unix_s=95.6, ended_unix_s=105.5))
    assert later.first_s == -4


def test_the_slowest_client_lost_most_of_its_own_rate() -> None:
    """A client with a small stream is not the slowest; one that lost its power does not count."""
    items = (
        going("c1", [1000] * 5 + [100] * 5),
        going("c2", [10] * 10),
        going("c3", [1000] * 5 + [0] * 5, lost_power=True),
    )
    (found,) = fault_rates(fault(streams=items, ended_unix_s=105.0))
    assert found.slowest is not None
    assert found.slowest.client == "c1"
    assert found.slowest.rates == (1000.0,) * 5 + (100.0,) * 5
    (alone,) = fault_rates(fault(streams=items[:1], ended_unix_s=105.0))
    assert alone.slowest is None


def test_bytes_and_operations_are_never_added() -> None:
    """Streams of directory entries and of consistency tests count operations."""
    items = (
        going("c1", [100] * 10),
        going("c1", [200] * 10, phase="create"),
        going("c1", [400] * 10, phase="locks"),
    )
    found = fault_rates(fault(streams=items, ended_unix_s=105.0))
    assert [(item.quantity, item.total[0]) for item in found] == [(RATE, 100.0), (OPERATIONS, 60.0)]


@pytest.mark.parametrize(
    "changes",
    [{"injected_unix_s": None}, {"streams": ()}, {"ended_unix_s": 96.0}],
)
def test_nothing_is_drawn_of_a_fault_that_was_not_observed(changes: dict[str, Any]) -> None:
    """Not injected, without a stream, or stopped at once."""
    assert fault_rates(fault(**changes)) == ()


def test_repeats_of_a_point_are_merged_and_points_are_not() -> None:
    """All operations of two repeats; the second point has its own."""
    phases = [timed(10, 20), timed(30, 40, repeat=2), timed(50, point={"clients": 2})]
    one, two = latency_distributions(measured(phases))
    assert (one.operations, one.repeats, two.operations, two.repeats) == (4, 2, 1, 1)
    assert [one.p50_ms, one.max_ms, two.p50_ms] == pytest.approx([20e-6, 40e-6, 50e-6])


@pytest.mark.parametrize(
    ("number", "known"),
    [(9, ()), (10, ("p90",)), (99, ("p90",)), (100, ("p90", "p99")), (999, ("p90", "p99"))],
)
def test_a_percentile_needs_enough_operations(number: int, known: tuple[str, ...]) -> None:
    """10 for p90, 100 for p99, 1000 for p99.9."""
    (found,) = latency_distributions(measured([timed(*range(1, number + 1))]))
    percentiles = {"p90": found.p90_ms, "p99": found.p99_ms, "p99.9": found.p999_ms}
    assert tuple(name for name, value in percentiles.items() if value is not None) == known
    (whole,) = latency_distributions(measured([timed(*range(1, 1001))]))
    assert whole.p99_ms == pytest.approx(990e-6)
    assert whole.p999_ms == pytest.approx(999e-6)


def test_the_curve_rises_to_one() -> None:
    """Thinned to 0.5 % of the operations, with the first and the last value."""
    (found,) = latency_distributions(measured([timed(*range(1, 2001))]))
    shares = [step.share for step in found.steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert found.steps[0].latency_ms == 1e-6
    assert found.steps[-1].latency_ms == found.max_ms
    assert len(shares) <= 202


def test_the_operation_of_the_phase_is_known() -> None:
    """An fsync is measured too, and is not the operation of a phase of reads."""
    both = phase(histograms={"read": coded(10), "fsync": coded(20)})
    found = latency_distributions(measured([both]))
    assert [(item.operation, item.is_own) for item in found] == [("read", True), ("fsync", False)]


def test_histograms_that_cannot_be_merged_give_no_distribution() -> None:
    """Cut off, or of different resolutions."""
    other = Histogram(Counter([10]), digits=2).encode()
    unlike = [timed(10), phase(repeat=2, histograms={"read": other})]
    assert latency_distributions(measured(unlike)) == ()
    assert latency_distributions(measured([phase(histograms={"read": coded(10)[:20]})])) == ()
    assert latency_distributions(measured([phase()])) == ()


def test_clients_are_sorted_and_named() -> None:
    """The mean of the repeats of each; quartiles between the clients."""
    one = clients(30, 10, 20, 50, 40)
    two = clients(30, 30, 20, 50, 40)
    (found,) = client_rates(measured([phase(clients=one), phase(repeat=2, clients=two)]))
    assert [item.client for item in found.rates] == ["c2", "c3", "c1", "c5", "c4"]
    assert (found.slowest.rate, found.median, found.fastest.rate) == (20.0, 30.0, 50.0)
    assert found.fastest.client == "c4"
    assert found.quartiles == (20.0, 40.0)
    assert found.repeats == 2


def test_two_clients_are_no_distribution() -> None:
    """At least three; of directory entries the operations count."""
    assert client_rates(measured([phase(clients=clients(1, 2))])) == ()
    (found,) = client_rates(measured([phase(phase="create", clients=clients(1, 2, 3))]))
    assert found.quantity is OPERATIONS
    assert found.median == 10.0


def test_variants_are_in_the_order_of_the_study(tmp_path: Path) -> None:
    """With an interval from two repeats on, and the bound of the rate."""
    (found,) = variant_rates(variants(tmp_path / "r", *repeats_of_variants()), "one")
    assert [item.variant for item in found.variants] == ["z", "a", "m"]
    z, a, m = found.variants
    assert z.mean == 1.5e6
    assert z.low is not None
    assert z.high is not None
    assert z.low < z.mean < z.high
    assert (a.mean, a.low, a.high, a.repeats, a.bound_bytes_per_s) == (4e6, None, None, 1, 12.5e6)
    assert (m.mean, m.repeats, m.bound_bytes_per_s) == (None, 0, None)


def test_a_bound_is_one_of_rates(tmp_path: Path) -> None:
    """Operations are not compared with a link."""
    one = phase(0.0, phase="create", point={"variant": "a"})
    (found,) = variant_rates(variants(tmp_path / "r", one), "one")
    assert found.quantity is OPERATIONS
    assert {item.bound_bytes_per_s for item in found.variants} == {None}


def test_an_experiment_without_variants_has_none(tmp_path: Path) -> None:
    """Nor has one that was not measured."""
    sources = variants(tmp_path / "r")
    assert variant_rates(sources, "one") == ()
    assert variant_rates(sources, "unknown") == ()
