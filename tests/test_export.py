"""A record's figures for other programs."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from seatrial.advice.export import FIGURES, _escaped, as_csv, as_json, as_openmetrics
from seatrial.basics.errors import InputError
from seatrial.cli import app
from seatrial.predict.measured import calibrate
from seatrial.result.result import Result
from tests.results import phase, result_of
from tests.strategies import MINIMAL

LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\.)*"'
SAMPLE = re.compile(rf"seatrial_[a-z0-9_]+\{{{LABEL}(?:,{LABEL})*\}} \S+ \S+")


@pytest.fixture
def result(tmp_path: Path) -> Result:
    """Two repeats of a point whose key is a path."""
    point = {"clients": 2, "solution.export.threads": 64}
    return result_of(tmp_path / "r", MINIMAL, phase(1e6, point=point), phase(2e6, point=point, repeat=2))


def test_csv_has_a_row_for_each_repeat(result: Result) -> None:
    """With the point's keys as columns."""
    rows = list(csv.DictReader(io.StringIO(as_csv(result))))
    assert [(row["point.clients"], row["repeat"], float(row["rate_bytes_per_s"])) for row in rows] == [
        ("2", "1", 1e6),
        ("2", "2", 2e6),
    ]
    assert rows[0]["point.solution.export.threads"] == "64"
    assert rows[0]["cached"] == ""


def test_what_may_come_from_a_cache_is_exported_as_that(tmp_path: Path) -> None:
    """A rate without it would pass for the storage's."""
    result = result_of(tmp_path / "r", MINIMAL, phase(1e6, phase="read", cached="the storage's own"))
    (row,) = csv.DictReader(io.StringIO(as_csv(result)))
    assert row["cached"] == "the storage's own"


def test_json_has_the_same_rows_and_the_verdicts(result: Result) -> None:
    """None where nothing was judged yet."""
    found = json.loads(as_json(result))
    assert [row["rate_bytes_per_s"] for row in found["rows"]] == [1e6, 2e6]
    assert found["verdicts"] == []


def test_openmetrics_is_what_its_grammar_says(result: Result) -> None:
    """Each family begins with its type; every line is a sample of it; the end is marked."""
    lines = as_openmetrics(result).splitlines()
    assert lines[-1] == "# EOF"
    family = ""
    for line in lines[:-1]:
        if line.startswith("# TYPE "):
            family = line.split()[2]
        elif not line.startswith("# HELP "):
            assert SAMPLE.fullmatch(line), line
            assert line.startswith(family + "{")
    assert 'point_solution_export_threads="64"' in "".join(lines)
    assert {name for name in FIGURES if f"seatrial_{name}{{" in "".join(lines)} >= {"rate_bytes_per_s", "fairness"}


@given(st.text())
def test_no_text_leaves_its_label(text: str) -> None:
    """Whatever a title or a key holds."""
    assert re.fullmatch(r'(?:[^"\\\n]|\\.)*', _escaped(text))


def test_an_unknown_format_is_the_users_mistake(result: Result) -> None:
    """And the known ones are named."""
    done = CliRunner().invoke(app, ["export", str(result.folder), "--format", "xml"])
    assert "csv, json, openmetrics" in str(done.exception)
    done = CliRunner().invoke(app, ["export", str(result.folder)])
    assert done.output.startswith("study,profile,kind,experiment")


def test_a_result_without_a_figure_has_a_head_and_says_what_is_missing(tmp_path: Path) -> None:
    """A spreadsheet gets columns, and whoever looks the reason."""
    empty = result_of(tmp_path / "r", MINIMAL, complete=False)
    assert as_csv(empty).startswith("study,profile,kind,experiment,phase,repeat,started_unix_s,rate_bytes_per_s,")
    assert len(as_csv(empty).splitlines()) == 1
    done = CliRunner().invoke(app, ["export", str(empty.folder)])
    assert done.exit_code == 0
    assert "no phase and no fault was measured, as the run was not completed" in done.stderr
    with pytest.raises(InputError, match="no point was measured .*, as the run was not completed"):
        calibrate([empty])
