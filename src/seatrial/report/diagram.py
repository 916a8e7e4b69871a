"""The diagram of what was built: clients, network, server and the disks in their spans, as SVG of our own.

Two layouts of the same boxes: side by side for a wide page, one below the other for a narrow one.
"""

from dataclasses import dataclass
from html import escape

from seatrial.report.built import Built, NodeGroup, bit_rate
from seatrial.report.tables import figures, size
from seatrial.units import format_rate

LINE = 17
"""height of a line of text"""
DISKS_PER_ROW = 12


@dataclass(frozen=True)
class Box:
    """A rectangle with a title, lines of text and perhaps disks, at its place."""

    x: float
    y: float
    width: float
    height: float
    title: str
    lines: tuple[str, ...]
    disks: tuple[int, ...] = ()
    """disks in each span"""


def diagram(system: Built, *, narrow: bool = False) -> str:
    """The diagram as SVG text."""
    clients = [(_title(group, "clients"), _facts(group)) for group in system.clients]
    servers = [(_title(group, "server"), _facts(group)) for group in system.servers]
    network = ("network", (f"MTU {system.mtu} B",) if system.mtu else ())
    arrays = [_array(system, group) for group in system.servers if group.disks]
    draw = _narrow if narrow else _wide
    return draw(system, clients, network, servers, arrays)


_Text = tuple[str, tuple[str, ...]]
_Array = tuple[str, tuple[str, ...], tuple[int, ...]]


def _title(group: NodeGroup, role: str) -> str:
    return f"{group.names}" if group.count == 1 else f"{group.names}  ({group.count} {role})"


def _facts(group: NodeGroup) -> tuple[str, ...]:
    return (f"{size(group.memory_bytes)} memory",) if group.memory_bytes else ()


def _array(system: Built, group: NodeGroup) -> _Array:
    spans = min(system.spans, group.disks)
    share, rest = divmod(group.disks, spans)
    counts = tuple(share + (index < rest) for index in range(spans))
    title = f"{system.raid}: " if system.raid else ""
    title += f"{group.disks} disks" + (f" in {spans} spans" if spans > 1 else "")
    lines = []
    if group.disk_rate_modelled and system.scaled:
        lines.append(f"{format_rate(group.disk_rate_modelled)} each, modelled")
    if group.disk_rate:
        lines.append(f"{format_rate(group.disk_rate)} each" + (", in the lab" if system.scaled else ""))
    if group.disk_bytes:
        lines.append(f"{size(group.disk_bytes)} each")
    return title, tuple(lines), counts


def _link(system: Built, group: NodeGroup) -> tuple[str, ...]:
    """What is written beside a link: modelled above, lab below."""
    if group.link is None:
        return ("rate not limited",)
    many = f"{group.count} × " if group.count > 1 else ""
    if not system.scaled or group.link_modelled is None:
        return (f"{many}{bit_rate(group.link)}",)
    return (
        f"{many}{bit_rate(group.link_modelled)}",
        f"lab {figures(group.link / 1e6)} MB/s" + (" each" if many else ""),
    )


def _height(lines: int, disks: tuple[int, ...] = ()) -> float:
    rows = sum(-(-count // DISKS_PER_ROW) for count in disks)
    return 24 + LINE * (1 + lines) + rows * 22 + (len(disks) * 8 + 6 if disks else 0)


def _wide(system: Built, clients: list[_Text], network: _Text, servers: list[_Text], arrays: list[_Array]) -> str:
    columns: list[list[_Array]] = [
        [(*text, ()) for text in clients],
        [(*network, ())],
        [(*text, ()) for text in servers],
        arrays,
    ]
    lefts, widths = (0, 324, 574, 774), (180, 110, 140, 226)
    heights = [sum(_height(len(item[1]), item[2]) + 14 for item in column) - 14 for column in columns]
    total = max(*heights, 80) + 8
    placed: list[list[Box]] = []
    for column, left, width, height in zip(columns, lefts, widths, heights, strict=True):
        top = (total - height) / 2
        boxes = []
        for title, lines, disks in column:
            own = _height(len(lines), disks)
            boxes.append(Box(left + 1, top, width - 2, own, title, lines, disks))
            top += own + 14
        placed.append(boxes)
    wires = []
    for group, box in zip(system.clients, placed[0], strict=True):
        wires.append(_wire_across(box, placed[1][0], _link(system, group), group.count))
    for group, box in zip(system.servers, placed[2], strict=True):
        wires.append(_wire_across(placed[1][0], box, _link(system, group), group.count))
    with_disks = [box for group, box in zip(system.servers, placed[2], strict=True) if group.disks]
    wires += [_wire_across(box, array, (), 1) for box, array in zip(with_disks, placed[3], strict=True)]
    return _svg(1000, total, [*wires, *(_box(box) for boxes in placed for box in boxes)], "Diagram of the system")


def _narrow(system: Built, clients: list[_Text], network: _Text, servers: list[_Text], arrays: list[_Array]) -> str:
    stack: list[tuple[_Array, tuple[str, ...], int]] = []
    for text, group in zip(clients, system.clients, strict=True):
        stack.append(((*text, ()), _link(system, group), group.count))
    stack.append(((*network, ()), (), 1))
    remaining = list(arrays)
    for text, group in zip(servers, system.servers, strict=True):
        stack[-1] = (stack[-1][0], _link(system, group), group.count)
        stack.append(((*text, ()), (), 1))
        if group.disks and remaining:
            stack.append((remaining.pop(0), (), 1))
    parts, top = [], 2.0
    for index, ((title, lines, disks), labels, count) in enumerate(stack):
        own = _height(len(lines), disks)
        parts.append(_box(Box(1, top, 348, own, title, lines, disks)))
        top += own
        if index < len(stack) - 1:
            drop = 14 + LINE * max(len(labels), 1)
            parts.append(_wire_down(175, top, drop, labels, count))
            top += drop
    return _svg(350, top + 2, parts, "Diagram of the system")


def _svg(width: float, height: float, parts: list[str], title: str) -> str:
    body = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" class="diagram" role="img" aria-label="{escape(title)}">\n'
        f"{body}\n</svg>"
    )


def _text(x: float, y: float, text: str, css: str, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{css}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(box: Box) -> str:
    parts = [f'<rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="4" class="box"/>']
    top = box.y + 8 + LINE
    parts.append(_text(box.x + 12, top, box.title, "title"))
    for line in box.lines:
        top += LINE
        parts.append(_text(box.x + 12, top, line, "fact"))
    top += 14
    for count in box.disks:
        parts.append(_span(box.x + 12, top, count))
        top += 22 * -(-count // DISKS_PER_ROW) + 8
    return "\n".join(parts)


def _span(x: float, y: float, count: int) -> str:
    """The disks of one span in a dashed frame."""
    rows, columns = -(-count // DISKS_PER_ROW), min(count, DISKS_PER_ROW)
    parts = [f'<rect x="{x:g}" y="{y - 3:g}" width="{columns * 18 + 4}" height="{rows * 22}" rx="3" class="span"/>']
    for index in range(count):
        left, top = x + 4 + index % DISKS_PER_ROW * 18, y + index // DISKS_PER_ROW * 22
        parts.append(f'<rect x="{left:g}" y="{top:g}" width="14" height="16" rx="2" class="disk"/>')
        parts.append(f'<circle cx="{left + 7:g}" cy="{top + 8:g}" r="4" class="platter"/>')
    return "\n".join(parts)


def _wire_across(a: Box, b: Box, labels: tuple[str, ...], count: int) -> str:
    """A link from the right side of a box to the left side of another; many links are a thicker line."""
    x1, y1, x2, y2 = a.x + a.width, a.y + a.height / 2, b.x, b.y + b.height / 2
    parts = [f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" class="{"wires" if count > 1 else "wire"}"/>']
    middle_x, middle_y = (x1 + x2) / 2, (y1 + y2) / 2
    for index, label in enumerate(labels):
        parts.append(_text(middle_x, middle_y + (-8 if index == 0 else LINE), label, "label", "middle"))
    return "\n".join(parts)


def _wire_down(x: float, y: float, length: float, labels: tuple[str, ...], count: int) -> str:
    parts = [f'<path d="M{x:g} {y:g} v{length:g}" class="{"wires" if count > 1 else "wire"}"/>']
    for index, label in enumerate(labels):
        parts.append(_text(x + 12, y + LINE * (index + 1), label, "label"))
    return "\n".join(parts)
