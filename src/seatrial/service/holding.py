"""One at a time: whoever changes, loads or breaks nodes that others may have too holds each of them meanwhile.

A node is held by flock(2) in a command that lives as long as the connection to it: so it is let go when the work has
ended, and no less when the machine that did it is gone.
"""

import contextlib
import os
import shlex
import threading
from collections.abc import Iterator, Sequence

from seatrial.basics.errors import RunError
from seatrial.transport import Stream, Transport, on_every

LOCK = "/run/seatrial.lock"
HELD = "held"
LET_GO_S = 10.0
ANSWER_S = 60.0


@contextlib.contextmanager
def held(transport: Transport, nodes: Sequence[str], study_id: str) -> Iterator[None]:
    """Hold all of the nodes; RunError names each that somebody else holds, with what is known of whom."""
    who = f"the study {study_id} (process {os.getpid()} on {os.uname().nodename})"
    lock = shlex.quote(LOCK)
    command = (
        f"exec 9>>{lock} && {{ flock --nonblock 9 || {{ cat {lock}; exit 1; }}; }} && "
        f"echo {shlex.quote(who)} >{lock} && echo {HELD} && exec cat >/dev/null"
    )
    streams: dict[str, Stream] = {}

    def hold(node: str) -> str | None:
        streams[node] = transport.stream(node, command)
        waited = threading.Timer(ANSWER_S, streams[node].stop)
        waited.start()
        said = streams[node].read_line()
        waited.cancel()
        if said == HELD:
            return None
        _, stderr = streams[node].finish(LET_GO_S)
        return f"{node} is in use by {said}" if said else f"{node} could not be held: {stderr.strip()}"

    try:
        problems = [problem for problem in on_every(nodes, hold).values() if problem]
        if problems:
            raise RunError("\n".join(problems), "wait until that has ended, or take other nodes")
        yield
    finally:
        on_every(streams, lambda node: streams[node].finish(LET_GO_S))
