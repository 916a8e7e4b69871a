"""The system as built, in tables: both sides of a scale model."""

from seatrial.basics.units import format_rate
from seatrial.report.tables import Column, Table, size
from seatrial.summary.notation import NONE, figures
from seatrial.summary.system import (
    Built,
    NodeGroup,
    ratio,
    total_data_links,
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


def bonded(group: NodeGroup) -> str:
    """The links of a bond: `2 bonded links (balance-xor)`; empty for a single link."""
    if group.bond_links == 1:
        return ""
    return f"{group.bond_links} bonded links ({group.bond_mode})"


def scale_table(system: Built) -> Table:
    """Both sides of the scale model, quantity by quantity."""
    rows: list[tuple[str, ...]] = []
    scale = ratio(system.scale)
    for role, groups in (
        ("server", system.servers),
        ("storage", system.arrays),
        ("client", system.clients),
    ):
        for group in groups:
            where = f"{group.names} ({role}, {group.count})"
            lab_link = group.link.lab_bytes_per_s
            if lab_link:
                modelled_link = bit_rate(group.link.modelled_bytes_per_s)
                link = "data link" if group.bond_links == 1 else f"one of {bonded(group)}"
                in_lab = f"{bit_rate(lab_link)} = {format_rate(lab_link)}"
                rows.append((where, f"{link}, each way", modelled_link, in_lab, scale))
            if group.disks:
                disk = f"one of {group.disks} disks" if group.disks > 1 else "the disk"
                modelled_disk = group.disk_rate.modelled_bytes_per_s
                lab_disk = group.disk_rate.lab_bytes_per_s
                if modelled_disk and lab_disk:
                    rates = (format_rate(modelled_disk), format_rate(lab_disk))
                    rows.append((where, f"rate of {disk}", *rates, scale))
                rows.append(
                    (
                        where,
                        f"capacity of {disk}",
                        "not modelled",
                        size(group.disk_size_bytes),
                        "not scaled",
                    )
                )
            rows.append((where, "memory", "not modelled", size(group.memory_bytes), "not scaled"))
    ratio_text = _link_ratio(system)
    if ratio_text:
        is_kept = "kept" if ratio_text[0] == ratio_text[1] else "not kept"
        rows.append(("all clients : servers", "sum of data links", *ratio_text, is_kept))
    rows.append(("all", "time", "1 s", "1 s", "not scaled"))
    columns = (
        Column("node set"),
        Column("quantity"),
        Column("modelled"),
        Column("in the lab"),
        Column("factor"),
    )
    caption = "The modelled system and its values in the lab."
    return Table(caption, columns, tuple(rows), css="pairs")


def _link_ratio(system: Built) -> tuple[str, str] | None:
    clients = total_data_links(system.clients)
    servers = system.server_links
    modelled = _quotient(clients.modelled_bytes_per_s, servers.modelled_bytes_per_s)
    in_lab = _quotient(clients.lab_bytes_per_s, servers.lab_bytes_per_s)
    if modelled is None or in_lab is None:
        return None
    return f"{figures(modelled)} : 1", f"{figures(in_lab)} : 1"


def _quotient(dividend: float | None, divisor: float | None) -> float | None:
    """None where one of both is unknown or 0."""
    return dividend / divisor if dividend and divisor else None
