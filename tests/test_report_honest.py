"""Figures have their apparent meaning: weights, percentiles, idle streams, short phases, and
a lab's own figures.
"""

from dataclasses import replace
from typing import Any

import pytest

from seatrial.advice.bench import Row, bench_table
from seatrial.analysis.histogram import P99_OPERATIONS
from seatrial.judge.answer import Reason, unknown
from seatrial.judge.outages import judge_outage
from seatrial.report import machines, overlap
from seatrial.report.charts import chart_of
from seatrial.report.fault_tables import rebuilds, slowdowns
from seatrial.report.faults import outage_cell
from seatrial.report.lab_marks import MARK, NOTE
from seatrial.report.points import results
from seatrial.report.results import at_a_glance
from seatrial.report.seconds import latency as latency_strips
from seatrial.report.tables import Table
from seatrial.result.faults import outage_words
from seatrial.result.phases import PhaseResult, Second
from seatrial.study.faults import Stream
from seatrial.summary.notation import LAB_OWN, NONE
from seatrial.summary.peaks import throughput
from seatrial.summary.points import STEADY_MIN_S, measured, worst
from seatrial.summary.survival import survival
from tests.builders.fault_results import fault, stream
from tests.builders.results import client, phase


def cells(table: Table, row: int = 0) -> dict[str, str]:
    """A row by the titles of its columns."""
    return {column.title: cell for column, cell in zip(table.columns, table.rows[row], strict=True)}


# ---- seconds that are partly in the phase


def second(end_s: float, received_bytes: int, **more: Any) -> dict[str, Any]:
    """A server's report at the end of a second."""
    return {
        "unix_s": end_s,
        "network_received_bytes": received_bytes,
        "network_sent_bytes": 0,
        **more,
    }


def watched(*seconds: dict[str, Any]) -> PhaseResult:
    """A phase from 10.0 to 11.0 s with these seconds of its server."""
    return phase(started_unix_s=10.0, servers={"nas": seconds})


def test_a_second_counts_by_its_share_within_the_phase() -> None:
    """0.89 MB in a second with 0.05 s in the phase and 11.81 MB in the other are not 6.35 MB/s."""
    found = machines.servers_table(
        "", measured([watched(second(10.05, 890_000), second(11.05, 11_810_000))])
    )
    assert cells(found)["received"] == "11.3"


@pytest.mark.parametrize(
    ("end_s", "share"),
    [(9.9, None), (10.0, None), (10.25, 0.25), (11.0, 1.0), (11.75, 0.25), (12.0, None)],
)
def test_seconds_outside_do_not_count(end_s: float, share: float | None) -> None:
    """A second is that before the time of its line."""
    item = watched()
    assert [pytest.approx(part.of_second) for part in overlap.shares(item, [second(end_s, 1)])] == (
        [] if share is None else [share]
    )


def test_counts_are_weighted_as_rates_are() -> None:
    """The servers' shares of all bytes, and retransmitted segments."""
    lines = {
        "a": (second(10.5, 8_000_000, retransmitted_segments=4),),
        "b": (second(11.0, 4_000_000, retransmitted_segments=4),),
    }
    found = machines.servers_table("", measured([phase(started_unix_s=10.0, servers=lines)]))
    assert [cells(found, row)["of all servers' bytes"] for row in (0, 1)] == ["50 %", "50 %"]
    assert [cells(found, row)["retransmitted"] for row in (0, 1)] == ["2.00", "4.00"]


# ---- percentiles


def figures_of(count: int) -> dict[str, Any]:
    """Latencies of `count` operations."""
    return {"count": count, "p50": 1.0, "p99": 3.0, "max": 5.0}


@pytest.mark.parametrize(
    ("count", "words"), [(48, "1.00 / – / 5.00 (48)"), (100, "1.00 / 3.00 / 5.00 (100)")]
)
def test_a_p99_of_few_operations_is_left_out(count: int, words: str) -> None:
    """It would be the maximum; the number of operations is printed."""
    table = results(
        "", measured([phase(latency_ms={"read": figures_of(count)}, cpus_busy_share=None)])
    )
    assert cells(table)["latency"] == words
    assert f"fewer than {P99_OPERATIONS} operations" in table.note


def test_of_several_only_those_with_enough_operations_have_a_p99() -> None:
    """And the smallest number is printed."""
    found = worst("read", [{"read": {**figures_of(50), "p99": 9.0}}, {"read": figures_of(200)}])
    assert found is not None
    assert (found.p99_ms, found.operations) == (3.0, 50)


def test_a_rebuild_of_few_operations_has_no_p99() -> None:
    """Before the injection there are a few seconds only."""
    few = {"seconds": 5, "operations_per_s": 4.0, "mean_ms": 1.0, "p99_ms": 7.0, "max_ms": 7.0}
    loads = {"small": {"before": few, "rebuild": {**few, "seconds": 50}}}
    rebuild = {
        "node": "a",
        "array": "md",
        "begun_unix_s": 1.0,
        "until_unix_s": 9.0,
        "ended": True,
        "loads": loads,
    }
    row = cells(rebuilds([fault(rebuild=rebuild)]))
    assert (row["99 % before"], row["99 % during"]) == (NONE, "7.00")
    assert (row["operations before"], row["operations during"]) == ("20", "200")


# ---- streams that did nothing


def test_a_stream_that_did_nothing_shows_no_outage_and_no_pass() -> None:
    """A stream without a first answer has no outage."""
    idle = stream(0.0, operations=0)
    busy = stream(3.0, client="c2")
    nothing = fault(streams=(idle,))
    some = fault(streams=(idle, busy))
    assert outage_words(nothing) == "none, as every stream did nothing"
    assert outage_cell(nothing) == "did nothing"
    assert outage_words(some) == "3.0 s, but c1 small did nothing"
    answer = judge_outage(nothing, 60.0)
    assert replace(answer, rows=()) == unknown("c1 small did nothing", Reason.INCOMPLETE)
    assert judge_outage(some, 60.0).verdict == "unknown"
    found = survival([nothing], 1)
    assert found is not None
    assert found.longest is None
    assert "no client had an outage" not in found.words
    loop = Stream.model_validate(
        {"workload": {"phases": ["write"], "transfer_size": "4KiB", "file_size": "1MiB"}}
    )
    table = slowdowns([fault(streams=(stream(0.0, operations=0),))], {"small": loop})
    assert [cells(table, row)["longest outage"] for row in range(len(table.rows))] == [
        "did nothing"
    ]


def test_a_client_that_did_nothing_has_no_outage_of_none() -> None:
    """For a phase."""
    assert machines.longest_outage([client(engine="plain", operations=0)]) == "did nothing"
    assert machines.longest_outage([client(engine="plain")]) == "none"


# ---- short phases


def lasting(duration_s: float, rate: float = 1e6, **changes: Any) -> PhaseResult:
    """A phase of this length."""
    return phase(rate, clients=(client(tasks=((1000, duration_s, 10),)),), **changes)


def test_a_short_phase_does_not_headline_a_report() -> None:
    """Also if it is the fastest; if all phases are short, that is the answer."""
    short = lasting(0.5, 9e6, point={"clients": 1})
    long = lasting(STEADY_MIN_S, 2e6, point={"clients": 2})
    found = throughput([("", measured([short, long]))])
    assert [peak.value for peak in found.peaks] == ["2.00 MB/s"]
    none = throughput([("", measured([short]))])
    assert (
        none.words
        == "no rate is claimed: the longest phase was measured for 0.50 s, and a steady state"
        " needs 2 s"
    )
    assert "measured for 0.50 s only" in at_a_glance([("Seq", measured([short]))])[0]


def test_a_steady_window_is_the_measured_one() -> None:
    """For a phase with such a window."""
    window = {
        "from_unix_s": 5.0,
        "to_unix_s": 5.5,
        "rate_bytes_per_s": 1e6,
        "operations_per_s": 1.0,
        "latency_ms": {},
    }
    (item,) = measured([lasting(60.0, steady=window)])
    assert (item.lasted_s, item.is_short) == (0.5, True)


# ---- figures of a lab


def test_the_labs_own_figures_are_marked_where_they_are_read() -> None:
    """In tables, figures and on the first screen; on hosts nothing is."""
    second_of = {
        "unix_s": 1.0,
        "cpus_busy_share": 0.5,
        "network_received_bytes": 1,
        "network_sent_bytes": 1,
    }
    for in_lab, share in ((True, 0.5), (False, None)):
        names = phase(
            phase="create",
            operations_per_s=900.0,
            cpus_busy_share=share,
            clients=(
                client(
                    tasks=((0, 4.0, 10),),
                    telemetry=(second_of,),
                    latency_ms={"create": figures_of(200)},
                ),
            ),
            latency_ms={"create": figures_of(200)},
            servers={"nas": (second_of,)},
        )
        items = measured([names])
        tables = (
            results("", items),
            machines.clients_table("", items),
            machines.servers_table("", items),
        )
        marked = [
            [column.title for column in table.columns if MARK in column.title] for table in tables
        ]
        wanted = [
            ["operations †", "latency †"],
            ["operations †", "latency †", "CPUs busy †"],
            ["CPUs busy †"],
        ]
        assert marked == (wanted if in_lab else [[], [], []])
        assert [NOTE in table.note for table in tables] == [in_lab] * 3
        chart = chart_of(items, None, None, [])
        assert chart is not None
        assert (LAB_OWN in chart.title) == in_lab
        assert (LAB_OWN in throughput([("", items)]).peaks[0].where) == in_lab
        assert (LAB_OWN in at_a_glance([("Names", items)])[0]) == in_lab


def test_a_rate_of_links_and_disks_is_not_marked() -> None:
    """It is modelled, and scaled."""
    items = measured([lasting(4.0)])
    assert not any(
        MARK in column.title
        for column in results("", items).columns
        if "latency" not in column.title
    )
    assert LAB_OWN not in throughput([("", items)]).words


def test_latency_strips_name_their_stream() -> None:
    """In their caption."""
    reported = tuple(Second(number, 1, 1, {"p50": 1.0, "max": 2.0}) for number in range(3))
    for share, is_marked in ((0.5, True), (None, False)):
        found = latency_strips(measured([phase(seconds=reported, cpus_busy_share=share)]))
        assert found is not None
        assert ("not of hardware" in found.caption) == is_marked


def test_bench_leaves_out_a_p99_of_few_operations() -> None:
    """And the number of operations is printed."""
    row = Row("sequential write", 2**20, True, 1e8, 95.0, 1.0, None, 48, 0, 0)
    few, many = bench_table(
        [row, replace(row, latency_p99_ms=2.5, latency_operations=4800)]
    ).splitlines()[1:]
    assert few.split()[-2:] == [NONE, "48"]
    assert many.split()[-2:] == ["2.500", "4800"]
