"""Tables of rows: measured values next to the published columns, with every row that was not
measured.
"""

from pathlib import Path
from typing import Any

import pytest

from seatrial.report.copies import pooled
from seatrial.report.results import sections
from seatrial.report.rows import Rows, rate_deviation
from seatrial.report.tables import Numbers
from seatrial.summary.points import measured
from seatrial.summary.sources import Sources
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import changed, study

PUBLISHED = {
    "id": "p",
    "experiments": [
        {
            "id": "T1",
            "columns": ["line_no", "write", "sigma_w"],
            "rows": [[1, 40.0, 2.0], [2, 10.0, 0.1]],
        },
        {
            "id": "T4",
            "columns": ["size", "nfs", "nfs_sigma"],
            "rows": [[1024, 60.0, 1.0], [4, 30.0, 1.0]],
        },
    ],
}


def copies(large_s: float, small_s: float) -> tuple[dict[str, Any], ...]:
    """Of files of 2 MB and of 1 kB."""
    common = {"files": 3, "deviation_s": 0.1, "min_s": 0.0, "max_s": 1.0}
    return (
        {"file_bytes": 2_000_000, "mean_s": large_s, **common},
        {"file_bytes": 1000, "mean_s": small_s, **common},
    )


def data() -> dict[str, Any]:
    """Two rows that are measured, one that is skipped, one that this profile leaves out."""
    workload = {"phases": ["copy-to-storage"], "sizes": [{"file_size": "1MiB"}]}
    rows = {"default": {"line": 1}, "sync": {"line": 2}, "udp": {"skip": "none here"}, "more": {}}
    experiment = {
        "workload": workload,
        "table": "T1",
        "variants": rows,
        "quick": {"variants_run": ["default", "sync", "udp"]},
    }
    whole = changed("experiments.one", experiment)
    columns = {"ours": {"experiment": "one", "variant": "default"}}
    whole["size_tables"] = {"T4": {"title": "By size", "columns": columns}}
    return whole


def tables(folder: Path) -> list[Any]:
    """The tables of the one experiment."""
    phases = [
        phase(
            point={"variant": row},
            phase="copy-to-storage",
            clients=(client(copies=copies(*times)),),
        )
        for row, times in (("default", (1.0, 0.001)), ("sync", (2.0, 0.001)))
    ]
    result = result_of(folder, data(), *phases)
    sources = Sources(result, study(data()), PUBLISHED, None)
    (section,) = sections(sources, Numbers())
    return list(section.tables)


def test_rows_are_next_to_the_published_ones(tmp_path: Path) -> None:
    """Both as ratios to the first row; a mean over the sizes: (2 + 1) / 2 and (1 + 1) / 2 MB/s."""
    table = tables(tmp_path / "r")[0]
    assert [column.label for column in table.columns][:6] == [
        *("line", "variant", "copy-to-storage (MB/s)", "σ (MB/s)", "to first", "published (MB/s)"),
    ]
    assert table.rows[0][:8] == ("1", "default", "1.50", "0.20", "1.00", "40.0", "2.0", "1.00")
    assert table.rows[1][:8] == ("2", "sync", "1.00", "0.050", "0.667", "10.0", "0.10", "0.250")
    assert [row[-1] for row in table.rows] == ["–", "–", "none here", "this profile omits it"]


def test_rates_by_size_are_next_to_the_published_ones(tmp_path: Path) -> None:
    """In the order of the sizes; the last line is the largest over the smallest."""
    table = tables(tmp_path / "r")[1]
    assert table.rows[0] == ("1953.12", "2.00", "1024", "60")
    assert table.rows[-1] == ("largest to smallest", "2.00", "–", "2.00")


def test_the_deviation_of_a_rate_is_that_of_its_time() -> None:
    """2 MB in 1 ± 0.1 s are 2 ± 0.2 MB/s."""
    (item,) = measured(
        [phase(phase="copy-to-storage", clients=(client(copies=copies(1.0, 0.001)),))]
    )
    assert rate_deviation(pooled(item)) == 200_000.0
    assert rate_deviation([]) is None


def test_rows_that_are_crossed_are_compared_at_one_point(tmp_path: Path) -> None:
    """At the last value of the other variables; the caption names it."""
    whole = data()
    experiment = whole["experiments"]["one"]
    experiment |= {
        "workload": {"transfer_size": "64KiB", "file_size": "1MiB", "phases": ["write"]},
        "sweep": {"clients": [1, 4]},
    }
    del whole["size_tables"]
    phases = [
        phase(rate * clients, point={"variant": row, "clients": clients}, phase="write")
        for row, rate in (("default", 4e6), ("sync", 1e6))
        for clients in (1, 4)
    ]
    result = result_of(tmp_path / "r", whole, *phases)
    (section,) = sections(Sources(result, study(whole), PUBLISHED, None), Numbers())
    table = next(item for item in section.tables if "Each variant" in item.caption)
    assert "Each variant at clients 4" in table.caption
    assert [row[2] for row in table.rows[:2]] == ["16.0", "4.00"]


def test_a_printed_harmonic_aggregate_is_next_to_the_measured_one(tmp_path: Path) -> None:
    """As in Table 9 of the paper on GPFS, next to the aggregate throughput; a row that was
    not measured has the printed one.
    """
    table = {
        "id": "T9",
        "columns": ["servers", "natural_write", "harmonic_agg_write"],
        "rows": [[2, 215, 231], [4, 356, 384]],
    }
    whole = changed(
        "experiments.one",
        {
            "workload": {"transfer_size": "64KiB", "file_size": "1MiB", "phases": ["write"]},
            "table": "T9",
            "variants": {"2-servers": {"line": 2, "skip": "refused"}, "4-servers": {"line": 4}},
        },
    )
    phases = [
        phase(
            8e6, point={"variant": "4-servers"}, phase="write", harmonic_aggregate_bytes_per_s=9e6
        )
    ]
    result = result_of(tmp_path / "r", whole, *phases)
    (section,) = sections(
        Sources(result, study(whole), {"id": "p", "experiments": [table]}, None), Numbers()
    )
    found = section.tables[0]
    start = next(
        index
        for index, column in enumerate(found.columns)
        if column.title == "write, harmonic aggregate"
    )
    assert [row[start : start + 2] for row in found.rows] == [("–", "231"), ("9.00", "384")]


@pytest.mark.parametrize("called", ["client", "gpfs"])
def test_each_kind_of_client_is_next_to_its_published_column(called: str, tmp_path: Path) -> None:
    """As in an erratum; lines with equal first numbers are counted. Each kind over its own time.

    The column without another kind is that of the study's own clients, whatever its name in the
    paper.
    """
    columns = ["server_tasks", "server_read", f"{called}_tasks", f"{called}_read", "aggregate"]
    printed = [[4, 336, 0, None, 336], [0, None, 483, None, 483], [4, 212, 4, 364, 576]]
    corrected = [printed[0], [0, None, 4, 483, 483], printed[2]]
    table = {"id": "T7", "columns": columns, "rows": printed, "rows_corrected": corrected}
    whole = changed(
        "experiments.one",
        {
            "workload": {"transfer_size": "64KiB", "file_size": "1MiB", "phases": ["read"]},
            "table": "T7",
            "variants": {"servers": {"line": 1}, "clients": {"line": 2}, "mixed": {"line": 3}},
        },
    )
    both = {
        "server": client(
            client="s1", kind="server", tasks=((3_000_000, 2.0, 1), (3_000_000, 3.0, 1))
        ),
        "client": client(client="c1", kind="client", tasks=((4_000_000, 1.0, 1),)),
    }
    phases = [
        phase(point={"variant": row}, phase="read", clients=tuple(both[kind] for kind in kinds))
        for row, kinds in (
            ("servers", ["server"]),
            ("clients", ["client"]),
            ("mixed", ["server", "client"]),
        )
    ]
    phases.append(phase(point={"variant": "servers"}, phase="write", clients=(both["server"],)))
    result = result_of(tmp_path / "r", whole, *phases)
    (section,) = sections(
        Sources(result, study(whole), {"id": "p", "experiments": [table]}, None), Numbers()
    )
    found = section.tables[0]
    start = next(
        index for index, column in enumerate(found.columns) if column.title == "read, server"
    )
    assert [column.title for column in found.columns[start - 2 : start + 4]] == [
        *(
            "published",
            "to first",
            "read, server",
            "published, server",
            "read, client",
            "published, client",
        ),
    ]
    assert [row[start - 2] for row in found.rows] == ["336", "483", "576"]
    # The table has no writes, and its aggregate is none of theirs.
    titles = [column.title for column in found.columns]
    assert "published" not in titles[titles.index("write") :]
    assert [row[start : start + 4] for row in found.rows] == [
        ("2.00", "336", "–", "–"),
        ("–", "–", "4.00", "483"),
        ("2.00", "212", "4.00", "364"),
    ]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["nfs_read", "gpfs_read"], "gpfs_read"),
        (["nfs_read", "client_read"], "client_read"),
        (["nfs_read", "gpfs_read", "lustre_read"], "client_read"),
        (["natural_read"], "client_read"),
    ],
)
def test_a_column_belongs_to_a_kind_only_where_it_is_unambiguous(
    columns: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a figure would be next to a value of another subject: the published cell
    stays empty.
    """
    monkeypatch.setattr(Rows, "kinds", lambda _self, _phase: ["nfs", "client"])
    rows = Rows(
        study(changed("experiments.one.repeats", 1)).experiments["one"],
        (),
        {},
        {1: dict.fromkeys(columns, 1)},
    )
    assert rows.printed_column("read", "client") == expected
    assert rows.printed_column("read", "nfs") == "nfs_read"


BY_CLIENTS = {
    "id": "p",
    "experiments": [
        {
            "id": "T2",
            "columns": ["clients", "natural_read", "harmonic_agg_read", "harmonic_mean_read"],
            "rows": [[1, 100.0, None, None], [2, 180.0, 190.0, 50.0], [16, 300.0, 320.0, 20.0]],
            "rows_corrected": [[2, 180.0, 190.0, 95.0]],
        }
    ],
}


def test_a_rows_sweep_is_next_to_its_table_cell_by_cell(tmp_path: Path) -> None:
    """Every mean of every client count; corrected cells count, unmeasured ones are a dash."""
    experiment = {
        "workload": {
            "phases": ["read"],
            "file_size": "1MiB",
            "transfer_size": "1MiB",
            "prepare": True,
        },
        "variants": {"gbe": {"table": "T2"}, "other": {}},
        "sweep": {"clients": [1, 2]},
    }
    whole = changed("experiments.one", experiment)
    phases = [
        phase(
            rate,
            point={"variant": "gbe", "clients": clients},
            harmonic_mean_bytes_per_s=rate / clients,
        )
        for clients, rate in ((1, 1e6), (2, 1.5e6))
    ]
    result = result_of(tmp_path / "r", whole, *phases)
    (section,) = sections(Sources(result, study(whole), BY_CLIENTS, None), Numbers())
    (table,) = [item for item in section.tables if "T2" in item.caption]
    lines = {row[:2]: row[2:] for row in table.rows}
    assert lines["1", "aggregate throughput"] == ("1.00", "1.00", "100", "1.00")
    assert lines["2", "aggregate throughput"] == ("1.50", "1.50", "180", "1.80")
    assert lines["2", "harmonic mean"] == ("0.750", "0.750", "95.0", "0.950")
    assert lines["16", "harmonic aggregate"] == ("–", "–", "320", "3.20")
    assert len(table.rows) == 9
