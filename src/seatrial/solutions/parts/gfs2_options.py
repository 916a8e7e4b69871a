"""The keys of `solution` when its kind is gfs2-iscsi, and whether they fit a site."""

from typing import Literal

from pydantic import Field

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, Size
from seatrial.basics.text import Interface, MountOptions, Name, ServiceAddress
from seatrial.basics.units import format_size, written_size
from seatrial.plan.site import Site
from seatrial.solutions.parts import corosync
from seatrial.solutions.parts.checks import check_cluster_memory, check_mount_options, check_no_ipv6
from seatrial.solutions.parts.clocks import Clock
from seatrial.solutions.parts.raid import Array, Raid, mistake_in
from seatrial.study.study import Study
from seatrial.study.timers import Timer, detection, iscsi_probe, iscsi_replacement

MIB = 2**20
JOURNALS_SPARE = 2
"""journals for nodes that are added later"""
COMMAND_S = 30
"""seconds until Linux retries a command (sd, /sys/block/*/device/timeout), on another path"""
PROBE_MOST_S = 10
"""with block servers: twice this, plus `lost_array.LOST_S`, must be less than COMMAND_S"""
NODES_ADVISED = 64
"""the largest cluster that the paper advises (published/gfs-equallogic.yaml, A12)"""
CLUSTER_NAME_MOST = 32
"""characters of the lock table, mkfs.gfs2(8); it must be corosync's name of the cluster"""

RESERVED_OPTIONS = {
    **dict.fromkeys(
        ("lockproto", "locktable"),
        "the study's id: nodes without common locks destroy the file system",
    ),
    "spectator": "nodes",
}
"""mount option (gfs2(5)) -> what sets it"""


class Timers(Model):
    """Times after which a node, session or controller is considered lost."""

    token_ms: int = Field(
        3000,
        ge=500,
        le=30000,
        description=(
            "corosync: a node that is silent for this time is lost; agreement takes 1.2 times as"
            " long."
        ),
    )
    path_probe_s: int = Field(
        5,
        ge=1,
        le=60,
        description="Time between two probes of an idle session to a member.",
    )
    path_replace_s: int = Field(
        600,
        ge=1,
        le=86400,
        description=(
            "Time that commands wait for a lost session. Then they fail, and GFS2 withdraws."
        ),
    )
    server_replace_s: int = Field(
        5,
        ge=1,
        le=600,
        description=(
            "With `block_servers`: time that commands wait for a lost server before they use the"
            " other one."
        ),
    )
    fence_s: int = Field(
        15,
        ge=5,
        le=300,
        description="Timeout of a controller. After it the next node asks the controller again.",
    )

    def by_name(self) -> dict[str, Timer]:
        """The timers by the names that a study's limits use."""
        return {
            "detection": detection(self.token_ms),
            "fencing": Timer(self.fence_s, f"a controller is asked again after {self.fence_s} s"),
            "probe": iscsi_probe(self.path_probe_s),
            "replacement": iscsi_replacement(self.path_replace_s),
            "server-replacement": iscsi_replacement(self.server_replace_s),
        }


class Options(Model):
    """The keys of `solution` when its kind is gfs2-iscsi."""

    kind: Literal["gfs2-iscsi"]
    members: Nodes = Field(description="The arrays that the file system is striped over.")
    spare_members: Nodes | None = Field(
        None,
        description="Arrays that join while clients work, by the fault `extension`.",
    )
    nodes: Nodes | None = Field(
        None,
        description="The compute nodes. By default all other nodes without disks.",
    )
    clock: Clock = Field(Clock(), description="The time service of nodes that have none.")
    raid: Raid = Field(Raid(level=10), description="RAID of each member, as of `kind: nfs`.")
    storage: Name = Field(
        "storage",
        description=(
            "Network between nodes and members. With `block_servers`: between nodes and block"
            " servers."
        ),
    )
    block_servers: dict[Name, Nodes] = Field(
        {},
        description="The two nodes that reach each member, by member.",
    )
    array_network: Name = Field(
        "arrays",
        description="With `block_servers`: network between block servers and members.",
    )
    luns_per_array: int = Field(
        1,
        ge=1,
        le=16,
        description="Volumes that each member's part of the file system is divided into.",
    )
    cluster: tuple[Name, ...] = Field(
        ("private",),
        min_length=1,
        max_length=2,
        description="Networks of corosync, one or two.",
    )
    group: ServiceAddress | None = Field(
        None,
        description=(
            "Address of the group with prefix length. Without it each member is asked, "
            "with a warning in the report."
        ),
    )
    interface: Interface | None = Field(
        None,
        description=(
            "Network interface that sessions are bound to. By default that of the network, in a"
            " lab."
        ),
    )
    write_cache: bool = Field(
        True,
        description=(
            "`true`: a member acknowledges data in memory and writes them by the next "
            "flush. `false`: only data on disks."
        ),
    )
    stripe: Size = Field(64 * 1024, description="Bytes on one member before the next.")
    journals: int | None = Field(
        None,
        ge=1,
        le=128,
        description="Number of nodes that can mount. By default one for each node, and 2 more.",
    )
    journal_size: Size = Field(
        32 * MIB,
        ge=8 * MIB,
        le=1024 * MIB,
        multiple_of=MIB,
        description="Size of each journal, whole MiB from 8 MiB to 1 GiB.",
    )
    readahead: Size | None = Field(
        None,
        description="Readahead of each node. By default that of LVM.",
    )
    mount: MountOptions = Field(("noatime",), description="Mount options.")
    raw_volumes: int = Field(
        0,
        ge=0,
        le=32,
        description="Volumes of each member that are used without a file system.",
    )
    raw_volume: Size = Field(64 * 2**20, description="Size of each raw volume.")
    raw_tasks: int = Field(1, ge=1, le=100, description="Parts of each raw volume, one per task.")
    access: Literal["filesystem", "raw"] = Field(
        "filesystem",
        description=(
            "`raw`: the load uses the raw volumes, each node its own. It needs `read: own` and"
            " `direct: true`."
        ),
    )
    timers: Timers = Field(Timers(), description="Timeouts of cluster and sessions.")

    @property
    def pairs(self) -> dict[str, tuple[str, ...]]:
        """Member -> its block servers; empty when nodes access the members directly."""
        return {member: tuple(expand(servers)) for member, servers in self.block_servers.items()}

    def journals_of(self, nodes: int) -> int:
        """The number of journals of a new file system for this many nodes."""
        return self.journals or nodes + JOURNALS_SPARE

    @property
    def servers(self) -> tuple[str, ...]:
        """The block servers, each once."""
        return tuple(dict.fromkeys(server for pair in self.pairs.values() for server in pair))


def check_nodes(
    study: Study, site: Site, options: Options, members: tuple[str, ...], nodes: tuple[str, ...]
) -> None:
    """InputError when nodes and networks do not fit; `members` includes spare ones."""
    if len(study.id) > CLUSTER_NAME_MOST:
        text = f"a GFS2 cluster's name has at most {CLUSTER_NAME_MOST} characters"
        raise study.mistake(("id",), text)
    check_no_ipv6(study, site, "gfs2-iscsi")
    check_mount_options(study, ("solution", "mount"), options.mount, RESERVED_OPTIONS)
    if len(nodes) < 2:
        raise study.mistake(
            ("nodes",), f"there are {len(nodes)} compute nodes; a shared file system needs 2"
        )
    if options.block_servers:
        _check_block_servers(study, options, members, nodes)
    behind = options.array_network if options.pairs else options.storage
    networks_of_nodes = {
        **dict.fromkeys(members, (behind,)),
        **dict.fromkeys(options.servers, (options.storage, behind)),
        **dict.fromkeys(nodes, (options.storage, *options.cluster)),
    }
    for name, networks in networks_of_nodes.items():
        if name not in site.nodes:
            raise study.mistake(("solution",), f"{name!r} is not a node of this study")
        for network in networks:
            if network not in site.nodes[name].networks:
                raise study.mistake(
                    ("solution",), f"{name} is not attached to the network {network!r}"
                )
    for name in members:
        if problem := mistake_in(options.raid, len(site.nodes[name].devices), owner=name):
            raise study.mistake(("solution", "raid", problem.key), problem.message)
    _check_numbers(study, options, len(nodes))
    _check_journals(study, site, options, len(nodes))
    arrays = dict.fromkeys((*members, *options.servers))
    locked_bytes = corosync.locked_bytes(len(nodes))
    check_cluster_memory(study, site, members=nodes, locked_bytes=locked_bytes, arrays=arrays)
    _check_fencing(study, site, nodes)


def _check_fencing(study: Study, site: Site, nodes: tuple[str, ...]) -> None:
    """InputError for a node without a controller that can switch it off."""
    for node in nodes:
        if site.nodes[node].bmc is None:
            raise study.mistake(
                ("solution",),
                f"gfs2-iscsi without fencing is refused, and {node} has no bmc: a node that only "
                "hangs could write later to blocks that other nodes have taken over; "
                "add bmc: {network: private}",
            )


def _check_journals(study: Study, site: Site, options: Options, nodes: int) -> None:
    """InputError when journals take over half of the file system; mkfs.gfs2 3.5 refuses this."""
    shares_bytes = []
    for name in expand(options.members):
        disks = study.node(name).disks
        if disks is None or disks.size is None:
            return
        data_disks = Array.of(options.raid, study.id, site, name).data_disks
        shares_bytes.append(
            max(disks.size * data_disks - options.raw_volumes * options.raw_volume, 0)
        )
    size_bytes = min(shares_bytes) * len(shares_bytes)  # striped: the smallest share is the limit
    journals = options.journals_of(nodes)
    if 2 * journals * options.journal_size > size_bytes:
        raise study.mistake(
            ("solution", "journal_size"),
            f"{journals} journals of {format_size(options.journal_size)} take more than half of "
            f"{written_size(size_bytes)}, which mkfs.gfs2 refuses; "
            "write smaller journals, fewer, or larger disks",
        )


def _check_numbers(study: Study, options: Options, nodes: int) -> None:
    if options.journals_of(nodes) < nodes:
        raise study.mistake(
            ("solution", "journals"),
            f"{options.journals} journals are too few: each of {nodes} nodes needs one",
        )
    if options.access == "raw" and options.raw_volumes * len(expand(options.members)) < nodes:
        raise study.mistake(
            ("solution", "raw_volumes"),
            f"{options.raw_volumes} raw volumes per member are too few for {nodes} nodes",
        )


def _check_block_servers(
    study: Study, options: Options, members: tuple[str, ...], nodes: tuple[str, ...]
) -> None:
    for key in ("group", "spare_members", "raw_volumes"):
        if getattr(options, key):
            raise study.mistake(
                ("solution", key), f"{key} cannot be used with block_servers: nodes reach no member"
            )
    if options.timers.path_probe_s > PROBE_MOST_S:
        raise study.mistake(
            ("solution", "timers", "path_probe_s"),
            f"with block_servers at most {PROBE_MOST_S} s: a server without its array must reset "
            "before the commands of its clients are retried on the other server, "
            f"after {COMMAND_S} s",
        )
    for member in options.block_servers:
        if member not in members:
            raise study.mistake(
                ("solution", "block_servers", member),
                f"{member} is not a member; one of {', '.join(members)}",
            )
    for member in members:
        _check_pair(study, member, options.pairs.get(member, ()), members, nodes)


def _check_pair(
    study: Study,
    member: str,
    pair: tuple[str, ...],
    members: tuple[str, ...],
    nodes: tuple[str, ...],
) -> None:
    where = ("solution", "block_servers")
    if len(set(pair)) != 2:
        raise study.mistake(
            where, f"{member} has {len(set(pair))} block servers; a dual-ported array has two"
        )
    for name in pair:
        if name in members or name in nodes:
            what = "an array" if name in members else "a compute node"
            mistake = f"{name} is {what}; a block server is a separate node"
            raise study.mistake((*where, member), mistake)


def warnings_of(options: Options, nodes: int) -> list[str]:
    """The warnings of a plan with these options for this number of nodes."""
    warnings = []
    if options.write_cache:
        warnings.append(
            "A member acknowledges writes that are only in its memory, until a flush. "
            "If a member loses its power, unflushed data are lost and no node notices. "
            "An array product protects its cache."
        )
    if nodes > NODES_ADVISED:
        warnings.append(
            f"The file system has {nodes} nodes. The authors of gfs-equallogic advise at most "
            f"{NODES_ADVISED}: the cost of locks grows with the nodes."
        )
    if options.group is None and not options.pairs:
        warnings.append(
            "Nodes query every member separately for its volumes: the group has no address.",
        )
    if len(options.cluster) == 1:
        warnings.append(
            f"The cluster uses {options.cluster[0]} alone, as in the paper: "
            "a node that loses this network is fenced."
        )
    return warnings
