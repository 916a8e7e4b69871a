"""docs/results.md: its program runs, and its tables list every reason and every state of a seal."""

import re
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.answer import Reason
from seatrial.result.sealed import SealState
from seatrial.summary.summarise import save_results
from tests.builders.places import ROOT
from tests.builders.stored import summary_named

PAGE = (ROOT / "docs" / "results.md").read_text()
PROGRAM = re.compile(r"^```python\n((?:.*\n)+?)```", re.MULTILINE)
PATH_OF_THE_PAGE = "results/md1200-nfs-20260701T101500Z"
STORED = "whole-md1200-nfs-quick"


def test_the_program_prints_every_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It reads a summary that a run wrote."""
    summary = summary_named(STORED, tmp_path)
    save_results(summary, tmp_path)
    (program,) = PROGRAM.findall(PAGE)
    assert PATH_OF_THE_PAGE in program
    names: dict[str, Any] = {}
    exec(compile(program.replace(PATH_OF_THE_PAGE, str(tmp_path)), "results.md", "exec"), names)
    first, *rates = capsys.readouterr().out.splitlines()
    assert first == f"{summary.headline.verdict} {summary.headline.exit_code}"
    usable = [item for item in summary.points if "lab-limited" not in item.flags]
    assert len(rates) == sum(item.rate_bytes_per_s is not None for item in usable)


def test_every_reason_has_a_row() -> None:
    """A new reason code needs a meaning."""
    _, _, section = PAGE.partition("\n### Verdicts and reason codes\n")
    _, _, table = section.partition("| reason | meaning |\n|---|---|\n")
    rows = table.partition("\n\n")[0].splitlines()
    assert [row.split("`")[1] for row in rows] == [reason.value for reason in Reason]


def test_every_state_of_a_seal_is_named() -> None:
    """In the sentence on `run.seal`."""
    _, _, sentence = PAGE.partition("`run.seal` is ")
    words = set(re.findall(r"`(\w+)`", sentence.partition("\n\n")[0]))
    assert words == {state.value for state in SealState}
