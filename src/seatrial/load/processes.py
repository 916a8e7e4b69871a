"""The process starts of a fault's servers, and the cost of a process and of a handshake, which is
higher in a lab.

A failover is a long list of short commands. On a current server one takes a millisecond; in the lab
it takes tens of them. The report shows that share of an outage (`seatrial.report.processes`). A
handshake is a new ssh connection: a key exchange, an authentication and a shell, which is more than
an iSCSI login or an IPMI session takes.
"""

import time
from collections.abc import Sequence

from seatrial.basics.errors import RunError
from seatrial.load.telemetry import Watched
from seatrial.transport import ConnectsAnew, Local, Transport, answer_of, on_every

COUNT = 25
# /proc/uptime counts hundredths of a second, without a process to read it.
# ash, bash and dash all start /bin/true as a new process.
COMMAND = (
    "read before _ </proc/uptime; count=0; "
    f"while [ $count -lt {COUNT} ]; do /bin/true; count=$((count + 1)); done; "
    "read after _ </proc/uptime; echo $before $after"
)


def start_ms(answer: str) -> float:
    """Milliseconds of a process from start to end, from the output of COMMAND; raises ValueError
    for other output.
    """
    before, after = (float(field) for field in answer.split())
    return (after - before) * 1000.0 / COUNT


def here_ms() -> float | None:
    """The same on this machine; None where it cannot be measured."""
    return _ask(Local(), "this machine")


def costs_ms(transport: Transport, nodes: Sequence[str]) -> dict[str, float]:
    """The cost by node, before a fault; a node without an answer is left out."""
    answers = on_every(nodes, lambda node: _ask(transport, node))
    return {node: cost_ms for node, cost_ms in answers.items() if cost_ms is not None}


HANDSHAKE_TIMEOUT_S = 60.0
AT_ONCE = 2
"""nodes that are connected to at the same time: a failover, too, involves one or two"""


def handshakes_ms(transport: Transport, nodes: Sequence[str]) -> dict[str, float]:
    """By node, the time of a new connection in ms; a node without one is left out."""

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
            (line["unix_s"], line["processes_started"])
            for line in lines
            if line.get("processes_started") is not None
        ]
        for node, lines in watched.between(start_s, end_s).items()
    }
