"""Common properties of every verb: its help, its usage line, the amount of its output."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import seatrial
from seatrial.check import prepare
from seatrial.plan.plan import Plan, Stage, command_step, describe
from seatrial.plan.summary import summary, summary_text
from seatrial.service.deploy import apply_plan
from seatrial.service.terminal import Terminal, print_verdict
from seatrial.solutions.look import deployment
from seatrial.study.study import parse_study
from seatrial.transport import Local
from tests.builders.commands import EVERY, in_process
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, text_of

SEATRIAL = Path(sys.prefix) / "bin" / "seatrial"


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_verb_has_short_help_and_a_posix_usage_line(words: tuple[str, ...]) -> None:
    """`-h` is `--help`; operands are upper-case words, optional ones in brackets; no type of Python
    is shown.
    """
    short = in_process(*words, "-h")
    long = in_process(*words, "--help")
    assert (short.returncode, short.stdout) == (0, long.stdout)
    usage = short.stdout.splitlines()[0]
    operands = r"( [A-Z|]+(\.\.\.)?| \[[A-Z|]+(\.\.\.)?\])*"
    assert re.fullmatch(rf"Usage: seatrial {' '.join(words)} \[OPTIONS\]{operands}", usage)
    assert not re.search(r"<\w|\{", short.stdout)
    for option in ("-h, --help", "-q, --quiet", "-v, --verbose"):
        assert option in short.stdout


def test_repeated_operands_have_three_points() -> None:
    """After the name, and inside the brackets where none has to be given."""
    assert in_process("compare", "-h").stdout.startswith(
        "Usage: seatrial compare [OPTIONS] FIRST OTHER...\n"
    )
    assert in_process("predict", "-h").stdout.startswith(
        "Usage: seatrial predict [OPTIONS] [STUDY|RESULT...]\n"
    )


def test_the_version_has_a_short_option() -> None:
    """`-V` is `--version`."""
    for option in ("-V", "--version"):
        assert in_process(option).stdout == f"seatrial {seatrial.__version__}\n"


def test_words_for_a_node_are_no_options_of_the_verb(tmp_path: Path) -> None:
    """`lab exec STUDY c1 df -h` asks no help of Seatrial."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    for words in (
        ("exec", "study.yaml", "c1", "df", "-h"),
        ("ssh", "study.yaml", "c1", "df", "-q", "-v", "-h"),
    ):
        done = in_process("lab", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "no lab of small is up" in done.stderr


@pytest.mark.parametrize(
    "words", [("-q", "list", "-v"), ("list", "-q", "-v"), ("-q", "-v", "list")]
)
def test_quiet_and_verbose_exclude_each_other(words: tuple[str, ...]) -> None:
    """Before the verb, after it, or both."""
    done = in_process(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--quiet and --verbose exclude each other" in done.stderr


def plan_of(data: dict[str, Any]) -> Plan:
    """The plan of a deploy that erases nothing."""
    site, solution = prepare(parse_study(text_of(data), Path("study.yaml")))
    return deployment(solution, site, {})


STEP = command_step("make it", check="false", apply="false")


def printed(capsys: pytest.CaptureFixture[str], terminal: Terminal) -> list[str]:
    """The output of a plan of one step with a change, without the times."""
    plan = Plan("small", "a plan", (Stage("first", {"nas": (STEP,)}),))
    apply_plan(plan, Local(), mode="check", say=terminal.say, detail=terminal.detail)
    terminal.result("1 pending")
    return [line[8:] for line in capsys.readouterr().err.splitlines()]


def test_a_terminal_prints_the_requested_amount(capsys: pytest.CaptureFixture[str]) -> None:
    """Quiet: results; verbose: also each script and each step."""
    assert printed(capsys, Terminal(quiet=True)) == ["1 pending"]
    assert printed(capsys, Terminal()) == ["stage 1 of 1: first", "1 pending"]
    assert printed(capsys, Terminal(verbose=True)) == [
        "stage 1 of 1: first",
        "nas: stage 1: sh -s check nas (1 step)",
        "nas: pending: make it",
        "1 pending",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("check", "nss-ha"),
            "`check` is now `seatrial validate STUDY` for a study and `seatrial judge RESULT`",
        ),
        (("remove", "nss-ha", "--packages"), "`remove` is now `seatrial undeploy STUDY`"),
        (("plan", "nss-ha", "--removal"), "`plan --removal` is now `plan --undeploy`"),
    ],
)
def test_an_old_verb_names_the_new_one(words: tuple[str, ...], sentence: str) -> None:
    """In one sentence."""
    done = in_process(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {sentence}")
    assert len(done.stderr.splitlines()) == 1


def test_validate_checks_every_study(tmp_path: Path) -> None:
    """A wrong one does not stop the check of the others, and the exit code reports it."""
    (tmp_path / "good.yaml").write_text(text_of(MINIMAL))
    (tmp_path / "bad.yaml").write_text(text_of({**MINIMAL, "nodes": {}}))
    done = in_process("validate", "bad.yaml", "good.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "good.yaml: valid\n")
    assert "error: bad.yaml:" in done.stderr
    found = json.loads(
        in_process("validate", "bad.yaml", "good.yaml", "--json", cwd=tmp_path).stdout
    )
    assert [(item["study"], item["valid"]) for item in found["studies"]] == [
        ("bad.yaml", False),
        ("good.yaml", True),
    ]


def test_a_study_is_not_judged_and_a_result_not_validated(tmp_path: Path) -> None:
    """The hint is the command that was meant."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    result_of(tmp_path / "result", MINIMAL, phase())
    judged = in_process("judge", "study.yaml", cwd=tmp_path)
    assert (judged.returncode, "hint: seatrial validate study.yaml" in judged.stderr) == (2, True)
    validated = in_process("validate", "result", cwd=tmp_path)
    assert (validated.returncode, "hint: seatrial judge result" in validated.stderr) == (2, True)


def test_a_plan_is_a_summary_by_default() -> None:
    """Each step on each set of nodes, within two screens; the scripts are printed on request, as
    they are piped.
    """
    found = plan_of(MINIMAL)
    text = summary_text(summary(found))
    assert "\nstage 1 of 9: preflight check (read-only)\n  nas: 8 steps\n" in text
    assert "\n  c[1-4]: 3 steps\n" in text
    assert all(len(line) <= 100 for line in text.splitlines())
    assert len(text.splitlines()) < 80
    titles = [
        step.title for stage in found.stages for steps in stage.steps.values() for step in steps
    ]
    assert f"{len(titles)} steps in 9 stages on 5 nodes" in text.splitlines()[0]
    assert all(title[:90] in text for title in titles)


def test_the_scripts_of_a_plan_are_those_that_are_piped(tmp_path: Path) -> None:
    """Each after a line with its destination; --json prints the summary as an object."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    found = plan_of(MINIMAL)
    printed_scripts = in_process("plan", "study.yaml", "--scripts", cwd=tmp_path).stdout
    assert printed_scripts == describe(found) + "\n"
    assert all(script in printed_scripts for _, _, _, script in found.scripts())
    reported = json.loads(in_process("plan", "study.yaml", "--json", cwd=tmp_path).stdout)
    assert [stage["title"] for stage in reported["stages"]] == [
        stage.title for stage in found.stages
    ]
    assert in_process("plan", "study.yaml", "--json", "--scripts", cwd=tmp_path).returncode == 2


def completed(tmp_path: Path, words: str) -> list[str]:
    """The completions of bash for the last of the words."""
    environment = {
        **os.environ,
        "_SEATRIAL_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = subprocess.run(
        [str(SEATRIAL)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_a_shell_completes_the_names_of_studies(tmp_path: Path) -> None:
    """The shipped ones and those of the folder; the shell completes file names for other text."""
    (tmp_path / "md-mine").mkdir()
    (tmp_path / "md-mine" / "study.yaml").write_text(text_of(MINIMAL))
    assert completed(tmp_path, "seatrial run md") == ["md-mine", "md1200-nfs"]
    assert completed(tmp_path, "seatrial validate md-mine md1") == ["md1200-nfs"]
    assert completed(tmp_path, "seatrial run ./md") == []


class Tty(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True

    def write_as_is(self, text: str) -> int:
        """As `Printable` has it."""
        return super().write(text)


GREEN = "\x1b[32m"
RED = "\x1b[1;31m"


@pytest.mark.parametrize(("no_colour", "coloured"), [(None, True), ("1", False)])
def test_verdicts_are_coloured_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, no_colour: str | None, coloured: bool
) -> None:
    """Unless NO_COLOR is set; control characters of a result stay escaped."""
    shown = {"stdout": Tty(), "stderr": Tty()}
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour is not None:
        monkeypatch.setenv("NO_COLOR", no_colour)
    for name, stream in shown.items():
        monkeypatch.setattr(f"sys.{name}", stream)
    print_verdict("acceptance", "pass", "intact", "all \x1b]52;x :x: [red]")
    Terminal().verdict("fail", "intact: none")
    assert (GREEN in shown["stdout"].getvalue()) == coloured
    assert (RED in shown["stderr"].getvalue()) == coloured
    assert "all \\x1b]52;x :x: [red]" in shown["stdout"].getvalue()


def test_verdicts_in_a_pipe_have_no_colour(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The columns are those of `judge`."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    piped = io.StringIO()
    monkeypatch.setattr("sys.stdout", piped)
    print_verdict("acceptance", "pass", "intact", "all of it")
    assert piped.getvalue() == f"acceptance {'pass':12s} {'intact':24s} all of it\n"
