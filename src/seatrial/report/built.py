"""The system as built, from the `system` line of the result and the study, for diagram and tables.

A scale model has two sides: the modelled values and those of the lab. Rates are in bytes/s, sizes
in bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seatrial.basics.units import format_rate
from seatrial.report.tables import NONE, Column, Table, figures, node_set, size
from seatrial.study.nodes import Node
from seatrial.study.study import Study


@dataclass(frozen=True)
class NodeGroup:
    """Identical nodes of one role."""

    names: str
    """a folded node set"""
    count: int
    memory_bytes: int | None
    link: float | None
    """in the lab"""
    link_modelled: float | None
    disks: int
    disk_rate: float | None
    """of one, in the lab"""
    disk_rate_modelled: float | None
    disk_bytes: int | None


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
    lab: str
    raid: str
    spans: int
    parts: tuple[tuple[str, str], ...] = field(default=())

    @property
    def scaled(self) -> bool:
        """Whether this is a scale model and not the hardware itself."""
        return self.scale != 1.0

    @property
    def in_lab(self) -> bool:
        """Whether the lab made the system for the run; a missing rate then means no limit."""
        return self.lab != "hosts"

    @property
    def server_link(self) -> float | None:
        """Sum of the links of all servers that serve at the same time, in the lab; None when one is
        unknown.
        """
        return self._at_once([(group.link, group.count) for group in self.servers])

    @property
    def server_link_modelled(self) -> float | None:
        """Sum of the links of all servers that serve at the same time, as modelled; None when one
        is unknown.
        """
        return self._at_once([(group.link_modelled, group.count) for group in self.servers])

    def _at_once(self, rates: Sequence[tuple[float | None, int]]) -> float | None:
        total, count = _total(rates), sum(number for _, number in rates)
        return total * min(self.serving or count, count) / count if total else None


def _total(rates: Sequence[tuple[float | None, int]]) -> float | None:
    known = [rate * count for rate, count in rates if rate is not None]
    return sum(known) if known and len(known) == len(rates) else None


def built(system: Mapping[str, Any], study: Study | None) -> Built | None:
    """The system as recorded; None when the run ended before the system was described."""
    site = system.get("site")
    if not isinstance(site, dict):
        return None
    options = study.solution.options() if study else {}
    shared = options.get("array")
    raid = options.get("raid") or (shared.get("raid") if isinstance(shared, dict) else None)
    raid = raid if isinstance(raid, dict) else {}
    spans, servers, clients = raid.get("spans"), system.get("servers", ()), system.get("clients", ())
    return Built(
        clients=_groups(clients, site, study),
        servers=_groups(servers, site, study),
        # Compute nodes that share a file system are part of the storage, and are shown once.
        arrays=_groups([name for name in system.get("storage", ()) if name not in {*servers, *clients}], site, study),
        keeps_caches=system.get("keeps_caches", False),
        serving=system.get("serving"),
        scale=float(site.get("scale") or 1.0),
        mtu=_mtu(site),
        lab=str(site.get("kind", "")),
        raid=f"RAID {raid['level']}" if "level" in raid else "",
        spans=spans if isinstance(spans, int) and spans > 0 else 1,
        parts=tuple((str(part[0]), str(part[1])) for part in system.get("parts", ())),
    )


def _mtu(site: Mapping[str, Any]) -> int | None:
    """The MTU of the data network; on hosts only where the study sets it, because they keep their
    own.
    """
    network = site.get("data_network")
    if site.get("kind") == "hosts" and network not in site.get("mtus_asked", ()):
        return None
    mtu = (site.get("mtus") or {}).get(network, site.get("mtu"))
    return mtu if isinstance(mtu, int) else None


def _groups(names: Sequence[str], site: Mapping[str, Any], study: Study | None) -> tuple[NodeGroup, ...]:
    found: dict[str, tuple[list[str], NodeGroup]] = {}
    for name in names:
        node = (site.get("nodes") or {}).get(name, {})
        try:
            modelled = study.node(name) if study else None
        except KeyError:
            modelled = None
        group = _group(node, modelled, made=site.get("kind") != "hosts")
        found.setdefault(repr(group), ([], group))[0].append(name)
    return tuple(replace(group, names=node_set(alike), count=len(alike)) for alike, group in found.values())


def _group(node: Mapping[str, Any], modelled: Node | None, *, made: bool) -> NodeGroup:
    """Identical nodes as a group. `made`: a lab created the nodes with the study's values."""
    disks = modelled.disks if modelled else None
    return NodeGroup(
        names="",
        count=0,
        memory_bytes=node.get("memory_bytes") if made else None,
        link=node.get("link_rate_bytes_per_s"),
        link_modelled=modelled.link if modelled else None,
        disks=len(node.get("devices") or ()),
        disk_rate=node.get("device_rate_bytes_per_s"),
        disk_rate_modelled=disks.rate if disks else None,
        disk_bytes=disks.size if disks else None,
    )


def bit_rate(rate_bytes_per_s: float | None) -> str:
    """A link's rate in the usual unit: `10 Gbit/s`."""
    if rate_bytes_per_s is None:
        return NONE
    bits = rate_bytes_per_s * 8
    for power, unit in ((1e12, "Tbit/s"), (1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bits >= power:
            return f"{bits / power:.4g} {unit}"
    return f"{bits:.4g} bit/s"


def ratio(scale: float) -> str:
    """A scale as a fraction: 0.025 is `1/40`."""
    turned = 1 / scale if scale else 0.0
    return f"1/{turned:.4g}" if turned > 1 else f"{scale:.4g}"


def scale_table(system: Built) -> Table:
    """Both sides of the scale model, quantity by quantity."""
    rows: list[tuple[str, ...]] = []
    scale = ratio(system.scale)
    for role, groups in (("server", system.servers), ("storage", system.arrays), ("client", system.clients)):
        for group in groups:
            where = f"{group.names} ({role}, {group.count})"
            mega = f"{bit_rate(group.link)} = {format_rate(group.link)}" if group.link else NONE
            if group.link:
                rows.append((where, "data link, each way", bit_rate(group.link_modelled), mega, scale))
            if group.disks:
                modelled = format_rate(group.disk_rate_modelled) if group.disk_rate_modelled else NONE
                lab = format_rate(group.disk_rate) if group.disk_rate else NONE
                rows.append((where, f"rate of one of {group.disks} disks", modelled, lab, scale))
                rows.append((where, "capacity of one disk", "not modelled", size(group.disk_bytes), "not scaled"))
            rows.append((where, "memory", "not modelled", size(group.memory_bytes), "not scaled"))
    ratio_text = _link_ratio(system)
    if ratio_text:
        kept = "kept" if ratio_text[0] == ratio_text[1] else "not kept"
        rows.append(("all clients : servers", "sum of data links", *ratio_text, kept))
    rows.append(("all", "time", "1 s", "1 s", "not scaled"))
    columns = (Column("node set"), Column("quantity"), Column("modelled"), Column("in the lab"), Column("factor"))
    caption = "The modelled system and its values in the lab."
    return Table(caption, columns, tuple(rows), css="pairs")


def _link_ratio(system: Built) -> tuple[str, str] | None:
    clients = _total([(group.link, group.count) for group in system.clients])
    modelled = _total([(group.link_modelled, group.count) for group in system.clients])
    if not (clients and modelled and system.server_link and system.server_link_modelled):
        return None
    return (f"{figures(modelled / system.server_link_modelled)} : 1", f"{figures(clients / system.server_link)} : 1")
