"""Other studies and generations next to a report's own: their description, and the common
points.
"""

import json
from pathlib import Path

import pytest

from seatrial.advice.compare import common_points
from seatrial.judge.judge import judge
from seatrial.report.beside import ComparedResult, tables
from seatrial.report.html import render
from seatrial.report.tables import Numbers
from seatrial.result.result import Result, read_result
from tests.builders.results import phase, result_of
from tests.builders.stored import KEPT
from tests.builders.strategies import MINIMAL


def run_of(folder: Path, *rates_bytes_per_s: float) -> Result:
    """A run of one point, a repeat for each rate."""
    repeats = [phase(rate, repeat=number) for number, rate in enumerate(rates_bytes_per_s, start=1)]
    result_of(folder, MINIMAL, *repeats)
    return read_result(folder)


def beside(own: Result, *others: Result) -> list[ComparedResult]:
    """As from the command line."""
    return [ComparedResult(other, judge(other), common_points(own, other)) for other in others]


def test_a_faster_generation_is_reported_with_its_interval(tmp_path: Path) -> None:
    """Rates are those of the modelled system, forty times the lab's; the repeats decide the
    ratio.
    """
    own = run_of(tmp_path / "a", 1e6, 1.01e6, 0.99e6)
    other = run_of(tmp_path / "b", 2e6, 2.02e6, 1.98e6)
    systems, points = Numbers().tables(*tables(own, judge(own), beside(own, other)))
    assert [row[0] for row in systems.rows] == ["small", "small"]
    peaks = [
        dict(zip((column.title for column in systems.columns), row, strict=True))
        for row in systems.rows
    ]
    assert [row[f"peak {own.phases[0].phase}"].split(" ")[0] for row in peaks] == ["40.0", "80.0"]
    (row,) = points.rows
    assert row[2:4] == ("1.00", "2.00")
    assert row[5] == "2.00"
    assert row[-1] == "higher"


def test_a_result_without_a_common_point_is_still_compared(tmp_path: Path) -> None:
    """Another study: one row, no points."""
    own = read_result(KEPT)
    other = run_of(tmp_path / "b", 1e6)
    (systems,) = Numbers().tables(*tables(own, judge(own), beside(own, other)))
    assert len(systems.rows) == 2
    assert systems.rows[0][1] == "nfs-ha, RAID 6"


def test_the_report_has_it_in_its_comparison(tmp_path: Path) -> None:
    """Numbered on; without others the chapter is as it was."""
    own = read_result(KEPT)
    alone, together = (
        render(own, judge(own), None, others)
        for others in ((), beside(own, run_of(tmp_path / "b", 1e6)))
    )
    assert "Comparison of studies" not in alone
    assert (
        together.index("7 Comparison")
        < together.index("Comparison of studies")
        < together.index("8 Recommendations")
    )


def test_an_incomplete_result_can_be_compared(tmp_path: Path) -> None:
    """Cut off after its first line: no system, no study."""
    own = read_result(KEPT)
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "result.jsonl").write_text(
        json.dumps({"schema": "result/1", "type": "run", "study": "cut", "unix_s": 1.0}) + "\n"
    )
    cut = read_result(tmp_path / "cut")
    with pytest.raises(Exception, match="no study"):
        judge(cut)
    (systems,) = Numbers().tables(*tables(own, judge(own), [ComparedResult(cut, [])]))
    assert systems.rows[1][:2] == ("cut", "–")
