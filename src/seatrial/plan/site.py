"""What a solution knows about its site: device names, addresses, scaled rates.

A lab derives it from the study before any node exists, so that a plan needs no running lab.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from seatrial.basics.withheld import MASK
from seatrial.plan.traits import REAL, Traits


@dataclass(frozen=True)
class SiteBmc:
    """A node's management controller."""

    address: str
    user: str
    password: str | None = None
    """in a lab only, where it is no secret"""
    password_file: str | None = None
    """a file on the servers; used without `password`"""
    protocol: str = "ipmi"
    """that of power faults on hosts: `ipmi` or `redfish`"""


@dataclass(frozen=True)
class SiteOutlet:
    """The outlet of a power supply of a node: SNMP with the MIB of APC's rack PDUs."""

    pdu: str
    pdu_address: str
    outlet: int
    community: str | None = None
    """in a lab only, where it is no secret"""
    community_file: str | None = None
    """a file on the servers; used without `community`"""


@dataclass(frozen=True)
class SiteMirror:
    """The RAID 1 for the state of a node's own system."""

    array: str
    """its device"""
    members: tuple[str, ...]
    """the devices of the mirrored disks and the spares"""
    spares: int


@dataclass(frozen=True)
class SiteBond:
    """A bond of a node: several links of the same rate to one network."""

    members: int
    mode: str
    hash: str
    """the policy by which the node selects the link of a packet"""
    switch_hash: str | None = None
    """that of the switch, for packets to the node; None when unknown"""

    def links_at_once(self, peers: int | None = None) -> int:
        """The largest number of links that carry the traffic with `peers` nodes; None: any number.

        With `layer2` on both sides, the packets of two nodes use one link in each direction.
        """
        if self.mode == "active-backup":
            return 1
        one_each = self.mode != "balance-rr" and self.hash == self.switch_hash == "layer2"
        return min(self.members, peers) if one_each and peers else self.members


@dataclass(frozen=True)
class SiteNode:
    """One node as the plan sees it; rates are in bytes/s after scaling."""

    name: str
    address: str
    """name or address by which other nodes reach it on the data network"""
    devices: tuple[str, ...]
    """the block devices that the plan may use"""
    devices_hold_zeros: bool
    """True when a lab has just created the devices and nothing was written to them"""
    device_rate_bytes_per_s: float | None
    """sustained rate of one device; None when unknown"""
    link_rate_bytes_per_s: float | None
    """rate of its data link in each direction; None when unknown"""
    memory_bytes: int
    path_rate_bytes_per_s: float | None = None
    """rate of all storage paths to its devices together, in each direction; None without a limit"""
    link_rates_bytes_per_s: dict[str, float] = field(default_factory=dict)
    """network -> rate of its link in each direction; networks with an unknown rate are left out"""
    bonds: dict[str, SiteBond] = field(default_factory=dict)
    """network -> the bond to it; the rates above are those of one of its links"""
    networks: dict[str, str] = field(default_factory=dict)
    """network -> the name or address by which other nodes reach it there"""
    bmc: SiteBmc | None = None
    outlets: tuple[SiteOutlet, ...] = ()
    """one for each power supply; empty when nothing is known"""
    local_mirror: SiteMirror | None = None
    """in a lab only: on hosts the study names the commands that fail a local disk"""

    def bandwidth_bytes_per_s(self, network: str, peers: int | None = None) -> float | None:
        """The rate of all its links to a network that work at the same time; None when unknown.

        `peers`: the number of nodes that it exchanges data with; None: any number.
        """
        rate = self.link_rates_bytes_per_s.get(network)
        if not rate:
            return None
        bond = self.bonds.get(network)
        return rate * bond.links_at_once(peers) if bond else rate


@dataclass(frozen=True)
class SiteEdges:
    """The edge switches of a network; nodes of no edge switch are at the core switch."""

    uplinks: int
    """of each edge switch"""
    uplink_bytes_per_s: float
    """rate of one uplink in each direction, after scaling"""
    hash: str
    """the policy by which a switch selects the uplink of a packet"""
    is_exact: bool
    """whether the switches have this policy for certain, because a lab made them"""
    places: tuple[tuple[str, ...], ...]
    """the nodes at each edge switch"""

    def at_once(self, nodes: int, peers: int | None) -> int:
        """The largest number of uplinks of a switch that carry the traffic of its nodes.

        With `layer2`, the packets of two nodes use one uplink in each direction.
        """
        one_each = self.is_exact and self.hash == "layer2"
        return min(self.uplinks, nodes * peers) if one_each and peers else self.uplinks

    def switch_of(self, node: str) -> int | None:
        """The number of the edge switch of a node, from 0; None for the core switch."""
        return next((index for index, names in enumerate(self.places) if node in names), None)


@dataclass(frozen=True)
class Site:
    """All nodes, and the ratio of the site's rates to those of the modelled system."""

    kind: str
    scale: float
    nodes: dict[str, SiteNode]
    data_network: str
    """the network of clients and servers when the solution names no other"""
    mtus: dict[str, int]
    """network -> bytes of the largest IP packet on it"""
    mtus_asked: tuple[str, ...] = ()
    """networks with an MTU in the study, which the plan sets; on others hosts keep their MTU"""
    traits: Traits = REAL
    edges: dict[str, SiteEdges] = field(default_factory=dict)
    """network -> its edge switches, where it has any"""

    def without_secrets(self) -> dict[str, Any]:
        """All fields for the result, without the access data of BMCs and PDUs."""
        data = asdict(self)
        del data["traits"]
        data |= self.traits.fields_in_result(self.kind)
        for node in data["nodes"].values():
            for secret, key in [
                (node["bmc"], "password"),
                *((outlet, "community") for outlet in node["outlets"]),
            ]:
                if secret is not None and secret[key] is not None:
                    secret[key] = MASK
        return data
