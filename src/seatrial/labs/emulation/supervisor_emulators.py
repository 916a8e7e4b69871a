"""The supervisor's part of the emulators: their processes, and what they answer and do.

An emulator's process speaks its protocol and knows nothing; here is decided whether it hears, what it reads and what
it switches, for all of them at one place, beside the power model and the nodes.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seatrial.basics.clock import boottime_s
from seatrial.labs.emulation.journal import Journal
from seatrial.labs.emulation.power import PowerModel
from seatrial.labs.emulation.supervisor_spec import EmulatorSpec, SupervisorSpec

MODES = ("ok", "slow", "dead", "lies")
START_TIMEOUT_S = 60.0
RUN_TIMEOUT_S = 120.0
"""of a program that lays a whole network"""

Change = Callable[[Callable[[], None], str], Awaitable[None]]


@dataclass
class Emulator:
    """An emulator as the supervisor sees it."""

    spec: EmulatorSpec
    mode: str = "ok"
    delay_s: float = 0.0
    told: dict[int, bool] = field(default_factory=dict)
    """while it lies: what it was told, by outlet; a controller's relay is 0"""
    process: subprocess.Popen[bytes] | None = None
    failure: str | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def name(self) -> str:
        """Unique in the lab."""
        return self.spec.name


class Emulators:
    """All of the lab's; `change` has the supervisor change the model and then the nodes."""

    def __init__(self, spec: SupervisorSpec, model: PowerModel, journal: Journal, change: Change) -> None:
        self.all = {item.name: Emulator(item) for item in spec.emulators}
        self._spec = spec
        self._model = model
        self._journal = journal
        self._change = change
        self._names = {face.address: node.name for node in spec.nodes for face in node.interfaces}
        self._names |= {item.interface.address: item.name for item in spec.emulators}

    # ---- processes

    def start(self) -> None:
        """Start every process, in a network namespace of its own, and plug it in."""
        for emulator in self.all.values():
            log = Path(self._spec.console_folder) / f"{emulator.name}.log"
            kind = "bmc" if emulator.spec.node else "pdu"
            command = ["unshare", "--net", sys.executable, "-m", f"seatrial.labs.emulation.{kind}_emulator"]
            with log.open("ab") as output:
                emulator.process = subprocess.Popen(
                    [*command, str(Path(self._spec.folder) / "control"), emulator.name],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
        for emulator in self.all.values():
            self._plug_in(emulator)
            _ = asyncio.get_running_loop().create_task(self._watch_start(emulator))

    def _plug_in(self, emulator: Emulator) -> None:
        """Give the process its end of the cable, once it is in its own namespace."""
        process, face = emulator.process, emulator.spec.interface
        assert process is not None
        own, limit = Path("/proc/self/ns/net").readlink(), time.monotonic() + 10
        while time.monotonic() < limit and process.poll() is None:
            if Path(f"/proc/{process.pid}/ns/net").readlink() != own:
                break
            time.sleep(0.005)
        lines = ["link set lo up", f"addr add {face.address}/16 dev {face.tap}", f"link set {face.tap} up"]
        try:
            run(["ip", "link", "set", face.tap, "netns", str(process.pid)])
            run(["nsenter", "--net", "--target", str(process.pid), "ip", "-batch", "-"], lines)
        except OSError as error:
            emulator.failure = str(error)

    async def _watch_start(self, emulator: Emulator) -> None:
        limit = time.monotonic() + START_TIMEOUT_S
        while not emulator.ready.is_set() and emulator.failure is None:
            if time.monotonic() > limit:
                emulator.failure = f"not ready after {START_TIMEOUT_S:.0f} s"
            await asyncio.sleep(0.05)
        emulator.ready.set()

    def ended(self, emulator: Emulator) -> None:
        """Its process has ended, which it should not."""
        emulator.failure = "its process ended"
        emulator.ready.set()
        self._journal.changed(emulator.name, "ended by itself", emulator.name)

    def state(self, emulator: Emulator) -> dict[str, Any]:
        """As `status` and `wait` tell it."""
        pid = emulator.process.pid if emulator.process else None
        state = {"mode": emulator.mode, "answers": self._hears(emulator), "failure": emulator.failure}
        return {**state, "pid": pid}

    # ---- the operator

    def set_mode(self, name: str, mode: str, delay_s: float) -> None:
        """How the emulator behaves from now on."""
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}; one of {', '.join(MODES)}")
        if delay_s < 0 or (mode == "slow") != (delay_s > 0):
            raise ValueError("a delay_s above 0 belongs to the mode slow, and to no other")
        emulator = self.all[name]
        emulator.mode, emulator.delay_s = mode, delay_s
        emulator.told.clear()

    # ---- what the processes ask

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """One of the verbs `ready`, `hears`, `outlets`, `emulate`."""
        emulator, verb = self.all[request["name"]], request["verb"]
        if verb == "ready":
            emulator.ready.set()
            return {"ok": True}
        if verb == "outlets":
            return {"outlets": self._outlets(emulator)}
        source = self._names.get(request["source"], request["source"])
        if verb == "hears":
            hears = self._hears(emulator)
            if not hears:
                self._journal.asked(boottime_s(), emulator.name, source, "a packet", "")
            return {"answers": hears, "boots": self._model.boots(emulator.spec.node or emulator.name)}
        return await self._emulate(emulator, source, request["do"], request.get("outlet"))

    def _hears(self, emulator: Emulator) -> bool:
        if emulator.mode == "dead":
            return False
        if emulator.spec.node:
            return self._model.controller_answers(emulator.spec.node, time.monotonic())
        return self._model.pdu_answers(emulator.name, time.monotonic())

    async def _emulate(self, emulator: Emulator, source: str, what: str, outlet: int | None) -> dict[str, Any]:
        """Carry a request out; a slow device does it late, and not at all when it is dark by then."""
        asked, came_s = f"outlet {outlet} {what}" if outlet is not None else what, boottime_s()
        if emulator.mode == "slow":
            await asyncio.sleep(emulator.delay_s)
        answered: dict[str, Any] = {"answers": False}
        if self._hears(emulator):
            act = self._chassis if emulator.spec.node else self._outlet
            answered = {"answers": True, **await act(emulator, what, outlet)}
        self._journal.asked(came_s, emulator.name, source, asked, _told(answered))
        return answered

    async def _chassis(self, emulator: Emulator, what: str, _outlet: int | None) -> dict[str, Any]:
        node, lies = str(emulator.spec.node), emulator.mode == "lies"
        on = emulator.told.get(0, self._model.relay(node))
        if what == "status":
            return {"on": on}
        if what in ("cycle", "reset") and not on:
            return {"ok": False}  # IPMI: not in this state
        steps = (False, True) if what in ("cycle", "reset") else (what == "on",)
        for step in steps:
            if lies:
                emulator.told[0] = step
            else:
                await self._change(lambda on=step: self._model.set_relay(node, on), emulator.name)  # type: ignore[misc]
        return {"ok": True}

    async def _outlet(self, emulator: Emulator, what: str, outlet: int | None) -> dict[str, Any]:
        if what == "status" or outlet is None:
            return {"outlets": self._outlets(emulator)}
        steps = (False, True) if what == "reboot" else (what == "on",)
        for step in steps:
            if emulator.mode == "lies":
                emulator.told[outlet] = step
            else:
                await self._change(
                    lambda on=step: self._model.set_outlet(emulator.name, outlet, on, time.monotonic()),  # type: ignore[misc]
                    f"{emulator.name} outlet {outlet}",
                )
        return {"ok": True}

    def _outlets(self, emulator: Emulator) -> dict[str, Any]:
        """What the unit shows, by number; each outlet is called as the node that hangs on it."""
        names = {
            item.outlet: node.name for node in self._spec.nodes for item in node.supplies if item.pdu == emulator.name
        }
        states = self._model.outlets(emulator.name)
        return {
            str(number): {"name": names[number], "on": emulator.told.get(number, on)} for number, on in states.items()
        }


def _told(answered: dict[str, Any]) -> str:
    """An answer in words, empty when there was none."""
    if not answered["answers"]:
        return ""
    if "outlets" in answered:
        return ", ".join(f"{number} {_on_off(item['on'])}" for number, item in answered["outlets"].items())
    if "on" in answered:
        return _on_off(answered["on"])
    return "ok" if answered["ok"] else "not in this state"


def _on_off(on: bool) -> str:
    return "on" if on else "off"


def run(command: list[str], lines: Iterable[str] = ()) -> None:
    """Run a program that reads these lines; OSError with what it said where it failed."""
    text = "".join(f"{line}\n" for line in lines)
    try:
        done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=RUN_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise OSError(f"{' '.join(command)}: no end after {RUN_TIMEOUT_S:.0f} s") from None
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
