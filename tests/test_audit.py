"""An audit without a lab: it reports each difference with the present value, and changes
nothing.
"""

import copy
import getpass
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from seatrial.advice.audit import audit, audit_text
from seatrial.advice.audit_base import PROBE, every_finding, facts_of
from seatrial.check import prepare
from seatrial.cli.dry_run import _pending
from seatrial.judge.published import published_data
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.plan.plan import Plan, Stage, Step, command_step, write_file
from seatrial.service.deploy import apply_plan
from seatrial.service.session import Session
from seatrial.transport import Local
from tests.builders.mounts import mounted
from tests.builders.strategies import MINIMAL, study


@pytest.fixture(autouse=True)
def deployed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No study's mark is on the machine at hand, which is taken for one that has it."""
    monkeypatch.setattr("seatrial.advice.audit._is_deployed", lambda *_: True)
    return monkeypatch


def session_of(plan: Plan, kind: str = "nfs") -> Session:
    """Of one node, which is this machine, and has no peer that could be asked for."""
    solution = SimpleNamespace(plan=lambda _: plan, servers=("here",), clients=("here",))
    site = SimpleNamespace(nodes={"here": SimpleNamespace(address="127.0.0.1")})
    return cast(
        Session,
        SimpleNamespace(
            study=SimpleNamespace(solution=SimpleNamespace(kind=kind)),
            solution=solution,
            site=site,
            transport=Local(),
            deploy=lambda plan, mode: apply_plan(plan, Local(), mode=mode),
        ),
    )


def plan_of(*steps: Step, secrets: Sequence[str] = ()) -> Plan:
    """One stage on this machine."""
    return Plan("t", "t", (Stage("s", {"here": steps}),), secrets=tuple(secrets))


def test_a_difference_is_reported_with_the_present_value(tmp_path: Path) -> None:
    """The lines that differ, the reason for the setting and its cost; the file stays unchanged."""
    path = tmp_path / "conf"
    path.write_text("a = 1\nb = hunter2\nc = 3\n")
    step = write_file(
        str(path), "a = 1\nb = 2\nc = 3", title="configure", reason="b is slow", shown=True
    )
    mtu = command_step(
        "MTU 9000", "false", "false", shows="echo now: MTU 1500\ncat", option="jumbo"
    )
    fine = command_step("fine", "true", "false", shows="echo this text must not appear")
    plan = plan_of(step, fine, mtu, secrets=["hunter2"])
    found = audit(session_of(plan), [], published_data("network-storage-clusters"))
    assert [(item.step, item.found, item.why) for item in found.differs] == [
        ("configure", ("now: b = ********", "study: b = 2"), "b is slow"),
        ("MTU 9000", ("now: MTU 1500",), ""),
    ]
    assert not found.clean
    text = audit_text(found)
    assert "2 of 3 settings" in text
    assert "      now: MTU 1500\n      cost: published" in text
    assert "with jumbo frames write -20%" in text
    assert path.read_text() == "a = 1\nb = hunter2\nc = 3\n"


def test_the_second_of_two_equal_titles_shows_its_own_state() -> None:
    """And it alone is listed; programs get no index of the step."""
    fine = command_step("MTU 9000", "true", "false", shows="echo now: 9000")
    differs = command_step("MTU 9000", "false", "false", shows="echo now: 1500", reason="slow")
    found = audit(session_of(plan_of(fine, differs)), [], {})
    assert [(item.index, item.found, item.why) for item in found.differs] == [
        (2, ("now: 1500",), "slow")
    ]
    shown = found.to_json()["differs"]
    assert [list(item) for item in shown] == [
        ["stage", "stage_title", "node", "step", "result", "took_s", "found", "why", "option"]
    ]


def test_a_dry_run_lists_one_of_two_equal_titles() -> None:
    """Only the step that would change something remains in the plan."""
    fine = command_step("MTU 9000", "true", "false")
    differs = command_step("MTU 9000", "false", "false")
    plan = plan_of(fine, differs)
    assert _pending(session_of(plan), plan).stages[0].steps == {"here": (differs,)}


def test_a_file_with_a_secret_is_not_shown() -> None:
    """Neither the text of the plan nor the text on the node."""
    data = copy.deepcopy(MINIMAL)
    data["solution"] = {
        "kind": "smb",
        "raid": data["solution"]["raid"],
        "password": "hunter2hunter2",
    }
    plan = prepare(study(data))[1].plan({})
    steps = [step for stage in plan.stages for steps in stage.steps.values() for step in steps]
    assert any("hunter2" in (step.shell.content or "") for step in steps)
    assert not [
        step.title
        for step in steps
        if "hunter2" in step.shell.shows or "credentials" in step.shell.shows
    ]


def test_that_a_study_is_about_sshfs_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one where the study asks for NFS."""
    plan = plan_of(command_step("fine", "true", "false"))
    text = "echo 'mount u@nas:/ /mnt/z fuse.sshfs rw'"
    monkeypatch.setattr("seatrial.advice.audit.probe", lambda: text)
    assert audit(session_of(plan, "sshfs"), [], {}).clean
    assert [item.what for item in audit(session_of(plan), [], {}).findings] == [
        "/mnt/z is mounted by sshfs"
    ]


# ---- the probe and its rules

CONF = """\
[global]
  ; server signing = disabled
  server smb encrypt = off
  log file = /x=y

[my share]
  Strict  Sync = No
  sync always = yes
"""
SSHFS = "sshfs sshfs u@nas:/srv /mnt/z -o Compression=yes,allow_other\n"


def test_the_probe_reads_the_configuration_that_a_samba_server_runs_with(tmp_path: Path) -> None:
    """Section by section; a comment is no setting."""
    (tmp_path / "seatrial-smb-x").mkdir()
    (tmp_path / "seatrial-smb-x" / "smb.conf").write_text(CONF)
    script = PROBE.replace("/run/seatrial-smb-", f"{tmp_path}/seatrial-smb-")
    done = subprocess.run(
        ["sh", "-s", "x"], input=script, capture_output=True, text=True, timeout=20, check=False
    )
    facts = facts_of("nas", done.stdout)
    assert facts.shares["global"] == {"server smb encrypt": "off", "log file": "/x=y"}
    assert facts.shares["my share"] == {"strict sync": "no", "sync always": "yes"}
    assert [item.what for item in every_finding([facts])][:2] == [
        "[global] has server smb encrypt = off",
        "[my share] has strict sync = no",
    ]


def found_in(**texts: str) -> dict[str, Any]:
    """The findings, and their nodes."""
    return {
        item.what: item.node for item in every_finding([facts_of(*item) for item in texts.items()])
    }


def test_options_of_ssh_are_found_in_its_process() -> None:
    """There is no finding for an unknown process."""
    mount = "mount u@nas:/srv /mnt/z fuse.sshfs rw\n"
    assert set(found_in(c1=mount + SSHFS)) == {
        "/mnt/z is mounted by sshfs",
        "/mnt/z is compressed by ssh",
        "/mnt/z does not connect again",
        "/mnt/z has no ServerAliveInterval",
    }
    well = "sshfs sshfs -o ServerAliveInterval=15,Compression=no,reconnect u@nas:/srv /mnt/z\n"
    assert set(found_in(c1=mount + well)) == {"/mnt/z is mounted by sshfs"}
    assert set(found_in(c1=mount)) == {"/mnt/z is mounted by sshfs"}


def test_an_mtu_is_reported_for_the_node_that_differs() -> None:
    """Not for the first node."""
    texts = {"c1": "value mtu 9000", "c2": "value mtu 1500", "nas": "value mtu 9000"}
    assert list(found_in(**texts).values()) == ["c2"]


def test_small_requests_of_smb_are_found() -> None:
    """As those of NFS."""
    mount = "mount //nas/x /mnt/y cifs rw,vers=3.1.1,cache=strict,hard,rsize=32768,wsize=4194304"
    assert list(found_in(c1=mount)) == ["/mnt/y (//nas/x) has rsize=32768"]


def test_a_missing_deployment_is_one_sentence(tmp_path: Path, deployed: pytest.MonkeyPatch) -> None:
    """And not step by step; existing storage has a mark."""
    deployed.undo()
    data = {**mounted(str(tmp_path), filesystem="x"), "nodes": {"localhost": {}}, "experiments": {}}
    made = study(data)
    site, solution = prepare(made)
    session = Session(made, site, solution, HostsLab(None), Local())
    found = audit(session, [], {})
    assert not found.clean
    assert (found.differs, found.steps) == ((), 0)
    assert audit_text(found).startswith("not deployed: no node has the study's mark")
    (tmp_path / f"seatrial-{getpass.getuser()}").mkdir()
    (tmp_path / f"seatrial-{getpass.getuser()}/.seen-by-localhost").touch()
    assert audit(session, [], {}).deployed
