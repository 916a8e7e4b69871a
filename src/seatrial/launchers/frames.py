"""The output lines of a step of agents (docs/launchers.md).

A line is `seatrial CLIENT NUMBER STREAM KIND LENGTH TEXT`. The numbers of a client count from 1, so
a missing line is noticed. The length in bytes shows a line that a launcher cut or mixed.
"""

from dataclasses import dataclass

MARK = b"seatrial"
FIELDS = 7

HELLO = "h"
BEAT = "b"
BYE = "z"
LINE = "l"
PART = "p"
ERROR_LINE = "e"
ERROR_PART = "q"
EXIT = "x"


@dataclass(frozen=True)
class Frame:
    """One line of one client."""

    client: str
    number: int
    stream: int
    kind: str
    text: str


class DamagedFrameError(Exception):
    """A line that begins as a frame and is not whole; the text is the line."""


def parsed(line: bytes) -> Frame | None:
    """The frame of a line without its end; None for a line of the launcher itself.

    DamagedFrameError when a frame is cut or mixed with another one.
    """
    if not line.startswith(MARK + b" "):
        if MARK + b" " in line:
            raise DamagedFrameError(_shown(line))
        return None
    fields = line.split(b" ", FIELDS - 1)
    if len(fields) < FIELDS:
        raise DamagedFrameError(_shown(line))
    _, client, number, stream, kind, length, text = fields
    numbers = (number, stream, length)
    if not all(item.isdigit() for item in numbers) or len(text) != int(length):
        raise DamagedFrameError(_shown(line))
    decoded = text.decode(errors="replace")
    return Frame(
        client.decode(errors="replace"),
        int(number),
        int(stream),
        kind.decode(errors="replace"),
        decoded,
    )


def _shown(line: bytes) -> str:
    return line[:120].decode(errors="replace")
