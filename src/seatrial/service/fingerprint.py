"""Fingerprints of nodes, independent of the plan: whether a second deployment changed anything.

A fingerprint has configuration files (size, modification time, owner), mounts, running services
(process, start time), kernel settings, exports and MTUs. Enabled units are links, and so files.
Differences are reported by name only, because values may be secret.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.service.session import Session
from seatrial.solutions.base import Solution
from seatrial.transport import Transport, on_every

TIMEOUT_S = 300.0
"""usually one or two seconds, but more on a busy lab machine"""
SCRIPT = (Path(__file__).parent / "fingerprint.sh").read_bytes()
END = ("end", "")
"""the last line; a script that broke off proves nothing"""
Fingerprint = Mapping[tuple[str, str], tuple[str, ...]]
"""(kind, name) -> its values; one export has several"""


@dataclass(frozen=True)
class Difference:
    """A change of one item on one node."""

    node: str
    what: str
    """`file /etc/exports: changed`"""


@dataclass
class Inspection:
    """The differences that a second fingerprint shows on the nodes of a solution."""

    nodes: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    """nodes that did not answer both times"""
    differences: list[Difference] = field(default_factory=list)


def inspected_nodes(solution: Solution) -> list[str]:
    """Every server and client."""
    return list(dict.fromkeys((*solution.storage_nodes, *solution.clients)))


@contextlib.contextmanager
def inspecting(session: Session) -> Iterator[Inspection]:
    """Take fingerprints before and after the block; the result is filled in after it."""
    nodes = inspected_nodes(session.solution)
    before = fingerprints(session.transport, nodes)
    inspection = Inspection(nodes)
    yield inspection
    after = fingerprints(session.transport, nodes)
    inspection.untold = [node for node in nodes if node not in before or node not in after]
    inspection.differences = differences(before, after)


def fingerprints(transport: Transport, nodes: Iterable[str]) -> dict[str, Fingerprint]:
    """Node -> its fingerprint; nodes that do not answer are left out."""

    def one(node: str) -> Fingerprint:
        try:
            done = transport.run(node, "sh -s", stdin=SCRIPT, timeout_s=TIMEOUT_S)
        except RunError:
            return {}
        return read(done.stdout) if done.exit_code == 0 else {}

    with doing("fingerprint"):
        answers = on_every(nodes, one).items()
    return {node: fingerprint for node, fingerprint in answers if fingerprint}


def read(text: str) -> Fingerprint:
    """The fingerprint in the script's output; empty when its last line is missing."""
    values: dict[tuple[str, str], tuple[str, ...]] = {}
    for line in text.splitlines():
        kind, _, rest = line.partition("\t")
        name, _, value = rest.partition("\t")
        values[kind, name] = (*values.get((kind, name), ()), value)
    return values if END in values else {}


def differences(
    before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint]
) -> list[Difference]:
    """Every item that appeared, disappeared or changed on nodes that answered both times."""
    both = [node for node in before if node in after]
    return [Difference(node, text) for node in both for text in _of_one(before[node], after[node])]


def _of_one(before: Fingerprint, after: Fingerprint) -> Sequence[str]:
    changes: dict[str, str] = {}
    for kind, name in sorted({*before, *after}):
        old = before.get((kind, name))
        new = after.get((kind, name))
        if old != new:
            changes.setdefault(f"{kind} {name}", _change(kind, old, new))
    return [f"{item}: {change}" for item, change in changes.items()]


def _change(kind: str, old: tuple[str, ...] | None, new: tuple[str, ...] | None) -> str:
    if old is None:
        return "is new"
    if new is None:
        return "is gone"
    return "was started again" if kind == "service" else "changed"
