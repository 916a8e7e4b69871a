"""What a solution knows about its site: device names, addresses, scaled rates.

A lab derives it from the study before any node exists, so that a plan needs no running lab.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

MASK = "********"


@dataclass(frozen=True)
class SiteBmc:
    """A node's management controller: IPMI 2.0 (lanplus)."""

    address: str
    user: str
    password: str | None = None
    """in a lab only, where it is no secret"""
    password_file: str | None = None
    """a file on the servers; used without `password`"""


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
    networks: dict[str, str] = field(default_factory=dict)
    """network -> the name or address by which other nodes reach it there"""
    bmc: SiteBmc | None = None
    outlets: tuple[SiteOutlet, ...] = ()
    """one for each power supply; empty when nothing is known"""


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

    def without_secrets(self) -> dict[str, Any]:
        """All fields for the result, without the access data of BMCs and PDUs."""
        data = asdict(self)
        for node in data["nodes"].values():
            for secret, key in [(node["bmc"], "password"), *((outlet, "community") for outlet in node["outlets"])]:
                if secret is not None and secret[key] is not None:
                    secret[key] = MASK
        return data
