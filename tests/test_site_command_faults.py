"""`kind: site-command`: the commands run, and the repair on every way out."""

import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.preflight import _unreached_hosts
from seatrial.basics.errors import Interrupted, RunError
from seatrial.check import prepare
from seatrial.faults import aftermath as fault_aftermath
from seatrial.faults import site_commands
from seatrial.faults import streams as fault_streams
from seatrial.faults import trial as fault_run
from seatrial.faults.injection import Injector, Undo
from seatrial.faults.site_actions import Purpose, SiteCheck, SiteCommand
from seatrial.faults.stages import background
from seatrial.faults.trial import run_fault
from seatrial.judge.effects import judge_fault
from seatrial.judge.happened import why_not_shown
from seatrial.labs.base import SiteHosts
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.load.clock_offsets import WallClocks
from seatrial.load.installing import push
from seatrial.load.run_context import RunContext
from seatrial.matrix.resolve import resolve_profiles
from seatrial.result.evidence import Sign
from seatrial.result.faults import FaultResult
from seatrial.result.result import SCHEMA, read_result
from seatrial.result.writer import Writer
from seatrial.service.session import Session
from seatrial.transport import Completed, Local, OpenSsh
from tests.builders.fake_lab import Lab
from tests.builders.observers import Silent
from tests.builders.run_ids import new_run_id
from tests.builders.site_commands import actions_of, parsed, site_study
from tests.builders.strategies import text_of

# ---- the consent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the study; no node of it may be asked."""
    (tmp_path / "study.yaml").write_text(text_of(site_study()))
    monkeypatch.setattr(OpenSsh, "run", lambda *_, **__: pytest.fail("a node was asked"))
    return tmp_path


def injector(*, outlives: bool = False) -> Injector:
    """On hosts; nodes and the site are this machine."""
    found = parsed()
    site, solution = prepare(found)
    lab = HostsLab(None, transport=Local())
    session = Session(found, site, solution, lab, Local(), outlives_run=outlives)
    return Injector(session, pause=lambda _: None)


def test_hosts_run_commands_of_the_site() -> None:
    """Another lab has no such ability, and the fault is skipped there."""
    lab = HostsLab(None)
    assert isinstance(lab, SiteHosts)
    assert isinstance(lab.site_transport("localhost"), Local)
    assert isinstance(lab.site_transport("admin"), OpenSsh)
    assert lab.site_command_line("localhost", "a b") == "a b"
    by_ssh = shlex.split(lab.site_command_line("admin", "a 'b c'"))
    assert by_ssh[:3] == ["ssh", "-o", "BatchMode=yes"]
    assert by_ssh[-3:] == ["--", "admin", "a 'b c'"]
    it = injector()
    it.session.lab = Lab()
    assert it.missing(actions_of(parsed())) == "the lab fake cannot run commands of the site"


def test_output_and_exit_code_are_kept() -> None:
    """For a command that succeeds, and for one that fails."""
    it = injector()
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return f"commands/{len(kept)}.txt"

    it.keep_output = keep
    it.inject([SiteCommand("localhost", "echo moved; echo slowly >&2", 9.0)])
    with pytest.raises(RunError, match="on localhost: echo no >&2; exit 7: no"):
        it.inject([SiteCommand("localhost", "echo no >&2; exit 7", 9.0)])
    assert [item.exit_code for item in it.done] == [0, 7]
    assert [item.output for item in it.done] == ["commands/1.txt", "commands/2.txt"]
    assert it.done[0].seen == (Sign.COMMAND_SUCCEEDED,)
    assert it.done[1].seen == ()
    assert (
        kept[0] == "on localhost: echo moved; echo slowly >&2\nexit code"
        " 0\nstdout:\nmoved\nstderr:\nslowly\n"
    )
    assert "exit code 7\nerror: no\n" in kept[1]


def test_a_command_has_a_time_limit_and_its_output_stays() -> None:
    """The result has the lines that it printed until then."""
    it = injector()
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return "file"

    it.keep_output = keep
    with pytest.raises(RunError, match="no end after 1 s"):
        it.inject([SiteCommand("localhost", "echo begun; sleep 60", 0.6)])
    assert it.done[0].exit_code is None
    assert "it did not end\n" in kept[0]
    assert "stdout:\nbegun\n" in kept[0]


def test_a_long_output_is_cut() -> None:
    """The end of it is kept."""
    text = site_commands.Answer(None, 0, "a" * 30_000 + "end\n").text(SiteCommand("h", "c", 1.0))
    assert "[10004 characters were left out]" in text
    assert "aend\nstderr:" in text
    assert len(text) < 21_000


def test_a_check_is_repeated_until_it_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time between two attempts passes with the load followed."""
    count = f"echo >>{tmp_path}/count; [ $(wc -l <{tmp_path}/count) = 3 ]"
    it = injector()
    pauses: list[float] = []
    it.pause = pauses.append
    it.inject([SiteCheck("localhost", count, 60.0, Purpose.HAPPENED)])
    assert len(pauses) == 2
    assert it.done[0].seen == (Sign.CHECK_SUCCEEDED,)
    monkeypatch.setattr(site_commands, "CHECK_POLL_S", 0.05)
    it.pause = time.sleep
    it.inject([SiteCheck("localhost", "false", 0.2, Purpose.HAPPENED)])
    assert (it.done[1].error, it.done[1].exit_code, it.done[1].seen) == (None, 1, ())
    it.await_end(SiteCheck("localhost", "echo degraded >&2; false", 0.2, Purpose.RECOVERED))
    assert it.done[2].error == "it did not succeed within 0.2 s: degraded"


@pytest.mark.parametrize("way", [RunError, Interrupted, KeyboardInterrupt])
def test_the_repair_runs_on_every_way_out(tmp_path: Path, way: type[BaseException]) -> None:
    """A command that failed half-way, a signal, and any other end."""
    broken = tmp_path / "broken"
    it = injector()

    def broken_off() -> None:
        with Undo(it, (SiteCommand("localhost", f"rm -f {broken}", 9.0),)):
            command = f"touch {broken}" + ("; false" if way is RunError else "")
            it.inject([SiteCommand("localhost", command, 9.0)])
            assert broken.exists()
            raise way("ended")

    with pytest.raises(way):
        broken_off()
    assert not broken.exists()
    assert [item.part for item in it.done] == ["inject", "repair"]


def test_a_killed_controller_leaves_a_timer_that_repairs(tmp_path: Path) -> None:
    """The timer is a process on the controller, and the repair ends it."""
    broken = tmp_path / "broken"
    broken.touch()
    repair = SiteCommand("localhost", f"rm {broken}", 9.0)
    injector(outlives=True).arm([repair], 0.0)
    limit = time.monotonic() + 60
    while broken.exists() and time.monotonic() < limit:
        time.sleep(0.05)
    assert not broken.exists()

    broken.touch()
    it = injector(outlives=True)
    it.arm([repair], 300.0)
    (timer,) = it._armed.values()
    process = timer.process
    it.repair(repair)
    while Path(f"/proc/{process}").exists() and time.monotonic() < limit:
        time.sleep(0.05)
    assert not Path(f"/proc/{process}").exists()


def test_a_host_that_ssh_cannot_reach_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any load: no client writes for a fault that cannot be injected."""

    def refused(_self: OpenSsh, node: str, *_: object, **__: object) -> Completed:
        raise RunError(f"{node}: ssh: connection refused")

    monkeypatch.setattr(OpenSsh, "run", refused)
    it = injector()
    with pytest.raises(RunError, match="before anything was done: admin: ssh: connection refused"):
        it.reach(actions_of(parsed()))
    warning = "the fault failover cannot be injected: admin: ssh: connection refused"
    profiles = resolve_profiles(it.session.study)
    assert list(_unreached_hosts(it.session, profiles)) == [warning]


def run_one(
    folder: Path,
    fault: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    *,
    consented: bool = True,
) -> FaultResult:
    """The result of one fault of existing storage.

    It has one client: two on this machine would write one operation log.
    """
    monkeypatch.setattr(fault_run, "BASELINE_S", 0.2)
    monkeypatch.setattr(fault_aftermath, "AFTERMATH_S", 0.2)

    def make(_transport: Any, _node: str, _base: str, path: str, _sudo: Any) -> None:
        Path(path).mkdir(parents=True)

    monkeypatch.setattr(fault_streams, "make_directory", make)
    whole = parsed(fault, directory=str(folder / "storage"), nodes={"c1": {}})
    site, solution = prepare(whole)
    lab = HostsLab(None, transport=Local())
    session = Session(whole, site, solution, lab, Local())
    writer = Writer(folder / "result")
    writer.line("run", schema=SCHEMA)
    agent = push(Local(), ["c1"])
    observer = Silent()
    clocks = WallClocks(observer.say, writer.line)
    names = frozenset({"failover"} if consented else ())
    basics = session, agent, new_run_id(), lambda count: count
    run = RunContext(*basics, writer, observer, clocks, names)
    try:
        run_fault(run, whole.background_load, "failover", whole.faults["failover"])
    finally:
        writer.close()
    (found,) = read_result(folder / "result").faults
    return found


def local_fault(folder: Path, **more: Any) -> dict[str, Any]:
    """A fault that creates a file and removes it."""
    flag = folder / "degraded"
    return {
        "kind": "site-command",
        "command": f"echo failing over; touch {flag}",
        "happened": f"test -e {flag}",
        "repair": f"rm -f {flag}; echo failed back",
        "recovered": f"test ! -e {flag}",
        "happened_within": "2s",
        "duration": "0.5s",
        "recovery_timeout": "20s",
        **more,
    }


def test_a_fault_that_is_seen_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its actions, their output, and the check of the recovery are in the result."""
    it = run_one(tmp_path, local_fault(tmp_path), monkeypatch)
    assert (it.skipped, it.failed, it.not_compared, it.notes) == (None, None, None, ())
    parts = [(item["part"], item["exit_code"]) for item in it.actions]
    assert parts == [("inject", 0), ("inject", 0), ("repair", 0), ("after", 0)]
    files = [tmp_path / "result" / str(item["output"]) for item in it.actions]
    assert "failing over" in files[0].read_text()
    assert "failed back" in files[2].read_text()
    assert why_not_shown(it) is None
    assert judge_fault(it).verdict == "pass"
    assert FaultResult.from_json(asdict(it)) == it


def test_a_fault_that_is_not_seen_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is repaired, the data are compared, and the verdict is neither pass nor fail."""
    fault = local_fault(tmp_path, happened="echo still optimal; false", happened_within="0.5s")
    it = run_one(tmp_path, fault, monkeypatch)
    assert it.failed is None
    assert not (tmp_path / "degraded").exists()
    assert it.compared["writes"]["lost"] == 0
    answer = judge_fault(it)
    assert answer.verdict == "unknown"
    assert "it was not seen to have happened" in (why_not_shown(it) or "")
    output = (tmp_path / "result" / str(it.actions[1]["output"])).read_text()
    assert "still optimal" in output


def test_a_failed_command_is_repaired_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have broken something before it failed."""
    fault = local_fault(tmp_path, command=f"touch {tmp_path}/degraded; echo denied >&2; exit 3")
    it = run_one(tmp_path, fault, monkeypatch)
    assert it.failed is not None
    assert it.failed.endswith("exit 3: denied")
    assert not (tmp_path / "degraded").exists()
    assert [item["part"] for item in it.actions] == ["inject", "repair", "after"]
    assert judge_fault(it).verdict == "unknown"


def test_a_repair_that_does_not_help_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`recovered` does not succeed, so that the storage did not recover in time."""
    fault = local_fault(tmp_path, recovered="echo rebuilding >&2; false", recovered_within="0.5s")
    it = run_one(tmp_path, fault, monkeypatch)
    assert it.recovered_unix_s is None
    assert any("rebuilding" in note for note in it.notes)
    assert judge_fault(it).verdict == "fail"


def test_an_interrupted_run_repairs_and_keeps_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal while the fault lasts."""
    flag = tmp_path / "degraded"
    known = background.hold

    def interrupted(group: Any, duration_s: float) -> None:
        if flag.exists():
            raise Interrupted("ended by SIGTERM")
        known(group, duration_s)

    monkeypatch.setattr(background, "hold", interrupted)
    with pytest.raises(Interrupted):
        run_one(tmp_path, local_fault(tmp_path), monkeypatch)
    assert not flag.exists()
    kept = sorted(path.name for path in (tmp_path / "result" / "commands").iterdir())
    assert kept == ["failover-01.txt", "failover-02.txt", "failover-03.txt"]


def test_commands_without_consent_do_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last check, immediately before the load."""
    it = run_one(tmp_path, local_fault(tmp_path), monkeypatch, consented=False)
    assert it.failed == "it would run commands of the site now, without --consent failover"
    assert it.actions == ()
    assert not (tmp_path / "result" / "commands").exists()
