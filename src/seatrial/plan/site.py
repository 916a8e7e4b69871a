"""What a solution may know of the place that it is built in: device names, addresses, scaled rates.

A lab answers it from the study alone, before any node exists, so that a plan can be printed without a lab.
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
    """on the servers' side; where there is no `password`"""


@dataclass(frozen=True)
class SiteOutlet:
    """An outlet that one of a node's power supplies hangs on: SNMP, as APC's rack PDUs have it."""

    pdu: str
    pdu_address: str
    outlet: int
    community: str | None = None
    """in a lab only, where it is no secret"""
    community_file: str | None = None
    """on the servers' side; where there is no `community`"""


@dataclass(frozen=True)
class SiteNode:
    """One node as the plan sees it."""

    name: str
    address: str
    """how other nodes reach it on the data network: a name or an address"""
    devices: tuple[str, ...]
    """the block devices that the plan may use"""
    devices_hold_zeros: bool
    """True where the lab has just made the devices: nothing was ever written to them"""
    device_rate_bytes_per_s: float | None
    """what one device sustains here, after scaling; None when unknown"""
    link_rate_bytes_per_s: float | None
    """what its data link carries here, each way, after scaling; None when unknown"""
    memory_bytes: int
    path_rate_bytes_per_s: float | None = None
    """what all storage paths to its devices carry together here, each way, after scaling; None when no limit"""
    link_rates_bytes_per_s: dict[str, float] = field(default_factory=dict)
    """network -> what its link there carries, each way, after scaling; none where unknown"""
    networks: dict[str, str] = field(default_factory=dict)
    """network -> the name or address by which others reach it there"""
    bmc: SiteBmc | None = None
    outlets: tuple[SiteOutlet, ...] = ()
    """one for each power supply; none: nothing is known of its power"""


@dataclass(frozen=True)
class Site:
    """All nodes, and the one factor by which rates stand to those of the modelled system."""

    kind: str
    scale: float
    nodes: dict[str, SiteNode]
    data_network: str
    """on which clients and servers meet where the solution does not name another"""
    mtus: dict[str, int]
    """network -> bytes of the largest IP packet on it"""
    mtus_asked: tuple[str, ...] = ()
    """the networks of which the study says the MTU: the plan sets it; on others hosts keep theirs"""

    def told(self) -> dict[str, Any]:
        """All of it for the record, without what switches somebody's power."""
        data = asdict(self)
        for node in data["nodes"].values():
            for secret, key in [(node["bmc"], "password"), *((outlet, "community") for outlet in node["outlets"])]:
                if secret is not None and secret[key] is not None:
                    secret[key] = MASK
        return data
