"""The networks and nodes of a study, and the disks of the nodes."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, Rate, Size
from seatrial.basics.text import Address, Device, Name
from seatrial.study import aliases
from seatrial.study.power import Bmc
from seatrial.study.profiles import ALL_PROFILES, Profiles, checked_item

MTU_MAX = 65520
"""of IP over InfiniBand in connected mode (RFC 4755), the largest of any link that storage is on"""
DISKS_MAX = 1024
LOCAL_DISKS_MAX = 8
LOCAL_SIZE_MIN_BYTES = 32 * 2**20
"""a lab node's /var has about 10 MiB before its services write to it"""
MEMBERS_MAX = 8
"""links of a bond: those of an aggregation group of most switches"""
EDGES_MAX = 64


Policy = Literal["layer2", "layer2+3", "layer3+4"]
"""the addresses that select one of several links, as the kernel names them"""


class Edges(Model):
    """`edges: {switches: 2, uplinks: 4, uplink: 10Gbit/s, nodes: "c[1-64]"}`: edge switches, and
    a core switch between them.
    """

    switches: int = Field(2, ge=1, le=EDGES_MAX, description="Number of edge switches.")
    uplinks: int = Field(
        1,
        ge=1,
        le=MEMBERS_MAX,
        description="Links of each edge switch to the core switch, aggregated.",
    )
    uplink: Rate = Field(
        description=(
            "Rate of one uplink in each direction. A lab scales it. On hosts only the prediction"
            " uses it."
        ),
    )
    hash: Policy = Field(
        "layer2",
        description="The addresses that select the uplink of a packet, as those of a bond.",
    )
    nodes: Nodes | tuple[Nodes, ...] = Field(
        description=(
            "Nodes at edge switches: one set, divided evenly, or a set for each. The core switch"
            " has the rest."
        ),
    )

    def places(self, attached: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """The attached nodes at each edge switch, in the order of the study."""
        if not isinstance(self.nodes, str):
            sets = [frozenset(expand(nodes)) for nodes in self.nodes]
            return tuple(tuple(name for name in attached if name in names) for names in sets)
        members = frozenset(expand(self.nodes))
        present = [name for name in attached if name in members]
        bounds = [len(present) * index // self.switches for index in range(self.switches + 1)]
        return tuple(tuple(present[start:end]) for start, end in pairwise(bounds))

    @property
    def named(self) -> tuple[str, ...]:
        """Every node that the study places at an edge switch, also those of other profiles."""
        sets = (self.nodes,) if isinstance(self.nodes, str) else self.nodes
        return tuple(name for nodes in sets for name in expand(nodes))

    @model_validator(mode="after")
    def _a_set_for_each(self) -> Self:
        if len(set(self.named)) != len(self.named):
            raise ValueError("nodes names one of them twice; a node is at one switch")
        if not isinstance(self.nodes, str) and len(self.nodes) != self.switches:
            raise ValueError(
                f"switches is {self.switches}, but nodes has {len(self.nodes)} sets; write one set,"
                " or one for each switch"
            )
        return self


class Network(Model):
    """A network that the nodes are attached to."""

    mtu: int = Field(
        1500,
        ge=576,
        le=MTU_MAX,
        description="Largest IP packet in bytes. In a lab at most 9216.",
    )
    switch: bool = Field(
        True,
        description=(
            "`false`: in a lab, a cable between the two nodes that are attached to the network."
        ),
    )
    edges: Edges | None = Field(
        None,
        description="Edge switches with uplinks to a core switch. By default one switch.",
    )


class Paths(Model):
    """`paths: {cabling: separate, rate: 2.4GB/s}`: paths between a node and its disks."""

    cabling: Literal["single", "redundant", "separate"] = Field(
        "separate",
        description=(
            "`single`: one path. `redundant`: two, one in use at a time. `separate`: two, "
            "each to half of the disks."
        ),
    )
    rate: Rate = Field(
        description=(
            "Rate of one path in each direction. A lab scales it. On hosts only the prediction"
            " uses it."
        ),
    )

    @property
    def total_rate(self) -> float:
        """What all paths carry at once, bytes/s, not scaled: of two redundant ones, one is used."""
        return self.rate * (2 if self.cabling == "separate" else 1)


class Disks(Model):
    """The data disks of a node: made by a lab (`count`, `size`), or named on a real host
    (`devices`).
    """

    ALIASES = aliases.OF_DISKS
    count: int = Field(
        1,
        ge=1,
        le=DISKS_MAX,
        description="Number of data disks. A lab node has at most 15.",
    )
    size: Size | None = Field(
        None,
        description="Capacity of a lab disk, required in a lab. It is not scaled.",
    )
    rate: Rate | None = Field(
        None,
        description=(
            "Sustained rate of one modelled disk. A lab scales it. By default it is unlimited and"
            " unknown."
        ),
    )
    paths: Paths | None = Field(
        None,
        description="Storage paths to the disks. Without the key they are no limit.",
    )
    cache: Literal["volatile", "ignores-flushes"] | None = Field(
        None,
        description=(
            "In a lab: a write cache of each disk that is lost when the kernel of the node stops."
        ),
    )
    devices: tuple[Device, ...] | None = Field(
        None,
        description="On hosts, required: the block devices that may be used, `count` of them.",
    )

    @model_validator(mode="after")
    def _devices_match_count(self) -> Self:
        if self.devices is not None and len(set(self.devices)) != len(self.devices):
            raise ValueError("devices names one of them twice")
        if self.devices is not None and len(self.devices) != self.count:
            raise ValueError(f"count is {self.count}, but devices names {len(self.devices)}")
        return self

    @model_validator(mode="after")
    def _cache_is_in_front_of_the_disk(self) -> Self:
        if self.cache is not None and self.paths is not None:
            raise ValueError("a lab's disks have a cache or paths, not both; leave one out")
        if self.cache is not None and self.devices is not None:
            raise ValueError(
                "a cache is made by a lab; disks with devices have their own, leave the key out"
            )
        return self


class LocalDisks(Model):
    """`local_disks: {size: 64MiB}`: a RAID 1 with hot spares for the state of a lab node's own
    system.
    """

    mirrored: int = Field(
        2,
        ge=2,
        le=LOCAL_DISKS_MAX,
        description="Number of disks that hold the same data.",
    )
    spares: int = Field(
        1,
        ge=0,
        le=LOCAL_DISKS_MAX,
        description="Number of hot spares. One replaces a failed disk at once.",
    )
    size: Size = Field(
        ge=LOCAL_SIZE_MIN_BYTES,
        description="Capacity of each disk, at least 32 MiB. It is not scaled.",
    )
    rate: Rate | None = Field(
        None,
        description="Sustained rate of one modelled disk. A lab scales it. By default unlimited.",
    )

    @property
    def count(self) -> int:
        """All disks."""
        return self.mirrored + self.spares


class Bond(Model):
    """`bonds: {data: {members: 2, mode: balance-xor}}`: several links of a node used as one."""

    members: int = Field(
        2,
        ge=1,
        le=MEMBERS_MAX,
        description="Number of links, each with the rate `link`. An experiment can change it.",
    )
    mode: Literal["balance-xor", "802.3ad", "active-backup", "balance-rr"] = Field(
        "balance-xor",
        description="Mode of the bonding driver. `802.3ad` needs a switch with LACP.",
    )
    hash: Policy = Field(
        "layer2",
        description=(
            "The addresses that select the link of a packet: the `xmit_hash_policy` of the driver."
        ),
    )


def members_path(nodes: str, network: str) -> str:
    """The path of a bond's number of links, for `sweep` and `overrides`."""
    return f"nodes.{nodes}.bonds.{network}.members"


class Node(Model):
    """One node set: every name in it is such a node."""

    ALIASES = aliases.OF_NODE
    count: int | None = Field(
        None,
        ge=1,
        description="Number of names in the node set. Another number is an error.",
    )
    memory: Size = Field(128 * 2**20, description="Memory of a lab node. It is not scaled.")
    processor: float | None = Field(
        None,
        gt=0,
        lt=1,
        description=(
            "In a lab: share of one processor that the node gets while an experiment "
            "loads it. By default unlimited."
        ),
    )
    networks: tuple[Name, ...] | None = Field(
        None,
        description="Networks that the node is attached to. By default all.",
    )
    link: Rate | None = Field(
        None,
        description=(
            "Modelled rate of the data link in each direction. A lab scales it. By "
            "default unlimited and unknown."
        ),
    )
    links: dict[Name, Rate] = Field(
        default_factory=dict,
        description="Rates by network, where they differ from `link`.",
    )
    bonds: dict[Name, Bond] = Field(
        default_factory=dict,
        description=(
            "Bonds by network. A lab makes them. On hosts they exist, and Seatrial checks them."
        ),
    )
    disks: Disks | None = Field(None, description="The data disks.")
    local_disks: LocalDisks | None = Field(
        None,
        description=(
            "In a lab: disks for `/var` of the node. By default it is on the emulated system disk."
        ),
    )
    address: Address | None = Field(
        None,
        description=(
            "On hosts: name or address on the data network. By default the name of the node."
        ),
    )
    addresses: dict[Name, Address] = Field(
        default_factory=dict,
        description=(
            "On hosts: name or address by network. `{node}` is replaced by the name of the node."
        ),
    )
    bmc: Bmc | None = Field(
        None,
        description="The management controller (IPMI 2.0). In a lab it has the name `NODE-bmc`.",
    )
    power: tuple[Name, ...] | None = Field(
        None,
        min_length=1,
        description=(
            "PDUs that the node has a supply on, one on each. Without the key no power bus"
            " affects it."
        ),
    )
    profiles: Profiles = Field(
        ALL_PROFILES,
        description=(
            "The profiles that have these nodes. The others also omit the values that the study"
            " sets on them."
        ),
    )

    @model_validator(mode="before")
    @classmethod
    def _profiles_fit(cls, data: Any) -> Any:
        return checked_item(data)
