"""What the report shows of a phase beyond its rate: clients, outages, seconds, copies, steady windows."""

from pathlib import Path
from typing import Any

from seatrial.record import PhaseResult
from seatrial.report import figures
from seatrial.report.charts import caption_of, chart_of, described
from seatrial.report.html import render
from seatrial.report.series import axis, measured, point_name
from seatrial.report.tables import Table
from seatrial.report.words import in_words
from seatrial.study import Experiment, Figure
from tests.records import client, phase, record_of

STUDY: dict[str, Any] = {
    "schema": "study/1",
    "id": "one",
    "lab": {"kind": "uml", "scale": "1/40"},
    "nodes": {
        "nas": {"memory": "512MiB", "link": "10Gbit/s", "disks": {"count": 4, "size": "64MiB", "rate": "130MB/s"}},
        "c[1-2]": {"memory": "128MiB", "link": "4Gbit/s"},
    },
    "solution": {"kind": "nfs", "raid": {"level": 0}},
    "experiments": {"one": {"workload": {"record": "4KiB", "file": "1MiB", "outage_threshold": "200ms"}}},
    "claims": [{"id": "intact", "kind": "acceptance", "check": "integrity"}],
}
LATENCY = {"count": 10, "min": 0.1, "mean": 1.0, "p50": 1.0, "p90": 2.0, "p99": 3.0, "p999": 4.0, "max": 5.0}


def cells(table: Table, row: int = 0) -> dict[str, str]:
    """A row by the titles of its columns."""
    return dict(zip([column.title for column in table.columns], table.rows[row], strict=True))


def outage(name: str, task: int | None, start_s: float, end_s: float, **more: Any) -> dict[str, Any]:
    """One outage of a record."""
    return {"client": name, "task": task, "start_unix_s": start_s, "end_unix_s": end_s, "open": False, **more}


def silent(*items: dict[str, Any], **changes: Any) -> PhaseResult:
    """A phase of 10 s of one client with two tasks and these outages."""
    tasks = ((500, 10.0, 5), (500, 10.0, 5))
    return phase(clients=(client(engine="plain", tasks=tasks, elapsed_s=10.0, outages=items),), **changes)


def shown(folder: Path, *phases: PhaseResult) -> str:
    """The report of a record of these phases."""
    return render(record_of(folder, STUDY, *phases), [])


def test_the_latency_of_a_phase_is_that_of_its_own_operation() -> None:
    """Of a copy the whole file, of a mixed phase the slower kind; a phase's fsync is not its operation."""
    slow = {**LATENCY, "p50": 7.0, "p99": 8.0, "max": 9.0}
    for name, told, wanted in (
        ("write", {"write": LATENCY, "fsync": slow}, (1.0, 3.0, 5.0)),
        ("copy-to-storage", {"write": LATENCY, "copy": slow}, (7.0, 8.0, 9.0)),
        ("mixed", {"read": slow, "write": LATENCY}, (7.0, 8.0, 9.0)),
    ):
        (item,) = measured([phase(phase=name, latency_ms=told)])
        assert item.latency_ms == wanted, name
        (older,) = measured([phase(phase=name, clients=(client(latency_ms=told),))])
        assert older.latency_ms is not None
        assert older.latency_ms[1:] == wanted[1:], name


# ---- words and figures


def test_axes_have_proper_titles() -> None:
    """No last words of keys where a reader would not know what they mean."""
    for key, title, name in (
        ("nodes.nas.disks.paths.cabling", "cabling of the disks", "cabling x"),
        ("solution.filesystem.kind", "file system", "file system x"),
        ("solution.readahead", "read-ahead of the server’s disks", "readahead x"),
        ("directory", "directory of the names, one for each task or shared", "directory x"),
        ("tasks", "tasks per client (number)", "tasks x"),
    ):
        point = {key: "x"}
        assert axis(key, False, measured([phase(point=point)])).title == title
        assert point_name(point) == name
    assert point_name({"solution.mount.options": ["hard", "noac"]}) == "mount options hard, noac"


def test_ratios_are_told_as_ratios() -> None:
    """Axis, caption and description of a figure that is relative to one value; no rates in the description."""
    key = "nodes.nas.disks.paths.cabling"
    points = measured([phase(rate, point={key: name}) for rate, name in ((2e6, "single"), (3e6, "separate"))])
    chart = chart_of(points, Figure(x=key, relative_to="single"), None, [])
    assert chart is not None
    assert chart.title == "relative to cabling single"
    across = "against cabling of the disks. read:"
    assert described(chart) == f"relative to cabling single {across} 1.00 at single, 1.50 at separate"
    caption = caption_of(points, None, [], "", base=chart.base)[0]
    assert "all clients, divided by the mean at cabling single of the same line: mean of" in caption
    plain = chart_of(points, Figure(x=key), None, [])
    assert plain is not None
    assert described(plain) == f"MB/s {across} 2.00 at single, 3.00 at separate"
    assert "divided" not in caption_of(points, None, [], "", base=plain.base)[0]


def test_no_two_lines_look_alike_and_long_names_have_room() -> None:
    """Colour and marker together differ for 36 lines; the blank zone grows with the names."""
    looks = [figures.Series("", (), number).look for number in range(36)]
    assert len({look[:2] for look in looks}) == 36
    assert all(figures.GLYPHS.index(glyph) == figures.MARKERS.index(marker) for _, marker, glyph in looks)

    def right(name: str) -> float:
        chart = figures.Chart("", ((0.0, "1"), (1.0, "2")), False, (figures.Series(name, (), 0),))
        return figures.span(chart, narrow=False)[1]

    assert right("read") < right("remove, directory shared")


def test_workloads_are_told_without_what_varies() -> None:
    """A varied directory is not told as one; lists as words; numbers without a needless nought."""
    work = {"phases": ["create"], "tree": {"items": 5}}
    fixed = Experiment.model_validate({"workload": work, "set": {"solution.mount.options": ["hard", "noac"]}})
    assert "in a directory of its own" in in_words(fixed.workload, fixed)
    assert "mount options hard, noac" in in_words(fixed.workload, fixed)
    varied = Experiment.model_validate({"workload": work, "vary": {"directory": ["unique", "shared"]}})
    assert "director" not in in_words(varied.workload, varied)
    loop = {"record": "4KiB", "file": "1MiB", "arrivals_per_s": 60, "warm_up": "2s", "window": "3s"}
    opened = Experiment.model_validate({"workload": loop})
    words = in_words(opened.workload, opened)
    assert "open loop of 60 operations/s a client" in words
    assert "steady state from 2 s on, for 3 s" in words
