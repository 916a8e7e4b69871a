"""`controller.log`: each command with its node, purpose, duration and end, and never a secret."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from seatrial.advice.redact import LEFT_OUT, redact
from seatrial.basics import command_log
from seatrial.basics.command_log import COMMAND_MAX, CommandRecord, doing, recorded
from seatrial.basics.errors import RunError
from seatrial.basics.withheld import MASK, secret_values
from seatrial.faults.base import Power, Shell
from seatrial.faults.injection import Injector
from seatrial.load.agent_lines import AgentLines
from seatrial.load.stalls import StallReporter
from seatrial.plan.plan import Generated, Plan, Stage, command_step, write_file
from seatrial.result.controller_log import FILE, ControllerLog
from seatrial.result.result import read_result
from seatrial.result.sealed import SUMS, SealState
from seatrial.result.writer import Writer
from seatrial.service.deploy import apply_plan
from seatrial.transport import Completed, Local, following, on_every, put
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL

SECRET = "s3cret'of-acme"
TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True)
class Line:
    """The columns of a line."""

    time: str
    level: str
    node: str
    took_s: str
    status: str
    purpose: str
    command: str
    error: str


@dataclass
class Log:
    """The log of a run that is in progress."""

    folder: Path
    writer: Writer

    @property
    def text(self) -> str:
        """The file."""
        return (self.folder / FILE).read_text()

    @property
    def lines(self) -> list[Line]:
        """Its lines."""
        return [Line(*line.split("\t")) for line in self.text.splitlines()]


def opened(folder: Path, level: Any) -> Log:
    """A result with a log."""
    writer = Writer(folder)
    writer.log_commands(level)
    return Log(folder, writer)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    """A log of the level info."""
    found = opened(tmp_path / "result", "info")
    yield found
    found.writer.close()


@pytest.fixture(autouse=True)
def forget_secrets() -> Iterator[None]:
    """No test masks texts of another one."""
    before = set(command_log._secrets)
    yield
    command_log._secrets.clear()
    command_log._secrets.update(before)


def test_a_command_is_one_line_with_all_columns(log: Log) -> None:
    """A failed command also has the last line of stderr; output is in no line."""
    with doing("first deploy"), doing("stage 1"):
        Local().run("nas", "sleep 0.05; echo private; echo one >&2; echo two >&2; exit 3")
    (line,) = log.lines
    assert TIME.fullmatch(line.time)
    assert (line.level, line.node, line.status) == ("INFO", "nas", "exit 3")
    assert float(line.took_s) >= 0.05
    assert (line.purpose, line.error) == ("first deploy: stage 1", "two")
    assert line.command.startswith("sleep 0.05; ")
    Local().run("nas", "echo fine >&2")
    assert (log.lines[1].status, log.lines[1].purpose, log.lines[1].error) == ("exit 0", "-", "-")


def test_a_stream_has_a_line_for_its_start_and_its_end(log: Log) -> None:
    """With the purpose of its start; a second end is not logged."""
    with doing("streams: write"):
        stream = Local().stream("c1", "read line; echo $line; echo lost >&2; exit 2")
    stream.send("x")
    assert stream.read_line() == "x"
    assert stream.finish()[0] == 2
    stream.finish()
    with following([Local().stream("c2", "exec cat")]) as (cat,):
        cat.send("x")
        cat.read_line()
    states = [(line.node, line.status, line.purpose, line.error) for line in log.lines]
    assert states == [
        ("c1", "started", "streams: write", "-"),
        ("c1", "exit 2", "streams: write", "lost"),
        ("c2", "started", "-", "-"),
        ("c2", "signal 15", "-", "-"),
    ]


def test_commands_on_many_nodes_have_the_purpose_of_their_caller(log: Log) -> None:
    """They run in other threads; a purpose ends with its block."""
    with doing("crash"):
        on_every(("a", "b"), lambda node: Local().run(node, "true"))
    Local().run("c", "true")
    assert {(line.node, line.purpose) for line in log.lines} == {
        ("a", "crash"),
        ("b", "crash"),
        ("c", "-"),
    }


def test_a_command_without_an_end_is_a_warning(log: Log) -> None:
    """With the reason."""
    with pytest.raises(RunError):
        Local().run("nas", "sleep 60", timeout_s=0.1)
    (line,) = log.lines
    assert (line.level, line.status) == ("WARNING", "failed")
    assert line.error == "nas: no end after 0 s: sleep 60"


def test_the_duration_is_that_of_the_clock(log: Log) -> None:
    """In seconds, from its start."""
    now_s = iter([10.0, 12.5])
    CommandRecord("nas", "true", lambda: next(now_s)).ended(0)
    assert log.lines[0].took_s == "2.500"


def test_a_field_never_ends_a_column_or_a_line(log: Log) -> None:
    """Nor does a terminal execute it."""
    Local().run("nas", "printf 'a\\tb\\n\\033[2J' >&2\ntrue\texit; exit 1")
    (line,) = log.lines
    assert "\\n" in line.command
    assert "\\t" in line.command
    assert line.error == "\\x1b[2J"


def run_with_secret() -> None:
    """A secret in the command, at the place where it is cut, quoted, on stderr, in the purpose."""
    command_log.hide([SECRET])
    cut_inside = "x" * (COMMAND_MAX - 16)
    with doing(f"log in with {SECRET}"):
        Local().run("nas", f': {SECRET.replace(chr(39), "")}; echo "{SECRET}" >&2; exit 1')
        Local().run("nas", f': {cut_inside} "{SECRET}"')
        Local().run("nas", ": 's3cret'\"'\"'of-acme'")


@pytest.mark.parametrize("level", ["info", "debug"])
def test_a_known_secret_is_in_no_line(tmp_path: Path, level: str) -> None:
    """Nor is a part of it, where a long command is cut."""
    log = opened(tmp_path / "result", level)
    run_with_secret()
    log.writer.close()
    assert len(log.lines) == 3
    assert "cret'" not in log.text
    assert log.text.count(MASK) >= 4


def test_the_input_of_a_command_is_in_no_line(log: Log, tmp_path: Path) -> None:
    """Scripts and files are piped to nodes: that is how they get passwords."""
    put(Local(), "nas", b"password=piped-secret\n", str(tmp_path / "file"))
    assert (tmp_path / "file").read_bytes() == b"password=piped-secret\n"
    assert "piped-secret" not in log.text


class Talking(Local):
    """Nodes that print, when a step fails, the secrets that were piped to them."""

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """Run the script, and print the secrets of its text."""
        if command.startswith("cat "):
            return Completed(node, 0, "", "")
        found = re.findall(rb"(?:made|given)-is-([\w@:]+)", stdin)
        say = f"echo '{b' '.join(found).decode()}' >&2; exit 1"
        return super().run(node, say, timeout_s=timeout_s)


@pytest.mark.parametrize("level", ["info", "debug"])
def test_secrets_of_a_deploy_are_masked(tmp_path: Path, level: str) -> None:
    """Those of the plan, and those that the deploy makes; a failed node prints both."""
    item = Generated("key", "/keys/key", ("a",), 16)
    step = command_step("keep", "false", f"echo made-is-{item.placeholder} given-is-hunter2")
    plan = Plan(
        "p", "deploy", (Stage("keys", {"a": (step,)}),), secrets=("hunter2",), generated=(item,)
    )
    log = opened(tmp_path / "result", level)
    with pytest.raises(RunError):
        apply_plan(plan, Talking())
    log.writer.close()
    errors = [line.error for line in log.lines if line.purpose == "deploy: stage 1 keys"]
    assert errors == [f"{MASK} {MASK}"]
    assert "hunter2" not in log.text
    assert not re.search("[0-9a-f]{32}", log.text)


def test_the_secrets_of_a_study_are_found() -> None:
    """Passwords and communities in any kind, also in a sweep."""
    text = (
        "solution: {password: one, mount: {password: two}}\n"
        "nodes: {nas: {pdu: {community: three}}}\n"
        "experiments: {e: {sweep: {solution.password: [four, five]}}}\n"
        "title: none\n"
    )
    assert secret_values(text) == {"one", "two", "three", "four", "five"}


def test_debug_has_whole_commands_and_steps(tmp_path: Path) -> None:
    """Info has the begin of a command, and no step that succeeded."""
    plan = Plan("p", "deploy", (Stage("files", {"a": (write_file(f"{tmp_path}/f", "x"),)}),))
    texts = {}
    for level in ("info", "debug"):
        log = opened(tmp_path / level, level)
        Local().run("nas", f": {'x' * 200} end")
        apply_plan(plan, Local())
        log.writer.close()
        texts[level] = log.lines
    assert [line.status for line in texts["info"]] == ["exit 0", "exit 0"]
    assert len(texts["info"][0].command) == COMMAND_MAX
    assert texts["debug"][0].command.endswith("x end")
    steps = [line for line in texts["debug"] if line.level == "DEBUG"]
    assert [(line.node, line.status) for line in steps] == [("a", "ok")]
    assert steps[0].purpose.startswith("deploy: stage 1 files: ")


def test_a_failed_step_is_a_warning(log: Log) -> None:
    """Also without debug."""
    plan = Plan(
        "p", "deploy", (Stage("try", {"a": (command_step("break it", "false", "exit 7"),)}),)
    )
    with pytest.raises(RunError):
        apply_plan(plan, Local())
    warnings = [(line.status, line.purpose) for line in log.lines if line.level == "WARNING"]
    assert warnings == [("failed", "deploy: stage 1 try: break it")]


def injector(transport: Any) -> Injector:
    """For nodes of this machine, in a lab that can do nothing."""
    lab = SimpleNamespace(kind="hosts", subject="on real hosts Seatrial")
    return Injector(cast(Any, SimpleNamespace(transport=transport, lab=lab, outlives_run=False)))


def test_an_action_of_a_fault_has_its_number(log: Log) -> None:
    """As in `actions` of the result; its commands have the same purpose."""
    with doing("crash"):
        broken = injector(Local())
        broken.inject([Shell("nas", "true")])
        with pytest.raises(RunError):
            broken.inject([Power("nas", "off")])
        broken.repair(Shell("nas", "echo gone >&2; exit 1"))
    lines = [
        (line.level, line.node, line.status, line.purpose, line.command, line.error)
        for line in log.lines
    ]
    cannot = "on real hosts Seatrial cannot do this"
    failing = "echo gone >&2; exit 1"
    assert lines == [
        ("INFO", "nas", "exit 0", "crash: inject, action 1", "true", "-"),
        ("INFO", "nas", "done", "crash: inject, action 1", "on nas: true", "-"),
        ("WARNING", "nas", "failed", "crash: inject, action 2", "power of nas: off", cannot),
        ("INFO", "nas", "exit 1", "crash: repair, action 3", failing, "gone"),
        ("WARNING", "nas", "failed", "crash: repair, action 3", f"on nas: {failing}", "gone"),
    ]


def test_each_stall_has_its_line_although_the_terminal_folds_them(log: Log) -> None:
    """A line of the terminal is one for many clients."""
    printed: list[str] = []
    reporter = StallReporter(printed.append)
    for name in ("c1", "c2"):
        task = {"task": 0, "file": "f", "since_boottime_ns": 1, "stalled_ns": 10**9}
        reporter.hear(AgentLines(name, 0.0), {"event": "stall", "tasks": [task]})
    reporter.flush()
    assert len(printed) == 1
    assert [(line.node, line.status, line.error) for line in log.lines] == [
        ("c1", "stalled", "c1: no answer for 1.0 s to 1 task: f"),
        ("c2", "stalled", "c2: no answer for 1.0 s to 1 task: f"),
    ]


def test_a_log_has_its_own_run_only(tmp_path: Path) -> None:
    """Nothing before it and nothing after it; a resumed run continues the file."""
    Local().run("before", "true")
    folder = tmp_path / "result"
    log = opened(folder, "info")
    Local().run("first", "true")
    log.writer.close()
    Local().run("between", "true")
    again = Writer(folder, append=True)
    again.log_commands("info")
    Local().run("second", "true")
    again.close()
    assert [line.node for line in log.lines] == ["first", "second"]


def test_no_command_no_file(tmp_path: Path) -> None:
    """An import has none."""
    opened(tmp_path / "result", "info").writer.close()
    assert not (tmp_path / "result" / FILE).exists()


def test_a_full_disk_loses_the_line_and_not_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run reports a full disk at its next line of `result.jsonl`."""
    log = ControllerLog(tmp_path, "info")
    (tmp_path / FILE).symlink_to("/dev/full")
    assert Local().run("nas", "true").exit_code == 0
    log.close()
    assert capsys.readouterr() == ("", "")


def sealed(folder: Path) -> Path:
    """A whole result with a log."""
    result_of(folder, MINIMAL, phase())
    writer = Writer(folder, append=True)
    writer.log_commands("info")
    with recorded("nas", "mount server-of-acme:/export"):
        pass
    writer.close()
    return folder


def edit(path: Path) -> None:
    """Add a line."""
    path.write_text(f"{path.read_text()}more\n")


@pytest.mark.parametrize("change", [edit, Path.unlink])
def test_the_seal_covers_the_log(tmp_path: Path, change: Callable[[Path], None]) -> None:
    """An edit is seen, and a log that was removed."""
    folder = sealed(tmp_path / "result")
    assert f"  {FILE}\n" in (folder / SUMS).read_text()
    assert read_result(folder).seal.state is SealState.INTACT
    change(folder / FILE)
    seal = read_result(folder).seal
    assert (seal.state, seal.files) == (SealState.BROKEN, (FILE,))


def test_a_copy_for_publication_has_no_command(tmp_path: Path) -> None:
    """A command or its error may name anything of a site; the copy is sealed."""
    redact(read_result(sealed(tmp_path / "result")), tmp_path / "copy")
    assert (tmp_path / "copy" / FILE).read_text() == LEFT_OUT
    assert read_result(tmp_path / "copy").seal.state is SealState.INTACT


def test_the_times_are_utc(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the controller is."""
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        hour = time.strftime("%Y-%m-%dT%H", time.gmtime())
        Local().run("nas", "true")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert log.lines[0].time.startswith(hour[:11])
    assert abs(int(log.lines[0].time[11:13]) - int(hour[11:])) in (0, 1, 23)
