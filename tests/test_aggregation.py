"""The switch's side of a bond: each packet leaves by one port, which the hash of Linux selects."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.labs.emulation import uml_spec
from seatrial.labs.emulation.aggregation import (
    IF_BITS,
    IF_EQUAL,
    LOAD_BYTE,
    LOAD_HALF,
    LOAD_MEMORY,
    LOAD_VALUE,
    LOAD_WORD,
    LOAD_WORD_AT_X,
    MATCH,
    MODULO,
    RETURN,
    SHIFT_RIGHT,
    STORE,
    X_FROM_A,
    X_FROM_HEADER_LENGTH,
    X_FROM_MEMORY,
    XOR_X,
    Instruction,
    aggregation,
    selection,
    spread,
    unspread,
)
from seatrial.labs.emulation.network import narrow, network_commands, plugged, reshape
from seatrial.labs.emulation.supervisor_node import (
    connection_command,
    kernel_command,
    write_identity,
)
from seatrial.labs.emulation.supervisor_spec import FILE, NodeSpec, SupervisorSpec
from seatrial.labs.kinds import emulated
from tests.builders.strategies import changed, study

POLICIES = ("layer2", "layer2+3", "layer3+4")


@dataclass(frozen=True)
class Packet:
    """An Ethernet frame with IPv4."""

    source: int
    """last byte of the address of the sender"""
    destination: int
    addresses: tuple[int, int]
    ports: tuple[int, int]
    protocol: int = 6
    options_words: int = 0
    fragment: int = 0

    def frame(self) -> bytes:
        """On the wire."""
        macs = bytes([2, 0, 1, 0, 0, self.destination, 2, 0, 1, 0, 0, self.source])
        header = struct.pack(
            "!BBHHHBBHII",
            0x45 + self.options_words,
            0,
            40,
            0,
            self.fragment,
            64,
            self.protocol,
            0,
            *self.addresses,
        )
        options = b"\0" * 4 * self.options_words
        return macs + b"\x08\x00" + header + options + struct.pack("!HH", *self.ports) + b"\0" * 20

    def linux_hash(self, policy: str) -> int:
        """`bond_xmit_hash` (drivers/net/bonding/bond_main.c)."""
        result = self.source ^ self.destination ^ 0x0800
        if policy == "layer2":
            return result
        if policy == "layer3+4":
            has_ports = self.protocol in (6, 17) and not self.fragment & 0x3FFF
            result = self.ports[0] << 16 | self.ports[1] if has_ports else 0
        result ^= self.addresses[0] ^ self.addresses[1]
        result ^= result >> 16
        result ^= result >> 8
        return result >> 1 if policy == "layer3+4" else result


@dataclass
class Registers:
    """The state of the kernel's interpreter."""

    frame: bytes
    accumulator: int = 0
    index: int = 0
    memory: int = 0

    def number(self, start: int, length: int) -> int:
        """A number of the frame."""
        return int.from_bytes(self.frame[start : start + length], "big")


ACCUMULATES: dict[int, Callable[[Registers, int], int]] = {
    LOAD_BYTE: lambda now, value: now.number(value, 1),
    LOAD_HALF: lambda now, value: now.number(value, 2),
    LOAD_WORD: lambda now, value: now.number(value, 4),
    LOAD_WORD_AT_X: lambda now, value: now.number(now.index + value, 4),
    LOAD_VALUE: lambda _now, value: value,
    LOAD_MEMORY: lambda now, _value: now.memory,
    XOR_X: lambda now, _value: now.accumulator ^ now.index,
    MODULO: lambda now, value: now.accumulator % value,
    SHIFT_RIGHT: lambda now, value: now.accumulator >> value,
}
INDEXES: dict[int, Callable[[Registers, int], int]] = {
    X_FROM_A: lambda now, _value: now.accumulator,
    X_FROM_MEMORY: lambda now, _value: now.memory,
    X_FROM_HEADER_LENGTH: lambda now, value: (now.frame[value] & 15) * 4,
}
JUMPS: dict[int, Callable[[Registers, int], bool]] = {
    IF_EQUAL: lambda now, value: now.accumulator == value,
    IF_BITS: lambda now, value: bool(now.accumulator & value),
}


def run(program: tuple[Instruction, ...], frame: bytes) -> int:
    """The value that the kernel returns for a frame."""
    now = Registers(frame)
    position = 0
    while program[position].code != RETURN:
        item = program[position]
        position += 1
        if item.code in JUMPS:
            position += item.if_true if JUMPS[item.code](now, item.value) else item.if_false
        elif item.code in INDEXES:
            now.index = INDEXES[item.code](now, item.value)
        elif item.code == STORE:
            now.memory = now.accumulator
        else:
            now.accumulator = ACCUMULATES[item.code](now, item.value)
    return program[position].value


BYTE = st.integers(0, 255)
WORD = st.integers(0, 2**32 - 1)
HALF = st.integers(0, 2**16 - 1)
PACKETS = st.builds(
    Packet,
    BYTE,
    BYTE,
    st.tuples(WORD, WORD),
    st.tuples(HALF, HALF),
    st.sampled_from((1, 6, 17)),
    st.integers(0, 10),
    st.sampled_from((0, 0x4000, 0x2000, 185)),
)


@given(PACKETS, st.sampled_from(POLICIES), st.integers(1, 8))
def test_a_packet_leaves_by_the_port_of_the_hash(packet: Packet, policy: str, ports: int) -> None:
    """The node's bond and the switch select the same one, and no other port."""
    chosen = [
        port
        for port in range(ports)
        if run(selection(policy, ports, port), packet.frame()) == MATCH
    ]
    assert chosen == [packet.linux_hash(policy) % ports]


@given(BYTE, BYTE, st.sampled_from(POLICIES), st.integers(1, 8))
def test_a_packet_without_ip_leaves_by_one_port(
    source: int, destination: int, policy: str, ports: int
) -> None:
    """ARP has no IP addresses; every policy uses the addresses of the cards."""
    frame = bytes([2, 0, 1, 0, 0, destination, 2, 0, 1, 0, 0, source, 8, 6]) + b"\0" * 46
    chosen = [port for port in range(ports) if run(selection(policy, ports, port), frame) == MATCH]
    assert chosen == [(source ^ destination ^ 0x0806) % ports]


@pytest.mark.parametrize("policy", POLICIES)
def test_no_jump_leaves_the_filter(policy: str) -> None:
    """The kernel refuses such a program."""
    program = selection(policy, 2, 1)
    for position, item in enumerate(program):
        assert position + 1 + max(item.if_true, item.if_false) < len(program) or not item.if_true


def bonded(mode: str = "balance-xor", members: int = 2) -> SupervisorSpec:
    """A lab with a bond of the server `nas` to `data`."""
    data = changed("nodes.nas.bonds", {"data": {"mode": mode, "members": members}})
    whole = study(data)
    nodes = uml_spec.nodes(whole, set(), 1 / 40)
    networks = uml_spec.networks(whole, 1.0)
    return SupervisorSpec("lab", "/f", "/c", "k", "i", "p", 1, networks, nodes, {}, scale=1.0)


def nas(spec: SupervisorSpec) -> NodeSpec:
    """The server."""
    return next(node for node in spec.nodes if node.name == "nas")


def test_the_ports_of_a_bond_are_one_port_of_the_bridge() -> None:
    """Otherwise the bridge would send a broadcast of the node back to it, and learn two ports."""
    spec = bonded()
    assert FILE.validate_json(FILE.dump_json(spec)) == spec
    face = nas(spec).interfaces[1]
    ip, tc = network_commands(spec)
    members = [cable.port for cable in face.cables]
    assert len(members) == 2
    assert f"link set {face.hub} master br1" in ip
    assert not [line for line in ip if any(f"{port} master" in line for port in members)]
    for cable in face.cables:
        assert f"link set {cable.jack} master {cable.card}" in ip
        assert any(line.startswith(f"qdisc add dev {cable.port} root tbf") for line in tc)
        assert any(f"dev {cable.port} ingress" in line and face.trunk in line for line in tc)
    assert max(len(word) for line in ip for word in line.split() if "x1" in word) <= 15
    assert len({cable.mac for cable in face.cables}) == 2


def test_an_active_backup_bond_needs_no_group() -> None:
    """Its ports are ordinary: the node sends by one of them at a time."""
    spec = bonded("active-backup")
    face = nas(spec).interfaces[1]
    ip, _tc = network_commands(spec)
    assert aggregation(face) == []
    assert unspread(face) == []
    assert [f"link set {cable.port} master br1" in ip for cable in face.cables] == [True, True]


def test_every_cable_of_a_bond_has_the_rate_of_the_link() -> None:
    """Faults of the link concern all of them."""
    face = nas(bonded()).interfaces[1]
    assert len(reshape(face, 1e6)) == 4
    assert len(narrow(face, 1400, 9000)) == 4
    assert plugged(face, up=False) == [f"link set {cable.port} down" for cable in face.cables]


def test_fewer_cables_are_connected_than_an_experiment_needs(tmp_path: Path) -> None:
    """The lab lays the cables of every experiment, and unplugs those that a point does not use."""
    spec = bonded()
    node = nas(spec)
    face = node.interfaces[1]
    assert face.bond is not None
    fewer = replace(face, bond=replace(face.bond, connected=1))
    assert [line.split()[-1] for line in plugged(fewer)] == ["up", "down"]
    assert len(spread(fewer)) == 1
    assert len(spread(face)) == 2
    assert connection_command(node, "data", 1) == "ip link set vec1 up; ip link set vec2 down"
    with pytest.raises(ValueError, match="is not on network private"):
        connection_command(node, "private", 1)
    write_identity(tmp_path, replace(node, interfaces=(node.interfaces[0], fewer)), spec)
    lines = (tmp_path / "network").read_text().splitlines()
    assert any("name data address" in line and "mode balance-xor" in line for line in lines)
    assert "link set vec2 down" in lines
    assert "link set vec1 down" not in lines
    command = kernel_command(spec, node, tmp_path)
    assert [word.split(":")[0] for word in command if word.startswith("vec")] == [
        "vec0",
        "vec1",
        "vec2",
    ]


def test_a_node_without_a_bond_has_the_cards_that_it_had(tmp_path: Path) -> None:
    """The clients."""
    spec = bonded()
    client = next(node for node in spec.nodes if node.name == "c1")
    assert client.interfaces[1].cables[0].port == client.interfaces[1].port
    write_identity(tmp_path, client, spec)
    assert "link set vec1 name data" in (tmp_path / "network").read_text()
    assert spread(client.interfaces[1]) == []


def test_an_experiment_connects_more_links() -> None:
    """The lab has the cables of the largest number of any experiment."""
    data = changed("nodes.nas.bonds", {"data": {"members": 1}})
    first = next(iter(data["experiments"]))
    data["experiments"][first]["sweep"] = {"nodes.nas.bonds.data.members": [1, 3]}
    whole = study(data)
    bond = uml_spec.nodes(whole, set(), 1.0)[0].interfaces[1].bond
    assert bond is not None
    assert (bond.cables, bond.connected) == (3, 1)


def test_only_an_existing_bond_changes_its_links() -> None:
    """A node gets its cards once, when it boots."""
    data = changed("nodes.nas.link", "10Gbit/s")
    first = next(iter(data["experiments"]))
    data["experiments"][first]["overrides"] = {"nodes.nas.bonds.data.members": 2}
    with pytest.raises(InputError, match="no such bond; declare the bond at the nodes"):
        study(data)


def test_a_lab_refuses_lacp_and_names_the_reason() -> None:
    """Hosts accept it."""
    whole = study(changed("nodes.nas.bonds", {"data": {"mode": "802.3ad"}}))
    with pytest.raises(InputError, match="the card of a lab reports none; in a lab write balance"):
        emulated.site(whole)


def test_a_bond_names_a_network_of_the_study() -> None:
    """As every other key of a node by network."""
    with pytest.raises(InputError, match="no network is called 'storage'; one of data"):
        study(changed("nodes.nas.bonds", {"storage": {}}))
