"""Power faults on real hosts: the requests to a controller, the timer on the second machine, and
the refusals.
"""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.check import prepare
from seatrial.faults.base import Actions, Power, Revive, Roles, Scene, fault_case
from seatrial.faults.consent import site_faults
from seatrial.faults.injection import Injector
from seatrial.labs.host_power import HostPower
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.matrix.resolve import resolve
from seatrial.plan.site import SiteBmc
from seatrial.result.evidence import Sign
from seatrial.service.session import Session
from seatrial.study.study import Study, parse_study
from seatrial.transport import Local
from tests.builders.strategies import MINIMAL, text_of

BMC = {"network": "data", "address": "{node}-bmc", "user": "admin", "password_file": "/etc/bmc"}
STREAM = {
    "phases": ["write"],
    "transfer_size": "4KiB",
    "file_size": "64MiB",
    "arrivals_per_s": 4,
    "fsync": "transfer",
    "time_based": True,
    "time_limit": "30min",
}
IPMITOOL = """\
#!/bin/sh
# A controller: its state is in $STATE, its requests are in $LOG.
echo "$*" >>"$LOG"
for last; do :; done
case $last in
on | off) [ -e "$STATE.stuck" ] || echo "$last" >"$STATE" ;;
status) echo "Chassis Power is $(cat "$STATE")" ;;
esac
"""
PING = """\
#!/bin/sh
[ ! -e "$STATE.hangs" ]
"""
CURL = """\
#!/bin/sh
# A Redfish service: curl's own options come first, the URL is last.
cat >"$STATE.secret"
echo "$*" >>"$LOG"
for last; do :; done
case $last in
*/Systems) echo '{"@odata.id":"/redfish/v1/Systems","Members":['
    echo '{"@odata.id":"/redfish/v1/Systems/1"}]}' ;;
*/Actions/*) case $* in *ForceOff*) echo Off ;; *) echo On ;; esac >"$STATE" ;;
*) printf '{"Id":"1","PowerState":"%s","Status":{"Health":"OK"}}\\n' "$(cat "$STATE")" ;;
esac
"""


def study_of_hosts(**environment: Any) -> Study:
    """One NFS server with a controller, and a fault that cuts its power."""
    disks = {"count": 6, "devices": [f"/dev/sd{letter}" for letter in "bcdefg"]}
    data = {
        **MINIMAL,
        "environment": {"kind": "hosts", **environment},
        "nodes": {"nas": {"disks": disks, "bmc": BMC}, "c[1-4]": {}},
        "background_load": {"writes": {"workload": STREAM}},
        "faults": {
            "cut": {"kind": "power-cut", "node": "nas"},
            "crash": {"kind": "panic", "node": "nas"},
            "stop": {"kind": "freeze", "node": "nas"},
        },
    }
    return parse_study(text_of(data), Path("study.yaml"))


def actions_of(found: Study, name: str) -> Actions:
    """The actions of a fault."""
    site, solution = prepare(found)
    scene = Scene(found, site, solution, Roles.before(solution))
    return fault_case(resolve(found, "full", ()).base, name, found.faults[name]).planned.actions(
        scene
    )


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A controller of each protocol; the folder has its state and the requests."""
    for name, text in (("ipmitool", IPMITOOL), ("curl", CURL), ("ping", PING)):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "password").write_text("secret\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("STATE", str(tmp_path / "state"))
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    (tmp_path / "state").write_text("on\n")
    return tmp_path


def power(folder: Path, protocol: str = "ipmi") -> HostPower:
    """The controller of `nas`, reached from this machine in place of the second one."""
    bmc = SiteBmc("nas-bmc", "admin", password_file=str(folder / "password"), protocol=protocol)
    return HostPower("admin01", Local(), {"nas": bmc}, {"nas": "127.0.0.1", "c1": "c1"})


@pytest.mark.parametrize("protocol", ["ipmi", "redfish"])
def test_a_controller_switches_and_reports(tools: Path, protocol: str) -> None:
    """Off and on, until the controller reports the state; no list of processes has the password."""
    found = power(tools, protocol)
    for state in ("off", "on"):
        found.set("nas", state)
        assert (tools / "state").read_text().strip().lower() == state
    requests = (tools / "log").read_text()
    assert "secret" not in requests
    if protocol == "redfish":
        assert (tools / "state.secret").read_text() == 'user = "admin:secret"\n'
        assert '{"ResetType": "ForceOff"}' in requests
    else:
        wanted = f"-I lanplus -H nas-bmc -U admin -f {tools}/password chassis power off"
        assert requests.splitlines()[0] == wanted


def test_a_controller_that_reports_another_state_is_an_error(
    tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An accepted request is no evidence."""
    (tools / "state.stuck").touch()
    monkeypatch.setattr("seatrial.labs.host_power.REPORTED_S", 1)
    words = "admin01 could not switch nas off: the controller nas-bmc accepted power off, and does"
    with pytest.raises(RunError, match=words):
        power(tools).set("nas", "off")


@pytest.mark.parametrize(
    ("state", "hangs", "requests"),
    [
        ("off", False, ["status", "on", "status"]),
        ("on", False, ["status"]),
        ("on", True, ["status", "off", "status", "on", "status"]),
    ],
)
def test_the_timer_restores_the_power_and_leaves_a_host_that_answers_alone(
    tools: Path, state: str, hangs: bool, requests: list[str]
) -> None:
    """It may end although nothing is broken."""
    (tools / "state").write_text(f"{state}\n")
    if hangs:
        (tools / "state.hangs").touch()
    done = Local().run("admin01", power(tools).restoring("nas"))
    assert done.exit_code == 0, done.stderr
    assert (tools / "state").read_text() == "on\n"
    lines = (tools / "log").read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == requests


def hosts(folder: Path | None) -> HostsLab:
    """The lab, with a second machine or without one."""
    return HostsLab(None, transport=Local(), power=power(folder) if folder else None)


def test_without_a_second_machine_the_fault_is_refused(tools: Path) -> None:
    """So is what a controller cannot do, and a node without one."""
    cut = Power("nas", "off")
    crash = Revive("nas")
    for action in (cut, crash):
        assert "needs environment.power_control" in str(action.problem(hosts(None)))
        assert action.problem(hosts(tools)) is None
    assert "cannot set the state frozen" in str(Power("nas", "frozen").problem(hosts(tools)))
    assert Power("c1", "off").problem(hosts(tools)) == "c1 has no bmc in the study"
    assert "second machine" in str(Power("admin01", "off").problem(hosts(tools)))


@pytest.mark.parametrize(("name", "is_refused"), [("cut", False), ("crash", False), ("stop", True)])
def test_a_whole_fault_is_looked_at_before_its_injection(
    tools: Path, name: str, is_refused: bool
) -> None:
    """A fault that only half of the actions are possible of would leave a broken node."""
    found = study_of_hosts(power_control="admin01")
    site, solution = prepare(found)
    session = Session(found, site, solution, hosts(tools), Local(), outlives_run=True)
    assert bool(Injector(session).missing(actions_of(found, name))) == is_refused


def test_the_power_is_cut_with_a_timer_and_the_repair_ends_it(tools: Path) -> None:
    """The controller's report is the evidence."""
    found = study_of_hosts(power_control="admin01")
    site, solution = prepare(found)
    session = Session(found, site, solution, hosts(tools), Local(), outlives_run=True)
    actions = actions_of(found, "cut")
    timer = actions.repair[0].repair_command(session)
    assert timer is not None
    assert timer.machine == "admin01"
    it = Injector(session)
    it.arm(actions.repair, 300.0)
    (running,) = it._armed.values()
    it.inject(actions.inject)
    assert (tools / "state").read_text() == "off\n"
    assert Sign.POWER_OFF in it.done[-1].seen
    it.repair(actions.repair[0])
    assert (tools / "state").read_text() == "on\n"
    assert it._armed == {}
    assert running.timer.machine == "admin01"


def test_power_cuts_of_real_hosts_need_consent() -> None:
    """Those of a lab need none."""
    found = study_of_hosts(power_control="admin01")
    needing = site_faults(found, resolve(found, "full", ()).planned_faults)
    assert {item.name: item.lines for item in needing} == {
        "cut": ("cut the power of nas by its management controller",),
        "crash": ("cut and restore the power of nas, unless it answers",),
    }


@pytest.mark.parametrize(
    ("machine", "words"),
    [("localhost", "name a second machine"), ("admin01", "no node has a bmc")],
)
def test_a_machine_that_could_restore_nothing_is_refused(machine: str, words: str) -> None:
    """At its place in the study."""
    data = {
        **MINIMAL,
        "environment": {"kind": "hosts", "power_control": machine},
        "nodes": {
            "nas": {"disks": {"count": 2, "devices": ["/dev/sdb", "/dev/sdc"]}},
            "c[1-4]": {},
        },
        "solution": {"kind": "nfs", "raid": {"level": 1}},
    }
    with pytest.raises(InputError, match=f"environment.power_control: .*{words}"):
        prepare(parse_study(text_of(data), Path("study.yaml")))
