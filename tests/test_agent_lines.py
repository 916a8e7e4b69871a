"""The lines of agents: seconds, steady windows, histograms, and their sums."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.histogram import Histogram, merge
from seatrial.load import gather
from seatrial.load.agent import run_phase
from seatrial.load.agent_events import DoneLine
from seatrial.load.agent_lines import AgentLines
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.jobs import JobContext, jobs
from seatrial.load.phases import summary
from seatrial.result.phases import PhaseResult
from seatrial.transport import Local
from tests.builders import results
from tests.builders.agents import AGENT, NODES, workload


def test_a_steady_window_and_an_open_loop(tmp_path: Path) -> None:
    """Figures of the window alone; all clients' histograms together hold every operation."""
    load = workload(file_size="1MiB", arrivals_per_s=200, warm_up="300ms", window="500ms")
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    transport = Local()
    clocks = measure_clocks(transport, NODES, AGENT)
    _, everyone = run_phase(transport, AGENT, jobs(load, "write", NODES, context), clocks)
    steady = gather.steady(everyone)
    assert steady is not None
    assert steady["operations_per_s"] == pytest.approx(600, rel=0.1)
    latency = gather.latency(everyone)
    histogram = Histogram.decode(latency.histograms["write"])
    assert latency.figures_ms["write"]["count"] == histogram.count == 3 * 256
    seconds = gather.seconds(everyone)
    assert sum(second.operations for second in seconds) == 3 * 256
    assert (
        sum(second.latency_by_operation_ms.get("write", {}).get("count", 0) for second in seconds)
        == 3 * 256
    )
    assert (
        sum(second.latency_by_operation_ms.get("fsync", {}).get("count", 0) for second in seconds)
        == 3
    )
    assert all(second.latency_ms.get("count", 0) == second.operations for second in seconds)


def reported(second: int, **latencies_ns: list[int]) -> dict[str, Any]:
    """A line of an agent about a second: an operation of 10 bytes is a write."""
    counts = {name: Counter(values) for name, values in latencies_ns.items()}
    operations = len(latencies_ns.get("write", []))
    coded = {name: Histogram(count).encode() for name, count in counts.items()}
    return {
        "event": "latencies",
        "second": second,
        "bytes": operations * 10,
        "operations": operations,
        "histograms": coded,
    }


def test_a_second_may_be_reported_in_parts() -> None:
    """A late report counts for its second; an fsync is part of a write, and no operation."""
    whole = [
        reported(0, write=[10, 20, 500], fsync=[5, 400]),
        reported(1, write=[30]),
        reported(2, fsync=[7]),
    ]
    parts = [
        reported(0, write=[20]),
        reported(1, write=[30]),
        reported(2, fsync=[7]),
        reported(0, write=[10, 500], fsync=[5, 400]),
    ]
    once, twice = (gather.seconds([AgentLines("c1", 0.0, lines)]) for lines in (whole, parts))
    assert once == twice
    assert [(item.second, item.size_bytes, item.operations) for item in once] == [
        (0, 30, 3),
        (1, 10, 1),
        (2, 0, 0),
    ]
    assert [item.latency_ms.get("count") for item in once] == [3, 1, None]
    assert once == gather.seconds(
        [AgentLines("c1", 0.0, parts[:2]), AgentLines("c2", 0.0, parts[2:])]
    )


@given(st.lists(st.tuples(st.integers(0, 40_000), st.integers(1, 10**6)), max_size=60))
def test_histograms_come_back_and_merge(pairs: list[tuple[int, int]]) -> None:
    """Encoded and decoded they are the same; merged they hold all counts; quantiles never fall."""
    histogram = Histogram(Counter(dict(pairs)))
    again = Histogram.decode(histogram.encode())
    assert +again.counts == +histogram.counts
    both = merge([histogram, again])
    assert both is not None
    assert both.count == 2 * histogram.count
    quantiles = [both.quantile(share / 10) for share in range(1, 11)]
    assert quantiles == sorted(quantiles)


def received(
    name: str, *, late_s: float, seconds: list[tuple[float, int]], **done: Any
) -> AgentLines:
    """An agent that moved these bytes in seconds with these ends (an operation is 100 bytes)."""
    lines = [
        {"event": "second", "boottime_ns": end_s * 1e9, "bytes": size, "operations": size // 100}
        for end_s, size in seconds
    ]
    return AgentLines(name, 0.0, lines, cast(DoneLine, {"start_late_ns": late_s * 1e9, **done}))


def wall(elapsed_s: float, size_bytes: int) -> dict[str, Any]:
    """The agent's report on the time until its first task had finished."""
    done = {
        "complete": True,
        "elapsed_ns": elapsed_s * 1e9,
        "bytes": size_bytes,
        "operations": size_bytes // 100,
    }
    return {"stonewall": done}


def test_the_stonewalled_aggregate_counts_the_work_until_then() -> None:
    """The fast client's first task ends after 2 s; the slow client counts its seconds until
    then.
    """
    fast = received("a", late_s=0.0, seconds=[(1.0, 5000), (2.0, 5000)], **wall(2.0, 10_000))
    slow = received(
        "b", late_s=0.0, seconds=[(1.0, 2000), (2.0, 2000), (3.0, 2000)], **wall(3.0, 6000)
    )
    assert gather.stonewalled([fast, slow], started_s=0.0) == gather.Rates(7000.0, 70.0)
    assert gather.stonewalled([fast], started_s=0.0) == gather.Rates(5000.0, 50.0)
    lost = received("c", late_s=0.0, seconds=[], **wall(2.0, 1))
    lost.lost = "gone"
    assert gather.stonewalled([fast, lost], started_s=0.0) is None


def test_a_late_client_has_no_earlier_work() -> None:
    """Where a large share depends on the second with the end, there is no figure."""
    fast = received("a", late_s=0.0, seconds=[(1.0, 100_000), (2.0, 100_000)], **wall(2.0, 200_000))
    late = received("b", late_s=1.5, seconds=[(2.5, 4000)], **wall(1.0, 4000))
    assert gather.stonewalled([fast, late], started_s=0.0) == gather.Rates(101_000.0, 1010.0)
    later = received("b", late_s=2.2, seconds=[(2.5, 4000)], **wall(0.3, 4000))
    assert gather.stonewalled([fast, later], started_s=0.0) == gather.Rates(100_000.0, 1000.0)
    cut = received("b", late_s=0.0, seconds=[(4.0, 100_000)], **wall(4.0, 100_000))
    assert gather.stonewalled([fast, cut], started_s=0.0) is None


def test_rates_count_from_the_common_start() -> None:
    """A client that began late did not do its work in less time for that."""
    task = {"bytes": 1000, "elapsed_ns": 1e9, "operations": 10}
    done = received(
        "a", late_s=0.5, seconds=[], tasks=[task], elapsed_ns=1e9, bytes=1000, operations=10
    )
    assert client_result(done).tasks == ((1000, 1.5, 10),)
    assert client_result(done).unserved == 0


def test_an_operation_that_was_never_served_is_counted() -> None:
    """The agent's figure is in the result, in the sum of all clients, and in the report."""
    clients = tuple(
        client_result(received(name, late_s=0, seconds=[], unserved=count))
        for name, count in (("a", 3), ("b", 4))
    )
    result = results.phase(clients=clients)
    assert PhaseResult.from_json(json.loads(json.dumps(asdict(result)))).unserved == 7
    assert "7 operations never began" in summary("one", result)


def test_windows_that_end_apart_are_not_added_up() -> None:
    """The later client had the storage to itself: the sum is more than the storage ever gave."""

    def window(end_s: float, rate: float) -> dict[str, Any]:
        rates = {"rate_bytes_per_s": rate, "operations_per_s": rate / 100, "latency": {}}
        return {"steady": {"from_boottime_ns": 0.0, "to_boottime_ns": end_s * 1e9, **rates}}

    first = received("a", late_s=0, seconds=[], **window(10, 70))
    second = received("b", late_s=0, seconds=[], **window(14, 50))
    assert gather.steady([first, second]) is None
    together = gather.steady([first, received("b", late_s=0, seconds=[], **window(10.2, 30))])
    assert together is not None
    assert together["rate_bytes_per_s"] == 100
