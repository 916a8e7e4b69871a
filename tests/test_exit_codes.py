"""The exit codes are a contract, and the page of the command line has every verb, every option and
every code.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

import seatrial.run
from seatrial.basics import errors
from seatrial.basics.errors import Interrupted, RunError
from seatrial.cli import app
from tests.builders.commands import EVERY, in_process
from tests.builders.places import ROOT
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, text_of

PAGE = (ROOT / "docs" / "command-line.md").read_text()
DAMAGE = ({"class": "zero", "file": "f0", "offset": 4096, "length": 4096},)


def judged(tmp_path: Path, **found: Any) -> int:
    """The exit code of `judge` of a whole result in which the client found this."""
    whole = phase()
    result_of(tmp_path / "result", MINIMAL, phase(clients=(replace(whole.clients[0], **found),)))
    return in_process("judge", str(tmp_path / "result")).returncode


def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """The exit code of a run that ends with this."""

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(seatrial.run, "session", broken)
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    return in_process("run", "study.yaml", cwd=tmp_path).returncode


def test_0_every_criterion_passed(tmp_path: Path) -> None:
    """All blocks were read back as they were written."""
    assert judged(tmp_path) == errors.PASSED == 0


def test_1_a_criterion_failed(tmp_path: Path) -> None:
    """One block is damaged."""
    assert judged(tmp_path, damage=DAMAGE) == errors.FAILED == 1


def test_2_the_input_is_wrong(tmp_path: Path) -> None:
    """An option, a verb, an operand, a study."""
    (tmp_path / "study.yaml").write_text("schema: study/1\n")
    for words in (
        ("run", "--sideways"),
        ("frobnicate",),
        ("run", "nowhere"),
        ("run",),
        ("validate", "study.yaml"),
    ):
        assert in_process(*words, cwd=tmp_path).returncode == errors.WRONG_INPUT == 2


def test_3_a_criterion_is_undecided(tmp_path: Path) -> None:
    """No block was read back, and nothing failed."""
    assert judged(tmp_path, blocks_checked=0) == errors.UNDECIDED == 3


def test_4_the_run_did_not_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node did not boot."""
    assert ran(tmp_path, monkeypatch, RunError("c1 did not boot")) == errors.NOT_COMPLETED == 4


def test_130_a_signal_ended_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a shell has it of SIGINT."""
    assert ran(tmp_path, monkeypatch, Interrupted("ended by SIGINT")) == errors.INTERRUPTED == 130


def test_the_page_has_every_exit_code() -> None:
    """Once each, in order."""
    table = PAGE.partition("## Exit codes")[2]
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == ["0", "1", "2", "3", "4", "130"]


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_the_page_has_every_verb(words: tuple[str, ...]) -> None:
    """In a row with its purpose."""
    assert re.search(rf"^\| `seatrial {' '.join(words)}[ `]", PAGE, re.MULTILINE)


def options(command: Any) -> Iterator[str]:
    """The long options of a command and of those below it, without the hidden ones."""
    for item in command.params:
        if item.param_type_name == "option" and not item.hidden:
            yield from (
                name for name in [*item.opts, *item.secondary_opts] if name.startswith("--")
            )
    for below in getattr(command, "commands", {}).values():
        yield from options(below)


def test_the_page_has_every_option() -> None:
    """In code, as one types it."""
    known = set(options(typer.main.get_command(app)))
    assert len(known) > 25
    missing = {name for name in known if not re.search(rf"`[^`]*{name}\b[^`]*`", PAGE)}
    assert not missing
