"""The kernel messages of all nodes during a fault: often only they explain the length
of an outage.
"""

import re
from collections.abc import Iterable

from seatrial.basics.clock import unix_s
from seatrial.result.file_names import safe_name
from seatrial.result.writer import Writer
from seatrial.service import kernel_reasons
from seatrial.service.session import Session
from seatrial.solutions.base import nodes_of
from seatrial.transport import Transport, answer_of, on_every

TIMEOUT_S = 15.0
LINES_MAX = 500
"""maximum lines of one node; further lines mostly repeat"""
COMMAND = f"cut -d' ' -f1 /proc/uptime && dmesg | tail -n {LINES_MAX}"
_LINE = re.compile(r"^\[ *(\d+\.\d+)\] (.*)$")

Message = tuple[float, str, str]
"""(unix time, node, message)"""


def keep(
    session: Session, writer: Writer, fault: str, since_unix_s: float, zero_unix_s: float
) -> str | None:
    """Write the messages to the result, timed from `zero_unix_s`; returns the file name, None
    without messages.
    """
    messages = messages_since(session.transport, nodes_of(session.solution), since_unix_s)
    if not messages:
        return None
    name = f"kernel/{safe_name(fault)}.log"
    lines = (f"{unix_s - zero_unix_s:+9.3f} {node} {text}\n" for unix_s, node, text in messages)
    writer.keep(name, "".join(lines))
    return name


def messages_since(
    transport: Transport, nodes: Iterable[str], since_unix_s: float
) -> list[Message]:
    """The messages in order of time, of the nodes that answer; a restarted node has only its
    present boot.

    Times are as exact as a command's round trip to the node.
    """

    def one(node: str) -> list[Message]:
        before_s = unix_s()
        answer = answer_of(transport, node, COMMAND, TIMEOUT_S)
        return of_node(node, answer, (before_s + unix_s()) / 2) if answer is not None else []

    by_node = on_every(nodes, one)
    return sorted(
        item for messages in by_node.values() for item in messages if item[0] >= since_unix_s
    )


def of_node(node: str, answer: str, now_unix_s: float) -> list[Message]:
    """The messages of one node, from dmesg(1)'s lines and its uptime at this time."""
    up, *lines = answer.splitlines() or ["0"]
    booted_s = now_unix_s - float(up)
    matches = [match for line in lines if (match := _LINE.match(line))]
    return [(booted_s + float(match[1]), node, match[2]) for match in matches]


def reasons(session: Session, since_unix_s: float | None) -> list[str]:
    """The decisive messages of all nodes since a Unix time in seconds, or since now."""
    since_s = since_unix_s or unix_s()
    return kernel_reasons.reasons(session.transport, nodes_of(session.solution), since_s)
