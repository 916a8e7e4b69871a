"""`--json`: one object on standard output, also for an error; all else is on standard error."""

import json
from pathlib import Path
from typing import Any

import pytest

import seatrial.run
from seatrial.basics.errors import RunError
from tests.builders.commands import EVERY, in_process
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, text_of

WITHOUT = {("schema",), ("export",), ("lab", "ssh"), ("lab", "exec")}
"""they print an object of another program, or have a separate profile"""


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_a_wrong_option_is_an_object_too(words: tuple[str, ...]) -> None:
    """For every verb with --json, in any order; the text for people is on standard error."""
    for order in (["--json", "--sideways"], ["--sideways", "--json"]):
        done = in_process(*words, *order)
        assert done.returncode == 2
        if words in WITHOUT:
            assert done.stdout == ""
            continue
        error = json.loads(done.stdout)["error"]
        assert set(error) == {"message", "hint", "exit_code"}
        assert (error["exit_code"], "--sideways" in error["message"]) == (2, True)
        assert "--sideways" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("run", "nowhere"), 2, "nowhere: no such file"),
        (("judge", "nowhere"), 2, "nowhere: no result here"),
        (("validate", "nowhere"), 2, "nowhere: no such file"),
        (("plan", "nowhere", "--undeploy"), 2, "nowhere: no such file"),
        (("undeploy", "study.yaml"), 2, "no lab of small is up"),
        (("lab", "down", "nowhere"), 2, "no lab called nowhere is up"),
        (("report", "."), 2, "no result here"),
        (("import", "missing.json", "--out", "x"), 2, "missing.json"),
        (("history", "study.yaml", "--out", "missing"), 2, "missing: there is no such folder"),
        (("predict", "--sweep", "x", "study.yaml"), 2, "--sweep x: write clients=1..4096"),
        (("run",), 2, "STUDY"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_an_error_is_an_object(
    tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """With the text for people on standard error."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    done = in_process(*words, "--json", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["exit_code"]) == (code, code)
    assert message in error["message"]


def test_a_defect_is_an_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its traceback is on standard error alone."""
    monkeypatch.setattr("seatrial.start.doctor.examine", lambda **_: 1 // 0)
    done = in_process("doctor", "--json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["error"]["exit_code"]) == (4, 4)
    assert "ZeroDivisionError" in done.stderr
    assert "ZeroDivisionError" not in done.stdout


def test_a_run_that_was_not_completed_has_its_verdicts_and_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One object with both."""

    def broken(*_: object, **__: object) -> None:
        raise RunError("no node", "start one")

    monkeypatch.setattr(seatrial.run, "session", broken)
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    done = in_process("run", "study.yaml", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["exit_code"]) == (4, 4)
    assert found["error"] == {"message": "no node", "hint": "start one", "exit_code": 4}
    assert [item["verdict"] for item in found["verdicts"]] == ["unknown"]


def keys(tmp_path: Path, *words: str) -> list[str]:
    """The keys of the object of a command that has succeeded."""
    done = in_process(*words, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return list(found)


def test_the_objects_have_the_keys_of_the_page(tmp_path: Path) -> None:
    """Those of the verbs that need no node."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    result_of(tmp_path / "result", MINIMAL, phase())
    assert keys(tmp_path, "list") == ["studies"]
    assert keys(tmp_path, "new", "nfs", "mine") == ["kind", "where", "study"]
    assert keys(tmp_path, "validate", "study.yaml") == ["studies"]
    assert keys(tmp_path, "plan", "study.yaml") == [
        "study",
        "title",
        "steps",
        "nodes",
        "stages",
        "warnings",
    ]
    assert keys(tmp_path, "judge", "result") == ["result", "verdicts", "problems", "exit_code"]
    assert keys(tmp_path, "report", "result") == ["report"]
    pdf = ("--format", "pdf", "--part", "management")
    assert keys(tmp_path, "report", "result", *pdf) == ["reports"]
    assert keys(tmp_path, "compare", "result", "result") == ["first", "others"]
    assert keys(tmp_path, "history", "study.yaml", "--out", ".") == ["study", "figures"]
    assert keys(tmp_path, "accept", "result") == ["result", "study", "profile", "accepted"]
    assert keys(tmp_path, "redact", "result", "copy") == ["result", "replaced"]
    assert keys(tmp_path, "lab", "status") == ["labs"]


def test_list_prints_columns_alone(tmp_path: Path) -> None:
    """A header and a line for each study on standard output; each line has the same columns."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    done = in_process("list", cwd=tmp_path)
    header, *rows = [line.split(maxsplit=5) for line in done.stdout.splitlines()]
    assert header == ["study", "solution", "memory", "experiments", "faults", "title"]
    assert all(row[3].isdecimal() and row[4].isdecimal() for row in rows)
    assert "seatrial run STUDY" in done.stderr
    assert in_process("list", "-q", cwd=tmp_path).stderr == ""
    parts = in_process("list", "study.yaml", cwd=tmp_path)
    assert [line.split()[0] for line in parts.stdout.splitlines()] == [
        "kind",
        "experiment",
        "total",
    ]
    assert "an estimate" in parts.stderr
