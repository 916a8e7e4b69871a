"""`kind: site-command`: its plan and the consent."""

import io
from pathlib import Path

import pytest

from seatrial.advice.redact import FREE, names_of
from seatrial.basics.errors import InputError, RunError
from seatrial.check import prepare
from seatrial.cli.batch_job import options_of_new_run
from seatrial.cli.confirming import NotConfirmed, confirm_faults
from seatrial.faults import consent
from seatrial.faults.base import NotHere, Roles, Scene, fault_kind
from seatrial.faults.evidence import needs
from seatrial.faults.site_actions import Purpose, SiteCheck, SiteCommand
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.matrix.resolve import resolve
from seatrial.result.evidence import Sign
from seatrial.run import run_study
from seatrial.start.beforehand import beforehand
from seatrial.transport import Completed, OpenSsh
from tests.builders.commands import Tty, in_process
from tests.builders.observers import Silent
from tests.builders.site_commands import FAILOVER, actions_of, parsed, site_study
from tests.builders.strategies import study, text_of

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
    assert actions.after == (
        SiteCheck("admin", "appliance status | grep -q ok", 120.0, Purpose.RECOVERED),
    )
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
    assert "1 fault without consent to run commands of the site or to cut" in done.stderr
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
            resolve(found, "full"),
            folder=folder / "result",
            wipe={},
            observer=Silent(),
            published=None,
        )
    assert not (folder / "result").exists()


def test_the_commands_are_printed_before_the_run() -> None:
    """A dry run prints the same sentences."""
    found = parsed({**FAILOVER, "recovered": "appliance ok"})
    sentences = list(beforehand(resolve(found, "full"), Path("none"), wipe={}))
    start = sentences.index("breaks: failover: a command of the site, for 20 s")
    assert sentences[start + 1 :] == [
        "failover runs commands of the site; --yes is not enough, --consent failover is",
        "failover: command on admin: appliance failover (at most 60 s)",
        (
            "failover: check happened on admin: appliance status | grep -q degraded (until it"
            " succeeds, at most 60 s)"
        ),
        "failover: repair on admin: appliance failback (at most 60 s)",
        "failover: check recovered on admin: appliance ok (until it succeeds, at most 120 s)",
    ]


@pytest.mark.parametrize(("answer", "agrees"), [("y\n", True), ("yes\n", True), ("\n", False)])
def test_a_person_confirms_each_fault(
    monkeypatch: pytest.MonkeyPatch, answer: str, agrees: bool
) -> None:
    """The terminal shows the commands before it asks."""
    shown = Tty()
    monkeypatch.setattr("sys.stdin", Tty(answer))
    monkeypatch.setattr("sys.stderr", shown)
    found = parsed()
    if agrees:
        assert confirm_faults(found, resolve(found, "full").planned_faults, ()) == ("failover",)
    else:
        with pytest.raises(NotConfirmed, match="no consent to failover; nothing was changed"):
            confirm_faults(found, resolve(found, "full").planned_faults, ())
    assert "command on admin: appliance failover" in shown.getvalue()
    assert shown.getvalue().endswith("Consent to failover? [y/N] ")


def test_a_named_fault_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown, and no answer is read."""
    shown = Tty()
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    monkeypatch.setattr("sys.stderr", shown)
    found = parsed()
    assert confirm_faults(found, resolve(found, "full").planned_faults, ("failover",)) == (
        "failover",
    )
    assert shown.getvalue() == ""


def test_a_consent_covers_all_repetitions_or_one() -> None:
    """By the name in the study, or by that of one repetition."""
    found = parsed({**FAILOVER, "repeat": 2})
    both = {"failover-01", "failover-02"}
    assert set(found.faults) == both
    assert (
        consent.without_consent(found, resolve(found, "full").planned_faults, ("failover",)) == ()
    )
    assert consent.expanded(found, ("failover",)) == both
    (missing,) = consent.without_consent(
        found, resolve(found, "full").planned_faults, ("failover-01",)
    )
    assert missing.name == "failover"


def test_commands_inside_several_faults_need_consent_too() -> None:
    """The consent depends on the actions, and not on the name of the kind."""
    parts = [FAILOVER, {"kind": "shell", "node": "c1", "command": "true", "repair": "true"}]
    found = parsed({"kind": "several", "parts": parts})
    assert [
        item.name for item in consent.site_faults(found, resolve(found, "full").planned_faults)
    ] == ["failover"]
    plain = parsed({"kind": "shell", "node": "c1", "command": "true", "repair": "true"})
    assert consent.site_faults(plain, resolve(plain, "full").planned_faults) == ()


def test_a_batch_job_repeats_the_consent() -> None:
    """The question was answered where the job was submitted."""
    words = options_of_new_run("full", (), (), Path("results"), ("failover",))
    assert words[words.index("--consent") + 1] == "failover"


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
