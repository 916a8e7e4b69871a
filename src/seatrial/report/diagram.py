"""The diagram of the system as built, as SVG: clients, network, servers, the disks in their spans,
and below them the other networks with their controllers of power.

The same boxes form four tiers: in a row on a wide page, in a column on a narrow one.
"""

from dataclasses import dataclass, replace
from html import escape

from seatrial.basics.units import counted, format_rate
from seatrial.report.built import bit_rate
from seatrial.report.tables import size
from seatrial.summary.notation import figures
from seatrial.summary.side_networks import SideNetwork
from seatrial.summary.system import Built, NodeGroup

WIDE = 1000.0
"""width of the drawing of a wide page, in units of about one pixel"""
NARROW = 350.0
"""width of the drawing of a narrow page"""
LINE = 17.0
DISK = 18.0
DISKS_PER_ROW = 12
VARIANT = 22.0
GAP = 14.0
ARRAY_GAP = 60.0
OTHERS = "Other networks, with BMCs and PDUs:"
BEHIND = 4.0
"""offset of the boxes that show further nodes of a group"""


@dataclass(frozen=True)
class Item:
    """The content of one box."""

    title: str
    lines: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    """label of its link to the network: modelled above, lab below"""
    count: int = 1
    """number of nodes that it represents"""
    disks: tuple[int, ...] = ()
    """disks in each span"""
    least_height: float = 0.0
    """a network is as high as the boxes next to it, so that links to it are level"""

    @property
    def height(self) -> float:
        """The height of its box."""
        rows = sum(-(-count // DISKS_PER_ROW) for count in self.disks)
        frames = len(self.disks) * 8 + 6 if self.disks else 0
        contents_height = 24 + LINE * (1 + len(self.lines)) + rows * VARIANT + frames
        return max(contents_height, self.least_height)

    @property
    def width(self) -> float:
        """The width of its box: the longest line, at 7.3 per letter (8 in bold), or a
        row of disks.
        """
        letters = max(len(self.title) * 8.0, *(len(line) * 7.3 for line in self.lines), 70.0)
        return max(letters, min(max(self.disks, default=0), DISKS_PER_ROW) * DISK) + 26


@dataclass(frozen=True)
class Box:
    """A placed item."""

    item: Item
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        """The height at which links end."""
        return self.y + self.item.height / 2


Tier = list[Item]


@dataclass(frozen=True)
class Tiers:
    """The four tiers of the system, in the order of a data path."""

    clients: Tier
    network: Item
    servers: Tier
    arrays: Tier
    others: Tier
    """networks that do not carry the data of clients"""

    @property
    def present(self) -> list[Tier]:
        """The tiers with boxes."""
        tiers = (self.clients, [self.network], self.servers, self.arrays)
        return [tier for tier in tiers if tier]


def diagram(system: Built, *, narrow: bool = False) -> str:
    """The diagram as SVG text."""
    # Existing storage: its network path is not known.
    alone = system.keeps_caches and not system.servers
    with_disks = [group for group in (*system.servers, *system.arrays) if group.disks]
    tiers = Tiers(
        clients=[_node(system, group, "clients") for group in system.clients],
        network=Item("storage" if alone else "network", _network_lines(system)),
        servers=[_node(system, group, "servers") for group in system.servers],
        arrays=[_array(system, group) for group in with_disks],
        others=[_other(network) for network in system.side_networks],
    )
    return _below(tiers) if narrow else _side_by_side(tiers)


def _network_lines(system: Built) -> tuple[str, ...]:
    """The MTU of the data network, and its edge switches."""
    lines = (f"MTU {system.mtu} B",) if system.mtu else ()
    edges = system.edges
    if edges is None:
        return lines
    rate = bit_rate(edges.uplink_bytes_per_s / system.scale)
    return (
        *lines,
        counted(edges.switches, "edge switch", "edge switches"),
        f"{edges.uplinks} × {rate} uplinks each",
    )


def _other(network: SideNetwork) -> Item:
    """A network next to the data network."""
    lines = [network.nodes] if network.nodes else []
    lines += [" and ".join(bit_rate(rate) for rate in network.links_bytes_per_s)]
    lines += [f"MTU {network.mtu} B"] if network.mtu else []
    lines += [f"BMC of {network.bmcs}"] if network.bmcs else []
    lines += [f"{unit.name}: power of {unit.nodes}" for unit in network.power_units]
    return Item(network.name, tuple(line for line in lines if line))


def _node(system: Built, group: NodeGroup, role: str) -> Item:
    title = group.names if group.count == 1 else f"{group.names} ({group.count} {role})"
    memory = (f"{size(group.memory_bytes)} memory",) if group.memory_bytes else ()
    return Item(title, memory, _link(system, group), group.count)


def _link(system: Built, group: NodeGroup) -> tuple[str, ...]:
    if group.link.lab_bytes_per_s is None:
        return ("rate not limited" if system.in_lab else "rate not known",)
    several = group.count > 1 or group.bond_links > 1
    many = f"{group.count} × " if group.count > 1 else ""
    many += f"{group.bond_links} bonded × " if group.bond_links > 1 else ""
    per_item = " each" if several else ""
    if not system.scaled or group.link.modelled_bytes_per_s is None:
        return (f"{many}{bit_rate(group.link.lab_bytes_per_s)}",)
    return (
        f"{many}{bit_rate(group.link.modelled_bytes_per_s)}",
        f"lab {figures(group.link.lab_bytes_per_s / 1e6)} MB/s{per_item}",
    )


def _array(system: Built, group: NodeGroup) -> Item:
    spans = min(system.spans, group.disks)
    share, rest = divmod(group.disks, spans)
    title = f"{system.raid}: " if system.raid else ""
    title += counted(group.disks, "disk")
    title += f" in {spans} spans" if spans > 1 else ""
    title += " per node" if group.count > 1 else ""
    lines = []
    if group.disk_rate.modelled_bytes_per_s and system.scaled:
        lines.append(f"{format_rate(group.disk_rate.modelled_bytes_per_s)} each, modelled")
    if group.disk_rate.lab_bytes_per_s:
        in_lab = ", in the lab" if system.scaled else ""
        lines.append(f"{format_rate(group.disk_rate.lab_bytes_per_s)} each{in_lab}")
    if group.disk_size_bytes:
        per_disk = " each" if group.disks > 1 else ""
        lines.append(f"{size(group.disk_size_bytes)}{per_disk}")
    return Item(title, tuple(lines), disks=tuple(share + (index < rest) for index in range(spans)))


def _side_by_side(tiers: Tiers) -> str:
    """The tiers as columns from left to right, with links and their rates."""
    ends_height = max(_height(tiers.clients), _height(tiers.servers))
    network_item = replace(tiers.network, least_height=ends_height)
    columns = [tiers.clients, [network_item], tiers.servers, tiers.arrays]
    heights = [_height(tier) for tier in columns]
    widths = [max((item.width for item in tier), default=0.0) for tier in columns]
    total = max(heights) + 2 + BEHIND
    gaps = _gaps(tiers, sum(widths))
    placed = []
    left = 1.0
    for tier, width, height, gap in zip(columns, widths, heights, [*gaps, 0.0], strict=True):
        top = 1 + (total - 2 - BEHIND - height) / 2
        boxes = []
        for item in tier:
            boxes.append(Box(item, left, top, width))
            top += item.height + GAP
        placed.append(boxes)
        left += width + gap
    clients, (network,), servers, arrays = placed
    wires = [_wire(box, network, box.item) for box in clients]
    wires += [_wire(network, box, box.item) for box in servers]
    wires += [
        _wire(servers[min(index, len(servers) - 1)], box, box.item)
        for index, box in enumerate(arrays)
    ]
    others, end = _in_rows(tiers.others, total + GAP)
    parts = [*wires, *(_box(box) for boxes in placed for box in boxes), *others]
    return _svg(max(left + BEHIND + 1, WIDE if others else 0.0), end, parts)


def _in_rows(others: Tier, top: float) -> tuple[list[str], float]:
    """The other networks in rows below the tiers, and the height of the whole drawing."""
    if not others:
        return [], top - GAP
    parts = [_text(1, top + LINE, OTHERS, "fact")]
    top += LINE + GAP
    left = 1.0
    row_height = 0.0
    for item in others:
        if left > 1.0 and left + item.width > WIDE:
            left = 1.0
            top += row_height + GAP
            row_height = 0.0
        parts.append(_box(Box(item, left, top, item.width)))
        left += item.width + GAP
        row_height = max(row_height, item.height)
    return parts, top + row_height + 1


def _height(tier: Tier) -> float:
    """The height of a column of boxes."""
    return sum(item.height + GAP for item in tier) - GAP


def _gaps(tiers: Tiers, boxes_width: float) -> list[float]:
    """Space after each tier but the last: enough for the labels of the links, and the rest of the
    page.
    """
    clients = _label_width(tiers.clients)
    servers = _label_width(tiers.servers)
    arrays = ARRAY_GAP if tiers.arrays else 0.0
    spare = max(WIDE - boxes_width - (clients + servers) - arrays, 0.0) / 2
    return [clients + spare, servers + spare, arrays]


def _label_width(tier: Tier) -> float:
    """The width of the longest label of a link, at 6.8 per letter, and its margins."""
    return max((len(line) * 6.8 for item in tier for line in item.link), default=0.0) + 26


def _below(tiers: Tiers) -> str:
    """The tiers from top to bottom; the labels of links are inside the boxes."""
    parts = []
    top = 1.0
    present = tiers.present
    for number, tier in enumerate(present):
        if number:
            heavy = any(item.count > 1 for item in (*tier, *present[number - 1]))
            parts.append(
                f'<path d="M{NARROW / 2:g} {top:g} v24" class="{"wires" if heavy else "wire"}"/>'
            )
            top += 24
        for index, item in enumerate(tier):
            top += GAP if index else 0
            lines = (*item.lines, f"link {', '.join(item.link)}") if item.link else item.lines
            full = Item(item.title, lines, count=item.count, disks=item.disks)
            parts.append(_box(Box(full, 1, top, NARROW - 2 - BEHIND)))
            top += full.height
    if tiers.others:
        top += GAP
        parts.append(_text(1, top + LINE, OTHERS, "fact"))
        top += LINE
    for item in tiers.others:
        top += GAP
        parts.append(_box(Box(item, 1, top, NARROW - 2 - BEHIND)))
        top += item.height
    return _svg(NARROW, top + 1 + BEHIND, parts)


def _svg(width: float, height: float, parts: list[str]) -> str:
    body = "\n".join(parts)
    label = "Diagram of the system: clients, networks, servers and disks"
    head = (
        f'<svg viewBox="0 0 {width:g} {height:g}" class="diagram" role="img" aria-label="{label}">'
    )
    return f"{head}\n<title>{label}</title>\n{body}\n</svg>"


def _text(x: float, y: float, text: str, css: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{css}" text-anchor="{anchor}">{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, css: str, *, radius: int = 4) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}"'
        f' class="{css}"/>'
    )


def _box(box: Box) -> str:
    item = box.item
    parts = []
    if item.count > 1:
        parts.append(_rect(box.x + BEHIND, box.y + BEHIND, box.width, item.height, "behind"))
    parts.append(_rect(box.x, box.y, box.width, item.height, "box"))
    top = box.y + 8 + LINE
    parts.append(_text(box.x + 12, top, item.title, "title"))
    for line in item.lines:
        top += LINE
        parts.append(_text(box.x + 12, top, line, "fact"))
    top += 14
    for count in item.disks:
        parts.append(_span(box.x + 12, top, count))
        top += VARIANT * -(-count // DISKS_PER_ROW) + 8
    return "\n".join(parts)


def _span(x: float, y: float, count: int) -> str:
    """The disks of one span in a dashed frame."""
    rows = -(-count // DISKS_PER_ROW)
    columns = min(count, DISKS_PER_ROW)
    parts = [_rect(x, y - 3, columns * DISK + 4, rows * VARIANT, "span", radius=3)]
    for index in range(count):
        left = x + 4 + index % DISKS_PER_ROW * DISK
        top = y + index // DISKS_PER_ROW * VARIANT
        parts.append(_rect(left, top, 14, 16, "disk", radius=2))
        parts.append(f'<circle cx="{left + 7:g}" cy="{top + 8:g}" r="4" class="platter"/>')
    return "\n".join(parts)


def _wire(a: Box, b: Box, item: Item) -> str:
    """A link from the right side of a box to the left side of another; a heavy line is one link per
    node.
    """
    x1 = a.x + a.width
    x2 = b.x
    y1 = b.middle if a.item.least_height else a.middle
    y2 = a.middle if b.item.least_height else b.middle
    parts = [
        f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" class="{"wires" if item.count > 1 else "wire"}"/>'
    ]
    for index, label in enumerate(item.link):
        parts.append(
            _text(
                (x1 + x2) / 2,
                (y1 + y2) / 2 + (-8 if index == 0 else LINE),
                label,
                "label",
                "middle",
            )
        )
    return "\n".join(parts)
