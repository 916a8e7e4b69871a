"""The interface of every kind of solution, and the list of kinds (modules of `solutions.kinds`).

Every kind must implement `Solution`. The other protocols are optional: `isinstance` tests them.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from seatrial.basics.errors import InputError, not_known
from seatrial.basics.event_kinds import EventKind
from seatrial.basics.optional import Optional
from seatrial.basics.schema import Model
from seatrial.plan.data_path import DataPath
from seatrial.plan.plan import Plan
from seatrial.plan.site import Site
from seatrial.plan.solution_kinds import SOLUTION_KINDS
from seatrial.solutions.parts.raid import MdSet, Raid
from seatrial.study.study import Study
from seatrial.study.timers import Timer

Wipe = Mapping[str, frozenset[str]]
"""Node -> devices that the user has named with --wipe. Only these may be erased."""


@dataclass(frozen=True)
class Storage:
    """The properties of a storage that estimates need besides its data path.

    An estimate reads no option of a solution: a property that is declared neither here nor by the
    role of a resource has no effect on it.
    """

    raid: Raid | None = None
    """of each node with disks: the cost of small writes, the capacity, the loss of data"""
    acknowledges_early: bool = False
    """servers answer a commit from their memory, before their disks have the data"""
    network: str | None = None
    """the network between clients and servers, for the size of packets; None: the data network"""
    disk_access_s: float | None = None
    """time of a random access, and of a journal's commit, in s; None: that of a rotating disk.
    Disks of a lab have only a rate.
    """
    unset_rates: Mapping[str, str] = field(default_factory=dict)
    """key of `solution` that is not set and would set a rate -> an example of its value"""


class Solution(Protocol):
    """A solution as one study configures it, at one site."""

    servers: tuple[str, ...]
    storage_nodes: tuple[str, ...]
    """the servers and every other node of the storage; in a lab these are full systems"""
    clients: tuple[str, ...]
    directory: str
    """mount point of the storage on the clients"""
    local_directory: str
    """path of the storage on the first server, which bypasses the network"""

    @property
    def layout(self) -> Hashable:
        """All that places the data: when two values differ, the storage must be recreated."""

    def plan(self, wipe: Wipe) -> Plan:
        """The plan that puts the solution in service. Only devices in `wipe` may be erased."""

    def removal(self, wipe: Wipe) -> Plan:
        """The plan that takes it out of service. Data stay except on the devices in `wipe`."""

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """The plan that empties all caches, at least those of `clients`, which read next."""

    @property
    def storage(self) -> Storage:
        """The properties of the storage that estimates need besides the data path."""

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """Resources between the clients, or with `local` the first server, and the disks."""

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report: (component, description)."""


@dataclass(frozen=True)
class ClusterStatus:
    """The state of a highly available solution as one of its nodes reports it."""

    active: Mapping[str, str]
    """service -> the server on which it runs; a service that runs nowhere is left out"""
    healthy: bool
    """every server is a member, every service and fence device is started, nothing has failed"""
    text: str
    """the same in one line of text"""


@dataclass(frozen=True)
class Moment:
    """A failover event: one step of a takeover that a node has logged."""

    boottime_s: float
    """seconds since the server's boot"""
    node: str
    what: EventKind
    text: str
    subject: str = ""
    """the service that was started or stopped, or the fenced node; empty when unknown"""
    good: bool = True
    """the start or stop succeeded"""
    by_wall_clock: bool = False
    """only wall-clock time was logged; a clock set later is corrected by the line's arrival time"""


@runtime_checkable
class NotesMoments(Protocol, metaclass=Optional):
    """Optional: the nodes of the solution log the phases of a failover."""

    def moments_command(self, since_boot_s: float) -> str:
        """The command that prints a node's failover events from about `since_boot_s` on."""

    def moments(self, node: str, answer: str) -> list[Moment]:
        """The failover events in the output `answer` of that command on `node`, by time."""


@dataclass(frozen=True)
class DaemonLogs:
    """Where the daemons of one node write their logs."""

    units: tuple[str, ...] = ()
    """systemd units by their full names; their part of the journal is copied"""
    files: tuple[str, ...] = ()
    """absolute paths of log files that daemons write themselves"""


@runtime_checkable
class NamesLogs(Protocol, metaclass=Optional):
    """Optional: the daemons of the solution write logs, which a result keeps for every fault."""

    def daemon_logs(self, node: str) -> DaemonLogs:
        """The logs of the solution's daemons on `node`; empty where it runs none."""


def daemon_logs_of(solution: Solution, node: str) -> DaemonLogs:
    """The logs of the solution's daemons on `node`; empty when the solution names none."""
    return solution.daemon_logs(node) if isinstance(solution, NamesLogs) else DaemonLogs()


@runtime_checkable
class Clustered(NotesMoments, Protocol, metaclass=Optional):
    """Optional: the nodes are a cluster that survives the failure of a node."""

    cluster_nodes: tuple[str, ...]
    """the nodes that report status and failover events: the servers, or clustered clients"""

    def status_command(self) -> str:
        """The command that prints the cluster's status on any node; it exits with 0 on success."""

    def status(self, node: str, answer: str) -> ClusterStatus:
        """The status in the output `answer` of that command on `node`."""


@runtime_checkable
class Fences(Protocol, metaclass=Optional):
    """Optional: the cluster fences an unreachable member by a power cycle."""

    fenced_nodes: tuple[str, ...]
    """the members that the cluster can fence"""


@runtime_checkable
class MovesServices(Protocol, metaclass=Optional):
    """Optional: the services run on one server at a time and can fail over."""

    services: tuple[str, ...]

    def switchover(self, service: str, to: str) -> Plan:
        """The plan that moves a service to the server `to` while both servers are healthy."""


@runtime_checkable
class ServiceServers(Protocol, metaclass=Optional):
    """Optional: a solution where only some servers can run a service that fails over."""

    service_servers: tuple[str, ...]


def service_servers_of(solution: Solution) -> tuple[str, ...]:
    """The servers that can run a service of the solution; by default all servers."""
    return solution.service_servers if isinstance(solution, ServiceServers) else solution.servers


@runtime_checkable
class Restores(Protocol, metaclass=Optional):
    """Optional: a solution where a repaired node needs more than its part of the plan to rejoin."""

    def restore(self, node: str) -> Plan:
        """The plan that makes the repaired server a member again and clears recorded failures."""


def services_of(solution: Solution) -> tuple[str, ...]:
    """The services that fail over; `("",)` when servers work alone; `()` for all others."""
    if isinstance(solution, MovesServices):
        return solution.services
    serves_alone = bool(solution.servers) and not isinstance(solution, Clustered)
    return ("",) if serves_alone else ()


def cluster_nodes_of(solution: Solution) -> tuple[str, ...]:
    """The members of a solution's cluster; none when it is no cluster."""
    return solution.cluster_nodes if isinstance(solution, Clustered) else ()


def nodes_of(solution: Solution) -> tuple[str, ...]:
    """All nodes that hold, serve or use the storage."""
    return tuple(dict.fromkeys((*solution.storage_nodes, *solution.servers, *solution.clients)))


@runtime_checkable
class Extensible(Protocol, metaclass=Optional):
    """Optional: a solution that can grow while it is in use."""

    def extension(self, what: str) -> Plan:
        """The plan that adds `what`, a `member` or a `journal`; Refused when none can be added."""


@runtime_checkable
class RemadeAlone(Protocol, metaclass=Optional):
    """Optional: the storage can be recreated while the rest of the solution stays in service."""

    def clearing(self, wipe: Wipe) -> Plan:
        """The plan that removes the storage and erases it on the devices in `wipe`."""


@dataclass(frozen=True)
class Written:
    """What one server wrote to one volume between two readings of the array's counters."""

    start_s: float
    """seconds by the array's own clock, before the first reading"""
    end_s: float
    """seconds by the array's own clock, after the second reading"""
    server: str
    volume: str
    size_bytes: int
    refused: int = 0
    """writes of the server that the array refused in this interval; not part of the bytes"""


@dataclass(frozen=True)
class WriteLog:
    """The array's own log of the servers' writes and their times."""

    readings_s: tuple[tuple[float, float], ...]
    """seconds before and after each reading of the counters, in order"""
    written: tuple[Written, ...]


@runtime_checkable
class WritesLogged(Protocol, metaclass=Optional):
    """Optional: the array reports which server wrote to which of its volumes."""

    writes_node: str
    """the node that is the array"""
    storage_fenced: bool
    """fencing revokes a server's right to write at the array"""

    def writes_command(self) -> str:
        """The command to start on the array; it prints lines until its standard input ends."""

    def writes(self, lines: Sequence[str]) -> WriteLog:
        """The log in the lines that the command has printed; unreadable lines are left out."""


@runtime_checkable
class Timed(Protocol, metaclass=Optional):
    """Optional: a solution with known timers."""

    timers: Mapping[str, Timer]
    """name -> timer; a study's limits use these names, and `grace` delays clients' requests"""


def timers_of(solution: Solution) -> Mapping[str, Timer]:
    """The timers of a solution by name; empty when it has none."""
    return solution.timers if isinstance(solution, Timed) else {}


def grace_s(solution: Solution) -> float:
    """Seconds that a client's first request may wait after the restart of a server."""
    grace = timers_of(solution).get("grace")
    return grace.duration_s if grace else 0.0


@runtime_checkable
class RenamesAgain(Protocol, metaclass=Optional):
    """Optional: a rename may report that it did nothing and must be retried."""

    rename_again: tuple[str, ...]
    """the names of the errno values that mean so; the solution cites their source"""


@runtime_checkable
class MdArray(Protocol, metaclass=Optional):
    """Optional: a solution with its data on a dedicated md array."""

    array_node: str

    def array_sets(self) -> Sequence[MdSet]:
        """Every md set, bottom first; none when the data are on a plain disk."""


@runtime_checkable
class ArrayGroup(Protocol, metaclass=Optional):
    """Optional: a solution with its data on a group of arrays."""

    members: tuple[str, ...]


def arrays_of(solution: Solution) -> tuple[str, ...]:
    """The nodes with the disks of the servers' storage; none when the servers have the disks."""
    array = (solution.array_node,) if isinstance(solution, MdArray) else ()
    group = solution.members if isinstance(solution, ArrayGroup) else ()
    return tuple(name for name in (*array, *group) if name not in solution.servers)


@runtime_checkable
class OsdDisks(Protocol, metaclass=Optional):
    """Optional: a solution with its data on disks of Ceph OSDs."""

    def osd_disks(self) -> Mapping[int, tuple[str, str]]:
        """Number of the OSD -> its node and its device."""


@runtime_checkable
class DropsCaches(Protocol, metaclass=Optional):
    """Optional: a solution that can drop its caches without a stop of the service."""

    def drop_caches(self, clients: Sequence[str]) -> Plan:
        """The plan after which reads come from the disks; faster than `empty_caches`."""


@runtime_checkable
class RawVolumes(Protocol, metaclass=Optional):
    """Optional: a solution that can be loaded below its file system."""

    def raw_directory(self) -> str | None:
        """Directory with one device per task's file on each client; None with a file system."""


@runtime_checkable
class ManyMounts(Protocol, metaclass=Optional):
    """Optional: a solution that every client mounts at more than one path."""

    directories: Mapping[str, str]
    """name of a mount, such as the NFS version -> its mount point; the first is `directory`"""


def directories_of(solution: Solution) -> Mapping[str, str]:
    """Name of each mount -> its mount point; a single mount has an empty name."""
    return solution.directories if isinstance(solution, ManyMounts) else {"": solution.directory}


@runtime_checkable
class NeedsPackages(Protocol, metaclass=Optional):
    """Optional: a solution that needs more packages than every lab node has."""

    packages: tuple[str, ...]
    """Debian packages that any of its nodes needs"""


class MemoryNeed(NamedTuple):
    """The memory that a node should have for daemons."""

    size_bytes: int
    purpose: str


@runtime_checkable
class NeedsMemory(Protocol, metaclass=Optional):
    """Optional: the daemons use a configured amount of memory on any node."""

    def memory_needed(self, node: str) -> MemoryNeed | None:
        """The memory that a node should have for such daemons; None without any."""


@runtime_checkable
class KnowsDataDisks(Protocol, metaclass=Optional):
    """Optional: a solution that knows how many disks of data its file system can hold."""

    @property
    def data_disks(self) -> Mapping[str, float]:
        """Node -> number of its disks that hold data, without parity, copies and spares."""


@runtime_checkable
class MadeOfFiles(Protocol, metaclass=Optional):
    """Optional: a solution that is read from files next to the study."""

    files: Mapping[str, str]
    """path from the study's folder -> text; a result keeps these files"""


@runtime_checkable
class KindsOfClients(Protocol, metaclass=Optional):
    """Optional: a solution with several kinds of clients; results are shown for each kind too."""

    client_kinds: Mapping[str, str]
    """client -> one word for its kind"""


def client_kinds_of(solution: Solution) -> Mapping[str, str]:
    """The kind of each client; empty when all clients are alike."""
    return solution.client_kinds if isinstance(solution, KindsOfClients) else {}


@runtime_checkable
class SeparateTrees(Protocol, metaclass=Optional):
    """Optional: clients mount different trees at the same path."""

    client_groups: Sequence[Sequence[str]]
    """the clients that share one tree, for each tree"""


def client_groups_of(solution: Solution, clients: Sequence[str]) -> list[tuple[str, ...]]:
    """The given clients, grouped by the tree that they see; their order is kept."""
    trees = solution.client_groups if isinstance(solution, SeparateTrees) else [clients]
    groups = (tuple(name for name in clients if name in tree) for tree in trees)
    return [group for group in groups if group]


def kinds_alone(solution: Solution) -> set[str]:
    """The kinds of clients that share no tree with another kind."""
    kinds = client_kinds_of(solution)
    groups = client_groups_of(solution, solution.clients)
    kinds_of_trees = [{kinds.get(name, "") for name in group} for group in groups]
    sharing = {kind for tree_kinds in kinds_of_trees if len(tree_kinds) > 1 for kind in tree_kinds}
    return set(kinds.values()) - sharing


class SolutionKind(Protocol):
    """The interface of the module of a kind of solution."""

    Options: type[Model]

    def load(self, study: Study, site: Site) -> Solution:
        """Read the study's options; InputError when they do not fit the site."""


_MEMBERS = (
    *Solution.__annotations__,
    *(name for name in vars(Solution) if not name.startswith("_")),
)
_KINDS = SOLUTION_KINDS


def solution_kinds() -> list[str]:
    """The names of all kinds as a study writes them (`nfs-ha` is the module nfs_ha)."""
    return _KINDS.names()


def solution_kind(name: str) -> SolutionKind:
    """The module of the kind `name`."""
    return cast(SolutionKind, _KINDS.load(name))


def load_solution(study: Study, site: Site) -> Solution:
    """The study's solution; InputError when its kind is unknown or its options are wrong."""
    kind = study.solution.kind
    if kind not in solution_kinds():
        raise study.mistake(("solution", "kind"), not_known(kind, solution_kinds()))
    solution = solution_kind(kind).load(study, site)
    members = {*dir(type(solution)), *vars(solution)}
    if missing := [name for name in _MEMBERS if name not in members]:
        problem = f"the solution of the plug-in {kind!r} lacks {', '.join(missing)}"
        raise InputError(f"seatrial.solutions: {problem}", "complete the plug-in")
    return solution


def options_data(study: Study) -> dict[str, Any]:
    """The keys of `solution` as the study writes them, as input for the kind's own model."""
    return {"kind": study.solution.kind, **study.solution.options()}
