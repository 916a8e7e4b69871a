"""The supervisor of a User-Mode-Linux lab: first process of its pid namespace.

`labs.kinds.emulated` starts it in separate user, network, mount and pid namespaces. It mounts a
tmpfs for everything that the nodes write (memory, copy-on-write roots, disks), creates the networks
and starts the kernels. Then it answers JSON requests, one per line, on a Unix socket
(`Supervisor._verbs`). When it ends for any reason, the kernel ends every process of the namespace,
and then networks, mounts and the tmpfs disappear: nothing has to be cleaned up by name. With a
`lifeline` (a pipe held open by its parent alone) it also ends with its parent.

Run as `python -m seatrial.labs.emulation.supervisor SPEC.json [LIFELINE_FD]` (`SupervisorSpec`).
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from seatrial.basics.event_kinds import PowerState
from seatrial.labs.emulation.aggregation import spread, unspread
from seatrial.labs.emulation.banner import answers_ssh
from seatrial.labs.emulation.control import serve_at
from seatrial.labs.emulation.image import hold
from seatrial.labs.emulation.journal import Journal
from seatrial.labs.emulation.network import (
    Commands,
    is_up,
    narrow,
    network_commands,
    plugged,
    reshape,
)
from seatrial.labs.emulation.placement import PERIOD_S, Placement
from seatrial.labs.emulation.power import PowerModel
from seatrial.labs.emulation.supervisor_emulators import Emulators, run
from seatrial.labs.emulation.supervisor_node import kernel_command, make_way, write_identity
from seatrial.labs.emulation.supervisor_spec import FILE, InterfaceSpec, NodeSpec, SupervisorSpec
from seatrial.labs.emulation.throttle import Throttle

BOOT_TIMEOUT_S = 180.0
BOOTS_PER_PROCESSOR = 4
"""nodes that boot at once per processor: enough to use it while some of them wait"""
LOOK_S = 0.5
CUT_TIMEOUT_S = 10.0

Verb = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
"""None: the request is done, without data to return"""


@dataclass
class _Machine:
    """A node as the supervisor sees it."""

    spec: NodeSpec
    process: subprocess.Popen[bytes] | None = None
    """None until its boot begins"""
    starts: int = 0
    """number of times that its power was switched on"""
    started_s: float = 0.0
    ssh_after_s: float | None = None
    failure: str | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    powered: bool = False
    """as its kernel was started or cut; unchanged when the kernel ends unexpectedly"""

    frozen: bool = False

    def running(self) -> bool:
        """As `Supervisor._reap` knows it: `poll` would collect an ended kernel without notice."""
        return self.process is not None and self.process.returncode is None


class Supervisor:
    """Owns every process of the lab."""

    def __init__(self, spec: SupervisorSpec) -> None:
        self.spec = spec
        self.memory = Path(spec.folder) / "memory"
        self.machines = {node.name: _Machine(node) for node in spec.nodes}
        self.stop = asyncio.Event()
        self.journal = Journal(Path(spec.console_folder) / "power.jsonl")
        pdus = [item.name for item in spec.emulators if item.node is None]
        self.model = PowerModel({node.name: node.supplies for node in spec.nodes}, pdus)
        self.emulators = Emulators(spec, self.model, self.journal, self._change)
        self.placement = Placement([node.name for node in spec.nodes])
        self.throttle = Throttle(self._kernel)
        self._switching = asyncio.Lock()
        self._booting = asyncio.Semaphore(BOOTS_PER_PROCESSOR * len(os.sched_getaffinity(0)))
        self._verbs: dict[str, Verb] = {
            "status": self._do_status,
            "wait": self._do_wait,
            "power": self._do_power,
            "power-log": self._do_power_log,
            "link": self._do_link,
            "link-state": self._do_link_state,
            "mtu": self._do_mtu,
            "link-rate": self._do_link_rate,
            "bond": self._do_bond,
            "processor": self._do_processor,
            "network": self._do_network,
            "emulator": self._do_emulator,
            "bus": self._do_bus,
            "down": self._do_down,
            **dict.fromkeys(("ready", "hears", "outlets", "emulate"), self.emulators.answer),
        }

    async def run(self, lifeline: int | None) -> None:
        """Start the lab and serve until a request stops it or the lifeline breaks."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGCHLD, self._reap)
        loop.add_signal_handler(signal.SIGTERM, self.stop.set)
        if lifeline is not None:
            loop.add_reader(lifeline, self.stop.set)
        hold(Path(self.spec.image).parent)
        self._mount_memory()
        _batch(network_commands(self.spec))
        server = await serve_at(Path(self.spec.folder) / "control", self._serve)
        async with server:
            self.emulators.start()
            await self._change(lambda: None, "lab")
            watching = [
                asyncio.create_task(self._place()),
                asyncio.create_task(self.throttle.run()),
            ]
            await self.stop.wait()
            for task in watching:
                task.cancel()
        self._end()

    async def _place(self) -> None:
        """Distribute the nodes over the processors by their load."""
        then = time.monotonic()
        while True:
            await asyncio.sleep(PERIOD_S)
            now = time.monotonic()
            running = {
                name: machine.process.pid
                for name, machine in self.machines.items()
                if machine.process is not None and machine.running()
            }
            self.placement.sample(running, now - then)
            then = now

    def _kernel(self, name: str) -> int | None:
        """The process of a node's kernel; None when it does not run or the operator froze it."""
        machine = self.machines[name]
        running = machine.process is not None and machine.running() and not machine.frozen
        return machine.process.pid if machine.process is not None and running else None

    def _end(self) -> None:
        """Cut every node's power and unmount the memory, so that the folder can be removed."""
        for machine in self.machines.values():
            self._signal(machine, signal.SIGKILL)
        subprocess.run(
            ["umount", "--lazy", str(self.memory)], check=False, stderr=subprocess.DEVNULL
        )

    def _reap(self) -> None:
        """Collect ended children: kernels, emulators, and orphans, which pid 1 inherits."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    break
                self._ended(pid, os.waitstatus_to_exitcode(status))

    def _ended(self, pid: int, exit_code: int) -> None:
        for machine in self.machines.values():
            if machine.process is not None and machine.process.pid == pid:
                machine.process.returncode = exit_code
                with contextlib.suppress(ProcessLookupError):  # programs of its guest
                    os.killpg(pid, signal.SIGKILL)
                if machine.powered:
                    self.journal.changed(
                        machine.spec.name, PowerState.ENDED_BY_ITSELF, machine.spec.name
                    )
                    self._ended_by_itself(machine, exit_code)
        for emulator in self.emulators.all.values():
            if emulator.process is not None and emulator.process.pid == pid:
                emulator.process.returncode = exit_code
                self.emulators.ended(emulator)

    def _ended_by_itself(self, machine: _Machine, exit_code: int) -> None:
        """A panic ends a kernel by a signal, and its power stays on; `poweroff` ends it with 0."""
        if exit_code == 0:
            machine.powered = False
            self.model.switched_off_itself(machine.spec.name)

    def _mount_memory(self) -> None:
        subprocess.run(
            ["mount", "-t", "proc", "proc", "/proc"], check=False, stderr=subprocess.DEVNULL
        )
        self.memory.mkdir(exist_ok=True)
        size = f"size={self.spec.memory_limit_bytes},mode=700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(self.memory)], check=True)

    # ---- nodes

    async def _change(self, change: Callable[[], None], by: str) -> None:
        """Change the power model, then end kernels without power and start powered ones."""
        async with self._switching:
            change()
            machines = [
                (item, self.model.powered(item.spec.name)) for item in self.machines.values()
            ]
            lost = [item for item, powered in machines if item.powered and not powered]
            for machine in lost:
                machine.powered = False
                self._signal(machine, signal.SIGKILL)
                self.journal.changed(machine.spec.name, "off", by)
            for machine in lost:
                await self._await_end(machine)
            for machine in [item for item, powered in machines if powered and not item.powered]:
                self._start(machine, by)

    async def _await_end(self, machine: _Machine) -> None:
        """Wait for the end of all processes of a cut node: its next kernel needs the disks."""
        limit = time.monotonic() + CUT_TIMEOUT_S
        with contextlib.suppress(ProcessLookupError):
            while machine.process is not None:
                os.killpg(machine.process.pid, 0)
                if time.monotonic() > limit:
                    raise OSError(f"{machine.spec.name} does not end")
                await asyncio.sleep(0.005)

    def _start(self, machine: _Machine, by: str) -> None:
        machine.powered = True
        machine.starts += 1
        machine.process = None
        machine.ssh_after_s = None
        machine.failure = None
        machine.frozen = False
        machine.ready.clear()
        self.journal.changed(machine.spec.name, "on", by)
        _ = asyncio.get_running_loop().create_task(self._boot(machine, machine.starts))

    async def _boot(self, machine: _Machine, start: int) -> None:
        """Start the node's kernel in its turn, unless its power was cut, and await its boot."""
        async with self._booting:
            if machine.powered and machine.starts == start:
                try:
                    self._power_on(machine)
                except OSError as error:
                    machine.failure = f"it could not be started: {error}"
                await self._watch_boot(machine)

    def _power_on(self, machine: _Machine) -> None:
        node = machine.spec
        home = self.memory / node.name
        home.mkdir(exist_ok=True)
        # Old sockets of a killed kernel keep the next one from starting.
        shutil.rmtree(home / "emulated", ignore_errors=True)
        for index, disk in enumerate(node.all_disks, start=1):
            path = home / f"disk{index}"
            if not path.exists():
                with path.open("wb") as file:
                    file.truncate(disk.size_bytes)
        write_identity(home / "config", node, self.spec)
        console = Path(self.spec.console_folder) / f"{node.name}.log"
        with console.open("ab") as output, self.placement.of(node.name):
            machine.process = subprocess.Popen(
                kernel_command(self.spec, node, home),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={
                    "PATH": os.environ["PATH"],
                    "TMPDIR": str(home),
                    "HOME": str(home),
                    "LD_PRELOAD": self.spec.preload,
                },
            )
        machine.started_s = time.monotonic()

    async def _watch_boot(self, machine: _Machine) -> None:
        """Wait for the node's ssh banner, its end, or the time limit."""
        process = machine.process
        address = machine.spec.interfaces[0].address
        limit_s = machine.started_s + BOOT_TIMEOUT_S
        made_way = False
        while machine.process is process and process is not None:
            made_way = made_way or make_way(machine.spec, process.pid)
            if not machine.running():
                machine.failure = "its kernel ended"
                break
            if time.monotonic() > limit_s:
                machine.failure = f"no ssh after {limit_s - machine.started_s:.0f} s"
                break
            if await answers_ssh(address):
                machine.ssh_after_s = time.monotonic() - machine.started_s
                break
            await asyncio.sleep(LOOK_S)
        machine.ready.set()

    def _signal(self, machine: _Machine, number: int) -> None:
        """Signal all processes of the node: its kernel's and those of its guest's programs."""
        if machine.process is not None and machine.running():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(machine.process.pid, number)

    @staticmethod
    def _stop(machine: _Machine, number: int) -> None:
        """Stop or continue the kernel: its own process only.

        It traces its guest's programs; a SIGSTOP of one of them would count as a fault and end it.
        """
        if machine.process is not None and machine.running():
            os.kill(machine.process.pid, number)  # Popen.send_signal polls

    # ---- requests

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                try:
                    answer = await self._answer(_request_in(line))
                except (KeyError, ValueError, OSError, subprocess.CalledProcessError) as error:
                    answer = {"error": f"{type(error).__name__}: {error}"}
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
                if answer.get("down"):
                    self.stop.set()
        writer.close()

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        verb = request["verb"]
        if verb not in self._verbs:
            raise ValueError(f"unknown verb {verb!r}")
        return await self._verbs[verb](request) or {"ok": True}

    async def _do_status(self, _request: dict[str, Any]) -> dict[str, Any]:
        emulators = {name: self.emulators.state(item) for name, item in self.emulators.all.items()}
        return {
            "nodes": {name: self._state(item) for name, item in self.machines.items()},
            "emulators": emulators,
        }

    async def _do_wait(self, request: dict[str, Any]) -> dict[str, Any]:
        """Wait for a node's ssh or an emulator's port."""
        emulator = self.emulators.all.get(request["node"])
        if emulator is not None:
            await emulator.ready.wait()
            return self.emulators.state(emulator)
        await self.machines[request["node"]].ready.wait()
        return self._state(self.machines[request["node"]])

    async def _do_link(self, request: dict[str, Any]) -> None:
        _batch(Commands(ip=plugged(self._face(request), up=bool(request["up"])), tc=[]))

    async def _do_link_state(self, request: dict[str, Any]) -> dict[str, Any]:
        """The state of a node's cable, or without a node of the network's switch."""
        if not request.get("node"):
            return {"up": is_up(self.spec.network(request["network"]).bridge)}
        return {"up": any(is_up(cable.port) for cable in self._face(request).cables)}

    async def _do_bond(self, request: dict[str, Any]) -> None:
        """Connect the first cables of a node's bond; also after the next boot of the node."""
        machine = self.machines[request["node"]]
        before = self._face(request)
        if before.bond is None:
            raise ValueError(f"{request['node']} has no bond to {request['network']}")
        bond = replace(before.bond, connected=int(request["members"]))
        face = replace(before, bond=bond)
        faces = tuple(face if item is before else item for item in machine.spec.interfaces)
        machine.spec = replace(machine.spec, interfaces=faces)
        _batch(Commands(ip=plugged(face), tc=[*unspread(before), *spread(face)]))

    async def _do_mtu(self, request: dict[str, Any]) -> None:
        face = self._face(request)
        narrowed = narrow(face, request["mtu"], self.spec.network(face.network).passes)
        _batch(Commands(ip=narrowed, tc=[]))

    async def _do_link_rate(self, request: dict[str, Any]) -> None:
        reshaped = reshape(self._face(request), float(request["rate_bytes_per_s"]))
        _batch(Commands(ip=[], tc=reshaped))

    async def _do_processor(self, request: dict[str, Any]) -> None:
        share = request["share"]
        self.throttle.set(request["node"], None if share is None else float(share))

    async def _do_network(self, request: dict[str, Any]) -> None:
        """Cut or restore all switches of a network; unplugged cables stay unplugged."""
        network = next(
            (item for item in self.spec.networks if item.name == request["network"]), None
        )
        if network is None or network.address:
            raise ValueError(f"no network of the study is called {request['network']!r}")
        state = _up_down(request["up"])
        switched = [f"link set {bridge} {state}" for bridge in network.bridges]
        _batch(Commands(ip=switched, tc=[]))

    async def _do_emulator(self, request: dict[str, Any]) -> None:
        self.emulators.set_mode(request["name"], request["mode"], float(request.get("delay_s", 0)))

    async def _do_bus(self, request: dict[str, Any]) -> None:
        pdu = request["pdu"]
        live = bool(request["live"])
        if self.model.bus(pdu) != live:
            self.journal.changed(pdu, "on" if live else "off", "operator")
        await self._change(lambda: self.model.set_bus(pdu, live, time.monotonic()), f"bus {pdu}")

    async def _do_power_log(self, _request: dict[str, Any]) -> dict[str, Any]:
        return {"power": self.journal.power, "requests": list(self.journal.requests)}

    async def _do_down(self, _request: dict[str, Any]) -> dict[str, Any]:
        return {"down": True}

    def _face(self, request: dict[str, Any]) -> InterfaceSpec:
        name = request["node"]
        faces: tuple[InterfaceSpec, ...] = ()
        if name in self.emulators.all:
            faces = (self.emulators.all[name].spec.interface,)
        elif name in self.machines:
            faces = self.machines[name].spec.interfaces
        for face in faces:
            if face.network == request["network"]:
                return face
        raise ValueError(f"{name} is not on network {request['network']}")

    def _state(self, machine: _Machine) -> dict[str, Any]:
        return {
            "running": machine.running(),
            "ssh_after_s": machine.ssh_after_s,
            "failure": machine.failure,
            "memory_bytes": machine.spec.memory_bytes,
            "disks": len(machine.spec.disks),
        }

    async def _do_power(self, request: dict[str, Any]) -> None:
        """Act as the operator at cables and buttons, without controllers and PDUs."""
        machine = self.machines[request["node"]]
        state = request["state"]
        name = machine.spec.name
        if state == "on":
            await self._change(lambda: self.model.plug(name, time.monotonic()), "operator")
            if not self.model.powered(name):
                raise ValueError(f"{name} has no current: the buses of its supplies are off")
            async with self._switching:
                if machine.process is not None and not machine.running():  # ended unexpectedly
                    await self._await_end(machine)
                    self._start(machine, "operator")
        elif state == "off":
            await self._change(lambda: self.model.unplug(name, time.monotonic()), "operator")
        elif state in ("frozen", "thawed"):
            machine.frozen = state == "frozen"
            self._stop(machine, signal.SIGSTOP if machine.frozen else signal.SIGCONT)
            self.journal.changed(name, state, "operator")
        else:
            raise ValueError(f"unknown power state {state!r}")


def _request_in(line: bytes) -> dict[str, Any]:
    """The request of a line; ValueError if it is no JSON object."""
    request = json.loads(line)
    if not isinstance(request, dict):
        raise ValueError("a request is a JSON object")
    return request


def _up_down(up: bool) -> str:
    return "up" if up else "down"


def _batch(commands: Commands) -> None:
    """Run `ip` and `tc` commands, each kind in one process."""
    for tool, lines in (("ip", commands.ip), ("tc", commands.tc)):
        if lines:
            run([tool, "-batch", "-"], lines)


def main() -> None:
    """Read the specification, run the lab, remove its folder at the end."""
    spec = FILE.validate_json(Path(sys.argv[1]).read_bytes())
    lifeline = int(sys.argv[2]) if len(sys.argv) > 2 else None
    # Ctrl-C is for the parent, which then stops the supervisor.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        asyncio.run(Supervisor(spec).run(lifeline))
    finally:
        shutil.rmtree(spec.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # another lab uses the folder
            Path(spec.folder).parent.rmdir()


if __name__ == "__main__":
    main()
