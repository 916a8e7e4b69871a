"""The lab's network as `ip` and `tc` commands: one bridge per switch, two short cables per card.

A node's kernel sends through a packet socket, which bypasses its own end's queue. So each card has
a small bridge between two veth pairs. Both directions are shaped outside the node, on the pair
between the small bridge and the network's bridge: towards the node on the network's side, from the
node on the card's side.

    node =(tap)====(plug)=[card bridge]=(jack)====(port)=[network bridge]
"""

import fcntl
import socket
import struct
from typing import NamedTuple

from seatrial.labs.emulation.aggregation import aggregates, aggregation, group
from seatrial.labs.emulation.supervisor_spec import (
    CableSpec,
    EdgeSpec,
    InterfaceSpec,
    NetworkSpec,
    SupervisorSpec,
)
from seatrial.plan.data_path import bucket_bytes

LINK_QUEUE_S = 0.1
"""seconds for which a packet waits in a shaped link's queue before it is dropped: a deep buffer"""


class Commands(NamedTuple):
    """A batch for `ip` and a batch for `tc`."""

    ip: list[str]
    tc: list[str]


def network_commands(spec: SupervisorSpec) -> Commands:
    """The commands that create the whole network."""
    ip = ["link set lo up"]
    tc: list[str] = []
    for network in spec.networks:
        ip += _bridge(network.bridge, network.passes, switch=network.switch)
        if network.address:
            ip.append(f"addr add {network.address}/16 dev {network.bridge}")
        for edge in network.edges:
            more = _edge(network, edge)
            ip += more.ip
            tc += more.tc
    for node in spec.nodes:
        for interface in node.interfaces:
            network = spec.network(interface.network)
            ip += _cables(interface, network.bridge_of(interface), network.passes)
            if interface.rate_bytes_per_s:
                tc += [_shape(device, interface.rate_bytes_per_s) for device in _shaped(interface)]
            tc += aggregation(interface)
    for emulator in spec.emulators:
        network = spec.network(emulator.interface.network)
        ip += _cables(emulator.interface, network.bridge, network.passes)
    return Commands(ip=ip, tc=tc)


def _edge(network: NetworkSpec, edge: EdgeSpec) -> Commands:
    """The commands of an edge switch and its uplinks.

    Both switches have an aggregation group. Each uplink is shaped at both ends.
    """
    ip = _bridge(edge.bridge, network.passes)
    tc: list[str] = []
    for link in edge.links:
        ip += _pair(link.edge_port, link.core_port, network.passes)
        tc += [_shape(port, edge.rate_bytes_per_s) for port in (link.edge_port, link.core_port)]
    ends = (
        (edge.bridge, "e", [link.edge_port for link in edge.links]),
        (network.bridge, "c", [link.core_port for link in edge.links]),
    )
    for bridge, end, ports in ends:
        trunk = f"{edge.bridge}trunk{end}"
        hub = f"{edge.bridge}hub{end}"
        ip += [*_pair(trunk, hub, network.passes), f"link set {hub} master {bridge}"]
        tc += group(trunk, ports, edge.hash)
    return Commands(ip=ip, tc=tc)


def _bridge(name: str, mtu: int, *, switch: bool = True) -> list[str]:
    """A bridge; without a switch it has no address table and two ports, and works as a cable."""
    learning = "" if switch else " ageing_time 0"
    return [
        (
            f"link add name {name} mtu {mtu} type bridge forward_delay 0 stp_state 0 mcast_snooping"
            f" 0{learning}"
        ),
        f"link set {name} up",
    ]


SIOCGIFFLAGS = 0x8913
"""netdevice(7)"""
IFF_UP = 0x1
"""netdevice(7)"""


def is_up(device: str) -> bool:
    """Whether a device of this network namespace is up; OSError when it does not exist."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        answer = fcntl.ioctl(asker, SIOCGIFFLAGS, struct.pack("16sh14x", device.encode(), 0))
    flags: int = struct.unpack("16sh14x", answer)[1]
    return bool(flags & IFF_UP)


def narrow(interface: InterfaceSpec, mtu: int | None, network_mtu: int) -> list[str]:
    """`ip` commands: the switch's port of a node's cable silently drops packets above `mtu` bytes.

    None removes the limit. A veth drops packets above the MTU of its far end, except those that are
    segmented later: packets above gso_max_size are segmented before. ValueError when the cable is
    not shaped, because it then lacks the pair in the middle.
    """
    if interface.rate_bytes_per_s is None:
        raise ValueError(
            f"the link to {interface.network} has no rate; a lab can change the MTU of those only"
        )
    limits = f"mtu {mtu or network_mtu} gso_max_size {mtu or 65536}"
    return [f"link set {device} {limits}" for device in _shaped(interface)]


def reshape(interface: InterfaceSpec, rate_bytes_per_s: float) -> list[str]:
    """`tc` commands: the node's link has another rate, both ways.

    ValueError where the link is not shaped.
    """
    if interface.rate_bytes_per_s is None:
        raise ValueError(
            f"the link to {interface.network} has no rate; a lab can change those that have one"
            " only"
        )
    return [_shape(device, rate_bytes_per_s, "replace") for device in _shaped(interface)]


def _shaped(interface: InterfaceSpec) -> list[str]:
    """The devices at which both directions of each cable are shaped."""
    return [device for cable in interface.cables for device in (cable.port, cable.jack)]


def _cables(interface: InterfaceSpec, bridge: str, mtu: int) -> list[str]:
    shaped = interface.rate_bytes_per_s is not None
    lines = [line for cable in interface.cables for line in _cable(cable, mtu, shaped=shaped)]
    ends = [cable.port for cable in interface.cables]
    if aggregates(interface):
        lines += _pair(interface.trunk, interface.hub, mtu)
        ends = [interface.hub]
    lines += [f"link set {end} master {bridge}" for end in ends]
    return [*lines, *plugged(interface)]


def plugged(interface: InterfaceSpec, *, up: bool = True) -> list[str]:
    """`ip` commands: the connected cables of a node are plugged in or not, and the others are not.

    The switch's port of a cable is up when the cable is plugged in.
    """
    return [
        f"link set {cable.port} {'up' if up and cable in interface.connected else 'down'}"
        for cable in interface.cables
    ]


def _cable(cable: CableSpec, mtu: int, *, shaped: bool) -> list[str]:
    """The devices between a node and a port of a switch."""
    if not shaped:
        return _pair(cable.tap, cable.port, mtu)
    return [
        *_bridge(cable.card, mtu),
        *_pair(cable.tap, cable.plug, mtu),
        *_pair(cable.jack, cable.port, mtu),
        f"link set {cable.plug} master {cable.card}",
        f"link set {cable.jack} master {cable.card}",
    ]


def _pair(one: str, other: str, mtu: int) -> list[str]:
    return [
        f"link add name {one} mtu {mtu} type veth peer name {other} mtu {mtu}",
        f"link set {one} up",
        f"link set {other} up",
    ]


def _shape(device: str, rate_bytes_per_s: float, verb: str = "add") -> str:
    rate_bit_per_s = round(rate_bytes_per_s * 8)
    burst_bytes = bucket_bytes(rate_bytes_per_s)
    limit_bytes = burst_bytes + round(rate_bytes_per_s * LINK_QUEUE_S)
    return (
        f"qdisc {verb} dev {device} root tbf rate {rate_bit_per_s}bit burst {burst_bytes} limit"
        f" {limit_bytes}"
    )
