"""The diagram of the system as built, as SVG: clients, network, servers and the disks in their
spans.

The same boxes profile four tiers: in a row on a wide page, in a column on a narrow one.
"""

from dataclasses import dataclass
from html import escape

from seatrial.basics.units import counted, format_rate
from seatrial.report.built import bit_rate
from seatrial.report.tables import size
from seatrial.summary.notation import figures
from seatrial.summary.system import Built, NodeGroup

WIDE, NARROW = 1000.0, 350.0
"""widths of the two drawings, in units of about one pixel"""
LINE = 17.0
DISK, DISKS_PER_ROW, VARIANT = 18.0, 12, 22.0
GAP, ARRAY_GAP = 14.0, 60.0
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

    @property
    def height(self) -> float:
        """The height of its box."""
        rows = sum(-(-count // DISKS_PER_ROW) for count in self.disks)
        return 24 + LINE * (1 + len(self.lines)) + rows * VARIANT + (len(self.disks) * 8 + 6 if self.disks else 0)

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


def diagram(system: Built, *, narrow: bool = False) -> str:
    """The diagram as SVG text."""
    # Existing storage: its network path is not known.
    alone = system.keeps_caches and not system.servers
    tiers = [
        [_node(system, group, "clients") for group in system.clients],
        [Item("storage" if alone else "network", (f"MTU {system.mtu} B",) if system.mtu else ())],
        [_node(system, group, "servers") for group in system.servers],
        [_array(system, group) for group in (*system.servers, *system.arrays) if group.disks],
    ]
    return _below(tiers) if narrow else _beside(tiers)


def _node(system: Built, group: NodeGroup, role: str) -> Item:
    title = group.names if group.count == 1 else f"{group.names} ({group.count} {role})"
    memory = (f"{size(group.memory_bytes)} memory",) if group.memory_bytes else ()
    return Item(title, memory, _link(system, group), group.count)


def _link(system: Built, group: NodeGroup) -> tuple[str, ...]:
    if group.link is None:
        return ("rate not limited" if system.in_lab else "rate not known",)
    many, each = (f"{group.count} × ", " each") if group.count > 1 else ("", "")
    if not system.scaled or group.link_modelled is None:
        return (f"{many}{bit_rate(group.link)}",)
    return (f"{many}{bit_rate(group.link_modelled)}", f"lab {figures(group.link / 1e6)} MB/s{each}")


def _array(system: Built, group: NodeGroup) -> Item:
    spans = min(system.spans, group.disks)
    share, rest = divmod(group.disks, spans)
    title = f"{system.raid}: " if system.raid else ""
    title += f"{counted(group.disks, 'disk')}" + (f" in {spans} spans" if spans > 1 else "")
    lines = []
    if group.disk_rate_modelled and system.scaled:
        lines.append(f"{format_rate(group.disk_rate_modelled)} each, modelled")
    if group.disk_rate:
        lines.append(f"{format_rate(group.disk_rate)} each{', in the lab' if system.scaled else ''}")
    if group.disk_bytes:
        lines.append(f"{size(group.disk_bytes)} each")
    return Item(title, tuple(lines), disks=tuple(share + (index < rest) for index in range(spans)))


def _beside(tiers: list[Tier]) -> str:
    """The tiers as columns from left to right, with links and their rates."""
    heights = [sum(item.height + GAP for item in tier) - GAP for tier in tiers]
    widths = [max((item.width for item in tier), default=0.0) for tier in tiers]
    total = max(heights) + 2 + BEHIND
    gaps = _gaps(tiers, widths)
    placed, left = [], 1.0
    for tier, width, height, gap in zip(tiers, widths, heights, [*gaps, 0.0], strict=True):
        top, boxes = 1 + (total - 2 - height) / 2, []
        for item in tier:
            boxes.append(Box(item, left, top, width))
            top += item.height + GAP
        placed.append(boxes)
        left += width + gap
    clients, (network,), servers, arrays = placed
    wires = [_wire(box, network, box.item) for box in clients]
    wires += [_wire(network, box, box.item) for box in servers]
    wires += [_wire(servers[min(index, len(servers) - 1)], box, box.item) for index, box in enumerate(arrays)]
    return _svg(left + BEHIND + 1, total, [*wires, *(_box(box) for boxes in placed for box in boxes)])


def _gaps(tiers: list[Tier], widths: list[float]) -> list[float]:
    """Space between the tiers: enough for the labels of the links, and the rest of the page."""
    needed = [
        max((len(line) * 6.8 for item in tier for line in item.link), default=0.0) + 26 for tier in (tiers[0], tiers[2])
    ]
    last = ARRAY_GAP if tiers[3] else 0.0
    spare = max(WIDE - sum(widths) - sum(needed) - last, 0.0) / 2
    return [needed[0] + spare, needed[1] + spare, last]


def _below(tiers: list[Tier]) -> str:
    """The tiers from top to bottom; the labels of links are inside the boxes."""
    parts, top = [], 1.0
    present = [tier for tier in tiers if tier]
    for number, tier in enumerate(present):
        if number:
            heavy = any(item.count > 1 for item in (*tier, *present[number - 1]))
            parts.append(f'<path d="M{NARROW / 2:g} {top:g} v24" class="{"wires" if heavy else "wire"}"/>')
            top += 24
        for index, item in enumerate(tier):
            top += GAP if index else 0
            lines = (*item.lines, f"link {', '.join(item.link)}") if item.link else item.lines
            full = Item(item.title, lines, count=item.count, disks=item.disks)
            parts.append(_box(Box(full, 1, top, NARROW - 2 - BEHIND)))
            top += full.height
    return _svg(NARROW, top + 1 + BEHIND, parts)


def _svg(width: float, height: float, parts: list[str]) -> str:
    body = "\n".join(parts)
    label = "Diagram of the system: clients, network, servers and disks"
    head = f'<svg viewBox="0 0 {width:g} {height:g}" class="diagram" role="img" aria-label="{label}">'
    return f"{head}\n<title>{label}</title>\n{body}\n</svg>"


def _text(x: float, y: float, text: str, css: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{css}" text-anchor="{anchor}">{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, css: str, *, radius: int = 4) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" class="{css}"/>'


def _box(box: Box) -> str:
    item, parts = box.item, []
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
    rows, columns = -(-count // DISKS_PER_ROW), min(count, DISKS_PER_ROW)
    parts = [_rect(x, y - 3, columns * DISK + 4, rows * VARIANT, "span", radius=3)]
    for index in range(count):
        left, top = x + 4 + index % DISKS_PER_ROW * DISK, y + index // DISKS_PER_ROW * VARIANT
        parts.append(_rect(left, top, 14, 16, "disk", radius=2))
        parts.append(f'<circle cx="{left + 7:g}" cy="{top + 8:g}" r="4" class="platter"/>')
    return "\n".join(parts)


def _wire(a: Box, b: Box, item: Item) -> str:
    """A link from the right side of a box to the left side of another; a heavy line is one link per
    node.
    """
    x1, y1, x2, y2 = a.x + a.width, a.middle, b.x, b.middle
    parts = [f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" class="{"wires" if item.count > 1 else "wire"}"/>']
    for index, label in enumerate(item.link):
        parts.append(_text((x1 + x2) / 2, (y1 + y2) / 2 + (-8 if index == 0 else LINE), label, "label", "middle"))
    return "\n".join(parts)
