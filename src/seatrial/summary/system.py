"""The system as built, from the `system` line of the result and the study, with its scale.

A scale model has two sides: the modelled values and those of the lab. Rates are in bytes/s, sizes
in bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seatrial.basics.known import all_known
from seatrial.plan.traits import is_emulated_in
from seatrial.study.nodes import Node
from seatrial.study.study import Study
from seatrial.summary.notation import node_set
from seatrial.summary.side_networks import SideNetwork, side_networks


@dataclass(frozen=True)
class ScaledRate:
    """A rate of the modelled system, and that of the lab; None where it is unknown."""

    modelled_bytes_per_s: float | None
    lab_bytes_per_s: float | None

    def times(self, factor: float) -> "ScaledRate":
        """Both rates, multiplied."""
        return ScaledRate(
            _product(self.modelled_bytes_per_s, factor), _product(self.lab_bytes_per_s, factor)
        )


def _product(rate_bytes_per_s: float | None, factor: float) -> float | None:
    return None if rate_bytes_per_s is None else rate_bytes_per_s * factor


@dataclass(frozen=True)
class NodeGroup:
    """Identical nodes of one role."""

    names: str
    """a folded node set"""
    count: int
    memory_bytes: int | None
    link: ScaledRate
    """of one link"""
    disks: int
    disk_rate: ScaledRate
    """of one disk"""
    disk_size_bytes: int | None
    bond_mode: str = ""
    """mode of the bond of its data links; empty without a bond"""
    bond_links: int = 1
    """links of the bond, each with the rate `link`"""

    @property
    def links_at_once(self) -> int:
        """The links that carry data at the same time."""
        return 1 if self.bond_mode == "active-backup" else self.bond_links

    @property
    def data_links(self) -> ScaledRate:
        """All data links of one node that work at the same time."""
        return self.link.times(self.links_at_once)


@dataclass(frozen=True)
class EdgeSwitches:
    """The edge switches between nodes and a core switch."""

    switches: int
    uplinks: int
    """of each"""
    uplink_bytes_per_s: float
    """rate of one, in the lab"""


@dataclass(frozen=True)
class Built:
    """The whole system under test."""

    clients: tuple[NodeGroup, ...]
    servers: tuple[NodeGroup, ...]
    arrays: tuple[NodeGroup, ...]
    """nodes with disks that servers share"""
    keeps_caches: bool
    """The caches could not be emptied, because the storage is shared with other users."""
    serving: int | None
    """how many servers serve at the same time, where not all do"""
    scale: float
    mtu: int | None
    in_lab: bool
    """whether the lab made the system for the run; a missing rate then means no limit"""
    raid: str
    spans: int
    parts: tuple[tuple[str, str], ...] = field(default=())
    edges: EdgeSwitches | None = None
    """of the data network"""
    side_networks: tuple[SideNetwork, ...] = ()
    """storage paths, private networks and power control"""

    @property
    def scaled(self) -> bool:
        """Whether this is a scale model and not the hardware itself."""
        return self.scale != 1.0

    @property
    def server_links(self) -> ScaledRate:
        """Sum of the links of all servers that serve at the same time."""
        count = sum(group.count for group in self.servers)
        if not count:
            return ScaledRate(None, None)
        serving = min(self.serving or count, count)
        return total_data_links(self.servers).times(serving / count)


def total_data_links(groups: Sequence[NodeGroup]) -> ScaledRate:
    """The sum of the data links of all nodes; None where the rate of one node is unknown."""
    of_groups = [group.data_links.times(group.count) for group in groups]
    return ScaledRate(
        _sum([rate.modelled_bytes_per_s for rate in of_groups]),
        _sum([rate.lab_bytes_per_s for rate in of_groups]),
    )


def _sum(rates_bytes_per_s: Sequence[float | None]) -> float | None:
    known_rates = all_known(rates_bytes_per_s)
    return sum(known_rates) if known_rates else None


def built(system: Mapping[str, Any], study: Study | None) -> Built | None:
    """The system as recorded; None when the run ended before the system was described."""
    site = system.get("site")
    if not isinstance(site, dict):
        return None
    options = study.solution.options() if study else {}
    shared = options.get("array")
    raid = options.get("raid") or (shared.get("raid") if isinstance(shared, dict) else None)
    raid = raid if isinstance(raid, dict) else {}
    spans = raid.get("spans")
    servers = system.get("servers", ())
    clients = system.get("clients", ())
    return Built(
        clients=_groups(clients, site, study),
        servers=_groups(servers, site, study),
        # Compute nodes that share a file system are part of the storage, and are shown once.
        arrays=_groups(
            [name for name in system.get("storage", ()) if name not in {*servers, *clients}],
            site,
            study,
        ),
        keeps_caches=system.get("keeps_caches", False),
        serving=system.get("serving"),
        scale=float(site.get("scale") or 1.0),
        mtu=_mtu(site),
        in_lab=is_emulated_in(site),
        raid=f"RAID {raid['level']}" if "level" in raid else "",
        spans=spans if isinstance(spans, int) and spans > 0 else 1,
        parts=tuple((str(part[0]), str(part[1])) for part in system.get("parts", ())),
        edges=_edges(site),
        side_networks=_side_networks(site, study),
    )


def _side_networks(site: Mapping[str, Any], study: Study | None) -> tuple[SideNetwork, ...]:
    if study is None:
        return ()
    return side_networks(study, site.get("data_network"), site.get("nodes") or {})


def _edges(site: Mapping[str, Any]) -> EdgeSwitches | None:
    edges = (site.get("edges") or {}).get(_crossed(site))
    if not edges:
        return None
    return EdgeSwitches(len(edges["places"]), edges["uplinks"], edges["uplink_bytes_per_s"])


def _crossed(site: Mapping[str, Any]) -> Any:
    """The network with the edge switches: the data network, or the only one that has them."""
    network = site.get("data_network")
    edges = site.get("edges") or {}
    if network not in edges and len(edges) == 1:
        return next(iter(edges))
    return network


def _mtu(site: Mapping[str, Any]) -> int | None:
    """The MTU of the data network; on hosts only where the study sets it, because they keep their
    own.
    """
    network = site.get("data_network")
    if not is_emulated_in(site) and network not in site.get("mtus_asked", ()):
        return None
    mtu = (site.get("mtus") or {}).get(network, site.get("mtu"))
    return mtu if isinstance(mtu, int) else None


def _groups(
    names: Sequence[str], site: Mapping[str, Any], study: Study | None
) -> tuple[NodeGroup, ...]:
    groups: dict[str, tuple[list[str], NodeGroup]] = {}
    for name in names:
        node = (site.get("nodes") or {}).get(name, {})
        try:
            modelled = study.node(name) if study else None
        except KeyError:
            modelled = None
        group = _group(node, modelled, site.get("data_network"), made=is_emulated_in(site))
        groups.setdefault(repr(group), ([], group))[0].append(name)
    return tuple(
        replace(group, names=node_set(alike), count=len(alike)) for alike, group in groups.values()
    )


def _group(
    node: Mapping[str, Any], modelled: Node | None, network: str | None, *, made: bool
) -> NodeGroup:
    """Identical nodes as a group, with their links to `network`.

    `made`: a lab created the nodes with the study's values.
    """
    disks = modelled.disks if modelled else None
    bond = (node.get("bonds") or {}).get(network) or {}
    return NodeGroup(
        names="",
        count=0,
        memory_bytes=node.get("memory_bytes") if made else None,
        link=ScaledRate(modelled.link if modelled else None, node.get("link_rate_bytes_per_s")),
        disks=len(node.get("devices") or ()),
        disk_rate=ScaledRate(disks.rate if disks else None, node.get("device_rate_bytes_per_s")),
        disk_size_bytes=disks.size if disks else None,
        bond_mode=bond.get("mode", ""),
        bond_links=bond.get("members", 1),
    )


def ratio(scale: float) -> str:
    """A scale as a fraction: 0.025 is `1/40`."""
    turned = 1 / scale if scale else 0.0
    return f"1/{turned:.4g}" if turned > 1 else f"{scale:.4g}"
