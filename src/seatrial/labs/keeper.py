"""The keeper of a User-Mode-Linux lab: first process of its pid namespace, so that its end is the lab's end.

Started by `labs.uml` inside user, network, mount and pid namespaces of its own. It mounts a tmpfs for all that
the nodes write (memory, copy-on-write roots, disks), lays the networks, starts the kernels, and then answers
one JSON request a line on a Unix socket: `status`, `wait`, `power`, `link`, `down`. When it ends, for whatever
reason, the kernel ends every process of the namespace, and with the last one go the networks, the mounts and
the tmpfs: nothing has to be cleaned up by name. With a `lifeline` (a pipe whose other end only its parent
holds), the parent's death ends it too.

Run as `python -m seatrial.labs.keeper SPEC.json [LIFELINE_FD]`; the specification is `KeeperSpec`.
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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seatrial.labs.keeper_spec import KeeperSpec, NodeSpec
from seatrial.labs.network import network_commands

BOOT_TIMEOUT_S = 120.0


@dataclass
class _Machine:
    """A node as the keeper sees it."""

    spec: NodeSpec
    process: subprocess.Popen[bytes] | None = None
    started_s: float = 0.0
    ssh_after_s: float | None = None
    failure: str | None = None
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Keeper:
    """Owns every process of the lab."""

    def __init__(self, spec: KeeperSpec) -> None:
        self.spec = spec
        self.memory = Path(spec.folder) / "memory"
        self.machines = {node.name: _Machine(node) for node in spec.nodes}
        self.stop = asyncio.Event()

    async def run(self, lifeline: int | None) -> None:
        """Bring the lab up and serve until told to stop or until the lifeline is cut."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGCHLD, self._reap)
        loop.add_signal_handler(signal.SIGTERM, self.stop.set)
        if lifeline is not None:
            loop.add_reader(lifeline, self.stop.set)
        self._mount_memory()
        _batch(network_commands(self.spec))
        server = await asyncio.start_unix_server(self._serve, str(Path(self.spec.folder) / "control"))
        async with server:
            for machine in self.machines.values():
                self._power_on(machine)
            await self.stop.wait()
        self._end()

    def _end(self) -> None:
        """Cut every node's power and let go of the memory, so that the lab's folder can be removed from here too."""
        for machine in self.machines.values():
            self._signal(machine, signal.SIGKILL)
        subprocess.run(["umount", "--lazy", str(self.memory)], check=False, stderr=subprocess.DEVNULL)

    def _reap(self) -> None:
        """Collect ended children: the nodes' own and orphans, which come to pid 1."""
        for machine in self.machines.values():
            if machine.process is not None:
                machine.process.poll()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

    def _mount_memory(self) -> None:
        subprocess.run(["mount", "-t", "proc", "proc", "/proc"], check=False, stderr=subprocess.DEVNULL)
        self.memory.mkdir(exist_ok=True)
        size = f"size={self.spec.memory_limit_bytes},mode=700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(self.memory)], check=True)

    # ---- nodes

    def _power_on(self, machine: _Machine) -> None:
        node = machine.spec
        home = self.memory / node.name
        home.mkdir(exist_ok=True)
        shutil.rmtree(home / "uml", ignore_errors=True)  # a killed kernel's old sockets keep the next from starting
        for index, disk in enumerate(node.disks, start=1):
            path = home / f"disk{index}"
            if not path.exists():
                with path.open("wb") as file:
                    file.truncate(disk.size_bytes)
        _write_identity(home / "config", node, self.spec)
        console = Path(self.spec.console_folder) / f"{node.name}.log"
        with console.open("ab") as output:
            machine.process = subprocess.Popen(
                _kernel_command(self.spec, node, home),
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
        machine.started_s, machine.ssh_after_s, machine.failure = time.monotonic(), None, None
        machine.ready.clear()
        _ = asyncio.get_running_loop().create_task(self._watch_boot(machine))

    async def _watch_boot(self, machine: _Machine) -> None:
        """Wait for the node's ssh banner, its death, or the time limit."""
        process = machine.process
        address = machine.spec.interfaces[0].address
        while machine.process is process:
            if not machine.running():
                machine.failure = "its kernel ended"
                break
            if time.monotonic() - machine.started_s > BOOT_TIMEOUT_S:
                machine.failure = f"no ssh after {BOOT_TIMEOUT_S:.0f} s"
                break
            if await _answers_ssh(address):
                machine.ssh_after_s = time.monotonic() - machine.started_s
                break
            await asyncio.sleep(0.2)
        machine.ready.set()

    def _signal(self, machine: _Machine, number: int) -> None:
        """Signal every process of the node: the kernel's and those of its guest's programs."""
        if machine.process is not None and machine.running():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(machine.process.pid, number)

    @staticmethod
    def _stop(machine: _Machine, number: int) -> None:
        """Stop the kernel, or let it go on: its own process only.

        It traces its guest's programs, takes a SIGSTOP of one of them for a fault of its own, and dies of it.
        """
        if machine.process is not None and machine.running():
            machine.process.send_signal(number)

    # ---- requests

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                try:
                    request = json.loads(line)
                    answer = await self._answer(request)
                except (KeyError, ValueError, OSError, subprocess.CalledProcessError) as error:
                    answer = {"error": f"{type(error).__name__}: {error}"}
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
                if answer.get("down"):
                    self.stop.set()
        writer.close()

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        verb = request["verb"]
        if verb == "status":
            return {"nodes": {name: self._state(machine) for name, machine in self.machines.items()}}
        if verb == "wait":
            await self.machines[request["node"]].ready.wait()
            return self._state(self.machines[request["node"]])
        if verb == "power":
            self._power(self.machines[request["node"]], request["state"])
            return {"ok": True}
        if verb == "link":
            _batch(([f"link set {self._port(request)} {'up' if request['up'] else 'down'}"], []))
            return {"ok": True}
        if verb == "disk":
            path = self.memory / request["node"] / f"disk{request['disk']}"
            return {"ok": True, "path": str(path)}
        if verb == "down":
            return {"down": True}
        raise ValueError(f"unknown verb {verb!r}")

    def _port(self, request: dict[str, Any]) -> str:
        for interface in self.machines[request["node"]].spec.interfaces:
            if interface.network == request["network"]:
                return interface.port
        raise ValueError(f"{request['node']} is not on network {request['network']}")

    def _state(self, machine: _Machine) -> dict[str, Any]:
        return {
            "running": machine.running(),
            "ssh_after_s": machine.ssh_after_s,
            "failure": machine.failure,
            "memory_bytes": machine.spec.memory_bytes,
            "disks": len(machine.spec.disks),
        }

    def _power(self, machine: _Machine, state: str) -> None:
        if state == "on":
            if not machine.running():
                self._power_on(machine)
        elif state == "off":
            self._signal(machine, signal.SIGKILL)
        elif state == "frozen":
            self._stop(machine, signal.SIGSTOP)
        elif state == "thawed":
            self._stop(machine, signal.SIGCONT)
        else:
            raise ValueError(f"unknown power state {state!r}")


async def _answers_ssh(address: str) -> bool:
    try:
        async with asyncio.timeout(2):
            reader, writer = await asyncio.open_connection(address, 22)
            banner = await reader.readline()
            writer.close()
            return banner.startswith(b"SSH-")
    except (OSError, TimeoutError):
        return False


def _batch(commands: tuple[list[str], list[str]]) -> None:
    """Run `ip` and `tc` commands, each kind in one process."""
    for tool, lines in zip(("ip", "tc"), commands, strict=True):
        if lines:
            text = "\n".join(lines) + "\n"
            done = subprocess.run([tool, "-batch", "-"], input=text, text=True, capture_output=True, check=False)
            if done.returncode:
                raise OSError(f"{tool} -batch: {done.stderr.strip()}")


def _write_identity(folder: Path, node: NodeSpec, spec: KeeperSpec) -> None:
    """What the node's first process reads through hostfs: see image_files/lab-init."""
    folder.mkdir(exist_ok=True)
    lines = ["link set lo up"]
    for index, interface in enumerate(node.interfaces):
        mtu = spec.network(interface.network).mtu
        lines += [
            f"link set vec{index} name {interface.network}",
            f"link set {interface.network} mtu {mtu} gso_max_size 16384",
            f"addr add {interface.address}/16 dev {interface.network}",
            f"link set {interface.network} up",
        ]
    hosts = ["127.0.0.1 localhost"]
    for other in spec.nodes:
        names = [f"{other.name}-{item.network}" for item in other.interfaces]
        hosts += [f"{item.address} {name}" for item, name in zip(other.interfaces, names, strict=True)]
        hosts.append(f"{other.interfaces[-1].address} {other.name}")
    files = {
        "name": node.name,
        "network": "\n".join(lines),
        "hosts": "\n".join(hosts),
        "sysctl": "\n".join(f"{key} {value}" for key, value in spec.sysctl.items()),
        "throttle": "\n".join(
            f"98:{16 * index} {disk.rate_bytes_per_s:.0f}"
            for index, disk in enumerate(node.disks, start=1)
            if disk.rate_bytes_per_s
        ),
    }
    if node.paths:
        files["paths"] = f"{node.paths.cabling} {node.paths.rate_bytes_per_s:.0f}"
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n" if text else "")


def _kernel_command(spec: KeeperSpec, node: NodeSpec, home: Path) -> list[str]:
    return [
        spec.kernel,
        "umid=node",
        f"uml_dir={home}/uml",
        f"mem={node.memory_bytes // 2**20}M",
        f"ubd0={home}/root.cow,{spec.image}",
        *(f"ubd{index}={home}/disk{index}" for index in range(1, len(node.disks) + 1)),
        *(
            f"vec{index}:transport=raw,ifname={interface.tap},mac={interface.mac},"
            f"mtu={spec.network(interface.network).mtu},depth=64,gro=1"
            for index, interface in enumerate(node.interfaces)
        ),
        "root=/dev/ubda",
        "rw",
        "init=/usr/local/sbin/lab-init",
        f"lab.folder={home}/config",
        f"lab.init={'systemd' if node.systemd else 'tiny'}",
        "con=null",
        "con0=null,fd:1",
        "ssl=null",
        "console=tty0",
        "net.ifnames=0",
        "loglevel=5",
        "quiet",
        "systemd.show_status=0",
        "panic=-1",
        "selinux=0",
    ]


def main() -> None:
    """Read the specification, keep the lab, remove its folder at the end."""
    with Path(sys.argv[1]).open() as file:
        spec = KeeperSpec.from_json(json.load(file))
    lifeline = int(sys.argv[2]) if len(sys.argv) > 2 else None
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's: it tells the keeper in its own time
    try:
        asyncio.run(Keeper(spec).run(lifeline))
    finally:
        shutil.rmtree(spec.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # another lab lives there
            Path(spec.folder).parent.rmdir()


if __name__ == "__main__":
    main()
