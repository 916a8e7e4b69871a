"""Lab `emulated`: real Linux kernels as ordinary processes, without root, in separate namespaces.

This module works outside the namespaces: it describes the lab to its supervisor
(`labs.emulation.supervisor`), starts it, waits for the nodes and sends it requests. Everything of a
running lab is in one folder, which the supervisor removes.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import Field

from seatrial.basics.errors import InputError, RunError
from seatrial.basics.schema import Model, Ratio
from seatrial.basics.units import counted
from seatrial.labs.base import Say, location, options_of, site_edges, site_node
from seatrial.labs.emulation import disk_rates, journal, uml_spec
from seatrial.labs.emulation.boot_report import BootReport
from seatrial.labs.emulation.image import Image, ensure_image
from seatrial.labs.emulation.running_lab import LAB_FILE, lab_of, read_lab
from seatrial.labs.emulation.runtime import alive, runtime_folder, wait_gone
from seatrial.labs.emulation.starting import await_supervisor, start_supervisor, tail
from seatrial.labs.emulation.supervisor_node import (
    DISK_LETTERS,
    connection_command,
    local_letters,
)
from seatrial.labs.emulation.supervisor_spec import COMMUNITY, FILE, PASSWORD, USER, SupervisorSpec
from seatrial.plan.site import Site, SiteBmc, SiteMirror, SiteOutlet
from seatrial.plan.traits import Traits
from seatrial.study.nodes import Disks, Node, Paths
from seatrial.study.study import Study
from seatrial.transport import OpenSsh

DISKS_MAX = 15  # the ubd driver supports 16 devices; the first is the root
MTU_MAX = 9216
"""of the lab's switches: more than jumbo frames need, less than UML's network driver supports"""
NAME_MAX = 63
"""characters of a host name; Linux supports 64 (gethostname(2))"""
NO_LACP = (
    "802.3ad needs a card with a known duplex mode, and the card of a lab reports none; in a lab"
    " write balance-xor, which uses the links in the same way without LACP. Hosts may have 802.3ad"
)
CONTROL_TIMEOUT_S = 150.0
_SYSCTL = {
    # 64 KiB of window per connection do not overflow the 64 slots of a packet socket.
    "net/ipv4/tcp_rmem": "4096 49152 65536",
    "net/ipv4/tcp_wmem": "4096 49152 65536",
    "net/ipv4/conf/all/arp_ignore": "1",
    "net/ipv4/conf/all/arp_announce": "2",
}


TRAITS = Traits(
    is_emulated=True,
    is_temporary=True,
    shares_processors=True,
    sets_memory=True,
    holds_secrets=True,
    has_rdma=False,
    skips_parity=True,
    names_cards=True,
    has_fixed_mtu=True,
    logs_power=True,
    moves_cables=True,
    shares_clock=True,
    has_site_hosts=False,
)


class Options(Model):
    """`environment: {kind: emulated, scale: 1/40}`."""

    kind: str = Field(description="Selects this environment.")
    scale: Ratio = Field(
        1.0,
        description=(
            "Factor for every link and disk rate of the study. Sizes, memory and times are not"
            " scaled."
        ),
    )


def site(study: Study) -> Site:
    """Device names of the guest's ubd driver; rates multiplied by the scale."""
    scale = options_of(Options, study).scale
    for network, about in study.networks.items():
        if about.mtu > MTU_MAX:
            raise study.mistake(
                ("networks", network, "mtu"),
                f"is {about.mtu}; the links of a lab carry at most {MTU_MAX}. Hosts may have more",
            )
    nodes = {}
    for name in study.node_names():
        node = study.node(name)
        disks = node.disks
        if len(name) > NAME_MAX:
            raise study.mistake(
                location(study, name),
                f"{name!r} has {len(name)} letters; in a lab a name has at most {NAME_MAX}. Hosts"
                " may have more",
            )
        for network, bond in node.bonds.items():
            if bond.mode == "802.3ad":
                raise study.mistake(location(study, name, "bonds", network, "mode"), NO_LACP)
        if disks is not None and disks.size is None:
            raise study.mistake(
                location(study, name, "disks"), "a lab disk needs a size, e.g. size: 256MiB"
            )
        if disks is not None and disks.count > DISKS_MAX:
            raise study.mistake(
                location(study, name, "disks", "count"), f"a lab node has at most {DISKS_MAX} disks"
            )
        data = disks.count if disks else 0
        local = node.local_disks
        if local is not None and data + local.count > DISKS_MAX:
            raise study.mistake(
                location(study, name, "local_disks"),
                f"a lab node has at most {DISKS_MAX} disks, local disks included",
            )
        nodes[name] = site_node(
            study,
            name,
            scale,
            made=True,
            address=name,
            devices=_devices(disks),
            devices_hold_zeros=True,
            networks={network: f"{name}-{network}" for network in study.networks_of(name)},
            bmc=SiteBmc(f"{name}-bmc", USER, PASSWORD) if node.bmc else None,
            outlets=tuple(
                SiteOutlet(pdu, pdu, outlet, COMMUNITY)
                for pdu, outlet in study.outlets(name).items()
            ),
            local_mirror=_mirror(node),
        )
    edges = site_edges(study, scale, made=True)
    return Site("emulated", scale, nodes, study.data_network, *study.mtus(), TRAITS, edges)


def _devices(disks: Disks | None) -> tuple[str, ...]:
    """The devices in the guest: direct, through storage paths, or with a cache."""
    if disks is None:
        return ()
    if disks.paths is not None:
        return tuple(f"/dev/mapper/disk{number}" for number in range(1, disks.count + 1))
    if disks.cache is not None:
        return tuple(f"/dev/loop{number}" for number in range(disks.count))
    return tuple(f"/dev/ubd{letter}" for letter in DISK_LETTERS[: disks.count])


def _mirror(node: Node) -> SiteMirror | None:
    """The RAID 1 of the local disks, which image_files/lab-local-disks makes."""
    local = node.local_disks
    if local is None:
        return None
    letters = local_letters(node.disks.count if node.disks else 0, local.count)
    members = tuple(f"/dev/ubd{letter}" for letter in letters)
    return SiteMirror("/dev/md/system", members, local.spares)


class EmulatedLab:
    """A running lab."""

    kind = "emulated"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lifeline: int | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def ssh_config(self) -> Path:
        """A file for any ssh tool: `ssh -F FILE nas`, also rsync and scp."""
        return self.folder / "ssh_config"

    @property
    def transport(self) -> OpenSsh:
        """Access as root, the only login of its nodes."""
        return OpenSsh(self.ssh_config)

    @property
    def lasting(self) -> bool:
        """Whether it stays up; otherwise it belongs to a running command."""
        lab = read_lab(self.folder)
        return lab is None or lab.lasting

    def state(self) -> dict[str, Any]:
        """The state of every node by name."""
        return dict(self.ask(verb="status")["nodes"])

    def power(self, node: str, state: str) -> None:
        """Set the state: `on`, `off`, `frozen` or `thawed`.

        `off` is a power cut: synced data survive, unsynced data are lost.
        """
        self.ask(verb="power", node=node, state=state)
        if state in ("off", "on"):  # ssh would wait for the connection to the old kernel
            (self.folder / f"ssh-{node}").unlink(missing_ok=True)

    def wait_for_ssh(self, node: str) -> dict[str, Any]:
        """Wait until the node answers ssh or has failed; returns its state."""
        return self.ask(timeout_s=None, verb="wait", node=node)

    def link(self, node: str, network: str, *, up: bool) -> None:
        """Plug or unplug the node's cable to the network, outside the node."""
        self.ask(verb="link", node=node, network=network, up=up)

    def link_is_up(self, node: str, network: str) -> bool:
        """Whether the switch's port of the node's cable is up."""
        return bool(self.ask(verb="link-state", node=node, network=network)["up"])

    def network_is_up(self, name: str) -> bool:
        """Whether the network's switch is up."""
        return bool(self.ask(verb="link-state", network=name)["up"])

    def mtu(self, node: str, network: str, mtu: int | None) -> None:
        """Drop larger packets at the switch's port of the node's cable; None: the study's MTU."""
        self.ask(verb="mtu", node=node, network=network, mtu=mtu)

    def emulator(self, name: str, mode: str, delay_s: float = 0.0) -> None:
        """Set the mode of a BMC or PDU: `ok`, `slow`, `dead` or `lies`; see `EmulatorControl`."""
        self.ask(verb="emulator", name=name, mode=mode, delay_s=delay_s)

    def bus(self, pdu: str, *, live: bool) -> None:
        """Cut or restore the current before a PDU."""
        self.ask(verb="bus", pdu=pdu, live=live)

    def network(self, name: str, *, up: bool) -> None:
        """Cut or restore the power of a whole network's switch."""
        self.ask(verb="network", network=name, up=up)

    def power_log(self) -> list[dict[str, Any]]:
        """Every change of power: `unix_s`, `node` (or a PDU, for its bus), `what`, `by`."""
        return journal.timed(self.ask(verb="power-log")["power"])

    def power_requests(self) -> list[dict[str, Any]]:
        """Requests to emulators; see `PowerLog.power_requests`."""
        return journal.timed(self.ask(verb="power-log")["requests"])

    def cable(self, node: str, paths: Paths) -> None:
        """Move the node's disks to other paths while it runs."""
        scale = lab_of(self.folder).scale
        command = f"lab-cable {paths.cabling} {paths.rate * scale:.0f}"
        self._run_in_node(node, command, "the cables could not be moved")

    def link_rate(self, node: str, network: str, rate_bytes_per_s: float | None) -> None:
        """Set the rate of the node's link to the network, outside the node."""
        if rate_bytes_per_s is not None:
            scaled = rate_bytes_per_s * lab_of(self.folder).scale
            self.ask(verb="link-rate", node=node, network=network, rate_bytes_per_s=scaled)

    def bond(self, node: str, network: str, members: int) -> None:
        """Connect the first `members` links of a node's bond, in the switch and in the node."""
        self.ask(verb="bond", node=node, network=network, members=members)
        spec = next(item for item in _read_spec(self.folder).nodes if item.name == node)
        command = connection_command(spec, network, members)
        self._run_in_node(node, command, "the links of its bond could not be changed")

    def processor(self, node: str, share: float | None) -> None:
        """Let the node's kernel run for this share of the time only; None: no limit."""
        self.ask(verb="processor", node=node, share=share)

    def disk(
        self, node: str, number: int, rate_bytes_per_s: float | None, requests_per_s: float | None
    ) -> None:
        """Limit the node's disk `number` (from 1); without limits it has the study's rate."""
        spec = next(item for item in _read_spec(self.folder).nodes if item.name == node)
        disk = spec.disks[number - 1]
        device = disk_rates.device_of(number, cached=disk.cache is not None)
        rate = disk.rate_bytes_per_s if rate_bytes_per_s is None else rate_bytes_per_s
        command = disk_rates.command(device, rate, requests_per_s)
        self._run_in_node(node, command, f"disk {number} could not be limited")

    def _run_in_node(self, node: str, command: str, problem: str) -> None:
        """Run a command; RunError with the problem and the reason if it fails."""
        done = self.transport.run(node, command, timeout_s=60)
        if done.exit_code:
            raise RunError(f"{node}: {problem}: {done.stderr.strip() or done.exit_code}")

    def facts(self) -> dict[str, Any]:
        """Kernel, image and boot times."""
        lab = lab_of(self.folder)
        return {
            "kind": "emulated",
            "kernel": lab.kernel,
            "image": lab.image,
            "nodes": self.state(),
        }

    def ask(self, *, timeout_s: float | None = CONTROL_TIMEOUT_S, **request: Any) -> dict[str, Any]:
        """Send one request to the supervisor; RunError when it is gone or refuses.

        `timeout_s` is None for requests that the supervisor limits itself, such as a queued boot.
        """
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                client.settimeout(timeout_s)
                client.connect(str(self.folder / "control"))
                client.sendall(json.dumps(request).encode() + b"\n")
                answer: dict[str, Any] = json.loads(
                    client.makefile().readline() or '{"error": "no answer"}'
                )
        except OSError as error:
            raise RunError(f"lab {self.folder.name} does not answer: {error}") from None
        if "error" in answer:
            raise RunError(f"lab {self.folder.name}: {answer['error']}")
        return answer

    def down(self) -> None:
        """Stop the lab; no process, mount, namespace or file of it remains."""
        lab = read_lab(self.folder)
        with contextlib.suppress(RunError):
            self.ask(verb="down")
        wait_gone(lab, self.folder, timeout_s=10)
        if lab is not None and alive(lab, self.folder):
            lab.require_ours()
            with contextlib.suppress(ProcessLookupError):
                os.kill(lab.supervisor_pid, signal.SIGKILL)
            wait_gone(lab, self.folder, timeout_s=10)
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        if self._process is not None:
            self._end(self._process)
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # another lab uses the folder
            self.folder.parent.rmdir()

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        """Signal the supervisor, which gets no requests when the lab's folder was removed."""
        try:
            process.wait(CONTROL_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()  # `unshare --kill-child` ends the supervisor and all of its namespaces
            process.wait()


def find(study: Study, name: str) -> EmulatedLab | None:
    """The running lab called `name` of this user, or None.

    InputError when it was started for other nodes than the study's.
    """
    sweep()
    folder = runtime_folder() / name
    lab = read_lab(folder)
    if lab is None:
        return None
    lab.require_ours()
    running = _read_spec(folder)
    systemd = {node.name for node in running.nodes if node.systemd}
    scale = options_of(Options, study).scale
    nodes = uml_spec.nodes(study, systemd, scale)
    expected = (uml_spec.networks(study, scale), nodes, uml_spec.emulators(study))
    if (running.networks, running.nodes, running.emulators) != expected:
        raise InputError(
            f"the running lab {name} has other nodes, disks or networks than this study",
            f"seatrial lab down {name}",
        )
    return EmulatedLab(folder)


def labs_up() -> list[EmulatedLab]:
    """Every running lab of this user."""
    sweep()
    return [EmulatedLab(path.parent) for path in sorted(runtime_folder().glob(f"*/{LAB_FILE}"))]


def sweep() -> None:
    """Remove the folders of labs without a supervisor; their processes ended with it.

    A folder that names no supervisor yet is left for a while: its lab may be starting.
    """
    for folder in runtime_folder().iterdir():
        # The supervisor of another lab may remove its folder at any time.
        with contextlib.suppress(FileNotFoundError):
            is_complete = (folder / LAB_FILE).exists() and (folder / "control").exists()
            starting = not is_complete and time.time() - folder.stat().st_mtime < CONTROL_TIMEOUT_S
            if folder.is_dir() and not starting and not alive(read_lab(folder), folder):
                shutil.rmtree(folder, ignore_errors=True)


def up(
    study: Study,
    *,
    systemd_nodes: Iterable[str],
    name: str,
    console: Path,
    detached: bool,
    say: Say,
    packages: Iterable[str] = (),
) -> EmulatedLab:
    """Start the lab and wait for every node's ssh; RunError has the last lines of a console.

    A `detached` lab outlives this process. Otherwise the supervisor stops the lab when this process
    ends in any way.
    """
    image = ensure_image(say, packages)
    if find(study, name) is not None:
        raise RunError(f"a lab called {name} is up already", f"seatrial lab down {name}")
    folder = runtime_folder() / name
    folder.mkdir(mode=0o700, parents=True)
    console.mkdir(parents=True, exist_ok=True)
    lab = EmulatedLab(folder)
    spec = _spec(study, set(systemd_nodes), lab, console, image)
    try:
        _start(lab, spec, image, detached=detached)
        say(f"booting {counted(len(spec.nodes), 'node')}")
        if os.geteuid() == 0:
            say("the lab is no security boundary: root inside a node has your privileges (root)")
        _wait_for_nodes(lab, spec, say)
    except BaseException:
        lab.down()
        raise
    return lab


def _start(lab: EmulatedLab, spec: SupervisorSpec, image: Image, *, detached: bool) -> None:
    started = start_supervisor(lab.folder, spec, image, detached=detached)
    # Known before the wait: `down` ends a supervisor that does not start.
    lab._process = started.process
    lab._lifeline = started.lifeline
    await_supervisor(lab.folder, lab.ssh_config, spec, image, started)


def _read_spec(folder: Path) -> SupervisorSpec:
    return FILE.validate_json((folder / "spec.json").read_bytes())


def _wait_for_nodes(lab: EmulatedLab, spec: SupervisorSpec, say: Say) -> None:
    """Wait until every node answers ssh; RunError for one that does not boot."""
    report = BootReport(len(spec.nodes), say)
    for node in spec.nodes:
        state = lab.wait_for_ssh(node.name)
        if state["failure"]:
            console = Path(spec.console_folder) / f"{node.name}.log"
            raise RunError(
                f"node {node.name} did not boot: {state['failure']}; its console's last"
                f" lines:\n{tail(console)}",
                f"the whole console is in {console}",
            )
        report.answered(node.name, float(state["ssh_after_s"]))
    for emulator in spec.emulators:
        failure = lab.wait_for_ssh(emulator.name)["failure"]
        if failure:
            log = Path(spec.console_folder) / f"{emulator.name}.log"
            raise RunError(
                f"{emulator.name} did not start: {failure}; its last lines:\n{tail(log)}"
            )


def _spec(
    study: Study, systemd: set[str], lab: EmulatedLab, console: Path, image: Image
) -> SupervisorSpec:
    scale = options_of(Options, study).scale
    nodes = uml_spec.nodes(study, systemd, scale)
    return SupervisorSpec(
        name=lab.folder.name,
        folder=str(lab.folder),
        console_folder=str(console),
        kernel=str(image.kernel.program),
        image=str(image.root),
        preload=str(image.preload),
        memory_limit_bytes=uml_spec.memory_limit(study, nodes),
        networks=uml_spec.networks(study, scale),
        nodes=nodes,
        sysctl=_SYSCTL,
        scale=scale,
        emulators=uml_spec.emulators(study),
    )
