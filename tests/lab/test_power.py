"""Management controllers, PDUs, buses and switches of a real lab, from inside its networks."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.check import prepare
from seatrial.labs.base import BusControl, EmulatorControl, NetworkControl, PowerLog
from seatrial.labs.emulation.running_lab import lab_of
from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.emulated import EmulatedLab
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh
from tests.builders.labs import assert_nothing_left, lab_study
from tests.builders.places import ROOT
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

OUTLET = ".1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.1"
ON = "1"
OFF = "2"


@dataclass
class Power:
    """A lab of one client with a controller and two supplies, and one without either."""

    lab: EmulatedLab
    ssh: OpenSsh
    addresses: dict[str, str]

    def ask(self, kind: str, name: str, *arguments: str) -> Any:
        """A client's request, from the network namespace of another emulator."""
        other = next(item for item in self.addresses if item != name)
        supervisor = lab_of(self.lab.folder).supervisor_pid
        inner = self.lab.ask(verb="status")["emulators"][other]["pid"]
        outside = [
            "nsenter",
            "--preserve-credentials",
            "--user",
            "--mount",
            "--pid",
            "--net",
            "--target",
            str(supervisor),
        ]
        inside = ["nsenter", "--net", "--target", str(inner)]
        port = {"snmp": "161"}.get(kind, "623")
        client = [
            sys.executable,
            "-m",
            "tests.power_clients",
            kind,
            self.addresses[name],
            port,
            *arguments,
        ]
        path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
        done = subprocess.run(
            [*outside, *inside, *client],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def bmc(self, what: str) -> Any:
        """A request to c1's controller."""
        return self.ask("ipmi", "c1-bmc", what)

    def bmc_answers(self) -> bool:
        """Whether the BMC answers."""
        return bool(self.ask("hears", "c1-bmc"))

    def outlet(self, pdu: str, to: str) -> Any:
        """Switch c1's outlet."""
        return self.ask("snmp", pdu, "set", OUTLET, to)

    def running(self) -> bool:
        """Whether c1's kernel runs."""
        return bool(self.lab.state()["c1"]["running"])

    def end_kernel(self, key: str) -> None:
        """Have c1 panic (`c`) or switch off (`o`), over a separate connection."""
        later = f"(sleep 0.3; echo {key} >/proc/sysrq-trigger) >/dev/null 2>&1 &"
        command = ["ssh", "-F", str(self.lab.ssh_config), "-o", "ControlPath=none", "c1", later]
        subprocess.run(command, check=True, timeout=30)

    def changes(self, since_s: float) -> list[tuple[str, str]]:
        """The events of c1, each with its cause."""
        return [
            (item["what"], item["by"])
            for item in self.lab.power_log()
            if item["node"] == "c1" and since_s <= item["unix_s"] <= unix_s()
        ]


@pytest.fixture(scope="module")
def power(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Power]:
    """Up once; every test leaves c1 running, with current on both buses."""
    folder = tmp_path_factory.mktemp("power")
    data = lab_study(f"power-{os.getpid()}", clients=1)
    data["networks"] = {"private": {}, "data": {}}
    data["pdus"] = {"pdu-a": {"network": "private"}, "pdu-b": {"network": "private"}}
    del data["nodes"]["c[1-1]"]
    data["nodes"]["c1"] = {
        "memory": "128MiB",
        "bmc": {"network": "private"},
        "power": ["pdu-a", "pdu-b"],
    }
    del data["experiments"]
    study = parse_study(text_of(data), folder / "study.yaml")
    _site, solution = prepare(study)
    lab = emulated.up(
        study,
        systemd_nodes=solution.servers,
        name=study.id,
        console=folder / "console",
        detached=False,
        say=print,
    )
    try:
        spec = json.loads((lab.folder / "spec.json").read_text())
        addresses = {item["name"]: item["interface"]["address"] for item in spec["emulators"]}
        yield Power(lab, OpenSsh(lab.ssh_config), addresses)
    finally:
        lab.down()
        assert_nothing_left(lab.folder)


def eventually(condition: Callable[[], bool], timeout_s: float = 10) -> bool:
    """Whether it becomes true in time."""
    limit = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.1)
    return True


def test_nodes_know_the_emulators(power: Power) -> None:
    """By name, on the network that they are on."""
    assert isinstance(power.lab, EmulatorControl)
    assert isinstance(power.lab, BusControl)
    assert isinstance(power.lab, NetworkControl)
    assert isinstance(power.lab, PowerLog)
    for name, address in power.addresses.items():
        done = power.ssh.run("nas", f"getent hosts {name} && ping -c1 -W2 {name} || true")
        assert address in done.stdout
        assert "1 received" in done.stdout or "ping" in done.stderr


def test_a_controller_ends_and_boots_the_kernel(power: Power) -> None:
    """When it has answered `off`, no process of the node is left; `on` makes it reachable again."""
    since_s = unix_s()
    assert power.bmc("status") == {"powerstate": "on"}
    assert power.bmc("off") == {"pendingpowerstate": "off"}
    assert not power.running()
    assert power.bmc("status") == {"powerstate": "off"}
    assert power.bmc("on") == {"pendingpowerstate": "on"}
    assert power.lab.wait_for_ssh("c1")["failure"] is None
    assert power.changes(since_s) == [("off", "c1-bmc"), ("on", "c1-bmc")]
    asked = [
        item
        for item in power.lab.power_requests()
        if item["emulator"] == "c1-bmc" and item["request"] == "off"
    ]
    assert asked[-1]["answer"] == "ok"
    assert asked[-1]["from"].startswith("pdu-")
    assert since_s <= asked[-1]["unix_s"] <= unix_s()


def test_both_outlets_take_the_node_and_its_controller(power: Power) -> None:
    """One does not. With the first current the node starts; the controller needs its boot time."""
    since_s = unix_s()
    assert power.outlet("pdu-a", OFF) == int(OFF)
    assert power.running()
    assert power.bmc_answers()
    power.outlet("pdu-b", OFF)
    assert not power.running()
    assert not power.bmc_answers()
    power.outlet("pdu-b", ON)
    assert not power.bmc_answers()
    assert eventually(power.bmc_answers)
    power.outlet("pdu-a", ON)
    assert power.lab.wait_for_ssh("c1")["failure"] is None
    assert power.changes(since_s) == [("off", "pdu-b outlet 1"), ("on", "pdu-b outlet 1")]


def test_a_bus_stops_its_unit_and_its_nodes_alone(power: Power) -> None:
    """The first bus only its PDU; the second the node."""
    since_s = unix_s()
    power.lab.bus("pdu-a", live=False)
    assert power.ask("snmp", "pdu-a", "get", OUTLET) == "outage"
    assert power.running()
    power.lab.bus("pdu-b", live=False)
    assert not power.running()
    with pytest.raises(RunError, match="has no current"):
        power.lab.power("c1", "on")
    power.lab.bus("pdu-a", live=True)
    power.lab.bus("pdu-b", live=True)
    assert power.lab.wait_for_ssh("c1")["failure"] is None
    assert power.changes(since_s) == [("off", "bus pdu-b"), ("on", "bus pdu-a")]


def test_a_false_bmc_leaves_the_node_running(power: Power) -> None:
    """A false BMC reports "off"; a slow one takes its time; a dead one does not answer."""
    since_s = unix_s()
    power.lab.emulator("c1-bmc", "lies")
    power.bmc("off")
    assert power.bmc("status") == {"powerstate": "off"}
    assert power.running()
    power.lab.emulator("c1-bmc", "slow", 1.0)
    begin_s = time.monotonic()
    assert power.bmc("status") == {"powerstate": "on"}
    assert time.monotonic() - begin_s >= 1.0
    power.lab.emulator("c1-bmc", "dead")
    assert not power.bmc_answers()
    power.lab.emulator("c1-bmc", "ok")
    assert power.bmc_answers()
    assert power.changes(since_s) == []


def test_cables_and_switches_of_emulators(power: Power) -> None:
    """An unplugged emulator, and a dead switch, are not reached; the node does not fall."""
    power.lab.link("c1-bmc", "private", up=False)
    assert not power.bmc_answers()
    power.lab.link("c1-bmc", "private", up=True)
    assert power.bmc_answers()
    power.lab.network("private", up=False)
    assert not power.bmc_answers()
    power.lab.network("private", up=True)
    assert eventually(power.bmc_answers)
    for network in ("control", "nowhere"):
        with pytest.raises(RunError, match="no network of the study"):
            power.lab.network(network, up=False)
    with pytest.raises(RunError, match="is not on network data"):
        power.lab.link("c1-bmc", "data", up=False)


def test_a_panic_leaves_the_power_on(power: Power) -> None:
    """As at a hung machine: `on` does nothing, off and on starts it.

    An orderly poweroff leaves it off.
    """
    since_s = unix_s()
    power.end_kernel("c")
    assert eventually(lambda: not power.running())
    assert power.bmc("status") == {"powerstate": "on"}
    power.bmc("on")
    assert not power.running()
    power.bmc("off")
    power.bmc("on")
    assert power.lab.wait_for_ssh("c1")["failure"] is None
    power.end_kernel("o")
    assert eventually(lambda: not power.running())
    assert eventually(lambda: power.bmc("status") == {"powerstate": "off"})
    power.bmc("on")
    assert power.lab.wait_for_ssh("c1")["failure"] is None
    ended = ("ended by itself", "c1")
    cycled = [("off", "c1-bmc"), ("on", "c1-bmc")]
    assert power.changes(since_s) == [ended, *cycled, ended, ("on", "c1-bmc")]


def test_the_operators_hand_is_before_all(power: Power) -> None:
    """A cut takes the controller along; freezing is as ever; a node without supplies is cut as
    ever.
    """
    since_s = unix_s()
    power.lab.power("c1", "off")
    assert not power.running()
    assert not power.bmc_answers()
    power.lab.power("c1", "on")
    assert power.lab.wait_for_ssh("c1")["failure"] is None
    assert eventually(power.bmc_answers)
    power.lab.power("c1", "frozen")
    assert power.bmc("status") == {"powerstate": "on"}
    power.bmc("off")
    assert not power.running()
    power.bmc("on")
    assert power.lab.wait_for_ssh("c1")["failure"] is None
    assert power.changes(since_s) == [
        ("off", "operator"),
        ("on", "operator"),
        ("frozen", "operator"),
        ("off", "c1-bmc"),
        ("on", "c1-bmc"),
    ]
