"""The installation of the load agent on nodes."""

import hashlib
from collections.abc import Sequence

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.basics.shipped import find_agent
from seatrial.labs.node_state import make_folder
from seatrial.launchers.base import GroupOfTasks
from seatrial.load.folder import FOLDER
from seatrial.transport import Transport, on_every, put


def push(transport: Transport, nodes: Sequence[str], folder: str = FOLDER) -> str:
    """Install the agent in `folder` on every node, named by its content's hash; nodes that have it
    are not changed.

    Other versions older than one month are removed. Raises RunError where another user owns its
    folder.
    """
    data = find_agent().read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    path = f"{folder}/agent-{digest[:16]}"

    def on_node(node: str) -> None:
        made = transport.run(node, make_folder(folder))
        if made.exit_code:
            raise RunError(f"{node}: {made.stderr.strip()}")
        if transport.run(
            node, f"[ -x {path} ] && echo '{digest}  {path}' | sha256sum -c --status"
        ).exit_code:
            if not _copied(transport, node, digest, path):
                put(transport, node, data, path)
            # It must survive a power cut. A version older than a month hardly belongs to a run.
            transport.run(
                node, f"sync {path}; find {folder} -maxdepth 1 -name 'agent-*' -mtime +30 -delete"
            )

    with doing("install the agent"):
        on_every(nodes, on_node)
    return path


def _copied(transport: Transport, node: str, digest: str, path: str) -> bool:
    """Copy the agent of the node's step, if it is the same: the parent of each command there."""
    if not isinstance(transport, GroupOfTasks):
        return False
    made = f"{path}.new.$$"
    same = f'echo "{digest}  {made}" | sha256sum -c --status'
    copied = f"cp /proc/$PPID/exe {made} && chmod 755 {made} && {same} && mv {made} {path}"
    return transport.run(node, f"{copied} || {{ rm -f {made}; false; }}").exit_code == 0
