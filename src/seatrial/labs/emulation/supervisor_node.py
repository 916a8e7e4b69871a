"""The start of a node's kernel: its command line, and the files that its first process reads."""

import contextlib
import os
from pathlib import Path

from seatrial.labs.emulation import disk_rates
from seatrial.labs.emulation.supervisor_spec import (
    InterfaceSpec,
    NetworkSpec,
    NodeSpec,
    SupervisorSpec,
)

DISK_LETTERS = "bcdefghijklmnop"
"""letters of the ubd driver's devices; the first, a, is the root"""
LINK_CHECK_MS = 100
"""interval at which a bond reads the state of its cards"""
_CACHE_FLAGS = {"volatile": "write back", "ignores-flushes": "write through"}
"""type of the cache for the block layer: it sends no flush to a write-through device"""


def write_identity(folder: Path, node: NodeSpec, spec: SupervisorSpec) -> None:
    """Write the files that the node's first process reads by hostfs; see image_files/lab-init."""
    folder.mkdir(exist_ok=True)
    lines = ["link set lo up"]
    first = 0
    for index, interface in enumerate(node.interfaces):
        network = spec.network(interface.network)
        resizable = network.passes != network.mtu
        outer = f"card{index}" if resizable else interface.network
        if interface.bond is None:
            lines.append(f"link set vec{first} name {outer}")
        else:
            lines += _bonded(first, outer, network, interface)
        first += len(interface.cables)
        if resizable:
            lines += _resizable(outer, network, interface.mac)
        lines += [
            f"link set {interface.network} mtu {network.mtu} gso_max_size 16384",
            f"addr add {interface.address}/16 dev {interface.network}",
            f"link set {interface.network} up",
        ]
    hosts = ["127.0.0.1 localhost"]
    for other in spec.nodes:
        names = [f"{other.name}-{item.network}" for item in other.interfaces]
        hosts += [
            f"{item.address} {name}" for item, name in zip(other.interfaces, names, strict=True)
        ]
        first_of_study = other.interfaces[min(1, len(other.interfaces) - 1)]
        hosts.append(f"{first_of_study.address} {other.name}")
    hosts += [f"{item.interface.address} {item.name}" for item in spec.emulators]
    files = {
        "name": node.name,
        "pids": str([item.name for item in spec.nodes].index(node.name)),
        "network": "\n".join(lines),
        "hosts": "\n".join(hosts),
        "sysctl": "\n".join(f"{key} {value}" for key, value in spec.sysctl.items()),
        "cache": "\n".join(
            f"loop{index - 1} ubd{DISK_LETTERS[index - 1]} {_CACHE_FLAGS[disk.cache]}"
            for index, disk in enumerate(node.disks, start=1)
            if disk.cache
        ),
        # A disk with a cache is limited before the cache, which hides flushes without a speed-up.
        "throttle": "\n".join(
            f"{disk_rates.device_of(index, cached=disk.cache is not None)}"
            f" {disk.rate_bytes_per_s:.0f}"
            for index, disk in enumerate(node.all_disks, start=1)
            if disk.rate_bytes_per_s
        ),
    }
    if node.local:
        letters = local_letters(len(node.disks), len(node.local.disks))
        names = [f"ubd{letter}" for letter in letters]
        files["local"] = f"{node.local.mirrored} {' '.join(names)}"
    if node.paths:
        files["paths"] = f"{node.paths.cabling} {node.paths.rate_bytes_per_s:.0f}"
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n" if text else "")


def local_letters(data_disks: int, local_disks: int) -> str:
    """The letters of a node's local disks, which follow those of its data disks."""
    return DISK_LETTERS[data_disks : data_disks + local_disks]


def _bonded(first: int, device: str, network: NetworkSpec, interface: InterfaceSpec) -> list[str]:
    """A bond of the cards from number `first`; the cards without a connected cable are down.

    A bond gives its MTU to its cards, and the driver of the cards only lowers it.
    """
    bond = interface.bond
    if bond is None:
        return []
    lines = [
        (
            f"link add name {device} address {interface.mac} mtu {network.passes} type bond mode"
            f" {bond.mode} xmit_hash_policy {bond.hash} miimon {LINK_CHECK_MS}"
        )
    ]
    for index, cable in enumerate(interface.cables):
        card = f"vec{first + index}"
        lines += [
            f"link set {card} mtu {network.passes} gso_max_size 16384",
            f"link set {card} master {device}",
        ]
        if cable not in interface.connected:
            lines.append(f"link set {card} down")
    return lines


def connection_command(node: NodeSpec, network: str, members: int) -> str:
    """The shell command in a node that uses the first `members` cards of its bond only."""
    first = 0
    for interface in node.interfaces:
        if interface.network == network:
            return "; ".join(
                f"ip link set vec{first + index} {'up' if index < members else 'down'}"
                for index in range(len(interface.cables))
            )
        first += len(interface.cables)
    raise ValueError(f"{node.name} is not on network {network}")


def _resizable(card: str, network: NetworkSpec, mac: str) -> list[str]:
    """A card with an adjustable MTU: the vector driver only lowers it, a bridge does both."""
    return [
        f"link set {card} mtu {network.passes} gso_max_size 16384",
        f"link set {card} up",
        (
            f"link add name {network.name} address {mac} type bridge forward_delay 0 stp_state 0"
            " mcast_snooping 0"
        ),
        f"link set {card} master {network.name}",
    ]


CLIENT_NICENESS = 10
"""niceness of nodes that only mount and load.

When the lab's processors do not suffice, a server's heartbeats and probes must not wait for
clients, or the server is fenced because of the lab.
"""


def make_way(node: NodeSpec, pid: int) -> bool:
    """Give a client node's kernel less priority; False when this must be tried again.

    Each kernel is a session, and when the host groups by session (sched(7), autogroup) only the
    group's niceness counts. The whole host allows ten changes of it per second.
    """
    if node.systemd:
        return True
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, CLIENT_NICENESS)
    try:
        Path(f"/proc/{pid}/autogroup").write_text(f"{CLIENT_NICENESS}\n")
    except BlockingIOError:
        return False
    except OSError:  # no autogroups, or no permission
        return True
    return True


def kernel_command(spec: SupervisorSpec, node: NodeSpec, home: Path) -> list[str]:
    """The command line of a node's kernel."""
    return [
        spec.kernel,
        "umid=node",
        f"uml_dir={home}/uml",
        f"mem={node.memory_bytes // 2**20}M",
        f"ubd0={home}/root.cow,{spec.image}",
        *(f"ubd{index}={home}/disk{index}" for index in range(1, len(node.all_disks) + 1)),
        *(
            f"vec{index}:transport=raw,ifname={cable.tap},mac={cable.mac},"
            f"mtu={spec.network(network).passes},depth=64,gro=1"
            for index, (network, cable) in enumerate(
                (interface.network, cable)
                for interface in node.interfaces
                for cable in interface.cables
            )
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
        "lpj=16000000",  # loops per tick of a 3.2 GHz processor: ticks are short during the boot
        "net.ifnames=0",
        "loglevel=5",
        "quiet",
        "systemd.show_status=0",
        "panic=-1",
        "seccomp=auto",  # a kernel without this option passes it to its init
        "selinux=0",
    ]
