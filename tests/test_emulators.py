"""Emulator processes over real sockets: the supervisor's part is real, the nodes are not."""

import asyncio
import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.labs.emulation import snmp, supervisor_emulators
from seatrial.labs.emulation.journal import Journal
from seatrial.labs.emulation.power import PowerModel
from seatrial.labs.emulation.supervisor_emulators import Emulators, run
from seatrial.labs.emulation.supervisor_spec import (
    EmulatorSpec,
    InterfaceSpec,
    NodeSpec,
    SupervisorSpec,
    SupplySpec,
)
from tests.power_clients import AUTHENTICATION, exchange, outlet

NAMES = {"srv1-bmc": "srv1", "pdu-a": None, "pdu-b": None}
STATUS = ".1.3.6.1.4.1.318.1.1.12.3.5.1.1.4."
NAME = ".1.3.6.1.4.1.318.1.1.12.3.5.1.1.2."
CONTROL = ".1.3.6.1.4.1.318.1.1.12.3.3.1.1.4."
ON = 1
OFF = 2
REBOOT = 3


def free_port() -> int:
    """A port that no process uses now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        return int(own.getsockname()[1])


class FakeSupervisor:
    """Emulators and model as in a supervisor; a change of power is only noted."""

    def __init__(self, folder: Path) -> None:
        face = InterfaceSpec("data", "127.0.0.1", "02:00:00:00:00:01", "tap", "port", None)
        supplies = (SupplySpec("pdu-a", 1), SupplySpec("pdu-b", 1))
        node = NodeSpec("srv1", 2**27, systemd=True, disks=(), interfaces=(), supplies=supplies)
        emulators = tuple(EmulatorSpec(name, node, face) for name, node in NAMES.items())
        spec = SupervisorSpec(
            "x", str(folder), str(folder), "", "", "", 0, (), (node,), {}, 1.0, emulators
        )
        self.model = PowerModel({"srv1": supplies}, ("pdu-a", "pdu-b"), boot_s=0.5)
        self.journal = Journal(folder / "power.jsonl")
        self.emulators = Emulators(spec, self.model, self.journal, self.change)
        self.changes: list[tuple[bool, str]] = []
        self.ports = {name: free_port() for name in NAMES}
        self._loop = asyncio.new_event_loop()
        self._control = folder / "control"
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._processes: list[subprocess.Popen[bytes]] = []

    async def change(self, change: Callable[[], None], by: str) -> None:
        """The model's part of a supervisor's `_change`."""
        before = self.model.powered("srv1")
        change()
        if self.model.powered("srv1") != before:
            self.changes.append((not before, by))

    async def _serve(self) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            request = json.loads(await reader.readline())
            writer.write(json.dumps(await self.emulators.answer(request)).encode() + b"\n")
            await writer.drain()
            writer.close()

        async with await asyncio.start_unix_server(answer, str(self._control)):
            await self._stop.wait()

    def __enter__(self) -> "FakeSupervisor":
        self._thread.start()
        for name, node in NAMES.items():
            module = f"seatrial.labs.emulation.{'bmc' if node else 'pdu'}_emulator"
            command = [
                sys.executable,
                "-m",
                module,
                str(self._control),
                name,
                str(self.ports[name]),
            ]
            while not self._control.exists():
                time.sleep(0.01)
            self._processes.append(subprocess.Popen(command))
        limit = time.monotonic() + 20
        while not all(item.ready.is_set() for item in self.emulators.all.values()):
            assert time.monotonic() < limit, "an emulator is not ready"
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._loop.close()

    def bmc(self, what: str) -> Any:
        """A request by pyghmi in a separate process: its client has threads that never end."""
        command = [
            sys.executable,
            "-m",
            "tests.power_clients",
            "ipmi",
            "127.0.0.1",
            str(self.ports["srv1-bmc"]),
            what,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def pdu(self, name: str, oid: str, value: int | None = None, timeout_s: float = 5.0) -> Any:
        """One GET or SET."""
        return outlet("127.0.0.1", self.ports[name], oid, value, timeout_s)

    def bmc_answers(self, timeout_s: float = 1.0) -> bool:
        """Whether it answers the first question of any session."""
        return exchange("127.0.0.1", self.ports["srv1-bmc"], AUTHENTICATION, timeout_s) is not None

    def requests(self, name: str) -> list[tuple[str, str]]:
        """(request, answer) of everything that the emulator handled."""
        return [
            (item["request"], item["answer"])
            for item in self.journal.requests
            if item["emulator"] == name
        ]


@pytest.fixture(scope="module")
def supervisor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeSupervisor]:
    """All three processes."""
    with FakeSupervisor(tmp_path_factory.mktemp("supervisor")) as started:
        yield started


@pytest.fixture(autouse=True)
def _as_new(supervisor: FakeSupervisor) -> None:
    for name in NAMES:
        supervisor.emulators.set_mode(name, "ok", 0)
    supervisor.model.set_bus("pdu-a", True, -100)
    supervisor.model.set_bus("pdu-b", True, -100)
    supervisor.model.plug("srv1", -100)
    supervisor.changes.clear()
    supervisor.journal.requests.clear()


def test_a_controller_switches_its_node(supervisor: FakeSupervisor) -> None:
    """Off, on, reset, and each answer; a reset is refused while the node is off."""
    assert supervisor.bmc("status") == {"powerstate": "on"}
    assert supervisor.bmc("off") == {"pendingpowerstate": "off"}
    assert supervisor.bmc("status") == {"powerstate": "off"}
    assert supervisor.bmc("on") == {"pendingpowerstate": "on"}
    supervisor.bmc("reset")
    assert supervisor.changes == [(False, "srv1-bmc"), (True, "srv1-bmc")] * 2
    assert ("off", "ok") in supervisor.requests("srv1-bmc")


def test_a_unit_switches_its_outlets(supervisor: FakeSupervisor) -> None:
    """The node goes off with its last supply, and that outlet reports it."""
    assert supervisor.pdu("pdu-a", ".1.3.6.1.2.1.1.2.0") == (1, 3, 6, 1, 4, 1, 318, 1, 3, 4, 5)
    assert supervisor.pdu("pdu-a", NAME + "1") == "srv1"
    assert supervisor.pdu("pdu-a", CONTROL + "1", OFF) == OFF
    assert supervisor.pdu("pdu-a", STATUS + "1") == OFF
    assert supervisor.changes == []
    supervisor.pdu("pdu-b", CONTROL + "1", OFF)
    assert not supervisor.bmc_answers()
    supervisor.pdu("pdu-a", CONTROL + "1", ON)
    assert not supervisor.bmc_answers(timeout_s=0.1)
    time.sleep(0.6)
    assert supervisor.bmc_answers()
    supervisor.pdu("pdu-a", CONTROL + "1", REBOOT)
    assert supervisor.changes == [
        (False, "pdu-b outlet 1"),
        (True, "pdu-a outlet 1"),
        (False, "pdu-a outlet 1"),
        (True, "pdu-a outlet 1"),
    ]
    assert ("outlet 1 off", "ok") in supervisor.requests("pdu-a")


def test_a_missing_target_is_refused(supervisor: FakeSupervisor) -> None:
    """An outlet without a node, an unknown command, another community."""
    assert supervisor.pdu("pdu-a", CONTROL + "2", OFF) == f"error {snmp.NO_SUCH_NAME}"
    assert supervisor.pdu("pdu-a", CONTROL + "1", 7) == f"error {snmp.BAD_VALUE}"
    other = snmp.Message(
        0, b"public", snmp.GET, 1, 0, 0, (((1, 3, 6, 1, 2, 1, 1, 2, 0), None),)
    ).encode()
    assert exchange("127.0.0.1", supervisor.ports["pdu-a"], other, 0.5) is None
    assert exchange("127.0.0.1", supervisor.ports["pdu-a"], b"\x30\x03nonsense", 0.3) is None
    assert supervisor.pdu("pdu-a", STATUS + "1") == ON


def test_a_dead_bus_takes_its_unit_along(supervisor: FakeSupervisor) -> None:
    """The node lives on the other one, and its controller too."""
    supervisor.model.set_bus("pdu-a", False, time.monotonic())
    assert supervisor.pdu("pdu-a", STATUS + "1", timeout_s=0.5) == "outage"
    assert supervisor.pdu("pdu-b", STATUS + "1") == ON
    assert supervisor.bmc_answers()


def test_the_dead_answer_nothing(supervisor: FakeSupervisor) -> None:
    """Requests to them are logged without an answer."""
    for name in NAMES:
        supervisor.emulators.set_mode(name, "dead", 0)
    assert not supervisor.bmc_answers(0.5)
    assert supervisor.pdu("pdu-a", STATUS + "1", timeout_s=0.5) == "outage"
    assert supervisor.requests("srv1-bmc") == supervisor.requests("pdu-a") == [("a packet", "")]


def test_false_controllers_report_what_was_requested(supervisor: FakeSupervisor) -> None:
    """And do nothing; after the repair they report the truth again."""
    for name in NAMES:
        supervisor.emulators.set_mode(name, "lies", 0)
    supervisor.bmc("off")
    assert supervisor.bmc("status") == {"powerstate": "off"}
    assert supervisor.pdu("pdu-a", CONTROL + "1", OFF) == OFF
    assert supervisor.pdu("pdu-a", STATUS + "1") == OFF
    assert supervisor.changes == []
    assert supervisor.model.outlets("pdu-a") == {1: True}
    for name in NAMES:
        supervisor.emulators.set_mode(name, "ok", 0)
    assert supervisor.bmc("status") == {"powerstate": "on"}
    assert supervisor.pdu("pdu-a", STATUS + "1") == ON


def test_the_slow_answer_late_and_once(supervisor: FakeSupervisor) -> None:
    """A repeated request is executed once; an emulator without power by then does not answer."""
    supervisor.emulators.set_mode("srv1-bmc", "slow", 1.5)
    supervisor.emulators.set_mode("pdu-a", "slow", 0.7)
    begin_s = time.monotonic()
    assert supervisor.pdu("pdu-a", STATUS + "1") == ON
    assert time.monotonic() - begin_s >= 0.7
    begin_s = time.monotonic()
    supervisor.bmc("reset")
    assert time.monotonic() - begin_s >= 1.5
    late = threading.Timer(0.2, lambda: supervisor.model.set_bus("pdu-a", False, time.monotonic()))
    late.start()
    assert supervisor.pdu("pdu-a", STATUS + "1", timeout_s=1.5) == "outage"
    late.join()
    assert supervisor.changes == [(False, "srv1-bmc"), (True, "srv1-bmc")]
    assert [item for item in supervisor.requests("srv1-bmc") if item[0] == "reset"] == [
        ("reset", "ok")
    ]


def test_a_controller_loses_its_sessions_with_its_power(supervisor: FakeSupervisor) -> None:
    """And makes new ones from any port, also one that had a session before."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        own.connect(("127.0.0.1", supervisor.ports["srv1-bmc"]))
        opening = bytes.fromhex(
            "0600ff070610000000000000000020000000000041424344000000080100000001000008010000000200000801000000"
        )
        deadline_s = time.monotonic() + 30
        # It is still booting.
        while not supervisor.model.controller_answers("srv1", time.monotonic()):
            assert time.monotonic() < deadline_s
            time.sleep(0.05)
        own.settimeout(30)
        for _ in range(2):
            own.send(opening)
            answer = own.recv(1000)
            assert answer[16:18] == b"\x00\x00"
            assert answer[20:24] == b"ABCD"


def test_a_program_that_fails_or_does_not_end_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its output, or with the length of the wait; lines are passed unchanged."""
    run(["grep", "-qx", "two"], ["one", "two"])
    with pytest.raises(OSError, match="^sh -c .*: wrong$"):
        run(["sh", "-c", "echo wrong >&2; exit 3"])
    monkeypatch.setattr(supervisor_emulators, "RUN_TIMEOUT_S", 0.1)
    with pytest.raises(OSError, match="^sleep 60: no end after"):
        run(["sleep", "60"])


def test_stray_datagrams_end_nothing(supervisor: FakeSupervisor) -> None:
    """Altered at random, from a fixed seed: parts of handshakes, and requests of agents."""
    rng = random.Random(623)
    session = bytes.fromhex("0600ff0706") + b"\x10" + bytes(10) + bytes(range(32))
    rakp = [
        bytes.fromhex("0600ff0706") + bytes([kind]) + bytes(10) + bytes(40)
        for kind in (0x12, 0x14, 0xC0)
    ]
    agent = snmp.Message(
        0, b"private", snmp.GET, 1, 0, 0, (((1, 3, 6, 1, 2, 1, 1, 2, 0), None),)
    ).encode()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        for number in range(400):
            name, good = rng.choice(
                [("pdu-a", agent), *(("srv1-bmc", part) for part in (session, *rakp))]
            )
            octets = bytearray(good)
            for _ in range(rng.randint(0, 3)):
                octets[rng.randrange(5, len(octets))] = rng.randrange(256)
            own.sendto(octets[: rng.randint(5, len(octets))], ("127.0.0.1", supervisor.ports[name]))
            if number % 20 == 0:
                time.sleep(0.02)  # the queue holds 256
    assert any(supervisor.bmc_answers(5.0) for _ in range(12))  # a full queue drops requests
    assert supervisor.pdu("pdu-a", STATUS + "1") == ON
    assert [process.poll() for process in supervisor._processes] == [None, None, None]


def test_idle_emulators_use_no_processor(supervisor: FakeSupervisor) -> None:
    """Not one tick in a second."""

    def ticks() -> list[int]:
        stats = [
            Path(f"/proc/{item.pid}/stat").read_text().rpartition(")")[2].split()
            for item in supervisor._processes
        ]
        return [int(fields[11]) + int(fields[12]) for fields in stats]

    time.sleep(0.2)
    before = ticks()
    time.sleep(1)
    assert ticks() == before


def test_a_mode_needs_its_delay(supervisor: FakeSupervisor) -> None:
    """And has to be known."""
    for mode, delay_s in (("slow", 0), ("dead", 1), ("tired", 0)):
        with pytest.raises(ValueError, match=r"delay_s|unknown mode"):
            supervisor.emulators.set_mode("pdu-a", mode, delay_s)
