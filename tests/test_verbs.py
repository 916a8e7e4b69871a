"""What every verb of the command line has in common: its help, its usage line, how much it prints."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import seatrial
from seatrial.cli import app
from seatrial.plan.plan import Plan, Stage, Step
from seatrial.service.deploy import apply_plan
from seatrial.service.terminal import Terminal
from seatrial.transport import Local
from tests.commands import in_process
from tests.strategies import MINIMAL, text_of


def commands(at: Any, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every verb, also of those of `lab`."""
    for name, command in at.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *words, name)
        else:
            yield (*words, name)


EVERY = list(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_verb_has_short_help_and_a_posix_usage_line(words: tuple[str, ...]) -> None:
    """`-h` is `--help`; operands are upper-case words, optional ones in brackets; no type of Python is shown."""
    short, long = in_process(*words, "-h"), in_process(*words, "--help")
    assert (short.returncode, short.stdout) == (0, long.stdout)
    usage = short.stdout.splitlines()[0]
    operands = r"( [A-Z|]+(\.\.\.)?| \[[A-Z|]+(\.\.\.)?\])*"
    assert re.fullmatch(rf"Usage: seatrial {' '.join(words)} \[OPTIONS\]{operands}", usage)
    assert not re.search(r"<\w|\{", short.stdout)
    for option in ("-h, --help", "-q, --quiet", "-v, --verbose"):
        assert option in short.stdout


def test_repeated_operands_have_three_points() -> None:
    """After the name, and inside the brackets where none has to be given."""
    assert in_process("compare", "-h").stdout.startswith("Usage: seatrial compare [OPTIONS] FIRST OTHER...\n")
    assert in_process("predict", "-h").stdout.startswith("Usage: seatrial predict [OPTIONS] [STUDY|RECORD...]\n")


def test_the_version_has_a_short_option() -> None:
    """`-V` is `--version`."""
    for option in ("-V", "--version"):
        assert in_process(option).stdout == f"seatrial {seatrial.__version__}\n"


def test_words_for_a_node_are_no_options_of_the_verb(tmp_path: Path) -> None:
    """`lab exec STUDY c1 df -h` asks no help of Seatrial."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    for words in (("exec", "study.yaml", "c1", "df", "-h"), ("ssh", "study.yaml", "c1", "df", "-q", "-v", "-h")):
        done = in_process("lab", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "no lab of small is up" in done.stderr


@pytest.mark.parametrize("words", [("-q", "list", "-v"), ("list", "-q", "-v"), ("-q", "-v", "list")])
def test_quiet_and_verbose_exclude_each_other(words: tuple[str, ...]) -> None:
    """Before the verb, after it, or both."""
    done = in_process(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--quiet and --verbose exclude each other" in done.stderr


STEP = Step("make it", check="false", apply="false")


def printed(capsys: pytest.CaptureFixture[str], terminal: Terminal) -> list[str]:
    """What a plan of one step that would change something prints, without the times."""
    plan = Plan("small", "a plan", (Stage("first", {"nas": (STEP,)}),))
    apply_plan(plan, Local(), mode="check", say=terminal.say, detail=terminal.detail)
    terminal.result("1 pending")
    return [line[8:] for line in capsys.readouterr().err.splitlines()]


def test_a_terminal_prints_as_much_as_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Quiet: results; verbose: also each script and each step."""
    assert printed(capsys, Terminal(quiet=True)) == ["1 pending"]
    assert printed(capsys, Terminal()) == ["stage 1 of 1: first", "1 pending"]
    assert printed(capsys, Terminal(verbose=True)) == [
        "stage 1 of 1: first",
        "nas: stage 1: sh -s check nas (1 step)",
        "nas: pending: make it",
        "1 pending",
    ]
