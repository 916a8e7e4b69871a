"""The report of faults: its tables, bars and timelines."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.base import run_checkers
from seatrial.judge.judge import study_of
from seatrial.judge.published_faults import judge_fault_rows
from seatrial.report.fault_tables import Slowdown, rebuilds, slowdown, slowdowns
from seatrial.report.faults import course, table
from seatrial.report.html import render
from seatrial.report.tables import Numbers
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.outages import Outage
from seatrial.result.quantities import RATE
from seatrial.summary.failover import failover_phases
from seatrial.summary.fault_rates import per_second
from tests.builders.fault_results import MOMENTS, fault, result, stream


def test_a_rebuild_is_reported_with_its_cost(tmp_path: Path) -> None:
    """Its time, and each stream before and during it; a rebuild that did not end in time has
    the length of the wait.
    """
    load = {"seconds": 5, "operations_per_s": 8.0, "mean_ms": 5.0, "p99_ms": 9.0, "max_ms": 9.0}
    slow = {**load, "operations_per_s": 2.0, "mean_ms": 700.0}
    rebuild = {
        "node": "n",
        "array": "/dev/md/x",
        "begun_unix_s": 121.0,
        "until_unix_s": 163.0,
        "ended": True,
    }
    item = fault(rebuild={**rebuild, "loads": {"small": {"before": load, "rebuild": slow}}})
    found = rebuilds([item, replace(item, rebuild={**item.rebuild, "ended": False}), fault()])
    assert [row[:7] for row in found.rows] == [
        ("it", "42.0", "small", "8.00", "2.00", "5.00", "700"),
        ("it", "> 42.0", "small", "8.00", "2.00", "5.00", "700"),
    ]
    assert rebuilds([fault()]).rows == ()
    kept = result(tmp_path, item)
    assert "Rebuilds of the array" in render(kept, run_checkers(study_of(kept), kept))


def test_a_failover_is_split_into_its_parts() -> None:
    """Each from its own event; an unknown part is omitted, and the next part includes its time."""
    whole = fault(moments=MOMENTS)
    lengths = {name: end_s - start_s for name, start_s, end_s in failover_phases(whole)}
    assert lengths == {
        "detect": 2.0,
        "fence": 4.0,
        "start": 3.0,
        "grace": 21.0,
        "first completion": 10.0,
    }
    fewer = [name for name, _, _ in failover_phases(replace(whole, moments=MOMENTS[1:2]))]
    assert fewer == ["fence", "first completion"]
    assert failover_phases(fault()) == []
    early = stream(0.2, first_completion_unix_s=100.2)
    assert failover_phases(replace(whole, streams=(*whole.streams, early))) == failover_phases(
        whole
    ), "no part of the outage"


def going(*rates: int, **changes: Any) -> StreamResult:
    """A stream that completed `size_bytes` in each second, from 5 s before the injection at
    100 s.
    """
    seconds = tuple((96.0 + second, 1.0, rate, rate // 10) for second, rate in enumerate(rates))
    return stream(seconds=seconds, **changes)


@pytest.mark.parametrize(
    ("rates", "lowest", "back_s"),
    [
        ([100] * 25, 100, 0),  # never below
        ([100] * 5 + [0] * 8 + [95] * 12, 0, 8),
        ([100] * 5 + [0] * 8 + [80] * 12, 0, None),
        ([100] * 5 + [40] * 5 + [100] * 6 + [20] * 7 + [100] * 5, 20, 18),  # the deeper one of two
        # A second fall, when a server comes back.
        ([100] * 5 + [0] * 6 + [100] * 6 + [30] * 7 + [100] * 5, 0, 19),
        # The lowest, where it never halved.
        ([100] * 5 + [60] * 6 + [100] * 6 + [70] * 7 + [100] * 5, 60, 5),
        ([100] * 5 + [100] * 3, None, None),  # less than a window
    ],
)
def test_a_slowdown_is_reported_as_means_of_five_seconds(
    rates: list[int], lowest: float | None, back_s: float | None
) -> None:
    """Two clients together; reports after the end do not count."""
    ended = fault(ended_unix_s=95.0 + len(rates))
    found = slowdown(ended, [going(*rates, 900), going(*rates, client="c2")], RATE)
    reported = found and (found.before, found.lowest, found.back_s)
    assert reported == (None if lowest is None else (200, 2 * lowest, back_s))


def test_unreported_seconds_are_no_work() -> None:
    """A client that is silent for a minute may report no second of it."""
    found = slowdown(fault(ended_unix_s=120.0), [going(*[100] * 5)], RATE)
    assert found == Slowdown(100, 0, None, 20)
    assert (
        slowdown(fault(ended_unix_s=120.0), [going(*[100] * 5, lost="its power was cut")], RATE)
        is None
    )


def test_jobs_that_go_on_are_reported_where_they_are_closed_loops(tmp_path: Path) -> None:
    """An open loop keeps its pace as long as it can; a consistency test is no open loop."""
    closed = {"phases": ["write"], "transfer_size": "4KiB", "file_size": "1MiB"}
    load = {
        "job": {"workload": closed},
        "paced": {"workload": {**closed, "arrivals_per_s": 1}},
        "locks": {"consistency_test": "locks", "arrivals_per_s": 1},
    }
    streams = tuple(going(*[100] * 5 + [0] * 8 + [95] * 12, stream=name) for name in load)
    kept = result(tmp_path, fault(streams=streams, ended_unix_s=120.0), background_load=load)
    html = render(kept, run_checkers(study_of(kept), kept))
    assert html.count("Slowdowns: effect of each fault") == 1
    found = slowdowns(kept.faults, study_of(kept).background_load)
    assert found.rows == (("it", "job", "< threshold", "0.000100 MB/s", "0.00 MB/s", "0", "8"),)


def test_the_outage_of_a_single_server_names_its_grace() -> None:
    """Boot, the start of nfsd, the grace period, and the client's time after it."""
    at = [(105.0, "booted"), (108.0, "grace"), (198.0, "grace-ended")]
    alone = tuple(
        {"unix_s": unix_s, "node": "nas", "what": what, "text": ""} for unix_s, what in at
    )
    one = fault(moved=False, moments=alone, streams=(stream(99.0),))
    lengths = {name: round(end_s - start_s) for name, start_s, end_s in failover_phases(one)}
    assert lengths == {"boot": 5, "start": 3, "grace": 90, "first completion": 1}


def test_events_after_the_last_answer_are_no_part_of_the_outage() -> None:
    """A lost server boots several times after its power returns, long after the other servers
    serve without it.
    """
    at = [(128.0, "detected"), (171.0, "booted")]
    moments = tuple(
        {"unix_s": unix_s, "node": "s1", "what": what, "text": ""} for unix_s, what in at
    )
    one = fault(moved=False, moments=moments, streams=(stream(30.0),))
    assert {name: round(end_s - start_s) for name, start_s, end_s in failover_phases(one)} == {
        "detect": 28,
        "first completion": 2,
    }


def test_seconds_are_spread_over_their_interval() -> None:
    """An interval across two seconds counts for both; nothing is lost."""
    items = [stream(seconds=((102.5, 1.0, 10, 4), (103.0, 0.5, 6, 2)))]
    assert per_second(items, 100.0, RATE) == [0.0, 5.0, 11.0]


def test_the_report_has_the_table_the_bars_and_the_timeline(tmp_path: Path) -> None:
    """The paper's table next to ours, with the rows that no fault repeats; a skipped fault
    has no figure.
    """
    lost = stream(9.0, client="c2", lost_power=True, lost="its power was cut")
    kept = result(
        tmp_path,
        fault(moments=MOMENTS, streams=(stream(40.0), lost), notes=("a word",)),
        FaultResult(
            "bmc",
            "fence-device",
            "x",
            "a BMC fails",
            "X5",
            {"fails_over": False, "outage": None},
            skipped="none here",
        ),
    )
    page = render(kept, judge_fault_rows(study_of(kept), kept))
    for text in (
        " Faults</h2>",
        "X1: server",
        "X7: all paths",
        "not repeated",
        "skipped: none here",
        "lost its own power",
    ):
        assert text in page
    assert "first completion 10.0 s" in page
    assert 'class="held"' in page
    (number,) = re.findall(r"(\d) Faults</h2>", page)
    assert page.count(f"<h3>{number}.") == 1
    assert "damaged extents" not in page


def test_the_table_without_a_published_one_has_no_empty_columns() -> None:
    """And has the expectation of the study."""
    found = table([fault(published=None), fault(61.0, published=None)], [], [])
    assert [column.title for column in found.columns] == [
        "fault",
        "expected here",
        "outcome",
        "longest outage",
        "as expected here",
    ]
    assert [row[-1] for row in found.rows] == ["✓ pass", "✗ fail"]
    assert course(fault(injected_unix_s=None), Numbers()) is None


def test_the_longest_of_many_outages_are_reported_once() -> None:
    """The client's only task is the client."""
    starts_s = [100.0 + number for number in range(13)]
    outages = tuple(
        Outage(task, start_s, start_s + 0.2, open=False)
        for start_s in starts_s
        for task in (None, 0)
    )
    found = course(fault(streams=(stream(outages=outages),)), Numbers())
    assert found is not None
    reported = found.data.rows[0][1]
    assert "task 0" not in reported
    assert reported.count("all tasks") == 10
    assert reported.endswith("; 3 shorter")
