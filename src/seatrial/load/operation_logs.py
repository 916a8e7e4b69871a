"""The clients' operation logs of one repeat: kept on their local disks, brought together, compared with the tree."""

import base64
import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seatrial.basics.errors import RunError
from seatrial.basics.units import counted
from seatrial.load import folder
from seatrial.load.clock_offsets import ClockOffset, error_s
from seatrial.transport import Transport, on_every, put

FOLDER = f"{folder.FOLDER}/logs"
COMPARE_TIMEOUT_S = 900.0
LISTED_MAX = 1000
_GONE = """\
gone= above={}
[ -d "$above" ] || gone=--may-be-gone
until [ -d "${{above:-/}}" ]; do above=${{above%/*}}; done
[ "$(findmnt -no TARGET -T "${{above:-/}}")" != / ] || gone="""
"""sh: $gone says that a directory is lost with all that was in it: what it lay in is there, and is the storage, as the
node's own file system would be where nothing is mounted"""


@dataclass
class OperationLogs:
    """The logs of some phases, one for each client and phase; removed by `forget`."""

    run_id: str
    nodes: Sequence[str]
    _names: list[str] = field(default_factory=list)

    def begin(self, transport: Transport, generation: int, phase: str) -> str:
        """The path of a phase's log, the same on every client."""
        name = f"{self.run_id}-{generation}-{phase}.log"
        self._names.append(name)
        on_every(self.nodes, lambda node: _shell(transport, node, f"mkdir -p {FOLDER}"))
        return f"{FOLDER}/{name}"

    def compare(
        self,
        transport: Transport,
        agent: str,
        directory: str,
        before: Mapping[str, ClockOffset],
        after: Mapping[str, ClockOffset],
    ) -> dict[str, Any]:
        """What of the tree is lost or wrong, by `seatrial-agent verify` on the first client (docs/agent.md).

        `before` and `after`: the clients' clocks, before the logs were begun and now, as far as they answer.
        """
        first, *others = self.nodes
        paths = {f"{FOLDER}/{name}": first for name in self._names}
        for node in others:
            paths |= {self._bring(transport, node, first, name): node for name in self._names}
        apart_s = error_s({node: before[node] for node in self.nodes}, after)
        logs = " ".join(
            f"--log {round(before[node].ahead_s * 1e9)}:{shlex.quote(path)}" for path, node in paths.items()
        )
        command = f"{_GONE.format(shlex.quote(directory))}\n"
        command += f"{agent} verify --json $gone --directory {shlex.quote(directory)} "
        command += f"--clock-error-ms {math.ceil(apart_s * 2e3) + 1} {logs}"
        done = transport.run(first, command, timeout_s=COMPARE_TIMEOUT_S)
        if done.exit_code not in (0, 1):
            raise RunError(f"{first}: the tree could not be compared with the logs: {done.stderr.strip()}")
        found = json.loads(done.stdout)
        found["unfinished"] = [
            f"{log['log'].rpartition('/')[2]}: "
            f"{log['tasks'] - log['tasks_complete']} of {counted(log['tasks'], 'task')}"
            for log in found.pop("logs")
            if log["tasks_complete"] < log["tasks"]
        ]
        for key in ("extents", "names"):
            found[f"{key}_omitted"] = found.get(f"{key}_omitted", 0) + max(len(found[key]) - LISTED_MAX, 0)
            found[key] = found[key][:LISTED_MAX]
        return dict(found)

    def _bring(self, transport: Transport, node: str, to: str, name: str) -> str:
        done = transport.run(node, f"base64 -w0 {FOLDER}/{shlex.quote(name)}", timeout_s=COMPARE_TIMEOUT_S)
        if done.exit_code:
            raise RunError(f"{node}: the operation log {name} cannot be read: {done.stderr.strip()}")
        path = f"{FOLDER}/{node}-{name}"
        put(transport, to, base64.b64decode(done.stdout), path, mode="644")
        return path

    def forget(self, transport: Transport) -> None:
        """Remove the logs from all clients, if any were begun."""
        if not self._names:
            return
        on_every(self.nodes, lambda node: transport.run(node, f"rm -f {FOLDER}/*{self.run_id}-*.log"))
        self._names.clear()


def _shell(transport: Transport, node: str, command: str) -> None:
    done = transport.run(node, command)
    if done.exit_code:
        raise RunError(f"{node}: {command}: {done.stderr.strip() or done.exit_code}")
