"""The solution overview: the diagram of the system, its parts, and the reason of each setting."""

from collections.abc import Iterable, Mapping
from typing import Any

from seatrial.basics.units import counted
from seatrial.report.built import bit_rate, bonded
from seatrial.report.diagram import diagram
from seatrial.report.picture import Picture
from seatrial.report.tables import Column, Table, pairs, size
from seatrial.summary.notation import NONE
from seatrial.summary.system import Built, ratio

SITE_SERVER = "site-server"
"""code of a server that the study names and that the run could not observe"""


def in_words(system: Built | None) -> str:
    """The system as a sentence; empty where the result does not describe it."""
    if system is None:
        return ""
    scale = f", as a model to the scale of {ratio(system.scale)}" if system.scaled else ""
    return f"{nodes_in_words(system) or 'No node'}{scale}."


def nodes_in_words(system: Built) -> str:
    """`2 servers, 1 storage node, 4 clients`; empty without nodes."""
    roles = (
        ("server", system.servers),
        ("storage node", system.arrays),
        ("client", system.clients),
    )
    counts = [(word, sum(group.count for group in groups)) for word, groups in roles]
    return ", ".join(counted(count, word) for word, count in counts if count)


def measured(system: Built | None) -> str:
    """The existing storage that was measured; empty where the run deployed the storage."""
    if system is None or not system.keeps_caches:
        return ""
    return next((what for part, what in system.parts if part == "storage"), "")


def built_figure(system: Built | None) -> Picture | None:
    """The diagram, with its values as a table."""
    if system is None or not (system.clients or system.servers):
        return None
    caption = "Names are node sets; a heavy line represents one link to each node."
    if system.scaled:
        caption += " Rates: modelled above each link, lab below."
    return Picture(
        title="The system as built",
        caption=caption,
        wide=diagram(system),
        narrow=diagram(system, narrow=True),
        data=_groups(system),
    )


def parts(system: Built | None) -> Table | None:
    """The parts list."""
    if system is None or not system.parts:
        return None
    servers = (
        [] if system.keeps_caches and not system.servers else [("servers", _nodes(system.servers))]
    )
    nodes = [*servers, ("clients", _nodes(system.clients))]
    rows = [*nodes, *system.parts]
    if system.mtu and not any("MTU" in part for part, _ in system.parts):
        rows.append(("network", f"MTU {system.mtu} B"))
    return pairs("Parts of the system.", ("part", "as built"), rows)


def _nodes(groups: Iterable[Any]) -> str:
    return "; ".join(f"{group.names} ({group.count})" for group in groups) or "none"


def not_available(system: Mapping[str, Any]) -> Table | None:
    """What the run could not use without root; None where it had everything.

    `system`: the `system` line of the result.
    """
    rows = [
        (str(item.get("what", "")), str(item.get("effect", "")))
        for item in system.get("not_available", ())
        if isinstance(item, dict)
    ]
    if not rows:
        return None
    codes = {item.get("code") for item in system["not_available"] if isinstance(item, dict)}
    reason = "the run had no root on the nodes" if codes - {SITE_SERVER} else "servers of the study"
    return pairs(f"Not available: {reason}.", ("not available", "effect"), rows)


def reasons(system: Mapping[str, Any]) -> Table:
    """Tuning applied: the settings and their reasons. `system`: the `system` line of the result."""
    rows = [
        (str(item.get("stage", "")), str(item.get("step", "")), str(item.get("reason", "")))
        for item in system.get("reasons", ())
        if isinstance(item, dict)
    ]
    columns = (Column("stage"), Column("step"), Column("reason"))
    return Table("Tuning steps and their reasons.", columns, tuple(rows), css="pairs")


def _groups(system: Built) -> Table:
    """The boxes of the diagram, row by row."""
    columns = (
        Column("node set", head=True),
        Column("role"),
        Column("nodes", number=True),
        Column("memory of each"),
        Column("link, modelled" if system.scaled else "link"),
        Column("disks", number=True, optional=True),
    )
    rows = [
        (
            group.names,
            role,
            str(group.count),
            size(group.memory_bytes),
            f"{bonded(group)} {bit_rate(group.link.modelled_bytes_per_s)}".strip(),
            str(group.disks or NONE),
        )
        for role, groups in (
            ("client", system.clients),
            ("server", system.servers),
            ("storage", system.arrays),
        )
        for group in groups
    ]
    return Table("", columns, tuple(rows), css="cards").slim()
