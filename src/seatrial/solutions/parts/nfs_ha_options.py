"""The keys of `solution` when its kind is nfs-ha, and three presets of timers."""

import ipaddress
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, validate, versions
from seatrial.basics.text import Interface, MountOptions, Name, ServiceAddress
from seatrial.basics.units import counted
from seatrial.plan.site import Site
from seatrial.solutions.base import options_data
from seatrial.solutions.parts import corosync, nfs_export
from seatrial.solutions.parts.checks import (
    check_cluster_memory,
    check_mount_options,
    check_no_ipv6,
    check_nodes,
)
from seatrial.solutions.parts.clocks import Clock
from seatrial.solutions.parts.fencing import FenceLimits
from seatrial.solutions.parts.filesystem import mistake_in_volume
from seatrial.solutions.parts.raid import Array, Raid, mistake_in
from seatrial.study.study import Study

Method = Literal["bmc", "pdu", "reservation"]
Version = Annotated[
    Literal["3", "4.0", "4.1", "4.2"], BeforeValidator(str), versions("3", "4.0", "4.1", "4.2")
]


class Timers(Model):
    """All time limits; docs/nfs-ha.md explains the cost and purpose of each."""

    token_ms: int = Field(
        3000,
        ge=500,
        le=30000,
        description=(
            "corosync: a member that is silent for this time is lost. Detection takes 2.2 times as"
            " long."
        ),
    )
    wait_for_all: bool = Field(
        True,
        description="A server that boots alone starts no service until it has seen its peer.",
    )
    monitor_s: int = Field(10, ge=1, le=600, description="Time between two checks of a service.")
    lease_s: int = Field(
        20,
        ge=10,
        le=240,
        description="NFSv4 lease, at least 10 s in Linux, and grace period of nfsd and lockd.",
    )
    path_probe_s: int = Field(
        5,
        ge=1,
        le=60,
        description="Time between two probes of a storage path.",
    )
    path_replace_s: int = Field(
        5,
        ge=1,
        le=600,
        description="Time before commands of a lost path use another one.",
    )
    path_retry_s: int = Field(
        30,
        ge=1,
        le=600,
        description="Time without any path before the server is fenced. Commands wait until then.",
    )
    fence_delay_s: int = Field(
        2,
        ge=0,
        le=60,
        description="Delay before the active server is fenced, so that it wins a tie.",
    )
    fence_s: int = Field(30, ge=5, le=300, description="Timeout of a fence device.")
    bmc_answer_s: int = Field(
        10,
        ge=2,
        le=60,
        description="Time for each answer of a BMC. A BMC without power never answers.",
    )
    watchdog_s: int = Field(
        300,
        ge=30,
        le=3600,
        description="Time after which a server with a blocked stop reboots itself.",
    )

    @property
    def fence_limits(self) -> FenceLimits:
        """The time limits of fence devices."""
        return FenceLimits(self.fence_s, self.bmc_answer_s)

    def text(self) -> str:
        """All timers in words, for the report."""
        return (
            f"token {self.token_ms} ms, wait_for_all {'yes' if self.wait_for_all else 'no'},"
            f" monitor {self.monitor_s} s, lease and grace {self.lease_s} s, paths probed every"
            f" {self.path_probe_s} s, replaced after {self.path_replace_s} s, without any the"
            f" server is fenced after {self.path_retry_s} s, fencing delay {self.fence_delay_s} s,"
            f" a fence device fails after {self.fence_s} s, a BMC without an answer after"
            f" {self.bmc_answer_s} s, watchdog {self.watchdog_s} s"
        )


PRESETS = {
    # The defaults: the distribution's token timeout; leases short enough to keep the grace short.
    "safe": Timers(),
    # The paper states 150 s of path retry and 300 s of watchdog; the rest are its distribution's,
    # such as `power_timeout` 20 s of fence_ipmilan.
    "paper": Timers(
        token_ms=10000,
        monitor_s=30,
        lease_s=90,
        path_replace_s=120,
        path_retry_s=150,
        fence_delay_s=0,
        fence_s=60,
        bmc_answer_s=20,
    ),
    # For fast failovers, on machines with enough free processor time.
    "fast": Timers(
        token_ms=2000,
        monitor_s=3,
        lease_s=10,
        path_probe_s=1,
        path_replace_s=1,
        path_retry_s=4,
        fence_delay_s=0,
        fence_s=15,
        bmc_answer_s=8,
        watchdog_s=60,
    ),
}


class ArrayNode(Model):
    """`array: {node: array, raid: {level: 6}, networks: [storage-a, storage-b]}`."""

    node: Name = Field(description="The node that provides the array.")
    raid: Raid = Field(Raid(level=6), description="RAID of the array.")
    networks: tuple[Name, ...] = Field(
        min_length=1,
        description="Networks between servers and array. Each is one path.",
    )
    apart: bool = Field(
        False,
        description="Each service has its own array, of an equal part of the disks.",
    )


RESERVED_OPTIONS = {
    **dict.fromkeys(nfs_export.VERSION_OPTIONS, "mount.versions"),
    **dict.fromkeys(nfs_export.TRANSPORT_OPTIONS, "the plan: clients mount over TCP"),
}
"""mount option of clients -> what sets it"""


class Service(Model):
    """`{address: 10.10.200.1/16, prefer: srv1}`."""

    address: ServiceAddress = Field(
        description="Address with prefix length. It moves with the service.",
    )
    prefer: Name | None = Field(
        None,
        description="Server on which the service starts when both are available.",
    )


class Export(Model):
    """`export: {mode: sync}`."""

    mode: Literal["sync", "async"] = Field(
        "sync",
        description=(
            "`async` acknowledges writes before they are durable, so a failover loses "
            "acknowledged data. The report warns."
        ),
    )
    root_squash: bool = Field(
        True,
        description="Map the root user of a client to an unprivileged user.",
    )
    threads: int = Field(16, ge=1, le=4096, description="Number of nfsd threads.")


class Mount(Model):
    """`mount: {versions: [3, 4.2]}`: every client mounts each version."""

    versions: tuple[Version, ...] = Field(
        ("4.2",),
        min_length=1,
        description="NFS versions. Every client mounts each of them.",
    )
    options: MountOptions = Field(("hard", "noatime"), description="Additional mount options.")


class Options(Model):
    """The keys of `solution` when its kind is nfs-ha."""

    kind: Literal["nfs-ha"]
    servers: Nodes = Field(description="The two servers.")
    clients: Nodes | None = Field(
        None,
        description=(
            "Clients, in the order in which experiments take them. By default all other nodes."
        ),
    )
    array: ArrayNode = Field(description="The shared array.")
    public: Name = Field("public", description="Network of the clients.")
    interface: Interface | None = Field(
        None,
        description=(
            "Network interface of the servers on the public network. By default named as the"
            " network."
        ),
    )
    heartbeat: tuple[Name, ...] = Field(
        ("private",),
        min_length=1,
        max_length=2,
        description="Networks of the cluster, one ring for each.",
    )
    services: dict[Name, Service] = Field(
        min_length=1,
        max_length=2,
        description="One or two services by name. Two need `agents: lightweight`.",
    )
    clock: Clock = Field(Clock(), description="The time service of nodes that have none.")
    export: Export = Field(Export(), description="How the servers export the file system.")
    mount: Mount = Field(Mount(), description="How clients mount it.")
    fencing: tuple[tuple[Method, ...], ...] = Field(
        (),
        description=(
            "Required: fencing levels, tried in order. All methods of a level must succeed."
        ),
    )
    agents: Literal["distribution", "lightweight"] = Field(
        "distribution",
        description="Resource agents: those of the distribution, or one agent with few processes.",
    )
    references: tuple[Name, ...] = Field(
        (),
        description=(
            "At least one of these nodes must answer on the public network where a "
            "service runs. By default two clients."
        ),
    )
    settings: Literal["safe", "paper", "fast"] = Field("safe", description="Preset of the timers.")
    adjust: Annotated[dict[str, Any], WithJsonSchema(Timers.model_json_schema())] = Field(
        default_factory=dict,
        description="Timers that differ from the preset: `{lease_s: 10}`.",
    )

    @property
    def arrays(self) -> int:
        """Number of arrays that the disks are divided into."""
        return len(self.services) if self.array.apart else 1

    @property
    def timers(self) -> Timers:
        """The timers of the preset with the adjustments."""
        return Timers.model_validate(self.asked_timers)

    @property
    def asked_timers(self) -> dict[str, Any]:
        """The same, unvalidated, as written in the study."""
        return {**PRESETS[self.settings].model_dump(), **self.adjust}


def read(study: Study, site: Site) -> tuple[Options, tuple[str, ...], tuple[str, ...]]:
    """(options, servers, clients); InputError when they do not fit the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    validate(Timers, options.asked_timers, study.source, ("solution", "adjust"))
    servers = tuple(expand(options.servers))
    other_roles = (*servers, options.array.node)
    clients = (
        tuple(expand(options.clients))
        if options.clients
        else tuple(n for n in site.nodes if n not in other_roles)
    )
    check_no_ipv6(study, site, "nfs-ha")
    check_mount_options(
        study, ("solution", "mount", "options"), options.mount.options, RESERVED_OPTIONS
    )
    _check_nodes(study, site, options, servers, clients)
    _check_array(study, site, options)
    if len(options.services) > 1 and options.agents != "lightweight":
        raise study.mistake(
            ("solution", "agents"),
            "two services need agents: lightweight, which runs each in its own network namespace. "
            "The distribution's agents support one kernel NFS server and one client record per "
            "host: a takeover would lose the second service's locks, and stop it with the first",
        )
    _check_fencing(study, site, options, servers)
    locked_bytes = corosync.locked_bytes(len(servers))
    check_cluster_memory(
        study, site, members=servers, locked_bytes=locked_bytes, arrays=(options.array.node,)
    )
    return options, servers, clients


def _check_nodes(
    study: Study, site: Site, options: Options, servers: tuple[str, ...], clients: tuple[str, ...]
) -> None:
    if len(servers) != 2:
        raise study.mistake(
            ("solution", "servers"), f"names {counted(len(servers), 'node')}; a pair has two"
        )
    if not clients:
        problem = "there is no client; name at least one node besides the servers and the array"
        raise study.mistake(("nodes",), problem)
    places = {
        "servers": servers,
        "array": (options.array.node,),
        "clients": clients,
        "references": options.references,
    }
    for key, names in places.items():
        check_nodes(study, site, ("solution", key), names, None)
    needed = dict.fromkeys(servers, (options.public, *options.heartbeat, *options.array.networks))
    needed |= {
        options.array.node: options.array.networks,
        **dict.fromkeys(clients, (options.public,)),
    }
    for node, networks in needed.items():
        for network in networks:
            if network not in site.nodes[node].networks:
                raise study.mistake(
                    ("solution",), f"{node} is not attached to the network {network!r}"
                )
    for name, service in options.services.items():
        if service.prefer is not None and service.prefer not in servers:
            raise study.mistake(
                ("solution", "services", name, "prefer"), f"{service.prefer!r} is not a server"
            )


def _check_array(study: Study, site: Site, options: Options) -> None:
    disks = len(site.nodes[options.array.node].devices)
    _check_apart(study, options, disks)
    if problem := mistake_in(options.array.raid, disks // options.arrays, owner="the array"):
        raise study.mistake(("solution", "array", "raid", problem.key), problem.message)
    array = Array.of(options.array.raid, study.id, site, options.array.node, options.arrays)
    if small := mistake_in_volume(
        "xfs", study.node(options.array.node).disks, array, striped=False
    ):
        raise study.mistake(("solution", "array"), small)


def _check_apart(study: Study, options: Options, disks: int) -> None:
    """Several arrays are equal, and have neither spans nor spares."""
    raid = options.array.raid
    if options.arrays > 1 and (raid.spans > 1 or raid.spares):
        raise study.mistake(
            ("solution", "array", "apart"), "separate arrays have no spans and no spares"
        )
    if disks % options.arrays:
        raise study.mistake(
            ("solution", "array", "apart"),
            f"{disks} disks cannot be divided into {options.arrays} equal arrays",
        )


def _check_fencing(study: Study, site: Site, options: Options, servers: tuple[str, ...]) -> None:
    if not options.fencing or not all(options.fencing):
        raise study.mistake(
            ("solution",),
            "nfs-ha without fencing is refused: an isolated server would continue to write during "
            "the takeover and destroy the file system; write fencing: [[bmc], [pdu]]",
        )
    if any(set(level) == {"reservation"} for level in options.fencing):
        raise study.mistake(
            ("solution", "fencing"),
            "a server that lost its reservation keeps running, with the service's address: combine "
            "reservation with a power method, [bmc, reservation]",
        )
    for server in servers:
        node = site.nodes[server]
        for method in {method for level in options.fencing for method in level}:
            if method == "bmc" and node.bmc is None:
                raise study.mistake(
                    ("solution", "fencing"),
                    f"{server} has no bmc: add bmc: {{network: private}}",
                )
            if method == "pdu" and not node.outlets:
                problem = f"{server} is on no pdu: add power: [pdu-a, pdu-b]"
                raise study.mistake(("solution", "fencing"), problem)


DISTRIBUTION_LEASE_S = 20
"""with the distribution's agents, the least time for clients to reclaim; a busy lab needs more"""


def describe(options: Options, raid: Array, addresses: Mapping[str, str]) -> list[tuple[str, str]]:
    """The components for the report, with all presets; `addresses`: service -> its address."""
    squash = "root_squash" if options.export.root_squash else "no_root_squash"
    levels = "; then ".join(" with ".join(level) for level in options.fencing)
    networks = " and ".join(options.array.networks)
    rows = [
        ("array", f"{raid.describe()}, one LUN per service, by iSCSI over {networks}"),
        ("services", ", ".join(f"{name} at {address}" for name, address in addresses.items())),
        ("heartbeat", " and ".join(options.heartbeat)),
        ("fencing", levels),
        ("resource agents", options.agents),
        ("file system", "XFS on LVM, activated by one server at a time (system id)"),
        ("export", f"{options.export.mode}, {squash}, {options.export.threads} nfsd threads"),
        (
            "mounts",
            f"NFS v{' and v'.join(options.mount.versions)}, {', '.join(options.mount.options)}",
        ),
        ("settings", f"{options.settings}: {options.timers.text()}"),
    ]
    others = [(name, row) for name, row in PRESETS.items() if name != options.settings]
    return rows + [(f"settings, {name}", f"not used: {row.text()}") for name, row in others]


def warnings(options: Options, *, hosts: bool) -> list[str]:
    """The warnings of the report about the chosen options."""
    texts = []
    if options.export.mode == "async":
        texts.append(
            "The export is async: the server acknowledges writes that are only in its memory. "
            "A failover loses acknowledged data."
        )
    lease_s = options.timers.lease_s
    if options.agents == "distribution" and lease_s < DISTRIBUTION_LEASE_S:
        texts.append(
            f"The lease of {lease_s} s is short for the distribution's agents: the grace begins "
            "when nfsd starts, and the address follows. If it is late, clients lose their locks."
        )
    for name, service in options.services.items() if hosts else ():
        network = ipaddress.ip_interface(service.address).network
        texts.append(f"{name} is exported to all of {network}, not only to this study's clients.")
    if len(options.heartbeat) == 1:
        texts.append(
            f"The servers have one heartbeat network, {options.heartbeat[0]}, as in the paper: "
            "its failure disables fencing over it, and a second failure stops the service."
        )
    return texts
