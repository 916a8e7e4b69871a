"""The networks and nodes of a study, and the disks of the nodes."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from seatrial.basics.schema import Model, Rate, Size
from seatrial.basics.text import Address, Device, Name
from seatrial.study import aliases
from seatrial.study.power import Bmc
from seatrial.study.profiles import ALL_PROFILES, Profiles, checked_item

MTU_MAX = 65520
"""of IP over InfiniBand in connected mode (RFC 4755), the largest of any link that storage is on"""
DISKS_MAX = 1024


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
        description="`false`: in a lab, a cable between the two nodes that are attached to the network.",
    )


class Paths(Model):
    """`paths: {cabling: separate, rate: 2.4GB/s}`: the storage paths between a node and its disks."""

    cabling: Literal["single", "redundant", "separate"] = Field(
        "separate",
        description="`single`: one path. `redundant`: two, one in use at a time. `separate`: two, "
        "each to half of the disks.",
    )
    rate: Rate = Field(
        description="Rate of one path in each direction. A lab scales it. On hosts only the prediction uses it.",
    )

    @property
    def total_rate(self) -> float:
        """What all paths carry at once, bytes/s, not scaled: of two redundant ones, one is used."""
        return self.rate * (2 if self.cabling == "separate" else 1)


class Disks(Model):
    """The data disks of a node: made by a lab (`count`, `size`), or named on a real host (`devices`)."""

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
        description="Sustained rate of one modelled disk. A lab scales it. By default it is unlimited and unknown.",
    )
    paths: Paths | None = Field(
        None,
        description="Storage paths to the disks. Without the key they are no limit.",
    )
    cache: Literal["volatile", "ignores-flushes"] | None = Field(
        None,
        description="In a lab: a write cache of each disk that is lost when the kernel of the node stops.",
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
            raise ValueError("a cache is made by a lab; disks with devices have their own, leave the key out")
        return self


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
        description="In a lab: share of one processor that the node gets while an experiment "
        "loads it. By default unlimited.",
    )
    networks: tuple[Name, ...] | None = Field(
        None,
        description="Networks that the node is attached to. By default all.",
    )
    link: Rate | None = Field(
        None,
        description="Modelled rate of the data link in each direction. A lab scales it. By "
        "default unlimited and unknown.",
    )
    links: dict[Name, Rate] = Field(
        default_factory=dict,
        description="Rates by network, where they differ from `link`.",
    )
    disks: Disks | None = Field(None, description="The data disks.")
    address: Address | None = Field(
        None,
        description="On hosts: name or address on the data network. By default the name of the node.",
    )
    addresses: dict[Name, Address] = Field(
        default_factory=dict,
        description="On hosts: name or address by network. `{node}` is replaced by the name of the node.",
    )
    bmc: Bmc | None = Field(
        None,
        description="The management controller (IPMI 2.0). In a lab it has the name `NODE-bmc`.",
    )
    power: tuple[Name, ...] | None = Field(
        None,
        min_length=1,
        description="PDUs that the node has a supply on, one on each. Without the key no power bus affects it.",
    )
    profiles: Profiles = Field(
        ALL_PROFILES,
        description="The profiles that have these nodes. The others also omit the values that the study sets on them.",
    )

    @model_validator(mode="before")
    @classmethod
    def _profiles_fit(cls, data: Any) -> Any:
        return checked_item(data)
