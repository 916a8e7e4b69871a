"""The start of a node's kernel: its command line, and the files that its first process reads."""

import contextlib
import os
from pathlib import Path

from seatrial.labs.emulation import disk_rates
from seatrial.labs.emulation.supervisor_spec import NetworkSpec, NodeSpec, SupervisorSpec

DISK_LETTERS = "bcdefghijklmnop"
"""letters of the ubd driver's devices; the first, a, is the root"""
_CACHE_FLAGS = {"volatile": "write back", "ignores-flushes": "write through"}
"""type of the cache for the block layer: it sends no flush to a write-through device"""


def write_identity(folder: Path, node: NodeSpec, spec: SupervisorSpec) -> None:
    """Write the files that the node's first process reads by hostfs; see image_files/lab-init."""
    folder.mkdir(exist_ok=True)
    lines = ["link set lo up"]
    for index, interface in enumerate(node.interfaces):
        network = spec.network(interface.network)
        if network.passes == network.mtu:
            lines.append(f"link set vec{index} name {interface.network}")
        else:
            lines += _resizable(index, network, interface.mac)
        lines += [
            f"link set {interface.network} mtu {network.mtu} gso_max_size 16384",
            f"addr add {interface.address}/16 dev {interface.network}",
            f"link set {interface.network} up",
        ]
    hosts = ["127.0.0.1 localhost"]
    for other in spec.nodes:
        names = [f"{other.name}-{item.network}" for item in other.interfaces]
        hosts += [f"{item.address} {name}" for item, name in zip(other.interfaces, names, strict=True)]
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
            f"{disk_rates.device_of(index, cached=disk.cache is not None)} {disk.rate_bytes_per_s:.0f}"
            for index, disk in enumerate(node.disks, start=1)
            if disk.rate_bytes_per_s
        ),
    }
    if node.paths:
        files["paths"] = f"{node.paths.cabling} {node.paths.rate_bytes_per_s:.0f}"
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n" if text else "")


def _resizable(index: int, network: NetworkSpec, mac: str) -> list[str]:
    """A card with an adjustable MTU: the vector driver only lowers it, a bridge does both."""
    return [
        f"link set vec{index} name card{index}",
        f"link set card{index} mtu {network.passes} gso_max_size 16384",
        f"link set card{index} up",
        f"link add name {network.name} address {mac} type bridge forward_delay 0 stp_state 0 mcast_snooping 0",
        f"link set card{index} master {network.name}",
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
        *(f"ubd{index}={home}/disk{index}" for index in range(1, len(node.disks) + 1)),
        *(
            f"vec{index}:transport=raw,ifname={interface.tap},mac={interface.mac},"
            f"mtu={spec.network(interface.network).passes},depth=64,gro=1"
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
        "lpj=16000000",  # loops per tick of a 3.2 GHz processor: ticks are short during the boot
        "net.ifnames=0",
        "loglevel=5",
        "quiet",
        "systemd.show_status=0",
        "panic=-1",
        "seccomp=auto",  # a kernel without this option passes it to its init
        "selinux=0",
    ]
