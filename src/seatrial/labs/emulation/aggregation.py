"""The switch's side of a bond: a static link aggregation group, as `tc` commands.

A kernel without a bonding driver can play this part. The ports of the group are not on the bridge:
a trunk (a veth pair) has their place. A filter at the trunk selects a port for each packet
to the node, by the hash that a bond of Linux uses, and `act_mirred` redirects it there. Packets
from each port are redirected to the trunk. So the bridge learns one port for the node, and it
floods no packet twice.

    node =(tap m1)==...==(port m1)-.
                                    >-(trunk)====(hub)=[network bridge]
    node =(tap m2)==...==(port m2)-'
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.labs.emulation.supervisor_spec import InterfaceSpec


@dataclass(frozen=True)
class Instruction:
    """One instruction of classic BPF (linux/filter.h)."""

    code: int
    """an operation of `linux/bpf_common.h`, also XOR and MOD, which only Linux has"""
    value: int = 0
    if_true: int = 0
    if_false: int = 0

    def text(self) -> str:
        """As `tc` reads it (tc-bpf(8))."""
        return f"{self.code} {self.if_true} {self.if_false} {self.value}"


LOAD_WORD = 0x20
LOAD_HALF = 0x28
LOAD_BYTE = 0x30
LOAD_WORD_AT_X = 0x40
LOAD_VALUE = 0x00
LOAD_MEMORY = 0x60
X_FROM_MEMORY = 0x61
X_FROM_HEADER_LENGTH = 0xB1
X_FROM_A = 0x07
STORE = 0x02
XOR_X = 0xAC
MODULO = 0x94
SHIFT_RIGHT = 0x74
IF_EQUAL = 0x15
IF_BITS = 0x45
RETURN = 0x06

MATCH = 0xFFFFFFFF
"""returned for a packet that the filter selects"""

_ETHERNET_HASH = (
    Instruction(LOAD_BYTE, 5),  # last byte of the destination
    Instruction(X_FROM_A),
    Instruction(LOAD_BYTE, 11),  # last byte of the source
    Instruction(XOR_X),
    Instruction(X_FROM_A),
    Instruction(LOAD_HALF, 12),  # protocol
    Instruction(XOR_X),
    Instruction(STORE),
)
_PORTS = (
    Instruction(LOAD_VALUE, 0),
    Instruction(STORE),
    Instruction(LOAD_BYTE, 23),
    Instruction(IF_EQUAL, 6, if_true=1),  # TCP
    Instruction(IF_EQUAL, 17, if_false=5),  # UDP
    Instruction(LOAD_HALF, 20),
    Instruction(IF_BITS, 0x3FFF, if_true=3),  # a fragment
    Instruction(X_FROM_HEADER_LENGTH, 14),
    Instruction(LOAD_WORD_AT_X, 14),
    Instruction(STORE),
)
_ADDRESSES = (
    Instruction(LOAD_WORD, 26),
    Instruction(X_FROM_A),
    Instruction(LOAD_WORD, 30),
    Instruction(XOR_X),
    Instruction(X_FROM_MEMORY),
    Instruction(XOR_X),
    Instruction(STORE),
    Instruction(SHIFT_RIGHT, 16),
    Instruction(X_FROM_MEMORY),
    Instruction(XOR_X),
    Instruction(STORE),
    Instruction(SHIFT_RIGHT, 8),
    Instruction(X_FROM_MEMORY),
    Instruction(XOR_X),
    Instruction(STORE),
)
_OF_IP = {
    "layer2": (),
    "layer2+3": _ADDRESSES,
    "layer3+4": (*_PORTS, *_ADDRESSES, Instruction(SHIFT_RIGHT, 1), Instruction(STORE)),
}


def selection(policy: str, ports: int, port: int) -> tuple[Instruction, ...]:
    """The filter that selects the packets of `port` (from 0) of an aggregation group.

    The hash is that of `bond_xmit_hash` in Linux for IPv4. Other packets use the Ethernet
    addresses.
    """
    of_ip = _OF_IP[policy]
    is_ip = (
        Instruction(LOAD_HALF, 12),
        Instruction(IF_EQUAL, 0x0800, if_false=len(of_ip)),
    )
    return (
        *_ETHERNET_HASH,
        *is_ip,
        *of_ip,
        Instruction(LOAD_MEMORY),
        Instruction(MODULO, ports),
        Instruction(IF_EQUAL, port, if_false=1),
        Instruction(RETURN, MATCH),
        Instruction(RETURN, 0),
    )


def aggregates(interface: InterfaceSpec) -> bool:
    """Whether the switch needs a group: an `active-backup` bond uses ordinary ports."""
    return interface.bond is not None and interface.bond.mode != "active-backup"


def aggregation(interface: InterfaceSpec) -> list[str]:
    """`tc` commands that make the group of a bond; none for other interfaces."""
    if not aggregates(interface):
        return []
    return [
        *_collected(interface.trunk, [cable.port for cable in interface.cables]),
        *spread(interface),
    ]


def group(trunk: str, ports: Sequence[str], policy: str) -> list[str]:
    """`tc` commands that make a group of all `ports`."""
    return [*_collected(trunk, ports), *_distributed(trunk, ports, policy)]


def spread(interface: InterfaceSpec) -> list[str]:
    """`tc` commands: the trunk distributes packets over the connected cables."""
    if interface.bond is None or not aggregates(interface):
        return []
    ports = [cable.port for cable in interface.connected]
    return _distributed(interface.trunk, ports, interface.bond.hash)


def unspread(interface: InterfaceSpec) -> list[str]:
    """`tc` commands: remove the distribution, before another number of cables is connected."""
    return [f"filter del dev {interface.trunk} ingress"] if aggregates(interface) else []


_ALL_PACKETS = "protocol all prio 1 u32 match u8 0 0"


def _redirect(device: str) -> str:
    return f"action mirred egress redirect dev {device}"


def _collected(trunk: str, ports: Sequence[str]) -> list[str]:
    """Packets from every port leave by the trunk."""
    lines = [f"qdisc add dev {trunk} clsact"]
    for port in ports:
        lines += [
            f"qdisc add dev {port} clsact",
            f"filter add dev {port} ingress {_ALL_PACKETS} {_redirect(trunk)}",
        ]
    return lines


def _distributed(trunk: str, ports: Sequence[str], policy: str) -> list[str]:
    """Packets from the trunk leave by the port of their hash."""
    return [
        _to_port(trunk, port, selection(policy, len(ports), number))
        for number, port in enumerate(ports)
    ]


def _to_port(trunk: str, port: str, program: tuple[Instruction, ...]) -> str:
    code = ",".join([str(len(program)), *(item.text() for item in program)])
    return (
        f"filter add dev {trunk} ingress protocol all prio 1 bpf bytecode '{code}'"
        f" {_redirect(port)}"
    )
