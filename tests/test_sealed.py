"""The seal of a result: every verb that reads an edited result reports it, decides nothing,
and ends with 3.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.basics.errors import SeatrialError
from seatrial.judge.judge import judge
from seatrial.load.resume import before
from seatrial.report.html import render
from seatrial.result.opened import BrokenSeal, opened
from seatrial.result.result import read_result
from seatrial.result.sealed import LINES, PUBLISHED, SUMS, SealState, seal
from seatrial.result.writer import Writer
from seatrial.study.study import load_study
from tests.builders.commands import in_process
from tests.builders.results import phase, result_of
from tests.builders.stored import KEPT
from tests.builders.strategies import MINIMAL


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """A result as its run left it."""
    folder = tmp_path / "results" / "nss-ha-1"
    shutil.copytree(KEPT, folder)
    seal(folder)
    return folder


def append(name: str) -> Callable[[Path], None]:
    """Edit a file."""

    def edit(folder: Path) -> None:
        with (folder / name).open("a") as file:
            file.write("\n")

    return edit


def without(name: str) -> Callable[[Path], None]:
    """Take a file away."""
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    "edit", [append(LINES), append("study.yaml"), append(PUBLISHED), without(PUBLISHED)]
)
def test_an_edit_is_seen_wherever_it_is(result: Path, edit: Callable[[Path], None]) -> None:
    """And named, by every file that a result is read from."""
    assert read_result(result).seal.state is SealState.INTACT
    edit(result)
    found = read_result(result).seal
    assert found.state is SealState.BROKEN
    assert len(found.files) == 1
    assert found.files[0] in found.words


def verbs(folder: Path) -> list[list[str]]:
    """Every verb that reads a result."""
    name = str(folder)
    return [
        ["judge", name],
        ["judge", name, "--json"],
        ["report", name],
        ["report", str(folder.parent / "nss-ha-2"), "--beside", name],
        ["export", name],
        ["export", name, "--format", "openmetrics"],
        ["compare", name, name],
        ["accept", name],
        ["advise", name],
        ["predict", "--validate", name],
        ["calibrate", name],
        ["redact", name, str(folder.parent.parent / "copy")],
        ["history", "nss-ha", "--out", str(folder.parent)],
    ]


@pytest.mark.parametrize("number", range(len(verbs(KEPT))))
def test_every_verb_reports_first_that_a_result_was_edited(
    result: Path, tmp_path: Path, number: int
) -> None:
    """On standard error, with exit code 3; for an unedited result there is no message."""
    other = result.parent / "nss-ha-2"
    shutil.copytree(result, other)
    quiet = in_process(*verbs(result)[number])
    assert "changed after" not in quiet.stderr
    shutil.rmtree(tmp_path / "copy", ignore_errors=True)
    append(LINES)(result)
    done = in_process(*verbs(result)[number])
    assert done.stderr.startswith(
        (f"seal: {result}: {LINES} changed after the run ended", f"error: {result} is not as")
    )
    assert done.returncode == 3
    assert not (tmp_path / "copy").exists()


def test_no_verdict_is_in_favour_of_an_edited_result(result: Path) -> None:
    """Each such verdict has its former value in the text; the report's first screen has the
    reason, too.
    """
    assert {item.verdict for item in judge(read_result(result))} >= {"pass", "agrees"}
    append("study.yaml")(result)
    run_result = read_result(result)
    judged = judge(run_result)
    assert {item.verdict for item in judged}.isdisjoint({"pass", "agrees"})
    assert all(
        "study.yaml changed after the run ended" in item.evidence
        for item in judged
        if item.verdict == "unknown"
    )
    page = render(run_result, judged)
    first_screen = page[page.index('id="summary"') :][:3000]
    assert "Not decided" in first_screen
    assert "study.yaml changed after the run ended" in first_screen


def test_an_edited_result_is_not_sealed_again(result: Path, tmp_path: Path) -> None:
    """Neither by a resumed run, nor by a copy."""
    append(LINES)(result)
    with pytest.raises(BrokenSeal, match="is not as its run left it: nothing is decided"):
        before(result, load_study(Path("nss-ha")))
    assert in_process("redact", str(result), str(tmp_path / "copy")).returncode == 3


def test_a_redacted_copy_has_a_separate_seal(result: Path, tmp_path: Path) -> None:
    """And has the verdicts of the result."""
    assert in_process("redact", str(result), str(tmp_path / "copy")).returncode == 0
    assert read_result(tmp_path / "copy").seal.state is SealState.INTACT
    assert in_process("judge", str(tmp_path / "copy")).returncode == 0


def test_results_without_a_seal_are_distinguished(tmp_path: Path) -> None:
    """A run in progress or killed, one of an older version, and one with a removed seal."""
    result = result_of(tmp_path / "r", MINIMAL, phase())
    assert result.seal.state is SealState.INTACT
    (tmp_path / "r" / SUMS).unlink()
    assert read_result(tmp_path / "r").seal.state is SealState.REMOVED
    assert in_process("judge", str(tmp_path / "r")).returncode == 3

    lines = [json.loads(line) for line in (tmp_path / "r" / LINES).read_text().splitlines()]
    lines[0].pop("seal")
    (tmp_path / "r" / LINES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    older = read_result(tmp_path / "r").seal
    assert (older.state, older.is_broken) == (SealState.NEVER, False)
    assert f"it has no {SUMS}" in in_process("judge", str(tmp_path / "r")).stderr.splitlines()[0]

    writer = Writer(tmp_path / "r", append=True)
    writer.line("resumed")
    under_way = read_result(tmp_path / "r").seal
    assert (under_way.state, under_way.is_broken) == (SealState.OPEN, False)
    assert "was interrupted" in in_process("judge", str(tmp_path / "r")).stderr.splitlines()[0]
    writer.close()
    assert read_result(tmp_path / "r").seal.state is SealState.INTACT


def test_an_error_of_a_verb_does_not_hide_an_edit(result: Path) -> None:
    """Both are reported; the exit code is that of the edit."""
    append(LINES)(result)
    printed: list[str] = []

    def verb() -> None:
        with opened(printed.append) as results:
            results.read(result)
            raise SeatrialError("nothing varies")

    with pytest.raises(BrokenSeal):
        verb()
    assert printed[-1] == "error: nothing varies"
