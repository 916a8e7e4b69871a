"""Node locks: a process that changes, loads or breaks shared nodes locks each of them meanwhile.

Root has one lock for the node. An ordinary user has one for each measured directory.

The lock is a flock(2) in a command that lives as long as the connection to the node. So it is
released at the end of the work, and also when the controlling machine fails.
"""

import contextlib
import os
import shlex
import threading
from collections.abc import Iterator, Sequence

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.labs.node_state import NodeState, make_folder
from seatrial.streams import Stream
from seatrial.transport import Transport, on_every

LOCK = "/run/seatrial.lock"
HELD = "held"
LET_GO_S = 10.0
ANSWER_S = 60.0


@contextlib.contextmanager
def held(
    transport: Transport, nodes: Sequence[str], study_id: str, state: NodeState | None = None
) -> Iterator[None]:
    """Lock all nodes; RunError names each node in use and the holder of its lock.

    With `state` the lock is the user's own: two users, or two directories, do not exclude each
    other.
    """
    who = f"the study {study_id} (process {os.getpid()} on {os.uname().nodename})"
    lock = shlex.quote(LOCK if state is None else state.lock)
    made = "" if state is None else f"{{ {make_folder(state.folder)}; }} && "
    # `undeploy` removes the folder with its lock: a lock on a removed file excludes no one.
    same = "" if state is None else f"[ {lock} -ef /proc/self/fd/9 ] && "
    command = (
        f"{made}exec 9>>{lock} && {{ flock --nonblock 9 || {{ cat {lock}; exit 1; }}; }} && {same}"
        f"echo {shlex.quote(who)} >{lock} && echo {HELD} && exec cat >/dev/null"
    )
    streams: dict[str, Stream] = {}

    def hold(node: str) -> str | None:
        streams[node] = transport.stream(node, command)
        waited = threading.Timer(ANSWER_S, streams[node].stop)
        waited.start()
        line = streams[node].read_line()
        waited.cancel()
        if line == HELD:
            return None
        _, stderr = streams[node].finish(LET_GO_S)
        if line:
            return f"{node} is in use by {line}"
        return f"{node} could not be locked: {stderr.strip()}"

    try:
        with doing("lock the nodes"):
            problems = [problem for problem in on_every(nodes, hold).values() if problem]
        if problems:
            raise RunError("\n".join(problems), "wait until that has ended, or use other nodes")
        yield
    finally:
        on_every(streams, lambda node: streams[node].finish(LET_GO_S))
