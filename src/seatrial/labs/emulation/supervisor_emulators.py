"""The supervisor's part of the emulators: their processes, answers and effects.

An emulator's process only speaks its protocol. For all emulators this module decides whether the
device is reachable, and its readings and switching, from the power model and the nodes.
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
from seatrial.basics.event_kinds import PowerState
from seatrial.labs.emulation.journal import Journal
from seatrial.labs.emulation.power import PowerModel
from seatrial.labs.emulation.supervisor_spec import EmulatorSpec, SupervisorSpec

MODES = ("ok", "slow", "dead", "lies")
START_TIMEOUT_S = 60.0
RUN_TIMEOUT_S = 120.0
"""seconds for a program that creates a whole network"""

Change = Callable[[Callable[[], None], str], Awaitable[None]]


@dataclass
class Emulator:
    """An emulator as the supervisor sees it."""

    spec: EmulatorSpec
    mode: str = "ok"
    delay_s: float = 0.0
    reported: dict[int, bool] = field(default_factory=dict)
    """state that an emulator in the mode `lies` reports, by outlet; a controller's relay is 0"""
    process: subprocess.Popen[bytes] | None = None
    failure: str | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def name(self) -> str:
        """The name, unique in the lab."""
        return self.spec.name


class Emulators:
    """All emulators of a lab; `change` changes the power model and then the nodes."""

    def __init__(
        self, spec: SupervisorSpec, model: PowerModel, journal: Journal, change: Change
    ) -> None:
        self.all = {item.name: Emulator(item) for item in spec.emulators}
        self._spec = spec
        self._model = model
        self._journal = journal
        self._change = change
        self._names = {face.address: node.name for node in spec.nodes for face in node.interfaces}
        self._names |= {item.interface.address: item.name for item in spec.emulators}

    # ---- processes

    def start(self) -> None:
        """Start every process in a separate network namespace, and connect it."""
        for emulator in self.all.values():
            log = Path(self._spec.console_folder) / f"{emulator.name}.log"
            kind = "bmc" if emulator.spec.node else "pdu"
            command = [
                "unshare",
                "--net",
                sys.executable,
                "-m",
                f"seatrial.labs.emulation.{kind}_emulator",
            ]
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
        process = emulator.process
        face = emulator.spec.interface
        assert process is not None
        own_namespace = Path("/proc/self/ns/net").readlink()
        limit = time.monotonic() + 10
        while time.monotonic() < limit and process.poll() is None:
            if Path(f"/proc/{process.pid}/ns/net").readlink() != own_namespace:
                break
            time.sleep(0.005)
        lines = [
            "link set lo up",
            f"addr add {face.address}/16 dev {face.tap}",
            f"link set {face.tap} up",
        ]
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
        """Note that its process has ended, which is an error."""
        emulator.failure = "its process ended"
        emulator.ready.set()
        self._journal.changed(emulator.name, PowerState.ENDED_BY_ITSELF, emulator.name)

    def state(self, emulator: Emulator) -> dict[str, Any]:
        """The state for the requests `status` and `wait`."""
        pid = emulator.process.pid if emulator.process else None
        state = {
            "mode": emulator.mode,
            "answers": self._is_reachable(emulator),
            "failure": emulator.failure,
        }
        return {**state, "pid": pid}

    # ---- the operator

    def set_mode(self, name: str, mode: str, delay_s: float) -> None:
        """Set the mode of an emulator; see `EmulatorControl`."""
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}; one of {', '.join(MODES)}")
        if delay_s < 0 or (mode == "slow") != (delay_s > 0):
            raise ValueError("delay_s must be above 0 in the mode slow, and 0 in all others")
        emulator = self.all[name]
        emulator.mode = mode
        emulator.delay_s = delay_s
        emulator.reported.clear()

    # ---- requests of the processes

    async def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one of the verbs `ready`, `hears`, `outlets`, `emulate`."""
        emulator = self.all[request["name"]]
        verb = request["verb"]
        if verb == "ready":
            emulator.ready.set()
            return {"ok": True}
        if verb == "outlets":
            return {"outlets": self._outlets(emulator)}
        source = self._names.get(request["source"], request["source"])
        if verb == "hears":
            is_reachable = self._is_reachable(emulator)
            if not is_reachable:
                self._journal.log_request(boottime_s(), emulator.name, source, "a packet", "")
            return {
                "answers": is_reachable,
                "boots": self._model.boots(emulator.spec.node or emulator.name),
            }
        return await self._emulate(emulator, source, request["do"], request.get("outlet"))

    def _is_reachable(self, emulator: Emulator) -> bool:
        if emulator.mode == "dead":
            return False
        if emulator.spec.node:
            return self._model.controller_answers(emulator.spec.node, time.monotonic())
        return self._model.pdu_answers(emulator.name, time.monotonic())

    async def _emulate(
        self, emulator: Emulator, source: str, what: str, outlet: int | None
    ) -> dict[str, Any]:
        """Carry a request out; a slow device acts late, or never when it has lost its power."""
        request_text = f"outlet {outlet} {what}" if outlet is not None else what
        came_s = boottime_s()
        if emulator.mode == "slow":
            await asyncio.sleep(emulator.delay_s)
        answer: dict[str, Any] = {"answers": False}
        if self._is_reachable(emulator):
            act = self._chassis if emulator.spec.node else self._outlet
            answer = {"answers": True, **await act(emulator, what, outlet)}
        text = _answer_text(answer)
        self._journal.log_request(came_s, emulator.name, source, request_text, text)
        return answer

    async def _chassis(self, emulator: Emulator, what: str, _outlet: int | None) -> dict[str, Any]:
        node = str(emulator.spec.node)
        lies = emulator.mode == "lies"
        on = emulator.reported.get(0, self._model.relay(node))
        if what == "status":
            return {"on": on}
        if what in ("cycle", "reset") and not on:
            return {"ok": False}  # IPMI: not supported in the present state
        steps = (False, True) if what in ("cycle", "reset") else (what == "on",)
        for step in steps:
            if lies:
                emulator.reported[0] = step
            else:
                await self._change(lambda on=step: self._model.set_relay(node, on), emulator.name)  # type: ignore[misc]
        return {"ok": True}

    async def _outlet(self, emulator: Emulator, what: str, outlet: int | None) -> dict[str, Any]:
        if what == "status" or outlet is None:
            return {"outlets": self._outlets(emulator)}
        steps = (False, True) if what == "reboot" else (what == "on",)
        for step in steps:
            if emulator.mode == "lies":
                emulator.reported[outlet] = step
            else:
                await self._change(
                    lambda on=step: self._model.set_outlet(
                        emulator.name, outlet, on, time.monotonic()
                    ),  # type: ignore[misc]
                    f"{emulator.name} outlet {outlet}",
                )
        return {"ok": True}

    def _outlets(self, emulator: Emulator) -> dict[str, Any]:
        """The unit's outlets by number; each has the name of its node."""
        names = {
            item.outlet: node.name
            for node in self._spec.nodes
            for item in node.supplies
            if item.pdu == emulator.name
        }
        states = self._model.outlets(emulator.name)
        return {
            str(number): {"name": names[number], "on": emulator.reported.get(number, on)}
            for number, on in states.items()
        }


def _answer_text(answer: dict[str, Any]) -> str:
    """An answer as text; empty when there was none."""
    if not answer["answers"]:
        return ""
    if "outlets" in answer:
        outlets = answer["outlets"].items()
        return ", ".join(f"{number} {_on_off(outlet['on'])}" for number, outlet in outlets)
    if "on" in answer:
        return _on_off(answer["on"])
    return "ok" if answer["ok"] else "not in this state"


def _on_off(on: bool) -> str:
    return "on" if on else "off"


def run(command: list[str], lines: Iterable[str] = ()) -> None:
    """Run a program with these input lines; OSError with its output when it fails."""
    text = "".join(f"{line}\n" for line in lines)
    try:
        done = subprocess.run(
            command, input=text, text=True, capture_output=True, timeout=RUN_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"{' '.join(command)}: no end after {RUN_TIMEOUT_S:.0f} s") from None
    if done.returncode:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
