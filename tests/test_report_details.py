"""What the report shows of a phase beyond its rate: clients, outages, seconds, copies, steady windows."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.published import published_data
from seatrial.predict.validate import PAPERS
from seatrial.report import copies, figures, laws, machines, outages, references, seconds
from seatrial.report.charts import caption_of, chart_of, described
from seatrial.report.html import render
from seatrial.report.points import how_measured, results
from seatrial.report.series import axis
from seatrial.report.tables import Column, Table
from seatrial.report.words import in_words
from seatrial.result.phases import PhaseResult, Second
from seatrial.result.result import LINES, Result
from seatrial.service.variants import vary
from seatrial.study.experiment import Experiment, Figure
from seatrial.study.points import points as points_of
from seatrial.study.study import load_study
from seatrial.summary import scaling
from seatrial.summary.names import point_name
from seatrial.summary.notation import NONE
from seatrial.summary.points import Latency, measured
from tests.results import client, phase, result_of

STUDY: dict[str, Any] = {
    "schema": "study/1",
    "id": "one",
    "environment": {"kind": "emulated", "scale": "1/40"},
    "nodes": {
        "nas": {"memory": "512MiB", "link": "10Gbit/s", "disks": {"count": 4, "size": "64MiB", "rate": "130MB/s"}},
        "c[1-2]": {"memory": "128MiB", "link": "4Gbit/s"},
    },
    "solution": {"kind": "nfs", "raid": {"level": 0}},
    "experiments": {"one": {"workload": {"transfer_size": "4KiB", "file_size": "1MiB", "outage_threshold": "200ms"}}},
    "criteria": [{"id": "intact", "check": "integrity"}],
}
COPIED = {"file_bytes": 1000, "files": 2, "mean_s": 0.1, "deviation_s": None, "min_s": 0.1, "max_s": 0.1}
LATENCY = {"count": 10, "min": 0.1, "mean": 1.0, "p50": 1.0, "p90": 2.0, "p99": 3.0, "p999": 4.0, "max": 5.0}


def cells(table: Table, row: int = 0) -> dict[str, str]:
    """A row by the titles of its columns."""
    return dict(zip([column.title for column in table.columns], table.rows[row], strict=True))


def outage(name: str, task: int | None, start_s: float, end_s: float, **more: Any) -> dict[str, Any]:
    """One outage of a result."""
    return {"client": name, "task": task, "start_unix_s": start_s, "end_unix_s": end_s, "open": False, **more}


def silent(*items: dict[str, Any], **changes: Any) -> PhaseResult:
    """A phase of 10 s of one client with two tasks and these outages."""
    tasks = ((500, 10.0, 5), (500, 10.0, 5))
    return phase(clients=(client(engine="plain", tasks=tasks, elapsed_s=10.0, outages=items),), **changes)


def shown(folder: Path, *phases: PhaseResult) -> str:
    """The report of a result of these phases."""
    return render(result_of(folder, STUDY, *phases), [])


# ---- tables


def test_an_empty_column_is_left_out_only_where_allowed() -> None:
    """Optional columns without a value are removed with their cells; others stay."""
    columns = (Column("a"), Column("b", optional=True), Column("c", optional=True))
    table = Table("", columns, ((NONE, NONE, "1"), (NONE, NONE, NONE))).slim()
    assert [column.title for column in table.columns] == ["a", "c"]
    assert table.rows == ((NONE, "1"), (NONE, NONE))


def test_results_have_the_stonewalled_aggregate_in_their_quantity() -> None:
    """Bytes where data move, operations where they do not; and no columns of bytes for names."""
    changes = {"stonewalled_bytes_per_s": 2e6, "stonewalled_operations_per_s": 70.0}
    data = results("", measured([phase(1e6, **changes)]))
    assert cells(data)["stonewalled"] == "2.00"
    assert cells(data)["bottleneck"] == "client links 8\u00a0%"
    none = {"bottleneck": None, "predicted_bytes_per_s": None, "bound": None, "bound_bytes_per_s": None}
    names = results("", measured([phase(0.0, phase="create", operations_per_s=80.0, **changes, **none)]))
    assert (cells(names)["operations †"], cells(names)["stonewalled †"]) == ("80.0", "70.0")
    assert not [column for column in names.columns if "MB/s" in column.unit or column.title == "bottleneck"]
    share = results("", measured([phase(1e6, **changes)], "efficiency"))
    assert cells(share)["stonewalled"] == "2.00", "an efficiency has no stonewalled one: bytes per second"
    reported = how_measured("", measured([phase(0.0, phase="create", operations_per_s=80.0)]))
    assert not [column for column in reported.columns if "MB/s" in column.unit]


def test_rare_columns_are_in_a_separate_table() -> None:
    """Harmonic figures, the lab's processors, clocks and the engine's cost."""
    one = client(operations=100, elapsed_s=1.0, start_late_s=0.002, engine="io-uring", null_operations_per_s=500.0)
    two = replace(one, client="c2", tasks=((1, 1.0, 1), (1, 1.0, 1)), engine="plain")
    fields = {"harmonic_mean_bytes_per_s": 3e6, "harmonic_aggregate_bytes_per_s": 4e6, "operations_per_s": 150.0}
    row = cells(how_measured("", measured([phase(5e6, clients=(one, two), **fields)])))
    assert row == {
        "clients": "1",
        "phase": "read",
        "operations †": "150",
        "harmonic mean": "3.00",
        "harmonic aggregate": "4.00",
        "lab machine busy": "50 %",
        "clock error": "1.0",
        "late start": "2.0",
        "engine": "io-uring, plain",
        "engine alone †": "500",
        "needed of it": "15 %",
    }


def test_the_latency_of_a_phase_is_that_of_its_own_operation() -> None:
    """For a copy the whole file, for a mixed phase the slower kind; a phase's fsync is not
    its operation.
    """
    slow = {**LATENCY, "p50": 7.0, "p99": 8.0, "max": 9.0}
    for name, reported, wanted in (
        ("write", {"write": LATENCY, "fsync": slow}, Latency(1.0, None, 5.0, 10)),
        ("copy-to-storage", {"write": LATENCY, "copy": slow}, Latency(7.0, None, 9.0, 10)),
        ("mixed", {"read": slow, "write": LATENCY}, Latency(7.0, None, 9.0, 10)),
    ):
        (item,) = measured([phase(phase=name, latency_ms=reported, clients=(client(copies=(COPIED,)),))])
        assert item.latency == wanted, name
        (older,) = measured([phase(phase=name, clients=(client(latency_ms=reported, copies=(COPIED,)),))])
        assert older.latency is not None
        assert replace(older.latency, p50_ms=wanted.p50_ms) == wanted, name


def test_a_steady_window_is_in_the_results() -> None:
    """Rate and latency of the windows where there are some, and no such column where there are none."""
    steady = {"rate_bytes_per_s": 4e6, "operations_per_s": 9.0, "from_unix_s": 2.0, "to_unix_s": 5.5}
    windows = [{**steady, "latency_ms": {"read": {**LATENCY, "max": highest}}} for highest in (5.0, 6.0)]
    items = measured([phase(steady=window, repeat=number) for number, window in enumerate(windows, start=1)])
    table = results("", items)
    assert (cells(table)["steady"], cells(table)["its latency †"]) == ("4.00", "1.00 / – / 6.00 (10)")
    assert "Steady:" in table.note
    assert cells(results("", measured([phase(steady=windows[0])], "operations")))["steady †"] == "9.00"
    assert cells(how_measured("", items))["steady window"] == "3.50"
    assert "Steady:" not in results("", measured([phase()])).note
    assert "steady" not in cells(results("", measured([phase()])))


# ---- clients


def test_every_client_is_shown_next_to_the_mean_one() -> None:
    """Its rate, its share of the mean, and the telemetry of its machine."""
    telemetry = tuple(
        {"unix_s": 1.0, "cpus_busy_share": share, "retransmitted_segments": segments}
        for share, segments in ((0.2, 3), (0.4, None), (None, 4))
    )
    changes = {
        "engine": "plain",
        "null_operations_per_s": 100.0,
        "telemetry": telemetry,
        "latency_ms": {"read": LATENCY},
    }
    fast = client(size_bytes=3_000_000, elapsed_s=1.0, outages=(outage("c1", 0, 5.0, 5.75),), **changes)
    slow = client(client="c2", size_bytes=2_000_000, elapsed_s=2.0, engine="plain")
    table = machines.clients_table("", measured([phase(clients=(fast, slow))]))
    assert table.groups == ((0, "clients 1, read"),)
    assert cells(table) == {
        "client": "c1",
        "rate": "3.00",
        "of mean client": "150 %",
        "done": "1.00",
        "latency †": "1.00 / – / 5.00 (10)",
        "longest outage": "0.750",
        "retransmitted": "7",
        "CPUs busy †": "30 %",
        "engine": "plain",
        "of its engine": "10 %",
    }
    assert table.rows[1][:4] == ("c2", "1.00", "50 %", "2.00")
    assert cells(table, 1)["longest outage"] == "none"
    assert cells(table, 1)["retransmitted"] == NONE


def test_clients_of_an_older_result_leave_out_missing_figures() -> None:
    """No telemetry, no engine, and no statement about outages either."""
    table = machines.clients_table("", measured([phase()]))
    assert [column.title for column in table.columns] == ["client", "rate", "of mean client", "done"]
    assert machines.clients_table("", measured([phase(partial=True)])).rows == ()


def test_of_very_many_clients_three_are_shown() -> None:
    """16 are all shown; of 17 the slowest, the median and the fastest."""
    many = [client(client=f"c{number}", size_bytes=number * 1000) for number in range(17, 0, -1)]
    few = machines.clients_table("", measured([phase(clients=tuple(many[1:]))]))
    table = machines.clients_table("", measured([phase(clients=tuple(many))]))
    assert len(few.rows) == 16
    assert [row[0] for row in table.rows] == ["c1 (slowest)", "c9 (median)", "c17 (fastest)"]
    assert table.groups == ((0, "clients 1, read: 17 clients, three of them shown"),)
    assert table.rows[1][2] == "100 %"


# ---- outages


def test_without_outages_the_threshold_is_named(tmp_path: Path) -> None:
    """One sentence; nothing where an older result does not say."""
    printed = "No client and no task had an outage of more than 200 ms."
    text = shown(tmp_path / "a", silent())
    assert printed in text
    assert 'class="outages"' not in text
    assert printed not in shown(tmp_path / "b", phase())
    assert outages.in_words([], 1.0) == "No client and no task had an outage of more than 1 s."


def test_outages_have_bars_and_times(tmp_path: Path) -> None:
    """Relative to the phase, in UTC to the millisecond; tasks that were silent together are one row."""
    start_s = 1_700_000_000.0
    items = (
        outage("c1", 0, start_s + 2, start_s + 4.5),
        outage("c1", 1, start_s + 2, start_s + 4.5),
        outage("c1", 0, start_s + 9, start_s + 10, open=True),
        outage("c1", None, start_s + 9, start_s + 10, open=True),
    )
    text = shown(tmp_path / "r", silent(*items, started_unix_s=start_s))
    assert "In one phase something had an outage of more than 200 ms; the longest one lasted 2.50 s" in text
    assert text.count('class="outage"') == 1
    assert "4, longest 2.50 s, one to the end" in text
    table = outages.listed(outages.outages(measured([silent(*items, started_unix_s=start_s)])))
    assert table.rows == (
        ("c1", "tasks 0-1", "2.000 – 4.500", "2.500", "22:13:22.000 – 22:13:24.500", "closed"),
        ("c1", "whole client", "9.000 – 10.000", "1.000", "22:13:29.000 – 22:13:30.000", "to the end"),
    )
    assert table.groups == ((0, "clients 1, read, repeat 1 (2023-11-14, clocks agree within 1.0 ms)"),)


def test_a_bar_is_as_high_as_the_share_of_silent_tasks() -> None:
    """Half height for one of two tasks, full height for both, and the whole client on top of them."""
    items = (outage("c1", 0, 1.0, 4.0), outage("c1", 1, 2.0, 3.0), outage("c1", None, 2.0, 3.0))
    assert outages.silent_tasks(items[:2], 0.0) == [(1.0, 2.0, 1), (2.0, 3.0, 2), (3.0, 4.0, 1)]
    drawn = outages.bar(silent(*items).clients[0], 0.0, 10.0)
    some, whole = (re.search(rf'd="([^"]*)" class="{css}"', drawn) for css in ("some", "whole"))
    assert some is not None
    assert whole is not None
    assert some[1] == "M100.0 20v-10.0H200.0V20zM200.0 20v-20.0H300.0V20zM300.0 20v-10.0H400.0V20z"
    assert whole[1] == "M200.0 20V0H300.0V20z"


def test_the_longest_outages_are_shown_and_the_rest_is_counted() -> None:
    """At most 8 phases and 10 rows of each; the longest first."""
    phases = [silent(outage("c1", 0, 1.0, 2.0 + number), repeat=number) for number in range(1, 10)]
    found = outages.outages(measured(phases))
    assert [item.phase.repeat for item in found] == list(range(9, 0, -1))
    assert len(outages.bars(found)) == 8
    assert "1 further phase had none longer than 2.00 s" in outages.caption(found)
    assert "further" not in outages.caption(found[:8])
    many = silent(*(outage("c1", 0, float(second), second + 0.5 + second / 100) for second in range(12)))
    table = outages.listed(outages.outages(measured([many])))
    assert len(table.rows) == 10
    assert table.rows[0][2] == "2.000 – 2.520", "the two shortest are left out, the others by time"
    assert "the 10 longest of 12" in table.groups[0][1]


# ---- seconds


def ticking(*values: tuple[float, float] | None) -> PhaseResult:
    """A phase with these (median, longest) in ms of its seconds; None: nothing ended in one."""
    reported = tuple(
        Second(second, 1000, 1, {"p50": value[0], "max": value[1]} if value else {})
        for second, value in enumerate(values)
    )
    lines = tuple((float(second + 1), 1000, 1) for second in range(len(values)))
    return phase(clients=(client(seconds=lines),), seconds=reported)


def test_the_latency_of_each_second_is_drawn_to_a_logarithmic_scale() -> None:
    """A decade is a third of the height here; a second without a completion is a gap."""
    item = ticking((0.1, 10.0), (1.0, 100.0), None, (0.1, 0.1))
    assert seconds.latency_scale_of([item]) == (4, (-1, 2))
    drawn = seconds.latency_strip(item.seconds, 4, -1, 2)
    lines = dict(reversed(found) for found in re.findall(r'd="([^"]*)" class="(\w+)"', drawn))
    assert lines["median"] == "M0.0 30.0H33.0L33.0 20.0H66.0M99.0 30.0H132.0"
    assert lines["longest"] == "M0.0 10.0H33.0L33.0 0.0H66.0M99.0 30.0H132.0"
    assert 'aria-label="median 0.100 to 1.00 ms, longest 0.100 to 100 ms"' in drawn
    shown = seconds.latency(measured([item]))
    assert shown is not None
    assert "from 0.1 ms to 100 ms" in shown.caption
    assert seconds.power(3) == "1 s"


def test_seconds_without_figures_are_not_drawn() -> None:
    """Older results have none; and a phase of a single second is shown as its mean."""
    assert seconds.latency(measured([phase()])) is None
    assert seconds.latency(measured([ticking((1.0, 2.0))])) is None
    assert seconds.throughput(measured([ticking((1.0, 2.0))])) is None
    assert seconds.throughput(measured([ticking((1.0, 2.0), (1.0, 2.0))])) is not None
    words = seconds.in_words(ticking((1.0, 2.0), (1.0, 2.0)))
    assert words == "2 s: 0.00100 to 0.00100 MB/s, median 0.00100"
    assert seconds.in_words(ticking((1.0, 2.0))) == "0.00100 MB, over within 1.5 s"  # of a part of a second, no rate


# ---- copies


def copied(client_name: str, *sizes: tuple[int, int, float]) -> Any:
    """A client that copied: (size, files, mean time)."""
    lines = tuple(
        {"file_bytes": size, "files": files, "mean_s": mean_s, "deviation_s": 0.0, "min_s": mean_s, "max_s": mean_s}
        for size, files, mean_s in sizes
    )
    return client(client=client_name, copies=lines)


def test_copies_are_reported_by_size_with_their_fixed_cost() -> None:
    """All clients and repeats as one sample; the input had 2 ms per file and 1 MB/s."""
    one = copied("c1", (1000, 2, 0.002), (8000, 1, 0.010))
    two = copied("c2", (1000, 2, 0.004), (8000, 1, 0.010))
    item = phase(phase="copy-to-storage", clients=(one, two))
    table = copies.table("", measured([item, replace(item, repeat=2)]))
    assert table.rows[0] == ("1000 B", "8", "3.00", "1.1", "2.00", "4.00", "0.333")
    assert table.rows[1][:4] == ("8000 B", "4", "10.0", "0.0")
    assert table.groups == ((0, "clients 1, copy-to-storage: fixed cost 2.00 ms per file, beyond it 1.00 MB/s"),)
    assert copies.table("", measured([phase()])).rows == ()
    assert copies.table("", measured([replace(item, partial=True)])).rows == ()


def test_a_fixed_cost_is_named_only_where_it_shows() -> None:
    """One size shows nothing; times that grow faster than sizes show none; constant times
    give no rate.
    """
    for sizes, wanted in (
        (((1000, 1, 0.001),), ""),
        (((1000, 1, 0.001), (2000, 1, 0.003)), ": fixed cost none detectable, beyond it 0.500 MB/s"),
        (
            ((1000, 1, 0.5), (2000, 1, 0.5)),
            ": fixed cost 500 ms per file, beyond it no rate (larger files take no longer)",
        ),
    ):
        item = phase(phase="copy-to-storage", point={}, clients=(copied("c1", *sizes),))
        table = copies.table("", measured([item]))
        assert table.groups == ((0, f"copy-to-storage{wanted}"),)


# ---- words and figures


def test_axes_have_proper_titles() -> None:
    """No last words of keys that a reader would not understand."""
    for key, title, name in (
        ("nodes.nas.disks.paths.cabling", "cabling of the disks", "cabling x"),
        ("solution.filesystem.kind", "file system", "file system x"),
        ("solution.readahead", "read-ahead of the server’s disks", "readahead x"),
        ("directory", "directory of the metadata operations, one per task or shared", "directory x"),
        ("tasks", "tasks per client (number)", "tasks x"),
    ):
        point = {key: "x"}
        assert axis(key, False, measured([phase(point=point)])).title == title
        assert point_name(point) == name
    assert point_name({"solution.mount.options": ["hard", "noac"]}) == "mount options hard, noac"


def test_ratios_are_reported_as_ratios() -> None:
    """Axis, caption and description of a figure that is relative to one value; no rates in
    the description.
    """
    key = "nodes.nas.disks.paths.cabling"
    points = measured([phase(rate, point={key: name}) for rate, name in ((2e6, "single"), (3e6, "separate"))])
    chart = chart_of(points, Figure(x=key, relative_to="single"), None, [])
    assert chart is not None
    assert chart.title == "relative to cabling single"
    across = "against cabling of the disks. read:"
    assert described(chart) == f"relative to cabling single {across} 1.00 at single, 1.50 at separate"
    caption = caption_of(points, chart, None, [], "")[0]
    assert "all clients, divided by the mean at cabling single of the same line: mean of" in caption
    plain = chart_of(points, Figure(x=key), None, [])
    assert plain is not None
    assert described(plain) == f"MB/s {across} 2.00 at single, 3.00 at separate"
    assert "divided" not in caption_of(points, plain, None, [], "")[0]


def test_no_two_lines_look_alike_and_long_names_have_room() -> None:
    """Colour and marker together differ for 36 lines; the blank zone grows with the names."""
    looks = [figures.Series("", (), number).look for number in range(36)]
    assert len({look[:2] for look in looks}) == 36
    assert all(figures.GLYPHS.index(glyph) == figures.MARKERS.index(marker) for _, marker, glyph in looks)

    def right(name: str) -> float:
        chart = figures.Chart("", ((0.0, "1"), (1.0, "2")), False, (figures.Series(name, (), 0),))
        return figures.span(chart, narrow=False)[1]

    assert right("read") < right("remove, directory shared")


def test_workloads_are_reported_without_the_sweep() -> None:
    """A varied directory is not printed as one; lists as words; numbers without trailing zeros."""
    work = {"phases": ["create"], "tree": {"items": 5}}
    fixed = Experiment.model_validate({"workload": work, "overrides": {"solution.mount.options": ["hard", "noac"]}})
    assert "in one directory per task" in in_words(fixed.workload, fixed)
    assert "mount options hard, noac" in in_words(fixed.workload, fixed)
    varied = Experiment.model_validate({"workload": work, "sweep": {"directory": ["unique", "shared"]}})
    assert "director" not in in_words(varied.workload, varied)
    loop = {"transfer_size": "4KiB", "file_size": "1MiB", "arrivals_per_s": 60, "warm_up": "2s", "window": "3s"}
    opened = Experiment.model_validate({"workload": loop})
    words = in_words(opened.workload, opened)
    assert "open loop of 60 operations/s per client" in words
    assert "steady state after 2 s, for 3 s" in words


# ---- the page


def page_with_everything(folder: Path) -> tuple[Result, str]:
    """The result of two experiments with every detail in their phases."""
    telling = replace(ticking((1.0, 2.0), (1.0, 3.0)), clients=silent(outage("c1", None, 1.0, 2.0)).clients)
    lines = tuple((float(second + 1), 1000, 1) for second in range(2))
    telling = replace(telling, clients=(replace(telling.clients[0], seconds=lines),))
    copying = phase(phase="copy-to-storage", clients=(copied("c1", (1000, 2, 0.002), (8000, 1, 0.01)),))
    result = result_of(folder, STUDY, telling, replace(copying, experiment="two"))
    return result, render(result, [])


def test_details_are_folded_and_numbered_in_their_order(tmp_path: Path) -> None:
    """Figures and tables are numbered in page order; a note is printed once."""
    _, text = page_with_everything(tmp_path / "r")
    for word in ("Figure", "Table"):
        numbers = [int(found) for found in re.findall(rf"<b>{word} (\d+)\.</b>", text)]
        assert numbers == list(range(1, len(numbers) + 1)), word
        assert len(numbers) >= 3
    every = re.findall(r"<summary>([^<]+)</summary>", text)
    summaries = [printed for printed in every if printed != "Values as a table"][:7]
    wanted = ["Outages one by one", "Latency in every second", "Clients", "How it was measured"]
    assert summaries == ["Figure 2: times of the outages", *wanted, "Clients", "How it was measured"]
    assert text.count("A row rests on its usable repeats") == 1
    assert "Columns and rules as in Table" in text


def test_cells_of_wide_tables_carry_their_titles(tmp_path: Path) -> None:
    """On a narrow page a row is a paragraph: each cell names its column and unit."""
    _, text = page_with_everything(tmp_path / "r")
    assert '<td class="n" data-title="aggregate throughput (MB/s)">1.00</td>' in text
    tables = re.findall(r'<table class="cards paragraphs">(.*?)</table>', text, re.DOTALL)
    assert len(tables) == 8
    assert all("data-title" in cell for table in tables for cell in re.findall(r"<td[^>]*>", table))


def test_names_of_clients_are_text(tmp_path: Path) -> None:
    """Wherever a client is named, in bars, lists and tables."""
    evil = "<script>c1"
    item = silent(outage(evil, None, 1.0, 2.0))
    text = shown(tmp_path / "r", replace(item, clients=(replace(item.clients[0], client=evil, engine=evil),)))
    assert "<script" not in text
    assert text.count("&lt;script&gt;c1") == 6  # once because the study has no such node


@pytest.mark.parametrize("key", ["telemetry", "outages", "copies", "engine", "null_operations_per_s"])
def test_a_result_without_a_newer_field_is_still_shown(tmp_path: Path, key: str) -> None:
    """An older result does not have it; the other fields remain."""
    result, _ = page_with_everything(tmp_path / "r")
    path = result.folder / LINES
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for item in line.get("clients", ()):
            if isinstance(item, dict):
                item.pop(key)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = render(replace(result, lines=tuple(lines)), [])
    assert "cannot be read" not in text
    assert "How it was measured" in text


# ---- servers


def test_the_balance_of_layers_is_that_of_the_highest_point() -> None:
    """Each layer's share of its capacity; a layer without a rate is left out, a single one
    shows nothing.
    """
    layers = (("client links", 8e6), ("server links", 4e6), ("disks", 0.0))
    at = {"layers": layers, "bound": "server links"}
    points = measured([phase(rate, point={"clients": int(rate / 1e6)}, **at) for rate in (1e6, 3e6)])
    found = laws.balance("", points)
    assert found.groups == ((0, "clients 3, read"),)
    assert [tuple(cells(found, row).values()) for row in range(len(found.rows))] == [
        ("client links", "8.00", "3.00", "38 %", ""),
        ("server links", "4.00", "3.00", "75 %", "this"),
    ]
    assert laws.balance("", measured([phase(layers=layers[1:])])).rows == ()


@pytest.mark.parametrize("name", ["gpfs-nsd", "gpfs-nsd-balanced"])
def test_servers_bind_where_their_number_is_varied(name: str) -> None:
    """In every row of the shipped studies, so that the table of what more servers bring has them all."""
    shipped = load_study(Path(name))
    experiment = shipped.experiments["servers"]
    found = {}
    for point in points_of(experiment, len(vary(shipped).solution.clients)):
        printed = scaling.servers_of(experiment, point.values)
        bound = vary(shipped, {**point.solution, **point.site}).solution.data_path(point.clients).bound("write")
        assert printed is not None
        assert bound is not None
        assert bound.name in scaling.BOUNDS[printed[0]], point.values
        found[printed[1]] = bound.write_bytes_per_s
    fewer, more = sorted(found.values())
    assert fewer < more


def test_the_gain_of_more_servers_is_reported_with_its_interval() -> None:
    """Three servers of 10 MB/s are exceeded by 3, four by 8; one number of servers has no
    such table, whatever their links.
    """
    rates = {"three": (30e6, (26e6, 27e6, 28e6)), "four": (40e6, (32e6,))}
    points = measured(
        [
            phase(rate, point={"variant": row}, repeat=number, bound="server links", bound_bytes_per_s=bound)
            for row, (bound, repeats) in rates.items()
            for number, rate in enumerate(repeats, start=1)
        ]
    )
    rows = {
        "three": {"overrides": {"solution.servers": "s[1-3]"}},
        "four": {"overrides": {"solution.servers": "s[1-4]"}},
    }
    workload = {"transfer_size": "4KiB", "file_size": "4KiB"}
    experiment = Experiment.model_validate({"workload": workload, "variants": rows})
    found = laws.shortfall("", points, experiment)
    assert found is not None
    three, four = cells(found, 0), cells(found, 1)
    assert (three["n·X"], three["rate(n)"], three["k(n)"]) == ("30.0", "27.0", "3.00")
    assert three["95 % interval of k(n)"] == "0.409 to 5.39"
    assert (four["k(n)"], four["95 % interval of k(n)"], four["rate(n) of n·X"]) == ("8.00", "–", "80 %")
    assert laws.shortfall("", points[:1], experiment) is None
    faster = Experiment.model_validate({"workload": workload, "variants": {name: {"overrides": {}} for name in rows}})
    assert laws.shortfall("", points, faster) is None


def test_servers_are_shown_as_they_were_while_clients_loaded_them() -> None:
    """Means over the seconds, retransmissions of a phase; a server without lines gets no invented figures."""
    line = {"unix_s": 1.0, "cpus_busy_share": 0.5, "network_received_bytes": 3_000_000, "network_sent_bytes": 0}
    disks = {"disk_read_bytes": 0, "disk_written_bytes": 4_000_000, "disk_busy_share": 0.25}
    memory = {"memory_available_bytes": 200_000_000, "memory_dirty_bytes": None, "retransmitted_segments": 3}
    seconds = ({**line, **disks, **memory}, {**line, **disks, **memory, "cpus_busy_share": 0.7})
    found = machines.servers_table("", measured([phase(servers={"nas": seconds, "spare": ()})]))
    first, second = cells(found, 0), cells(found, 1)
    assert (first["server"], first["CPUs busy †"], first["received"]) == ("nas", "60 %", "3.00")
    assert (first["disks wrote"], first["disks busy"], first["retransmitted"]) == ("4.00", "25 %", "6.00")
    assert (second["server"], second["CPUs busy †"], second["disks wrote"]) == ("spare", "–", "–")
    shared = machines.servers_table("", measured([phase(servers={"s1": seconds, "s2": (*seconds, *seconds)})]))
    assert [cells(shared, row)["of all servers' bytes"] for row in (0, 1)] == ["33 %", "67 %"]
    alone = machines.servers_table("", measured([phase(servers={"nas": seconds})]))
    assert "of all servers' bytes" not in cells(alone, 0)
    assert machines.servers_table("", measured([phase()])).rows == ()


@pytest.mark.parametrize("paper", [module.PAPER for module in PAPERS])
def test_every_figure_of_a_papers_parts_is_reported(paper: str) -> None:
    """Also where the paper has a minimum, or a range."""
    found = references.parts(published_data(paper))
    assert found.rows
    assert not [cell for row in found.rows for cell in row if "None" in str(cell)]
