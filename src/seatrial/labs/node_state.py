"""Where Seatrial keeps its own files on the nodes of an ordinary user, and what needs root there.

Root's files have fixed places. A user has none that exists on every machine, so every node lists
the places that it offers, and the first one that all nodes offer is used. The paths in jobs and
scripts are then the same on all nodes.
"""

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from seatrial.basics.errors import RunError
from seatrial.basics.login import login_name
from seatrial.basics.node_sets import fold

NEEDED_KIB = 65_536
"""free space for the agent and for the operation logs of a run; a smaller place is not offered"""
PLACE = "place "
NO_KERNEL_LOG = "no-kernel-log"

ASK = f"""\
for place in "${{SLURM_TMPDIR:-}}" "${{XDG_RUNTIME_DIR:-}}" /tmp; do
    [ -n "$place" ] && [ -d "$place" ] && [ -w "$place" ] && [ ! -L "$place" ] || continue
    case ",$(findmnt -n -o OPTIONS -T "$place" 2>/dev/null | tail -n 1)," in
    *,noexec,*) continue ;;
    esac
    room=$(df -P -k "$place" 2>/dev/null | awk 'NR > 1 {{ print $4 }}')
    [ "${{room:-0}}" -ge {NEEDED_KIB} ] || continue
    echo "{PLACE}$place"
done
dmesg >/dev/null 2>&1 || echo {NO_KERNEL_LOG}
"""
"""sh, read-only: a line for each place that the node offers, the best one first"""


def make_folder(folder: str) -> str:
    """sh: create a private folder and the one above it, or print the obstacle in their place.

    Nothing is written after an obstacle: in /tmp another user may have created the path first.
    """
    above = folder.rpartition("/")[0]
    return (
        f'for folder in {shlex.quote(above)} {shlex.quote(folder)}; do (umask 077; mkdir "$folder"'
        ' 2>/dev/null); [ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ] && chmod 700'
        ' "$folder" || { echo "$folder is a link, or not this user\'s; look at it, then remove'
        ' it" >&2; exit 1; }; done'
    )


@dataclass(frozen=True)
class NodeState:
    """The paths of an ordinary user's files, the same on every node."""

    folder: str
    """the agent and its logs; mode 0700, and checked for its owner before it is used"""

    @property
    def lock(self) -> str:
        """The file that a run locks: one run per user, directory and node."""
        return f"{self.folder}/lock"


@dataclass(frozen=True)
class NotAvailable:
    """Something that only root can do on these nodes."""

    code: str
    """`caches`, `server-telemetry`, `kernel-stacks`, `root-faults` or `kernel-log`"""
    nodes: tuple[str, ...]
    what: str
    effect: str
    """what that means for the verdicts"""


@runtime_checkable
class RunsAsUser(Protocol):
    """Optional: a lab with nodes that may be used without root."""

    node_state: NodeState | None
    """the user's own places; None where every node is used as root"""
    not_available: tuple[NotAvailable, ...]


def state_of(answers: Mapping[str, str], directory: str) -> NodeState:
    """The state folder for the measured `directory`, from each node's answer to `ASK`.

    Raises RunError when no place is offered by every node.
    """
    offered = {node: places_in(answer) for node, answer in answers.items()}
    first, *_ = offered.values()
    for place in first:
        if all(place in places for places in offered.values()):
            digest = hashlib.sha256(directory.encode()).hexdigest()[:8]
            return NodeState(f"{place}/seatrial-{login_name()}/{digest}")
    without = [node for node, places in offered.items() if not places] or list(offered)
    raise RunError(
        f"{fold(without)}: no place for the load agent: $SLURM_TMPDIR, $XDG_RUNTIME_DIR and /tmp"
        f" are missing, full, not writable or mounted noexec (needed: {NEEDED_KIB // 1024} MiB)",
        "free some space in /tmp on these nodes, or run on nodes that have the same place",
    )


def places_in(answer: str) -> tuple[str, ...]:
    """The places in one node's answer to `ASK`, in order."""
    return tuple(line.removeprefix(PLACE) for line in answer.splitlines() if line.startswith(PLACE))


@dataclass(frozen=True)
class NeedsRoot:
    """Something that only root can do on a node."""

    code: str
    what: str
    effect: str
    """what its absence means for the verdicts"""

    def not_available(self, nodes: Sequence[str]) -> NotAvailable:
        """Its absence on these nodes."""
        return NotAvailable(self.code, tuple(nodes), self.what, self.effect)


CACHES = NeedsRoot(
    "caches",
    "emptying caches",
    (
        "reads may come from a cache, and each such point is marked; direct: true, read: neighbour"
        " or files of twice the memory exclude the clients' caches"
    ),
)
SERVERS = NeedsRoot(
    "server-telemetry",
    "load of the servers and their disks",
    "the report names no bottleneck in the servers; no verdict changes",
)
KERNEL_STACKS = NeedsRoot(
    "kernel-stacks",
    "kernel stack of a waiting request",
    (
        "a stall names the waiting kernel function only where /proc/PID/wchan shows it; no verdict"
        " changes"
    ),
)
ROOT_FAULTS = NeedsRoot(
    "root-faults",
    "faults that change services, mounts, network cards or clocks",
    (
        "such a fault is skipped; criteria about faults are undecided if more than half were"
        " skipped; a shell fault runs as the user"
    ),
)
KERNEL_LOG = NeedsRoot(
    "kernel-log",
    "kernel log (dmesg is restricted to root)",
    "no kernel message explains a failure; no verdict changes",
)


def not_available(nodes: Sequence[str], answers: Mapping[str, str]) -> tuple[NotAvailable, ...]:
    """What an ordinary user cannot have on `nodes`; `answers`: node -> its answer to `ASK`."""
    everywhere = (CACHES, SERVERS, KERNEL_STACKS, ROOT_FAULTS)
    silent = tuple(node for node in nodes if NO_KERNEL_LOG in answers[node].splitlines())
    missing = [item.not_available(nodes) for item in everywhere]
    if silent:
        missing.append(KERNEL_LOG.not_available(silent))
    return tuple(missing)
