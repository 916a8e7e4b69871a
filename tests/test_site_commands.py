"""`kind: site-command`: its plan, the consent, the evidence, and the repair on every way out."""

import io
import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.preflight import _unreached_hosts
from seatrial.advice.redact import FREE, names_of
from seatrial.basics.errors import InputError, Interrupted, RunError
from seatrial.check import prepare
from seatrial.cli.batch_job import options_of_new_run
from seatrial.cli.confirming import NotConfirmed, confirm_faults
from seatrial.faults import aftermath as fault_aftermath
from seatrial.faults import consent, site_commands
from seatrial.faults import streams as fault_streams
from seatrial.faults import trial as fault_run
from seatrial.faults.base import Actions, NotHere, Roles, Scene, fault_kind, planned_fault
from seatrial.faults.evidence import needs
from seatrial.faults.injection import Injector, Undo
from seatrial.faults.inputs import FaultInputs
from seatrial.faults.site_actions import Purpose, SiteCheck, SiteCommand
from seatrial.faults.trial import run_fault
from seatrial.judge.checks.faults import judge_fault
from seatrial.judge.happened import why_not_shown
from seatrial.labs.base import SiteHosts
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.load.agent import push
from seatrial.load.clock_offsets import WallClocks
from seatrial.result.evidence import Sign
from seatrial.result.faults import FaultResult
from seatrial.result.result import SCHEMA, Writer, read_result
from seatrial.run import run_study
from seatrial.service.session import Session
from seatrial.start.beforehand import beforehand
from seatrial.study.study import Study, parse_study
from seatrial.transport import Completed, Local, OpenSsh
from tests.commands import in_process
from tests.strategies import study, text_of
from tests.test_confirming import Tty
from tests.test_deployed import Silent
from tests.test_faults import Lab

STREAM = {
    "phases": ["write"],
    "transfer_size": "4KiB",
    "file_size": "64MiB",
    "pattern": "random",
    "arrivals_per_s": 20,
    "fsync": "transfer",
    "time_based": True,
    "time_limit": "30min",
}
FAILOVER = {
    "kind": "site-command",
    "host": "admin",
    "command": "appliance failover",
    "repair": "appliance failback",
    "happened": "appliance status | grep -q degraded",
}


def site_study(fault: dict[str, Any] | None = None, directory: str = "/gpfs/scratch", **more: Any) -> dict[str, Any]:
    """A study of existing storage with a fault that runs commands of the site."""
    return {
        "schema": "study/1",
        "id": "scratch",
        "environment": {"kind": "hosts"},
        "nodes": {"c[1-2]": {}},
        "solution": {"kind": "mount", "directory": directory},
        "background_load": {"writes": {"workload": STREAM}},
        "faults": {"failover": fault or FAILOVER},
        "criteria": [{"id": "survived", "check": "faults"}],
        **more,
    }


def parsed(fault: dict[str, Any] | None = None, **more: Any) -> Study:
    """The same, as a study."""
    return parse_study(text_of(site_study(fault, **more)), Path("study.yaml"))


def actions_of(found: Study) -> Actions:
    """The actions of its fault."""
    site, solution = prepare(found)
    scene = Scene(found, site, solution, Roles.before(solution))
    return planned_fault(found, "failover", found.faults["failover"]).actions(scene)


# ---- the plan


def test_the_commands_run_on_the_named_host_in_order() -> None:
    """The check of the effect is a part of the injection, and recovery follows the repair."""
    fault = {**FAILOVER, "recovered": "appliance status | grep -q ok", "timeout": "90s"}
    actions = actions_of(parsed(fault))
    assert actions.inject == (
        SiteCommand("admin", "appliance failover", 90.0),
        SiteCheck("admin", "appliance status | grep -q degraded", 60.0, Purpose.HAPPENED),
    )
    assert actions.repair == (SiteCommand("admin", "appliance failback", 90.0),)
    assert actions.after == (SiteCheck("admin", "appliance status | grep -q ok", 120.0, Purpose.RECOVERED),)
    assert actions.waits_s == 90.0 + 60.0 + 90.0 + 120.0


def test_the_controller_is_the_default_host() -> None:
    """Nothing else is needed but the three commands."""
    fault = {key: value for key, value in FAILOVER.items() if key != "host"}
    actions = actions_of(parsed(fault))
    assert {item.host for item in actions.inject if isinstance(item, SiteCommand)} == {"localhost"}
    assert actions.after == ()


@pytest.mark.parametrize("key", ["command", "repair", "happened"])
def test_a_fault_needs_a_command_a_repair_and_a_check(key: str) -> None:
    """Without a check, nothing proves that the fault happened."""
    fault = {name: value for name, value in FAILOVER.items() if name != key}
    with pytest.raises(InputError, match=f"faults.failover.{key}"):
        prepare(parsed(fault))


def test_the_lab_has_no_site() -> None:
    """The fault is skipped there, and needs no consent."""
    whole = study()
    site, solution = prepare(whole)
    kind = fault_kind("site-command")
    options = kind.Options.model_validate({k: v for k, v in FAILOVER.items() if k != "kind"})
    with pytest.raises(NotHere, match="the lab has no machines of a site"):
        kind.actions(options, Scene(whole, site, solution, Roles.before(solution)))


def test_each_action_has_a_sign() -> None:
    """A check of the recovery proves nothing about the fault."""
    lab = HostsLab(None)
    command, happened = actions_of(parsed()).inject
    assert needs(command, lab) == (Sign.COMMAND_SUCCEEDED,)
    assert needs(happened, lab) == (Sign.CHECK_SUCCEEDED,)
    assert needs(SiteCheck("admin", "true", 1.0, Purpose.RECOVERED), lab) == ()


# ---- the consent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the study; no node of it may be asked."""
    (tmp_path / "study.yaml").write_text(text_of(site_study()))
    monkeypatch.setattr(OpenSsh, "run", lambda *_, **__: pytest.fail("a node was asked"))
    return tmp_path


def test_a_yes_to_the_run_is_not_enough(folder: Path) -> None:
    """Exit code 2, before any node is asked, and without a result."""
    done = in_process("run", "study.yaml", "--yes", cwd=folder)
    assert done.returncode == 2
    assert "1 fault without consent to run commands of the site: failover" in done.stderr
    assert "--yes is not enough" in done.stderr
    assert "then add --consent failover" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["study.yaml"]


def test_a_consent_to_an_unknown_fault_is_refused(folder: Path) -> None:
    """A misspelt name must not pass unnoticed."""
    done = in_process("run", "study.yaml", "--yes", "--consent", "failovr", cwd=folder)
    assert done.returncode == 2
    assert "--consent failovr: no fault is called that; did you mean 'failover'?" in done.stderr


def test_with_consent_the_nodes_are_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They refuse here."""
    asked = []

    def refuse(_self: OpenSsh, node: str, *_: object, **__: object) -> Completed:
        asked.append(node)
        raise RunError(f"{node}: ssh: refused")

    monkeypatch.setattr(OpenSsh, "run", refuse)
    done = in_process("run", "study.yaml", "--yes", "--consent", "failover", cwd=folder)
    assert done.returncode == 4, done.stderr
    assert set(asked) == {"c1", "c2"}


def test_the_run_itself_refuses_too(folder: Path) -> None:
    """Not only the command line: no result is begun."""
    found = parsed()
    with pytest.raises(InputError, match="--yes is not enough"):
        run_study(
            found,
            "full",
            only=(),
            folder=folder / "result",
            wipe={},
            observer=Silent(),
            published=None,
        )
    assert not (folder / "result").exists()


def test_the_commands_are_printed_before_the_run() -> None:
    """A dry run prints the same sentences."""
    found = parsed({**FAILOVER, "recovered": "appliance ok"})
    sentences = list(beforehand((found, *prepare(found)), "full", Path("none"), only=(), wipe={}))
    start = sentences.index("breaks: failover: a command of the site, for 20 s")
    assert sentences[start + 1 :] == [
        "failover runs commands of the site; --yes is not enough, --consent failover is",
        "failover: command on admin: appliance failover (at most 60 s)",
        "failover: check happened on admin: appliance status | grep -q degraded (until it succeeds, at most 60 s)",
        "failover: repair on admin: appliance failback (at most 60 s)",
        "failover: check recovered on admin: appliance ok (until it succeeds, at most 120 s)",
    ]


@pytest.mark.parametrize(("answer", "agrees"), [("y\n", True), ("yes\n", True), ("\n", False)])
def test_a_person_confirms_each_fault(monkeypatch: pytest.MonkeyPatch, answer: str, agrees: bool) -> None:
    """The terminal shows the commands before it asks."""
    shown = Tty()
    monkeypatch.setattr("sys.stdin", Tty(answer))
    monkeypatch.setattr("sys.stderr", shown)
    found = parsed()
    if agrees:
        assert confirm_faults(found, found.faults, ()) == ("failover",)
    else:
        with pytest.raises(NotConfirmed, match="no consent to failover; nothing was changed"):
            confirm_faults(found, found.faults, ())
    assert "command on admin: appliance failover" in shown.getvalue()
    assert shown.getvalue().endswith("Consent to failover? [y/N] ")


def test_a_named_fault_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown, and no answer is read."""
    shown = Tty()
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    monkeypatch.setattr("sys.stderr", shown)
    found = parsed()
    assert confirm_faults(found, found.faults, ("failover",)) == ("failover",)
    assert shown.getvalue() == ""


def test_a_consent_covers_all_repetitions_or_one() -> None:
    """By the name in the study, or by that of one repetition."""
    found = parsed({**FAILOVER, "repeat": 2})
    both = {"failover-01", "failover-02"}
    assert set(found.faults) == both
    assert consent.without_consent(found, found.faults, ("failover",)) == ()
    assert consent.expanded(found, ("failover",)) == both
    (missing,) = consent.without_consent(found, found.faults, ("failover-01",))
    assert missing.name == "failover"


def test_commands_inside_several_faults_need_consent_too() -> None:
    """The consent depends on the actions, and not on the name of the kind."""
    parts = [FAILOVER, {"kind": "shell", "node": "c1", "command": "true", "repair": "true"}]
    found = parsed({"kind": "several", "parts": parts})
    assert [item.name for item in consent.site_faults(found, found.faults)] == ["failover"]
    plain = parsed({"kind": "shell", "node": "c1", "command": "true", "repair": "true"})
    assert consent.site_faults(plain, plain.faults) == ()


def test_a_batch_job_repeats_the_consent() -> None:
    """The question was answered where the job was submitted."""
    words = options_of_new_run("full", (), (), Path("results"), ("failover",))
    assert words[words.index("--consent") + 1] == "failover"


# ---- the commands


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
    assert kept[0] == ("on localhost: echo moved; echo slowly >&2\nexit code 0\nstdout:\nmoved\nstderr:\nslowly\n")
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


def test_a_check_is_repeated_until_it_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    ((_, process),) = it._armed.values()
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
    assert list(_unreached_hosts(it.session)) == [warning]


def test_a_copy_for_publication_has_no_machine_of_the_site() -> None:
    """Hosts of commands and observed servers are replaced; their output is left out."""
    mount = {"kind": "mount", "directory": "/gpfs/scratch", "servers": "oss[1-2]"}
    found = parsed({**FAILOVER, "host": "storage-admin"}, solution=mount)
    copied = names_of(found).replaced("on storage-admin: x; load of the server oss2: y")
    assert "storage-admin" not in copied
    assert "oss" not in copied
    assert "commands" in FREE
    local = names_of(parsed({**FAILOVER, "host": "localhost"}))
    assert local.replaced("on localhost: x") == "on localhost: x"


# ---- one fault, with real agents on this machine


def run_one(
    folder: Path,
    fault: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    *,
    consented: bool = True,
) -> FaultResult:
    """The result of one fault of existing storage with two clients."""
    monkeypatch.setattr(fault_run, "BASELINE_S", 0.2)
    monkeypatch.setattr(fault_aftermath, "AFTERMATH_S", 0.2)

    def make(_transport: Any, _node: str, _base: str, path: str, _sudo: Any) -> None:
        Path(path).mkdir(parents=True)

    monkeypatch.setattr(fault_streams, "make_directory", make)
    whole = parsed(fault, directory=str(folder / "storage"))
    site, solution = prepare(whole)
    lab = HostsLab(None, transport=Local())
    session = Session(whole, site, solution, lab, Local())
    writer = Writer(folder / "result")
    writer.line("run", schema=SCHEMA)
    agent, observer = push(Local(), ["c1"]), Silent()
    clocks = WallClocks(observer.say, writer.line)
    names = frozenset({"failover"} if consented else ())
    basics = session, agent, "00000000000000fa", lambda count: count
    inputs = FaultInputs(*basics, writer, observer, clocks, names)
    try:
        run_fault(inputs, whole.background_load, "failover", whole.faults["failover"])
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
    files = [tmp_path / "result" / item["output"] for item in it.actions]
    assert "failing over" in files[0].read_text()
    assert "failed back" in files[2].read_text()
    assert why_not_shown(it) is None
    assert judge_fault(it).verdict == "pass"
    assert FaultResult.from_json(asdict(it)) == it


def test_a_fault_that_is_not_seen_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is repaired, the data are compared, and the verdict is neither pass nor fail."""
    fault = local_fault(tmp_path, happened="echo still optimal; false", happened_within="0.5s")
    it = run_one(tmp_path, fault, monkeypatch)
    assert it.failed is None
    assert not (tmp_path / "degraded").exists()
    assert it.compared["writes"]["lost"] == 0
    answer = judge_fault(it)
    assert answer.verdict == "unknown"
    assert "it was not seen to have happened" in (why_not_shown(it) or "")
    output = (tmp_path / "result" / it.actions[1]["output"]).read_text()
    assert "still optimal" in output


def test_a_failed_command_is_repaired_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have broken something before it failed."""
    fault = local_fault(tmp_path, command=f"touch {tmp_path}/degraded; echo denied >&2; exit 3")
    it = run_one(tmp_path, fault, monkeypatch)
    assert it.failed is not None
    assert it.failed.endswith("exit 3: denied")
    assert not (tmp_path / "degraded").exists()
    assert [item["part"] for item in it.actions] == ["inject", "repair", "after"]
    assert judge_fault(it).verdict == "unknown"


def test_a_repair_that_does_not_help_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`recovered` does not succeed, so that the storage did not recover in time."""
    fault = local_fault(tmp_path, recovered="echo rebuilding >&2; false", recovered_within="0.5s")
    it = run_one(tmp_path, fault, monkeypatch)
    assert it.recovered_unix_s is None
    assert any("rebuilding" in note for note in it.notes)
    assert judge_fault(it).verdict == "fail"


def test_an_interrupted_run_repairs_and_keeps_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal while the fault lasts."""
    flag, known = tmp_path / "degraded", fault_run._pass

    def interrupted(group: Any, duration_s: float) -> None:
        if flag.exists():
            raise Interrupted("ended by SIGTERM")
        known(group, duration_s)

    monkeypatch.setattr(fault_run, "_pass", interrupted)
    with pytest.raises(Interrupted):
        run_one(tmp_path, local_fault(tmp_path), monkeypatch)
    assert not flag.exists()
    kept = sorted(path.name for path in (tmp_path / "result" / "commands").iterdir())
    assert kept == ["failover-01.txt", "failover-02.txt", "failover-03.txt"]


def test_commands_without_consent_do_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last check, immediately before the load."""
    it = run_one(tmp_path, local_fault(tmp_path), monkeypatch, consented=False)
    assert it.failed == "it would run commands of the site now, without --consent failover"
    assert it.actions == ()
    assert not (tmp_path / "result" / "commands").exists()
