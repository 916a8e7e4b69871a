"""The end of a run that does not complete: its measurements are judged and reported, and the
exit code has the cause.
"""

import contextlib
import errno
import json
import resource
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import seatrial.cli
import seatrial.run
from seatrial.basics.errors import InputError, Interrupted, RunError
from seatrial.judge.base import Judgement
from seatrial.judge.judge import exit_code, judge
from seatrial.labs.kinds import emulated
from seatrial.load.shortage import Processors
from seatrial.result.faults import FaultResult
from seatrial.result.result import read_result
from seatrial.result.sealed import LINES
from seatrial.result.writer import Writer
from tests.builders.fault_results import COMPARED, fault
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, text_of


def ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> tuple[int, str, Path]:
    """Exit code, output and result of a run with a lab that cannot boot."""

    @contextlib.contextmanager
    def broken(*_arguments: Any, **_options: Any) -> Iterator[None]:
        raise error
        yield

    monkeypatch.setattr(seatrial.run, "session", broken)
    monkeypatch.setenv("COLUMNS", "300")
    (folder / "study.yaml").write_text(text_of(MINIMAL))
    done = CliRunner().invoke(
        seatrial.cli.app, ["run", str(folder / "study.yaml"), "--out", str(folder / "results")]
    )
    (result,) = (folder / "results").iterdir()
    return done.exit_code, done.output, result


@pytest.mark.parametrize(
    "error", [KeyError("node"), ValueError("no such thing"), AttributeError("x")], ids=repr
)
def test_a_defect_is_no_mistake_of_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """With any class of error: 4, the traceback in the result and not on the terminal, and
    verdicts all the same.
    """
    code, printed, folder = ended(tmp_path, monkeypatch, error)
    assert code == 4
    assert f"error: {type(error).__name__}: {error}" in printed
    assert "defect of Seatrial" in printed
    assert "Traceback" not in printed
    end = read_result(folder).last("end")
    assert end["traceback"].splitlines()[-1].startswith(type(error).__name__)
    assert [item["verdict"] for item in json.loads((folder / "verdicts.json").read_text())] == [
        "unknown"
    ]
    assert (folder / "report.html").exists()


def test_without_an_agent_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that found it missing after its deploy had changed the storage: no node is asked,
    and no result begun.
    """

    def missing() -> Path:
        raise InputError("the agent was not built", "make setup")

    monkeypatch.setattr(seatrial.run, "find_agent", missing)
    monkeypatch.setattr(seatrial.run, "session", lambda *_, **__: pytest.fail("a node was asked"))
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    done = CliRunner().invoke(
        seatrial.cli.app, ["run", str(tmp_path / "study.yaml"), "--out", str(tmp_path / "out")]
    )
    assert isinstance(done.exception, InputError), done.output  # exit 2, by `main`
    assert [*tmp_path.glob("out/*")] == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RunError("c1 does not answer"), 4),
        (InputError("no such address"), 2),
        (Interrupted("ended by SIGINT"), 130),
    ],
    ids=["run", "input", "interrupted"],
)
def test_other_errors_have_their_own_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    """And no traceback; it is judged and reported too."""
    found, printed, folder = ended(tmp_path, monkeypatch, error)
    assert (found, f"error: {error}" in printed) == (code, True), printed
    assert "traceback" not in read_result(folder).last("end")
    assert (folder / "report.html").exists()


def test_a_verb_without_a_result_ends_with_4_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A defect with its traceback, a full disk without one: neither is 1, which means a
    failed criterion.
    """
    assert seatrial.cli.guarded(lambda: int("many")) == 4
    assert "defect of Seatrial" in capsys.readouterr().err

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "verdicts.json")

    assert seatrial.cli.guarded(full) == 4
    assert capsys.readouterr().err == "error: verdicts.json: No space left on device\n"


@contextlib.contextmanager
def files_below(size_bytes: int) -> Iterator[None]:
    """No file grows above this size: a write that crosses it is cut, and the next one fails, as on
    a full disk.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_reported_and_leaves_whole_lines(tmp_path: Path) -> None:
    """No traceback and no half line, and the run can be resumed."""
    writer = Writer(tmp_path / "r")
    writer.line("run", schema="result/1", study="x")
    kept = (tmp_path / "r" / LINES).read_bytes()
    with files_below(len(kept) + 50):
        with pytest.raises(RunError, match="the result cannot be written") as reported:
            writer.line("event", text="x" * 200)
        assert "--resume" in (reported.value.hint or "")
        with pytest.raises(RunError, match="cannot be written"):
            writer.keep("scripts/a.sh", "x" * 1000)
    assert (tmp_path / "r" / LINES).read_bytes() == kept
    writer.line("end", complete=True)
    writer.close()
    assert read_result(tmp_path / "r").complete


def test_a_results_folder_that_cannot_be_one_is_a_users_mistake(tmp_path: Path) -> None:
    """Below a file there is nothing, and no room that anybody could make."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="a part of this path is a file") as reported:
        Writer(tmp_path / "file" / "r")
    assert "--out" in (reported.value.hint or "")


def test_a_fault_that_was_injected_again_counts_once(tmp_path: Path) -> None:
    """A resumed run repeats a fault that was not completed, and a failed experiment."""
    result_of(tmp_path / "r", MINIMAL, phase(), complete=False)
    writer = Writer(tmp_path / "r", append=True)
    fault: dict[str, Any] = {
        "kind": "panic",
        "word": "panic",
        "title": "a panic",
        "published": None,
        "expect": {},
    }
    for name in ("a", "b"):
        writer.line("fault", name=name, failed="ssh was refused", **fault)
    writer.line("experiment", name="one")
    writer.line("experiment-failed", name="one", reason="no")
    writer.line("resumed")
    writer.line("experiment", name="one")
    writer.line("fault", name="a", **fault)
    writer.line("end", complete=True)
    writer.close()
    result = read_result(tmp_path / "r")
    assert [(item.name, item.failed) for item in result.faults] == [
        ("a", None),
        ("b", "ssh was refused"),
    ]
    assert result.failed_experiments == {}


def test_earlier_output_of_an_agent_is_kept(tmp_path: Path) -> None:
    """A resumed run has other agents of the same names."""
    result_of(tmp_path / "r", MINIMAL, phase(), complete=False)
    for text in ("first\n", "second\n", "second\n"):
        writer = Writer(tmp_path / "r", append=True)
        writer.keep("agent/one-c1.jsonl", text)
        writer.close()
    found = {path.name: path.read_text() for path in (tmp_path / "r" / "agent").iterdir()}
    assert found == {"one-c1.jsonl": "first\n", "one-c1.jsonl~2": "second\n"}


def test_a_line_of_another_shape_is_no_evidence(tmp_path: Path) -> None:
    """It is named, the rest is judged, and the run is not complete."""
    result_of(tmp_path / "r", MINIMAL, phase(), complete=False)
    writer = Writer(tmp_path / "r", append=True)
    writer.line("phase", experiment="one", clients="many")
    writer.line("end", complete=True)
    writer.close()
    result = read_result(tmp_path / "r")
    assert len(result.phases) == 1
    assert "phase 2 cannot be read" in result.problems[0]
    assert exit_code(result, judge(result)) == 4


@pytest.mark.parametrize(
    ("error", "code"),
    [(RunError("c1 is gone"), 1), (Interrupted("ended by SIGTERM"), 1), (KeyError("node"), 1)],
)
def test_a_failed_criterion_precedes_an_incomplete_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    """A failure is a failure, also in half a run."""
    failed = [Judgement("intact", "acceptance", "x", "fail", "lost")]
    monkeypatch.setattr("seatrial.judge.judge.judge", lambda _: failed)
    found, printed, _ = ended(tmp_path, monkeypatch, error)
    assert (found, "exit 1: 1 of 1 acceptance criterion failed: intact" in printed) == (
        code,
        True,
    ), printed


@pytest.mark.parametrize(
    ("error", "code"), [(RunError("c1 is gone"), 4), (Interrupted("ended by SIGTERM"), 130)]
)
def test_a_result_has_the_end_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    """`judge` ends like the run, also in ten years."""
    ended(tmp_path, monkeypatch, error)
    (folder,) = (tmp_path / "results").iterdir()
    done = CliRunner().invoke(seatrial.cli.app, ["judge", str(folder)])
    assert (done.exit_code, f"exit {code}: " in done.output) == (code, True), done.output


def test_a_signal_while_a_claim_is_judged_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Code that catches any error and continues, such as the judge for a checker, does not
    catch this.
    """

    def interrupted(*_: Any) -> None:
        raise Interrupted("ended by SIGTERM")

    result = result_of(tmp_path / "r", MINIMAL, phase())
    monkeypatch.setattr("seatrial.judge.checks.integrity.check", interrupted)
    with pytest.raises(Interrupted):
        judge(result)
    assert seatrial.cli.guarded(interrupted) == 130


class Meter:
    """A meter of a machine that is short of processors, or not."""

    busy_share = 1.0

    def reading(self) -> Processors:
        """Since it was made."""
        return Processors(self.busy_share, short_share=0.0)


def tried(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *faults: FaultResult
) -> tuple[list[str], list[str]]:
    """The incomplete parts of faults that can never complete, and all attempts in order."""
    result_of(folder, MINIMAL, complete=False)
    monkeypatch.setattr(seatrial.run, "ProcessorMeter", Meter)
    monkeypatch.setattr(seatrial.run, "wait_until_calm", lambda: 3.0)
    runner = object.__new__(seatrial.run._Runner)
    runner.writer = Writer(folder, append=True)
    site = SimpleNamespace(traits=emulated.TRAITS)
    runner.current = SimpleNamespace(site=site)  # type: ignore[assignment]
    runner.observer = SimpleNamespace(say=lambda _: None)
    found = {item.name: item for item in faults}
    done = []

    def action(name: str) -> bool:
        done.append(name)
        runner.writer.line("fault", **asdict(found[name]))
        return False

    failed = runner._tried(tuple(found), action)
    runner.writer.close()
    return failed, done


def test_parts_that_a_busy_machine_stopped_are_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, as a resumed run; not on an idle machine, and not a fault that lost data."""
    slow = fault(name="slow", failed="no answer", compared={})
    lost = fault(name="lost", failed="no answer", compared={"small": {**COMPARED, "lost": 1}})
    assert tried(tmp_path / "a", monkeypatch, slow, lost) == (
        ["lost", "slow"],
        ["slow", "lost", "slow"],
    )
    assert read_result(tmp_path / "a").first("resumed")["again"] == ["slow"]
    assert len(read_result(tmp_path / "a").faults) == 2, "each by its newest line"
    monkeypatch.setattr(Meter, "busy_share", 0.2)
    assert tried(tmp_path / "b", monkeypatch, slow, lost) == (["slow", "lost"], ["slow", "lost"])
