"""Two records side by side."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seatrial.advice.compare import compare, comparison_table
from seatrial.basics.errors import InputError
from seatrial.cli import app
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL


def points(rates: dict[int, list[float]], **more: object) -> list[PhaseResult]:
    """Repeats in MB/s by number of clients."""
    return [
        phase(rate * 1e6, point={"clients": clients}, repeat=index, **more)
        for clients, values in rates.items()
        for index, rate in enumerate(values, start=1)
    ]


def two(tmp_path: Path, a: list[PhaseResult], b: list[PhaseResult]) -> tuple[Result, Result]:
    """Both as records."""
    return result_of(tmp_path / "a", MINIMAL, *a), result_of(tmp_path / "b", MINIMAL, *b)


def test_an_interval_decides_whether_a_difference_is_real(tmp_path: Path) -> None:
    """Twice as fast with tight repeats, and the same mean with scattered ones."""
    a = points({1: [10, 10.1, 9.9], 8: [30, 20, 25]})
    b = points({1: [20, 20.2, 19.8], 8: [26, 21, 29]})
    one, eight = compare(*two(tmp_path, a, b)).rows
    assert (one.finding, one.a_repeats, one.unit) == ("higher", 3, "MB/s")
    assert one.ratio == pytest.approx(2.0)
    assert one.low is not None
    assert 1.9 < one.low < 2.0
    assert eight.finding == "not decided"


def test_in_reverse_order_it_is_lower(tmp_path: Path) -> None:
    """The finding is about the second result relative to the first."""
    a = points({1: [20, 20.1]})
    b = points({1: [10, 10.1]})
    assert [row.finding for row in compare(*two(tmp_path, a, b)).rows] == ["lower"]


def test_points_that_cannot_be_compared_are_named(tmp_path: Path) -> None:
    """Limited by the lab, partial, or in one result only; a single repeat has a ratio and no
    interval.
    """
    a = [*points({1: [10]}), *points({2: [20, 20]}, lab_limited=True), *points({4: [30, 30]})]
    b = [
        *points({1: [11]}),
        *points({2: [20, 20]}),
        *points({4: [30, 30]}, partial=True),
        *points({8: [9]}),
    ]
    comparison = compare(*two(tmp_path, a, b))
    assert [(row.low, row.finding) for row in comparison.rows] == [(None, "not decided")]
    assert comparison.left_out == (
        "one clients=2 read: limited by the lab's CPUs in the first result",
        "one clients=4 read: partial in the second result",
        "one clients=8 read: not in the first result",
    )
    assert comparison.by_chance == 0
    text = comparison_table(comparison)
    assert "left out: one clients=8 read: not in the first result" in text
    assert "one repeat" in text


def test_names_are_compared_by_their_operations(tmp_path: Path) -> None:
    """Where no data move."""
    a, b = ([phase(0, phase="create", operations_per_s=rate)] for rate in (100.0, 150.0))
    (row,) = compare(*two(tmp_path, a, b)).rows
    assert (row.ratio, row.unit) == (1.5, "operations/s")


def test_the_command(tmp_path: Path) -> None:
    """A table for people, an object for programs, and a sentence where nothing can be compared."""
    two(tmp_path, points({1: [10, 10.1]}), points({1: [20, 20.1]}))
    runner = CliRunner()
    reported = runner.invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b")])
    assert reported.exit_code == 0
    assert (
        "1 of 1 difference is decided by the repeats; chance alone would decide about 0.1"
        in reported.stdout
    )
    given = json.loads(
        runner.invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--json"]).stdout
    )
    assert given["others"][0]["rows"][0]["finding"] == "higher"
    result_of(tmp_path / "c", MINIMAL, *points({7: [1]}))
    assert runner.invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "c")]).exit_code != 0


def test_missing_parts_are_reported(tmp_path: Path) -> None:
    """A run that was cut off, and repeats that do not exist: `0 of 0` means neither."""
    whole = result_of(tmp_path / "a", MINIMAL, *points({1: [10]}))
    cut = result_of(tmp_path / "b", MINIMAL, complete=False)
    with pytest.raises(InputError, match="no point in common") as reported:
        compare(whole, cut)
    assert (
        reported.value.hint
        == f"complete the run ({cut.folder}): seatrial run STUDY --resume RESULT"
    )
    text = comparison_table(compare(whole, whole))
    assert text.endswith("no difference can be decided: no point has two repeats on both sides")
