"""How many processes a fault's servers started, and what one, and a handshake, cost there: in a lab many times as much.

A failover is a long list of short commands. On a server of today one takes a millisecond; in the lab it takes tens of
them. The report names that share of an outage (`seatrial.report.processes`). A handshake is a new ssh connection: an
exchange of keys, an authentication and a shell, which is more than an iSCSI login or an IPMI session takes.
"""

import time
from collections.abc import Sequence

from seatrial.basics.errors import RunError
from seatrial.load.telemetry import Watched
from seatrial.transport import ConnectsAnew, Local, Transport, answer_of, on_every

COUNT = 25
# /proc/uptime counts hundredths of a second, without a process to read it; ash, bash and dash all start /bin/true anew.
COMMAND = (
    "read before _ </proc/uptime; count=0; "
    f"while [ $count -lt {COUNT} ]; do /bin/true; count=$((count + 1)); done; "
    "read after _ </proc/uptime; echo $before $after"
)


def start_ms(answer: str) -> float:
    """Milliseconds for a process from its start to its end, from what COMMAND prints; ValueError for anything else."""
    before, after = (float(field) for field in answer.split())
    return (after - before) * 1000.0 / COUNT


def here_ms() -> float | None:
    """The same on this machine; None where it cannot be told."""
    return _ask(Local(), "this machine")


def costs_ms(transport: Transport, nodes: Sequence[str]) -> dict[str, float]:
    """By node, before a fault; a node that does not say it is left out."""
    answers = on_every(nodes, lambda node: _ask(transport, node))
    return {node: cost_ms for node, cost_ms in answers.items() if cost_ms is not None}


HANDSHAKE_TIMEOUT_S = 60.0
AT_ONCE = 2
"""so many nodes are connected to at once: in a failover, too, one or two have somebody come to them"""


def handshakes_ms(transport: Transport, nodes: Sequence[str]) -> dict[str, float]:
    """By node, a new connection from its start to its end; a node to which none can be made is left out."""

    def of_node(node: str) -> float | None:
        if not isinstance(transport, ConnectsAnew):
            return None
        started_s = time.monotonic()
        try:
            transport.connect_anew(node, HANDSHAKE_TIMEOUT_S)
        except RunError:
            return None
        return (time.monotonic() - started_s) * 1000.0

    took_ms = on_every(nodes, of_node, at_once=AT_ONCE)
    return {node: took for node, took in took_ms.items() if took is not None}


def _ask(transport: Transport, node: str) -> float | None:
    try:
        return start_ms(answer_of(transport, node, COMMAND) or "")
    except ValueError:
        return None


def started(watched: Watched, start_s: float, end_s: float) -> dict[str, list[tuple[float, int]]]:
    """By server: (unix time of its end, processes) of each second of a fault."""
    return {
        node: [
            (line["unix_s"], line["processes_started"]) for line in lines if line.get("processes_started") is not None
        ]
        for node, lines in watched.between(start_s, end_s).items()
    }
