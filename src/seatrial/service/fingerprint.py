"""What a node is like, looked at from outside the plan: whether a second deploy changed anything is not its own to say.

Files of the configuration by size, time of writing and owner (what is enabled is a link there), mounts, running
services by process and start, kernel settings, exports, MTUs. What differs is kept by name alone: values may be secret.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.service.session import Session
from seatrial.solutions.base import Solution
from seatrial.transport import Transport, on_every

TIMEOUT_S = 300.0
"""a second or two, but for a lab on a machine that does other work"""
SCRIPT = (Path(__file__).parent / "fingerprint.sh").read_bytes()
END = ("end", "")
"""a look that broke off before it proves nothing"""
Fingerprint = Mapping[tuple[str, str], tuple[str, ...]]
"""(kind, name) -> its values: of one export, several lines"""


@dataclass(frozen=True)
class Difference:
    """Something that is not as it was."""

    node: str
    what: str
    """`file /etc/exports: changed`"""


@dataclass
class Look:
    """What a second look found on the nodes of a solution."""

    nodes: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    """nodes that did not answer both times"""
    differences: list[Difference] = field(default_factory=list)


def nodes_of_look(solution: Solution) -> list[str]:
    """Every server and client."""
    return list(dict.fromkeys((*solution.storage_nodes, *solution.clients)))


@contextlib.contextmanager
def looked_at(session: Session) -> Iterator[Look]:
    """Look at every server and client before the block and behind it; the result is filled in then."""
    nodes = nodes_of_look(session.solution)
    before, look = fingerprints(session.transport, nodes), Look(nodes)
    yield look
    after = fingerprints(session.transport, nodes)
    look.untold = [node for node in nodes if node not in before or node not in after]
    look.differences = differences(before, after)


def fingerprints(transport: Transport, nodes: Iterable[str]) -> dict[str, Fingerprint]:
    """By node; a node that gives no answer is left out."""

    def one(node: str) -> Fingerprint:
        try:
            done = transport.run(node, "sh -s", stdin=SCRIPT, timeout_s=TIMEOUT_S)
        except RunError:
            return {}
        return read(done.stdout) if done.exit_code == 0 else {}

    return {node: found for node, found in on_every(nodes, one).items() if found}


def read(text: str) -> Fingerprint:
    """The script's lines; nothing where its last one is missing."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for line in text.splitlines():
        kind, _, rest = line.partition("\t")
        name, _, value = rest.partition("\t")
        found[kind, name] = (*found.get((kind, name), ()), value)
    return found if END in found else {}


def differences(before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint]) -> list[Difference]:
    """All that appeared, went or changed on nodes that answered both times."""
    both = [node for node in before if node in after]
    return [Difference(node, words) for node in both for words in _of_one(before[node], after[node])]


def _of_one(before: Fingerprint, after: Fingerprint) -> Sequence[str]:
    said: dict[str, str] = {}
    for kind, name in sorted({*before, *after}):
        was, now = before.get((kind, name)), after.get((kind, name))
        if was != now:
            how = "is new" if was is None else "is gone" if now is None else "changed"
            if kind == "service" and how == "changed":
                how = "was started again"
            said.setdefault(f"{kind} {name}", how)
    return [f"{name}: {how}" for name, how in said.items()]
