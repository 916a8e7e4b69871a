"""Figures over many runs: a step is found, noise is not, and the index can be deleted."""

import random
import shutil
from pathlib import Path

import pytest

from seatrial.advice.history import INDEX, history, history_table
from seatrial.analysis.changes import changes
from seatrial.basics.errors import InputError
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, changed


def level(draw: random.Random, runs: int, mean: float, deviation: float = 0.015) -> list[float]:
    """Runs with figures that scatter about a mean by these parts of it."""
    return [mean * draw.gauss(1, deviation) for _ in range(runs)]


def test_a_step_of_five_percent_is_found_within_ten_runs() -> None:
    """Of 200 histories of twenty runs that scatter by 1.5 %, in nine of ten."""
    draw = random.Random(1)
    found = 0
    for _ in range(200):
        series = level(draw, 20, 100.0)
        for _run in range(10):
            series += level(draw, 1, 95.0)
            steps = changes(series)
            if steps and abs(steps[-1].at - 20) <= 2:
                found += 1
                assert steps[-1].relative == pytest.approx(-0.05, abs=0.05)
                break
    assert found >= 180


@pytest.mark.parametrize("runs", [5, 10, 30])
def test_noise_is_a_change_in_one_history_of_two_hundred_at_most(runs: int) -> None:
    """As the limit states: of 2000 histories, 10 and the chance deviation (three sigma)."""
    draw = random.Random(runs)
    alarms = sum(bool(changes(level(draw, runs, 100.0, 0.03))) for _ in range(2000))
    assert alarms <= 10 + 3 * 10**0.5


def test_two_steps_are_two_changes() -> None:
    """Down and up again, with the level between them."""
    draw = random.Random(7)
    steps = changes([*level(draw, 12, 100.0), *level(draw, 12, 80.0), *level(draw, 12, 100.0)])
    assert [step.at for step in steps] == [12, 24]
    assert [step.relative for step in steps] == pytest.approx([-0.2, 0.25], abs=0.04)
    assert changes([]) == []
    assert changes([5.0] * 20) == []


def test_results_are_indexed_and_followed(tmp_path: Path) -> None:
    """A result that comes, goes or cannot be read; an index that is thrown away, or is of another
    version.
    """
    rates = [1e6, 1.01e6, 0.99e6, 1e6, 1.005e6, 0.5e6, 0.505e6]
    for number, rate in enumerate(rates):
        result_of(
            tmp_path / f"{MINIMAL['id']}-{number}",
            MINIMAL,
            phase(rate),
            phase(9e9, repeat=2, partial=True),
        )
    result_of(tmp_path / "other", changed("id", "other"), phase(7e6))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "result.jsonl").write_text("{")
    (trend,) = history(tmp_path, str(MINIMAL["id"]))
    assert trend.values == tuple(rate / 1e6 for rate in rates)
    assert [round(item.relative, 1) for item in trend.changes] == [-0.5]
    assert f"-49.8% since {MINIMAL['id']}-5" in history_table([trend])

    shutil.rmtree(tmp_path / f"{MINIMAL['id']}-6")
    assert len(history(tmp_path, str(MINIMAL["id"]))[0].values) == len(rates) - 1
    (tmp_path / INDEX).unlink()
    assert len(history(tmp_path, str(MINIMAL["id"]))[0].values) == len(rates) - 1
    (tmp_path / INDEX).write_bytes(b"this is no database")
    assert len(history(tmp_path, str(MINIMAL["id"]))[0].values) == len(rates) - 1
    with pytest.raises(InputError, match="no result of nobody"):
        history(tmp_path, "nobody")
