"""The clients' operation logs of one repeat: kept on their local disks, collected, compared with
the tree.
"""

import base64
import json
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import LABEL_MAX
from seatrial.basics.text import shortened
from seatrial.basics.units import counted
from seatrial.load.clock_offsets import ClockOffset, error_s
from seatrial.load.folder import FOLDER
from seatrial.service.workplace import shell
from seatrial.transport import Completed, Transport, on_every, put

SUBFOLDER = "logs"
COMPARE_TIMEOUT_S = 900.0
LISTED_MAX = 1000
_UNREADABLE = 4
"""the agent's exit code: the storage answered with an error of I/O"""
_FOLDER_MAY_BE_GONE = """\
gone= above={}
[ -d "$above" ] || gone=--may-be-gone
until [ -d "${{above:-/}}" ]; do above=${{above%/*}}; done
[ "$(findmnt -no TARGET -T "${{above:-/}}")" != / ] || gone="""
"""sh: sets $gone where a directory may be lost with its content: its parent exists and is on the
storage. Without a mount it would be on the node's own file system.
"""


def owner_of(name: str, nodes_by_label: Mapping[str, str], default: str) -> str:
    """The node with the longest label that a name begins with, followed by `-`.

    One label can begin with another: `rack1` and `rack1-b`.
    """
    labels = [label for label in nodes_by_label if name.startswith(f"{label}-")]
    return nodes_by_label[max(labels, key=len)] if labels else default


@dataclass(frozen=True)
class _Verified:
    """The output of `seatrial-agent verify`."""

    node: str
    """the client on which it ran"""
    output: str
    refused: list[str]
    """clients that got an error of I/O"""


@dataclass
class OperationLogs:
    """The logs of some phases, one for each client and phase; removed by `forget`."""

    run_id: str
    nodes: Sequence[str]
    load_folder: str = FOLDER
    """the folder of the load on every node"""
    _names: list[str] = field(default_factory=list)

    @property
    def _folder(self) -> str:
        return f"{self.load_folder}/{SUBFOLDER}"

    def begin(self, transport: Transport, generation: int, phase: str) -> str:
        """The path of a phase's log, the same on every client."""
        name = f"{self.run_id}-{generation}-{phase}.log"
        self._names.append(name)
        on_every(
            self.nodes,
            lambda node: shell(transport, node, f"mkdir -p {self._folder}", timeout_s=60),
        )
        return f"{self._folder}/{name}"

    def compare(
        self,
        transport: Transport,
        agent: str,
        directory: str,
        before: Mapping[str, ClockOffset],
        after: Mapping[str, ClockOffset],
        *,
        clients: Sequence[str],
    ) -> dict[str, Any]:
        """The lost and wrong items of the tree, from `seatrial-agent verify` on the first client
        (docs/agent.md).

        `before` and `after`: the clients' clocks, before the logs were begun and now, as far as
        they answer. `clients`: all clients with the storage. After an I/O error the next client is
        asked, because an evicted client gets one too; items that several clients cannot read are
        lost, and `unreadable_by` names the clients. Raises RunError where no client can compare.
        """
        apart_s = error_s({node: before[node] for node in self.nodes}, after)

        def verify(node: str, more: str = "") -> Completed:
            logs = " ".join(
                f"--log {round(before[owner].ahead_s * 1e9)}:{shlex.quote(path)}"
                for path, owner in self._brought(transport, node).items()
            )
            command = f"{_FOLDER_MAY_BE_GONE.format(shlex.quote(directory))}\n"
            command += f"{agent} verify --json $gone {more} --directory {shlex.quote(directory)} "
            command += f"--clock-error-ms {math.ceil(apart_s * 2e3) + 1} {logs}"
            return transport.run(node, command, timeout_s=COMPARE_TIMEOUT_S)

        return self._report(self._verified(verify, clients))

    def _verified(self, verify: Callable[..., Completed], clients: Sequence[str]) -> _Verified:
        """The output of the first client that can read the storage.

        Where several cannot, the first one counts unreadable items as lost.
        """
        refused = []
        for node in dict.fromkeys((*self.nodes, *clients)):
            done = verify(node)
            if done.exit_code != _UNREADABLE:
                break
            refused.append(node)
        if done.exit_code == _UNREADABLE and len(refused) > 1:
            node = refused[0]
            done = verify(node, "--unreadable-is-lost")
        if done.exit_code not in (0, 1):
            raise RunError(
                f"{node}: the tree could not be compared with the logs: {done.stderr.strip()}"
            )
        return _Verified(node, done.stdout, refused)

    def _report(self, verified: _Verified) -> dict[str, Any]:
        """The line of the result: the report of `verify`, with limited lists."""
        report = json.loads(verified.output)
        if verified.refused:
            report["unreadable_by"] = verified.refused
        report["unfinished"] = [
            f"{self._described(log['log'].rpartition('/')[2], verified.node)}: "
            f"{log['tasks'] - log['tasks_complete']} of {counted(log['tasks'], 'task')}"
            for log in report.pop("logs")
            if log["tasks_complete"] < log["tasks"]
        ]
        for key in ("extents", "names"):
            omitted = report.get(f"{key}_omitted", 0)
            report[f"{key}_omitted"] = omitted + max(len(report[key]) - LISTED_MAX, 0)
            report[key] = report[key][:LISTED_MAX]
        return dict(report)

    def _described(self, name: str, verifier: str) -> str:
        """A log's name as on the first client: a copied log has its owner's name.

        `verifier`: the client on which the name was found.
        """
        owner = owner_of(name, {shortened(node, LABEL_MAX): node for node in self.nodes}, verifier)
        own_name = name.removeprefix(f"{shortened(owner, LABEL_MAX)}-")
        return own_name if owner == self.nodes[0] else f"{owner}-{own_name}"

    def _brought(self, transport: Transport, to: str) -> dict[str, str]:
        """The paths of all logs on a node, with their owners."""
        paths = {}
        for node in self.nodes:
            for name in self._names:
                path = (
                    f"{self._folder}/{name}"
                    if node == to
                    else self._bring(transport, node, to, name)
                )
                paths[path] = node
        return paths

    def _bring(self, transport: Transport, node: str, to: str, name: str) -> str:
        done = transport.run(
            node, f"base64 -w0 {self._folder}/{shlex.quote(name)}", timeout_s=COMPARE_TIMEOUT_S
        )
        if done.exit_code:
            raise RunError(
                f"{node}: the operation log {name} cannot be read: {done.stderr.strip()}"
            )
        path = f"{self._folder}/{shortened(node, LABEL_MAX)}-{name}"
        put(transport, to, base64.b64decode(done.stdout), path, mode="644")
        return path

    def forget(self, transport: Transport) -> None:
        """Remove the logs from all clients, if any were begun."""
        if not self._names:
            return
        on_every(
            self.nodes,
            lambda node: transport.run(node, f"rm -f {self._folder}/*{self.run_id}-*.log"),
        )
        self._names.clear()
