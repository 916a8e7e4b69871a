"""The verb `export`."""

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seatrial.basics.errors import InputError
from seatrial.cli import app
from seatrial.cli.verbs.export import FORMATS
from seatrial.predict.measured import calibrate
from seatrial.result.result import Result
from seatrial.writers.base import format_names
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL


@pytest.fixture
def result(tmp_path: Path) -> Result:
    """Two repeats of a point with a path as key."""
    point = {"clients": 2, "solution.export.threads": 64}
    return result_of(
        tmp_path / "r", MINIMAL, phase(1e6, point=point), phase(2e6, point=point, repeat=2)
    )


def exported(*words: str) -> str:
    """The standard output of the verb."""
    done = CliRunner().invoke(app, ["export", *words])
    assert done.exit_code == 0, done.exception
    return done.stdout


def test_csv_is_the_default(result: Result) -> None:
    """A row for each quantity of the point, with the interval of its repeats."""
    found = {
        row["quantity"]: row for row in csv.DictReader(io.StringIO(exported(str(result.folder))))
    }
    assert (found["rate"]["value"], found["rate"]["samples"]) == ("1500000.0", "2")
    assert found["rate"]["point"] == "clients=2,threads=64"
    assert float(found["rate"]["low"]) < 1.5e6 < float(found["rate"]["high"])


def test_a_rate_from_a_cache_is_marked(tmp_path: Path) -> None:
    """A rate without it would pass for the storage's."""
    result = result_of(
        tmp_path / "r", MINIMAL, phase(1e6, phase="read", cached="the storage's own")
    )
    assert "maybe-cached" in exported(str(result.folder))


def test_a_file_gets_the_document(result: Result, tmp_path: Path) -> None:
    """In a text format and in a binary one; nothing is printed."""
    for profile in ("json", "parquet"):
        path = tmp_path / profile
        assert exported(str(result.folder), "--format", profile, "--out", str(path)) == ""
        assert path.stat().st_size > 100
    assert json.loads((tmp_path / "json").read_text())["schema"] == "results/1"
    assert (tmp_path / "parquet").read_bytes().startswith(b"PAR1")


def test_an_unknown_format_is_the_users_mistake(result: Result) -> None:
    """The known ones are named, in the help as well."""
    done = CliRunner().invoke(app, ["export", str(result.folder), "--format", "xml"])
    assert ", ".join(format_names()) in str(done.exception)
    assert sorted(FORMATS.split(", ")) == format_names()


def test_a_result_without_a_figure_has_a_head_and_a_reason(tmp_path: Path) -> None:
    """A spreadsheet gets columns, and the user the reason."""
    empty = result_of(tmp_path / "r", MINIMAL, complete=False)
    done = CliRunner().invoke(app, ["export", str(empty.folder)])
    assert done.exit_code == 0
    assert done.stdout.startswith("study,profile,result,kind,experiment,")
    assert len(done.stdout.splitlines()) == 1
    assert "no phase and no fault was measured, as the run was not completed" in done.stderr
    with pytest.raises(InputError, match="no point was measured .*, as the run was not completed"):
        calibrate([empty])
