"""`compare --fail-on regression`, `history --fail-on change` and `accept`: the exit codes of CI
jobs.
"""

import json
import math
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest

from seatrial.advice.gate import EXIT_CODES, GateReason, gate_change
from seatrial.advice.history import Trend
from seatrial.analysis.changes import Change
from seatrial.analysis.statistics import Sample, spread
from seatrial.judge.references import accept
from seatrial.result.phases import PhaseResult
from seatrial.result.result import read_result
from seatrial.result.sealed import LINES
from tests.builders.commands import in_process
from tests.builders.places import DATA
from tests.builders.regressions import STEADY, Rates, repeats, run, scaled
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, text_of

STORED = DATA / "md1200-quick"
GATE = ("--fail-on", "regression")


def compared(folder: Path, rates: Rates, *options: str, **more: Any) -> tuple[int, dict[str, Any]]:
    """The exit code and the object of a comparison of two results."""
    run(folder / "a", MINIMAL, repeats(STEADY))
    run(folder / "b", MINIMAL, repeats(rates, **more))
    done = in_process("compare", "a", "b", "--json", *options, cwd=folder)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("rates", "code", "reason"),
    [
        (STEADY, 0, "inside"),
        (scaled(STEADY, 1.3), 0, "inside"),
        (scaled(STEADY, 0.9), 1, "slower"),
        ({**STEADY, 2: (18.0, 18.1, 17.9)}, 1, "slower"),
        ({**STEADY, 2: (21.0, 18.0, 20.0)}, 0, "not-decided"),
        ({**STEADY, 2: (10.0,)}, 0, "not-decided"),
        ({1: (10.0,), 2: (1.0,)}, 3, "no-interval"),
        ({4: (10.0, 10.0)}, 3, "no-common-point"),
    ],
)
def test_a_regression_ends_a_job(tmp_path: Path, rates: Rates, code: int, reason: str) -> None:
    """The exit code, and the reason code of --json; without --fail-on it is no failure."""
    found, data = compared(tmp_path, rates, *GATE)
    decision = data["decision"]
    assert (found, data["exit_code"], decision["exit_code"]) == (code, code, code)
    assert (decision["reason"], decision["fail_on"], decision["tolerance"]) == (
        reason,
        "regression",
        0.05,
    )
    plain = in_process("compare", "a", "b", cwd=tmp_path)
    assert plain.returncode == (2 if reason == "no-common-point" else 0)


def test_each_point_has_its_outcome(tmp_path: Path) -> None:
    """With its ratio, interval, and the repeats that would decide it."""
    _, data = compared(tmp_path, {1: STEADY[1], 2: (21.0, 18.0, 20.0)}, *GATE)
    inside, undecided = data["decision"]["points"]
    assert (inside["result"], inside["experiment"], inside["phase"]) == ("b", "one", "read")
    assert (inside["outcome"], inside["repeats"]) == ("inside", None)
    assert inside["ratio"] == pytest.approx(1.0)
    assert inside["low"] < 1.0 < inside["high"]
    assert (undecided["outcome"], undecided["repeats"] > 3) == ("not-decided", True)


def test_the_tolerance_is_an_option(tmp_path: Path) -> None:
    """In percent or as a share; a wrong one is a usage error."""
    rates = scaled(STEADY, 0.9)
    assert compared(tmp_path, rates, *GATE, "--tolerance", "15%")[0] == 0
    for text, code in (("0.15", 0), ("2%", 1), ("x", 2), ("150%", 2)):
        done = in_process("compare", "a", "b", *GATE, "--tolerance", text, cwd=tmp_path)
        assert done.returncode == code, done.stderr


def test_the_sentence_names_the_point(tmp_path: Path) -> None:
    """For people, as the last line."""
    compared(tmp_path, {**STEADY, 2: (18.0, 18.1, 17.9)})
    done = in_process("compare", "a", "b", *GATE, cwd=tmp_path)
    last = done.stdout.splitlines()[-1]
    words = "regression: 1 of 2 points slower by more than 5 %: one clients=2 read: -10.0%"
    assert last.startswith(words)
    done = in_process("compare", "a", "a", *GATE, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "no regression: 2 points within 5 %"


@pytest.mark.parametrize(
    "flaw", [{"partial": True}, {"out_of_caches": "c1"}, {"lab_limited": True}]
)
def test_nothing_is_decided_without_a_measurement(tmp_path: Path, flaw: dict[str, Any]) -> None:
    """It is undecided, not passed."""
    code, data = compared(tmp_path, scaled(STEADY, 0.5), *GATE, **flaw)
    assert (code, data["decision"]["reason"]) == (3, "no-common-point")


def test_an_edited_result_decides_nothing(tmp_path: Path) -> None:
    """Undecided: a regression is neither shown nor excluded."""
    compared(tmp_path, scaled(STEADY, 0.5))
    path = tmp_path / "b" / LINES
    path.write_text(path.read_text() + "\n")
    assert in_process("compare", "a", "b", *GATE, cwd=tmp_path).returncode == 3


def test_one_slow_result_of_several_is_found(tmp_path: Path) -> None:
    """The points of all results are one family."""
    compared(tmp_path, scaled(STEADY, 0.9))
    run(tmp_path / "c", MINIMAL, repeats(STEADY))
    done = in_process("compare", "a", "c", "b", *GATE, "--json", cwd=tmp_path)
    points = json.loads(done.stdout)["decision"]["points"]
    assert (done.returncode, len(points)) == (1, 4)
    assert [item["result"] for item in points if item["outcome"] == "slower"] == ["b", "b"]


def test_the_accepted_result_is_compared(tmp_path: Path) -> None:
    """By the word `accepted`; the result itself is never its own reference."""
    compared(tmp_path, scaled(STEADY, 0.9))
    nothing = in_process("compare", "accepted", "b", *GATE, cwd=tmp_path)
    assert (nothing.returncode, "seatrial accept RESULT" in nothing.stderr) == (2, True)
    assert "no other result of small in the profile quick is accepted" in nothing.stderr
    done = in_process("accept", "a", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["study"] == "small"
    assert in_process("compare", "accepted", "b", *GATE, cwd=tmp_path).returncode == 1
    assert in_process("accept", "b", cwd=tmp_path).returncode == 0
    assert (tmp_path / "accepted").read_text() == "a\nb\n"
    run(tmp_path / "c", MINIMAL, repeats(scaled(STEADY, 0.9)))
    assert in_process("compare", "accepted", "c", *GATE, cwd=tmp_path).returncode == 0
    assert in_process("compare", "accepted", "b", *GATE, cwd=tmp_path).returncode == 1
    assert in_process("compare", str(tmp_path / "a"), "b", cwd=tmp_path).returncode == 0


def test_an_incomplete_result_is_not_accepted(tmp_path: Path) -> None:
    """With the reason."""
    run(tmp_path / "cut", MINIMAL, repeats(STEADY), complete=False)
    done = in_process("accept", "cut", cwd=tmp_path)
    assert (done.returncode, "the run did not complete" in done.stderr) == (2, True)
    assert in_process("accept", "nowhere", cwd=tmp_path).returncode == 2


def history_of(folder: Path, rates: list[float]) -> None:
    """One result for each rate, and the study."""
    for number, rate in enumerate(rates):
        result_of(folder / f"run-{number}", MINIMAL, phase(rate * 1e6))
    (folder / "study.yaml").write_text(text_of(MINIMAL))


def judged(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the decision of the history."""
    words = ("history", "study.yaml", "--out", ".", "--fail-on", "change", "--json")
    done = in_process(*words, *options, cwd=folder)
    return done.returncode, json.loads(done.stdout)["decision"]


LEVEL = [10.0, 10.1, 9.9, 10.05, 9.95, 10.0]
LOWER = [8.0, 8.1, 7.9]


def test_a_change_of_level_ends_a_job(tmp_path: Path) -> None:
    """Until a result after it is accepted."""
    history_of(tmp_path, [*LEVEL, *LOWER])
    code, decision = judged(tmp_path)
    assert (code, decision["reason"]) == (1, "changed")
    (change,) = decision["changes"]
    assert (change["since"], change["relative"]) == ("run-6", pytest.approx(-0.2, abs=0.02))
    assert judged(tmp_path, "--tolerance", "30%")[0] == 0
    assert in_process("history", "study.yaml", "--out", ".", cwd=tmp_path).returncode == 0
    words = ("history", "study.yaml", "--out", ".", "--fail-on", "change")
    assert (
        "changed: quick one clients=1 read: -20.0% since run-6"
        in in_process(*words, cwd=tmp_path).stdout
    )
    assert in_process("accept", "run-5", cwd=tmp_path).returncode == 0
    assert judged(tmp_path)[0] == 1, "a result before the change accepts nothing"
    assert in_process("accept", "run-6", cwd=tmp_path).returncode == 0
    assert judged(tmp_path)[0] == 0


def test_a_level_that_stays_is_no_change(tmp_path: Path) -> None:
    """And too few runs decide nothing."""
    history_of(tmp_path, LEVEL)
    code, decision = judged(tmp_path)
    assert (code, decision["reason"]) == (0, "no-change")
    few = tmp_path / "few"
    few.mkdir()
    history_of(few, LEVEL[:4])
    code, decision = judged(few)
    assert (code, decision["reason"]) == (3, "too-few-runs")


def test_many_figures_need_more_evidence() -> None:
    """A change that one figure shows may be chance among a thousand."""
    values = (10.0, 10.1, 9.9, 10.05, 9.95, 8.5)
    runs = tuple(str(number) for number in range(len(values)))
    one = Trend("quick", "read", "MB/s", runs, values, (Change(5, -0.15),))
    steady = [
        Trend("quick", f"figure {number}", "MB/s", runs, (10.0, 10.1, 9.9, 10.05, 9.95, 10.0), ())
        for number in range(1000)
    ]
    assert gate_change([one], 0.05).reason == GateReason.CHANGED
    assert gate_change([one, *steady], 0.05).reason == GateReason.NO_CHANGE


def test_each_reason_has_an_exit_code() -> None:
    """One of 0, 1 and 3."""
    assert set(EXIT_CODES) == set(GateReason)
    assert set(EXIT_CODES.values()) == {0, 1, 3}


# ---- a pipeline on results with the noise of a stored one


def stored_points() -> dict[str, tuple[PhaseResult, float, float]]:
    """By phase of a point of a stored result: the phase, its mean rate, and the noise of all
    points.
    """
    result = read_result(STORED)
    groups: dict[str, list[PhaseResult]] = {}
    for item in result.phases:
        if item.is_comparable:
            groups.setdefault(f"{item.point} {item.phase}", []).append(item)
    rates = {name: [item.natural_bytes_per_s for item in found] for name, found in groups.items()}
    repeated = [Sample(tuple(found)) for found in rates.values() if len(found) > 1]
    together = spread(repeated)
    assert together is not None
    return {
        name: (groups[name][0], fmean(found), together.relative) for name, found in rates.items()
    }


POINTS = stored_points()


def drawn(random: Random, factor: float) -> list[PhaseResult]:
    """Three repeats of each point of the stored result; one point is `factor` times as fast."""
    phases = []
    for number, (item, mean, noise) in enumerate(POINTS.values()):
        speed = factor if number == 0 else 1.0
        for repeat in (1, 2, 3):
            rate = mean * speed * math.exp(random.gauss(0, noise))
            phases.append(replace(item, repeat=repeat, natural_bytes_per_s=rate))
    return phases


def pipeline(folder: Path, random: Random, factor: float, runs: int) -> list[int]:
    """The exit codes of the gate for some runs, each against the same accepted result."""
    accept(run(folder / "first", MINIMAL, drawn(random, 1.0)))
    codes = []
    for number in range(runs):
        name = f"run-{number}"
        result_of(folder / name, MINIMAL, *drawn(random, factor))
        codes.append(in_process("compare", "accepted", name, *GATE, cwd=folder).returncode)
    return codes


def test_a_pipeline_fails_on_a_planted_regression_and_on_no_other_run(tmp_path: Path) -> None:
    """One of four points is 10 % slower in each of 20 runs; then 50 runs without a regression.

    Three repeats with the noise of tests/data/md1200-quick (0.4 %); the seed is fixed.
    """
    (tmp_path / "planted").mkdir()
    (tmp_path / "equal").mkdir()
    planted = pipeline(tmp_path / "planted", Random(1), 0.9, 20)
    assert planted.count(1) >= 19, planted
    assert pipeline(tmp_path / "equal", Random(2), 1.0, 50) == [0] * 50
