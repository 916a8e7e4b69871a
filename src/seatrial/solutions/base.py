"""What every kind of solution answers, and the list of kinds (one file beside this one each)."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

from seatrial.basics.errors import InputError, not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import Model
from seatrial.plan.data_path import DataPath
from seatrial.plan.plan import Plan
from seatrial.plan.site import Site
from seatrial.solutions.parts.raid import MdSet
from seatrial.study.study import Study
from seatrial.study.timers import Timer

Wipe = Mapping[str, frozenset[str]]
"""Devices that the user has named, by node: they may be erased."""


class Solution(Protocol):
    """A solution as one study configures it, at one site."""

    servers: tuple[str, ...]
    storage_nodes: tuple[str, ...]
    """the servers, and every other node that is part of the solution: in a lab, full systems"""
    clients: tuple[str, ...]
    directory: str
    """where the clients see the storage"""
    local_directory: str
    """where the first server sees it, without the network"""

    @property
    def layout(self) -> Hashable:
        """What the place of the data depends on: where two values differ, the storage has to be made anew."""

    def plan(self, wipe: Wipe) -> Plan:
        """What puts it in service."""

    def removal(self, wipe: Wipe) -> Plan:
        """What takes it out of service; data stay unless their devices are named."""

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """What leaves no byte of earlier phases in the memory of clients or servers."""

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """The resources between so many clients, or the server itself, and the disks."""

    def parts(self) -> list[tuple[str, str]]:
        """What was built, for the report: (part, description)."""


@dataclass(frozen=True)
class ClusterStatus:
    """How a highly available solution stands, as one of its servers tells it."""

    active: Mapping[str, str]
    """the server on which each service runs now; a service that runs nowhere is left out"""
    healthy: bool
    """every server is a member, every service and fence device is started, nothing has failed"""
    text: str
    """the same for people, in a line"""


@dataclass(frozen=True)
class Moment:
    """Something that a server noted while it took over, or gave up, a service."""

    boottime_s: float
    """since the server's boot"""
    node: str
    what: str
    """detected, fencing, fenced, booted, stopping, stopped, starting, started, grace, grace-ended, ..."""
    text: str
    subject: str = ""
    """what was started or stopped, or who was fenced; empty where the line does not say it"""
    good: bool = True
    """a start or a stop that succeeded"""
    by_wall_clock: bool = False
    """it was noted by the wall clock alone: where that was set since, its time is put right by what was heard of it"""


@runtime_checkable
class NotesMoments(Protocol):
    """What a solution offers whose nodes note what an outage consists of."""

    def moments_command(self, since_boot_s: float) -> str:
        """What every server, or every node of a cluster, is asked for the moments from about then on."""

    def moments(self, node: str, answer: str) -> list[Moment]:
        """The answer of `node` to it, in order of time."""


@dataclass(frozen=True)
class DaemonLogs:
    """Where the daemons of one node write what they do."""

    units: tuple[str, ...] = ()
    """units of systemd, by their full names: their part of the journal"""
    files: tuple[str, ...] = ()
    """absolute paths of logs that daemons write themselves"""


@runtime_checkable
class NamesLogs(Protocol):
    """What a solution offers whose daemons write logs: a record keeps them of each fault."""

    def daemon_logs(self, node: str) -> DaemonLogs:
        """The logs of the daemons that the solution runs on a node; empty where it runs none."""


def daemon_logs_of(solution: Solution, node: str) -> DaemonLogs:
    """The logs of the solution's daemons on a node; empty where the solution names none."""
    return solution.daemon_logs(node) if isinstance(solution, NamesLogs) else DaemonLogs()


@runtime_checkable
class Clustered(NotesMoments, Protocol):
    """What a solution offers beside `Solution` whose nodes are a cluster that goes on when one of them fails."""

    cluster_nodes: tuple[str, ...]
    """who is asked how it stands, and what was noted: the servers, or the clients that are a cluster themselves"""

    def status_command(self) -> str:
        """What any node of the cluster is asked; it exits with 0 where the answer can be used."""

    def status(self, node: str, answer: str) -> ClusterStatus:
        """The answer of `node` to it."""


@runtime_checkable
class Fences(Protocol):
    """What a solution offers whose cluster switches a member off of which nothing is heard, and on again."""

    fenced_nodes: tuple[str, ...]
    """its members"""


@runtime_checkable
class MovesServices(Protocol):
    """What a solution offers whose services run on one server at a time, and move to another one."""

    services: tuple[str, ...]

    def switchover(self, service: str, to: str) -> Plan:
        """What moves a service to another server while both are well."""


@runtime_checkable
class ServiceServers(Protocol):
    """What a solution offers of which not every server can run a service that moves."""

    service_servers: tuple[str, ...]
    """the servers that can"""


def service_servers_of(solution: Solution) -> tuple[str, ...]:
    """The servers that can run a service of the solution: all, where the solution does not restrict them."""
    return solution.service_servers if isinstance(solution, ServiceServers) else solution.servers


@runtime_checkable
class Restores(Protocol):
    """What a solution offers where more than a node's part of the plan makes it a member again."""

    def restore(self, node: str) -> Plan:
        """What makes a server that was repaired a member again, and forgets the failures that are on record."""


def services_of(solution: Solution) -> tuple[str, ...]:
    """The services that move; one without a name where servers serve alone.

    None where a cluster serves as a whole, and none where the study does not know the servers (`kind: mount`).
    """
    if isinstance(solution, MovesServices):
        return solution.services
    serves_alone = bool(solution.servers) and not isinstance(solution, Clustered)
    return ("",) if serves_alone else ()


def cluster_nodes_of(solution: Solution) -> tuple[str, ...]:
    """The members of a solution's cluster; none where it is no cluster."""
    return solution.cluster_nodes if isinstance(solution, Clustered) else ()


def nodes_of(solution: Solution) -> tuple[str, ...]:
    """All that hold, serve or use the storage."""
    return tuple(dict.fromkeys((*solution.storage_nodes, *solution.servers, *solution.clients)))


@runtime_checkable
class Extensible(Protocol):
    """What a solution offers that can be made larger while it is in use."""

    def extension(self, what: str) -> Plan:
        """What adds a `member` or a `journal`; ValueError when it has no such thing."""


@runtime_checkable
class RemadeAlone(Protocol):
    """What a solution offers whose storage can be made anew while the rest of it stays in service."""

    def clearing(self, wipe: Wipe) -> Plan:
        """What takes the storage away, and erases it where its devices are named."""


@dataclass(frozen=True)
class Written:
    """What one server wrote to one volume between two looks of the array at its counters."""

    start_s: float
    """before the first of the two looks, by the array's own clock"""
    end_s: float
    """after the second"""
    server: str
    volume: str
    size_bytes: int
    refused: int = 0
    """writes of the server that the array refused in this time; they are no part of the bytes"""


@dataclass(frozen=True)
class WriteLog:
    """The array's own log of who wrote when."""

    looks_s: tuple[tuple[float, float], ...]
    """before and after each look at the counters, in order; between two that lie far apart little is known"""
    written: tuple[Written, ...]


@runtime_checkable
class WritesLogged(Protocol):
    """What a solution offers whose array can tell which server has written to which of its volumes."""

    writes_node: str
    """the array"""
    storage_fenced: bool
    """fencing takes a server's right to write from it, at the array"""

    def writes_command(self) -> str:
        """What is started on the array; it says lines until its standard input ends."""

    def writes(self, lines: Sequence[str]) -> WriteLog:
        """What it has said; lines that cannot be read are left out."""


@runtime_checkable
class Timed(Protocol):
    """What a solution offers whose own times are known."""

    timers: Mapping[str, Timer]
    """by the name that a study's limits use; `grace`, where there is one, is also what waits for clients know"""


def timers_of(solution: Solution) -> Mapping[str, Timer]:
    """The times of a solution by name; none of one that has none."""
    return solution.timers if isinstance(solution, Timed) else {}


def grace_s(solution: Solution) -> float:
    """How long a client's first request may wait because a server was restarted."""
    grace = timers_of(solution).get("grace")
    return grace.duration_s if grace else 0.0


@runtime_checkable
class RenamesAgain(Protocol):
    """What a solution offers whose rename may say that it did nothing, and is to be called again."""

    rename_again: tuple[str, ...]
    """the errors by which it says so; the solution names their source"""


@runtime_checkable
class MdArray(Protocol):
    """What a solution offers whose data lie on an md array of its own."""

    array_node: str

    def array_sets(self) -> Sequence[MdSet]:
        """Every md set, bottom first; none where the data lie on a plain disk."""


@runtime_checkable
class ArrayGroup(Protocol):
    """What a solution offers whose data lie on a group of arrays."""

    members: tuple[str, ...]


def arrays_of(solution: Solution) -> tuple[str, ...]:
    """The nodes whose disks hold what the servers pass on; none where these are the servers' own."""
    array = (solution.array_node,) if isinstance(solution, MdArray) else ()
    group = solution.members if isinstance(solution, ArrayGroup) else ()
    return tuple(name for name in (*array, *group) if name not in solution.servers)


@runtime_checkable
class OsdDisks(Protocol):
    """What a solution offers whose data lie on disks of Ceph OSDs."""

    def osd_disks(self) -> Mapping[int, tuple[str, str]]:
        """OSD's number -> its node and its device."""


@runtime_checkable
class DropsCaches(Protocol):
    """What a solution offers that can forget what was cached while it goes on serving."""

    def drop_caches(self, clients: Sequence[str]) -> Plan:
        """What is read afterwards comes from the disks; quicker than `empty_caches`, which stops the service."""


@runtime_checkable
class KeepsCaches(Protocol):
    """What a solution offers whose caches are not ours to empty, because it serves others too."""

    server_memory_bytes: float | None
    """of all its servers together; None where nobody says it"""


@runtime_checkable
class RawVolumes(Protocol):
    """What a solution offers that can be loaded below its file system."""

    def raw_directory(self) -> str | None:
        """Where each client has a device under the name of each task's file; None while there is a file system."""


@runtime_checkable
class ManyMounts(Protocol):
    """What a solution offers whose clients see the same storage at more than one place."""

    directories: Mapping[str, str]
    """name of a mount, such as the version of NFS -> where the clients have it; the first is `directory`"""


def directories_of(solution: Solution) -> Mapping[str, str]:
    """Every mount of a solution by its name; a single one has none."""
    return solution.directories if isinstance(solution, ManyMounts) else {"": solution.directory}


@runtime_checkable
class NeedsPackages(Protocol):
    """What a solution offers that needs more than the nodes of every lab have."""

    packages: tuple[str, ...]
    """Debian packages, of whichever node"""


@runtime_checkable
class NeedsMemory(Protocol):
    """What a solution offers whose daemons take as much memory as they are told to, whatever their node has."""

    def memory_needed(self, node: str) -> tuple[int, str] | None:
        """Bytes that a node should have for its daemons, and what they are for; None where it has none of these."""


@runtime_checkable
class KnowsDataDisks(Protocol):
    """What a solution offers that knows how many disks' worth of data its file system holds at most."""

    @property
    def data_disks(self) -> Mapping[str, float]:
        """Node -> disks of it that data take, without parity, copies and spares: what a file system holds at most."""


@runtime_checkable
class MadeOfFiles(Protocol):
    """What a solution offers that is read from files beside the study."""

    files: Mapping[str, str]
    """path from the study's folder -> text; a record keeps them, so that it can be read where the study is not"""


@runtime_checkable
class KindsOfClients(Protocol):
    """What a solution offers whose clients are of more than one kind: figures are told of each, too."""

    client_kinds: Mapping[str, str]
    """client -> its kind, in a word"""


def client_kinds_of(solution: Solution) -> Mapping[str, str]:
    """The kind of each client; none where all are of one."""
    return solution.client_kinds if isinstance(solution, KindsOfClients) else {}


@runtime_checkable
class SeparateTrees(Protocol):
    """What a solution offers whose clients do not all see the same tree, at the one path that all of them have."""

    client_groups: Sequence[Sequence[str]]
    """the clients of each tree"""


def client_groups_of(solution: Solution, clients: Sequence[str]) -> list[tuple[str, ...]]:
    """Of these clients, those that see the same tree together, in their order."""
    trees = solution.client_groups if isinstance(solution, SeparateTrees) else [clients]
    found = (tuple(name for name in clients if name in tree) for tree in trees)
    return [group for group in found if group]


def kinds_alone(solution: Solution) -> set[str]:
    """The kinds of clients of which no tree has others beside them."""
    kinds = client_kinds_of(solution)
    mixed = [{kinds.get(name, "") for name in group} for group in client_groups_of(solution, solution.clients)]
    together = {kind for found in mixed if len(found) > 1 for kind in found}
    return set(kinds.values()) - together


class SolutionKind(Protocol):
    """The module of a kind of solution."""

    Options: type[Model]

    def load(self, study: Study, site: Site) -> Solution:
        """Read the study's options; InputError when they do not fit the site."""


_MEMBERS = (*Solution.__annotations__, *(name for name in vars(Solution) if not name.startswith("_")))
_KINDS = Plugins("seatrial.solutions.kinds", "seatrial.solutions", ("Options", "load"))


def solution_kinds() -> list[str]:
    """The kinds that exist, as a study writes them (`nfs-ha` is the module nfs_ha)."""
    return _KINDS.names()


def solution_kind(name: str) -> SolutionKind:
    """The module of the kind `name`."""
    return cast(SolutionKind, _KINDS.load(name))


def load_solution(study: Study, site: Site) -> Solution:
    """The study's solution; InputError when its kind is not known or its options are wrong."""
    kind = study.solution.kind
    if kind not in solution_kinds():
        raise study.mistake(("solution", "kind"), not_known(kind, solution_kinds()))
    found = solution_kind(kind).load(study, site)
    if missing := [name for name in _MEMBERS if not hasattr(type(found), name) and name not in vars(found)]:
        raise InputError(f"seatrial.solutions: what {kind!r} loads has no {', '.join(missing)}", "complete the plug-in")
    return found


def options_data(study: Study) -> dict[str, Any]:
    """The solution's keys as written, for its own model."""
    return {"kind": study.solution.kind, **study.solution.options()}
