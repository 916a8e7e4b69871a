"""The facts and warnings of a preflight, for the terminal."""

from collections.abc import Iterator, Sequence

from seatrial.advice.bonds import bond_words
from seatrial.advice.preflight import Link, Node, Preflight
from seatrial.basics.units import counted, written_size
from seatrial.load import site_servers
from seatrial.transport import HERE


def preflight_text(preflight: Preflight) -> str:
    """The preflight as text: a section for each node, refusals first."""
    lines = []
    for node in preflight.nodes:
        lines.append(f"{node.node}: {'refuses' if node.refuses else 'nothing refuses'}")
        lines += _rows(node)
    refusing = [node.node for node in preflight.nodes if node.refuses]
    lines += [*_room_words(preflight), *(f"warning: {text}" for text in preflight.warnings)]
    for item in preflight.not_available:
        condition = "" if item.code == site_servers.NOT_OBSERVED else " without root"
        lines.append(f"not available{condition}: {item.what}: {item.effect}")
    refuse = "refuses" if 1 in {len(refusing), len(preflight.nodes)} else "refuse"
    lines.append(
        f"{len(refusing)} of {counted(len(preflight.nodes), 'node')} {refuse}; nothing was changed"
    )
    return "\n".join(lines)


def _room_words(preflight: Preflight) -> Iterator[str]:
    """The storage use of the profiles, compared with the free space; then the parts that do not
    fit.
    """
    if not preflight.rooms:
        return
    free = (
        "is not known yet"
        if preflight.free_bytes is None
        else f"is {written_size(preflight.free_bytes)}"
    )
    needed = ", ".join(
        f"{room.profile} {written_size(room.needed_bytes)}" for room in preflight.rooms
    )
    yield f"free space in {preflight.directory} {free}; peak use of a run: {needed}"
    for room in preflight.rooms:
        if preflight.is_full(room):
            way_out = "make `file_size` smaller, or free some space"
            yield f"no room for any part of the {room.profile} profile: {way_out}"
        elif preflight.free_bytes is not None and room.needed_bytes > preflight.free_bytes:
            yield (
                f"no room for {room.where} of the {room.profile} profile: such a point is not begun"
            )


def _rows(node: Node) -> list[str]:
    clock = (
        f"{node.clock_ahead_s * 1000:+z.0f} ms against this machine's, ±"
        f" {node.clock_error_s * 1000:.0f} ms"
    )
    rows: list[tuple[str, Sequence[str]]] = [
        ("refuses", [line.removeprefix("refused: ") for line in node.refuses]),
        ("system", [node.system]),
        ("login", [f"{node.login}, root by sudo"] if node.login else []),
        ("memory", [node.memory_words]),
        ("clock", [] if node.node == HERE else [clock]),
        ("link", [_link_words(link) for link in node.links]),
        ("bond", [bond_words(bond) for bond in node.bonds]),
        ("versions", [", ".join(f"{name} {version}" for name, version in node.versions.items())]),
        ("installs", [", ".join(node.installs)]),
        (
            "disk",
            [
                f"{disk.facts}, {'ERASED' if disk.erased else 'wanted by the study'}"
                for disk in node.disks
            ],
        ),
        ("interrupts", [", ".join(node.interrupts)]),
    ]
    return [
        f"    {title if not index else '':10s}  {text}"
        for title, texts in rows
        for index, text in enumerate(text for text in texts if text)
    ]


def _link_words(link: Link) -> str:
    speed = "speed unknown" if link.mbit_per_s is None else f"{link.mbit_per_s} Mbit/s"
    reach = {
        True: f"end to end to {link.peer}",
        False: f"a packet of this size does not reach {link.peer} in one piece",
        None: f"{link.peer} answers no ping",
    }
    return f"{link.network}: {link.device}, {speed}, MTU {link.mtu}, {reach[link.whole]}"
