"""The report of a phase beyond its rate: clients, copies, steady windows, figures of every kind."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.analysis.aggregates import TaskTime
from seatrial.report import copies, figures, machines
from seatrial.report.charts import caption_of, chart_of, described
from seatrial.report.html import render
from seatrial.report.points import how_measured, results
from seatrial.report.series import axis
from seatrial.report.tables import Column, Table
from seatrial.report.words import in_words
from seatrial.result.phases import ClientSecond
from seatrial.result.result import Result
from seatrial.result.sealed import LINES
from seatrial.study.experiment import Experiment, Figure
from seatrial.summary.names import point_name
from seatrial.summary.notation import NONE
from seatrial.summary.points import Latency, measured
from tests.builders.reports import STUDY, cells, outage, shown, silent, ticking
from tests.builders.results import client, phase, result_of

COPIED = {
    "file_bytes": 1000,
    "files": 2,
    "mean_s": 0.1,
    "deviation_s": None,
    "min_s": 0.1,
    "max_s": 0.1,
}
LATENCY = {
    "count": 10,
    "min": 0.1,
    "mean": 1.0,
    "p50": 1.0,
    "p90": 2.0,
    "p99": 3.0,
    "p999": 4.0,
    "max": 5.0,
}


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
    none = {
        "bottleneck": None,
        "predicted_bytes_per_s": None,
        "bound": None,
        "bound_bytes_per_s": None,
    }
    names = results(
        "", measured([phase(0.0, phase="create", operations_per_s=80.0, **changes, **none)])
    )
    assert (cells(names)["operations †"], cells(names)["stonewalled †"]) == ("80.0", "70.0")
    assert not [
        column for column in names.columns if "MB/s" in column.unit or column.title == "bottleneck"
    ]
    share = results("", measured([phase(1e6, **changes)], "efficiency"))
    assert cells(share)["stonewalled"] == "2.00", (
        "an efficiency has no stonewalled one: bytes per second"
    )
    reported = how_measured("", measured([phase(0.0, phase="create", operations_per_s=80.0)]))
    assert not [column for column in reported.columns if "MB/s" in column.unit]


def test_rare_columns_are_in_a_separate_table() -> None:
    """Harmonic figures, the lab's processors, clocks and the engine's cost."""
    one = client(
        operations=100,
        elapsed_s=1.0,
        start_late_s=0.002,
        engine="io-uring",
        null_operations_per_s=500.0,
    )
    two = replace(one, client="c2", tasks=(TaskTime(1, 1.0, 1),) * 2, engine="plain")
    fields = {
        "harmonic_mean_bytes_per_s": 3e6,
        "harmonic_aggregate_bytes_per_s": 4e6,
        "operations_per_s": 150.0,
    }
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
        (item,) = measured(
            [phase(phase=name, latency_ms=reported, clients=(client(copies=(COPIED,)),))]
        )
        assert item.latency == wanted, name
        (older,) = measured(
            [phase(phase=name, clients=(client(latency_ms=reported, copies=(COPIED,)),))]
        )
        assert older.latency is not None
        assert replace(older.latency, p50_ms=wanted.p50_ms) == wanted, name


def test_a_steady_window_is_in_the_results() -> None:
    """Rate and latency of the windows where there are some, and no such column where there are
    none.
    """
    steady = {
        "rate_bytes_per_s": 4e6,
        "operations_per_s": 9.0,
        "from_unix_s": 2.0,
        "to_unix_s": 5.5,
    }
    windows = [
        {**steady, "latency_ms": {"read": {**LATENCY, "max": highest}}} for highest in (5.0, 6.0)
    ]
    items = measured(
        [phase(steady=window, repeat=number) for number, window in enumerate(windows, start=1)]
    )
    table = results("", items)
    assert (cells(table)["steady"], cells(table)["its latency †"]) == (
        "4.00",
        "1.00 / – / 6.00 (10)",
    )
    assert "Steady:" in table.note
    assert (
        cells(results("", measured([phase(steady=windows[0])], "operations")))["steady †"] == "9.00"
    )
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
    fast = client(
        size_bytes=3_000_000, elapsed_s=1.0, outages=(outage("c1", 0, 5.0, 5.75),), **changes
    )
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
    assert [column.title for column in table.columns] == [
        "client",
        "rate",
        "of mean client",
        "done",
    ]
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


# ---- copies


def copied(client_name: str, *sizes: tuple[int, int, float]) -> Any:
    """A client that copied: (size, files, mean time)."""
    lines = tuple(
        {
            "file_bytes": size,
            "files": files,
            "mean_s": mean_s,
            "deviation_s": 0.0,
            "min_s": mean_s,
            "max_s": mean_s,
        }
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
    assert table.groups == (
        (0, "clients 1, copy-to-storage: fixed cost 2.00 ms per file, beyond it 1.00 MB/s"),
    )
    assert copies.table("", measured([phase()])).rows == ()
    assert copies.table("", measured([replace(item, partial=True)])).rows == ()


def test_a_fixed_cost_is_named_only_where_it_shows() -> None:
    """One size shows nothing; times that grow faster than sizes show none; constant times
    give no rate.
    """
    for sizes, wanted in (
        (((1000, 1, 0.001),), ""),
        (
            ((1000, 1, 0.001), (2000, 1, 0.003)),
            ": fixed cost none detectable, beyond it 0.500 MB/s",
        ),
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
        (
            "directory",
            "directory of the metadata operations, one per task or shared",
            "directory x",
        ),
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
    points = measured(
        [phase(rate, point={key: name}) for rate, name in ((2e6, "single"), (3e6, "separate"))]
    )
    chart = chart_of(points, Figure(x=key, relative_to="single"), None, [])
    assert chart is not None
    assert chart.title == "relative to cabling single"
    across = "against cabling of the disks. read:"
    assert (
        described(chart) == f"relative to cabling single {across} 1.00 at single, 1.50 at separate"
    )
    caption = caption_of(points, chart, None, [], "")[0]
    assert "all clients, divided by the mean at cabling single of the same line: mean of" in caption
    plain = chart_of(points, Figure(x=key), None, [])
    assert plain is not None
    assert described(plain) == f"MB/s {across} 2.00 at single, 3.00 at separate"
    assert "divided" not in caption_of(points, plain, None, [], "")[0]


def test_no_two_lines_look_alike_and_long_names_have_room() -> None:
    """Colour and marker together differ for 36 lines; the blank zone grows with the names."""
    styles = [figures.Series("", (), number).style for number in range(36)]
    assert len({(style.colour, style.marker) for style in styles}) == 36
    assert all(
        figures.GLYPHS.index(style.glyph) == figures.MARKERS.index(style.marker) for style in styles
    )

    def right(name: str) -> float:
        chart = figures.Chart("", ((0.0, "1"), (1.0, "2")), False, (figures.Series(name, (), 0),))
        return figures.span(chart, narrow=False).right

    assert right("read") < right("remove, directory shared")


@pytest.mark.parametrize(
    ("name", "is_listed"), [("read", False), ("read, layout n-1-segmented", True)]
)
def test_long_names_are_listed_below_a_narrow_figure(name: str, is_listed: bool) -> None:
    """Next to the points they would cover them: the figure is higher, and has no blank zone."""
    series = figures.Series(name, (), 0)
    chart = figures.Chart("", ((0.0, "1"), (1.0, "2")), False, (series,))
    drawn = figures.throughput(chart, "f", narrow=True)
    box = re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', drawn)
    assert box is not None
    assert (float(box[2]) > 3.7 * 72) == is_listed
    assert (figures.span(chart, narrow=True).right < 1.1) == is_listed


def test_workloads_are_reported_without_the_sweep() -> None:
    """A varied directory is not printed as one; lists as words; numbers without trailing zeros."""
    work = {"phases": ["create"], "tree": {"items": 5}}
    fixed = Experiment.model_validate(
        {"workload": work, "overrides": {"solution.mount.options": ["hard", "noac"]}}
    )
    assert "in one directory per task" in in_words(fixed.workload, fixed)
    assert "mount options hard, noac" in in_words(fixed.workload, fixed)
    varied = Experiment.model_validate(
        {"workload": work, "sweep": {"directory": ["unique", "shared"]}}
    )
    assert "director" not in in_words(varied.workload, varied)
    loop = {
        "transfer_size": "4KiB",
        "file_size": "1MiB",
        "arrivals_per_s": 60,
        "warm_up": "2s",
        "window": "3s",
    }
    opened = Experiment.model_validate({"workload": loop})
    words = in_words(opened.workload, opened)
    assert "open loop of 60 operations/s per client" in words
    assert "steady state after 2 s, for 3 s" in words


# ---- the page


def page_with_everything(folder: Path) -> tuple[Result, str]:
    """The result of two experiments with every detail in their phases."""
    telling = replace(
        ticking((1.0, 2.0), (1.0, 3.0)), clients=silent(outage("c1", None, 1.0, 2.0)).clients
    )
    lines = tuple(ClientSecond(float(second + 1), 1000, 1) for second in range(2))
    telling = replace(telling, clients=(replace(telling.clients[0], seconds=lines),))
    copying = phase(
        phase="copy-to-storage", clients=(copied("c1", (1000, 2, 0.002), (8000, 1, 0.01)),)
    )
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
    assert summaries == [
        "Figure 2: times of the outages",
        *wanted,
        "Clients",
        "How it was measured",
    ]
    assert text.count("A row uses its usable repeats") == 1
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
    text = shown(
        tmp_path / "r", replace(item, clients=(replace(item.clients[0], client=evil, engine=evil),))
    )
    assert "<script" not in text
    assert text.count("&lt;script&gt;c1") == 6  # once because the study has no such node


@pytest.mark.parametrize(
    "key", ["telemetry", "outages", "copies", "engine", "null_operations_per_s"]
)
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
