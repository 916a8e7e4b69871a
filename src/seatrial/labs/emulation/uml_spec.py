"""Conversion of a study to the supervisor's data: networks, nodes, emulators, memory."""

from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.labs.base import site_edges
from seatrial.labs.emulation.supervisor_spec import (
    BondSpec,
    DiskSpec,
    EdgeSpec,
    EmulatorSpec,
    InterfaceSpec,
    LocalSpec,
    NetworkSpec,
    NodeSpec,
    PathsSpec,
    SupplySpec,
)
from seatrial.study.nodes import Edges, Node, members_path
from seatrial.study.study import Study

BRIDGE_ADDRESS = "10.99.255.254"
_COMPANIONS_FROM = 200 * 256
"""number of the first emulator, above all nodes, so that nodes' addresses do not depend on them"""


def networks(study: Study, scale: float) -> tuple[NetworkSpec, ...]:
    """The lab's control network, which is never shaped or cut, and the study's networks."""
    return (
        NetworkSpec("control", "br0", 1500, BRIDGE_ADDRESS),
        *(
            NetworkSpec(
                name,
                f"br{index}",
                options.mtu,
                None,
                _mtu_max(study, name),
                options.switch,
                _edges(f"br{index}", options.edges, scale),
            )
            for index, (name, options) in enumerate(study.networks.items(), start=1)
        ),
    )


def _edges(bridge: str, edges: Edges | None, scale: float) -> tuple[EdgeSpec, ...]:
    if edges is None:
        return ()
    return tuple(
        EdgeSpec(f"{bridge}e{number}", edges.uplinks, edges.uplink * scale, edges.hash)
        for number in range(1, edges.switches + 1)
    )


def nodes(study: Study, systemd: set[str], scale: float) -> tuple[NodeSpec, ...]:
    """Every node with its disks, cards and supplies."""
    result = []
    edges = site_edges(study, scale)
    for number, name in enumerate(study.node_names(), start=1):
        node = study.node(name)
        disk_rate = node.disks.rate * scale if node.disks and node.disks.rate else None
        disks = (
            [DiskSpec(node.disks.size or 0, disk_rate, node.disks.cache)] * node.disks.count
            if node.disks
            else []
        )
        interfaces = [
            _interface(
                number,
                index,
                network.name,
                _link_rate(node, network.name, scale) if index else None,
                bond=_bond(study, name, network.name),
                edge=edges[network.name].switch_of(name) if network.name in edges else None,
            )
            for index, network in enumerate(networks(study, scale))
            if not index or node.networks is None or network.name in node.networks
        ]
        paths = node.disks.paths if node.disks else None
        cables = PathsSpec(paths.cabling, paths.rate * scale) if paths else None
        supplies = tuple(SupplySpec(pdu, number) for pdu, number in study.outlets(name).items())
        result.append(
            NodeSpec(
                name,
                node.memory,
                name in systemd,
                tuple(disks),
                tuple(interfaces),
                cables,
                supplies,
                _local(node, scale),
            )
        )
    return tuple(result)


def _local(node: Node, scale: float) -> LocalSpec | None:
    """The local disks of a node."""
    local = node.local_disks
    if local is None:
        return None
    disk = DiskSpec(local.size, local.rate * scale if local.rate else None)
    return LocalSpec(local.mirrored, (disk,) * local.count)


def emulators(study: Study) -> tuple[EmulatorSpec, ...]:
    """The management controllers of all nodes, then the power distribution units."""
    specs: list[tuple[str, str | None, str]] = []
    for name in study.node_names():
        bmc = study.node(name).bmc
        if bmc is not None:
            specs.append((f"{name}-bmc", name, bmc.network))
    specs += [(name, None, pdu.network) for name, pdu in study.pdus.items()]
    names = ("control", *study.networks)
    index_of = {network: index for index, network in enumerate(names)}
    return tuple(
        EmulatorSpec(
            name, node, _interface(_COMPANIONS_FROM + number, index_of[network], network, None)
        )
        for number, (name, node, network) in enumerate(specs, start=1)
    )


def _mtu_max(study: Study, network: str) -> int:
    """The largest MTU of a network in any experiment, which its switch must pass."""
    return max(_values(study, f"networks.{network}.mtu", study.networks[network].mtu))


def _values(study: Study, path: str, base: int) -> list[int]:
    """Every value at a path of a study: its own, and those of all experiments."""
    values = [base]
    for experiment in study.experiments.values():
        changes = (experiment.overrides, *(row.overrides for row in experiment.variants.values()))
        values += [item[path] for item in changes if path in item]
        values += experiment.sweep.get(path, ())
    return values


def _bond(study: Study, name: str, network: str) -> BondSpec | None:
    """The bond of a node to a network, with the cables of every experiment."""
    bond = study.node(name).bonds.get(network)
    if bond is None:
        return None
    nodes = next(key for key, node in study.nodes.items() if node is study.node(name))
    numbers = _values(study, members_path(nodes, network), bond.members)
    return BondSpec(bond.mode, bond.hash, max(numbers), bond.members)


def _link_rate(node: Node, network: str, scale: float) -> float | None:
    rate = node.links.get(network, node.link)
    return rate * scale if rate else None


def _interface(
    number: int,
    index: int,
    network: str,
    rate_bytes_per_s: float | None,
    *,
    bond: BondSpec | None = None,
    edge: int | None = None,
) -> InterfaceSpec:
    high, low = divmod(number, 256)
    return InterfaceSpec(
        network=network,
        address=f"10.{99 if index == 0 else 9 + index}.{high}.{low}",
        mac=f"02:00:{index:02x}:00:{high:02x}:{low:02x}",
        tap=f"tap{number}x{index}",
        port=f"port{number}x{index}",
        rate_bytes_per_s=rate_bytes_per_s,
        bond=bond,
        edge=edge,
    )


ROOT_CHANGES_BYTES = 256 * 2**20
"""bytes that a node may write to its root file system"""


def available_bytes() -> int:
    """Bytes of memory of this machine that are free or can be freed."""
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(fields["MemAvailable"].split()[0]) * 1024


def memory_limit(study: Study, nodes: tuple[NodeSpec, ...]) -> int:
    """The nodes' memory limit in bytes; RunError when this machine lacks this memory."""
    needed = sum(
        node.memory_bytes + ROOT_CHANGES_BYTES + sum(disk.size_bytes for disk in node.all_disks)
        for node in nodes
    )
    available = available_bytes()
    booted = sum(node.memory_bytes for node in nodes)
    if booted > available:
        raise RunError(
            f"the nodes of {study.id} have {booted / 2**30:.1f} GiB of memory; "
            f"this machine has {available / 2**30:.1f} GiB free",
            "use smaller or fewer nodes",
        )
    return min(needed, available)
