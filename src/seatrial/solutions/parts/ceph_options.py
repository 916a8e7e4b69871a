"""The options of `cephfs`: daemons' nodes, data layout, timers; and their checks.

A check raises InputError with its place before any node exists.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from seatrial.basics.schema import Model, Nodes, Size
from seatrial.basics.text import FilePath, MountOptions, Name, plain
from seatrial.basics.units import format_size
from seatrial.plan.site import Site
from seatrial.solutions.parts import checks
from seatrial.solutions.parts.ceph_nfs import Nfs
from seatrial.study.study import Study
from seatrial.study.timers import Timer

RESERVED_OPTIONS = {
    **dict.fromkeys(("name", "secret", "secretfile"), "secrets"),
    **dict.fromkeys(("fs", "mds_namespace", "fsid"), "the study's id"),
    "ms_mode": "messenger",
    "mon_addr": "monitors",
    "conf": "the study's id",
}
"""mount option -> the key of a study that sets it"""
HOSTS_LEAST = 3
CLIENT_LEAST_BYTES = 160 * 2**20
"""memory of a client: mount.ceph's library maps 130 MiB of zeros, which Linux must have free"""
CLIENT_SESSION_S = 40.0
"""CEPH_MONC_PING_TIMEOUT and _INTERVAL of net/ceph/mon_client.c, which are not configurable"""
READ_LEASE_RATIO = 0.8
"""osd_pool_default_read_lease_ratio, Ceph's default.

After its primary's last message, no other copy answers for a placement group during this share of
the heartbeat grace (docs.ceph.com, Preventing Stale Reads).
"""
TAKEOVER_CHANGES = 4
"""changes of the metadata servers' map in a takeover: replay, reconnect, rejoin, active.

See docs.ceph.com, MDS States.
"""
Uuid = Annotated[
    str,
    AfterValidator(
        plain("UUID", r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a, as uuidgen")
    ),
]


class Data(Model):
    """`data: {replicas: 3}` or `data: {k: 4, m: 1}`."""

    replicas: Literal[1, 2, 3] = Field(3, description="copies of every object, each on another host")
    k: int | None = Field(
        None,
        ge=2,
        le=16,
        description="instead of copies: data parts of an object",
    )
    m: int | None = Field(None, ge=1, le=4, description="parity parts: tolerated failures of hosts")
    min_size: int | None = Field(
        None, ge=1, description="with fewer copies or parts, I/O blocks; by default Ceph's value"
    )
    placement_groups: int = Field(
        128,
        ge=8,
        le=4096,
        description="a power of 2; more groups distribute more evenly",
    )
    object: Size = Field(
        2**20,
        description="bytes of the objects that a file is cut into: a multiple of 64 KiB",
    )

    @property
    def width(self) -> int:
        """The number of hosts with a part of an object."""
        return self.replicas if self.k is None or self.m is None else self.k + self.m

    @property
    def least(self) -> int:
        """The number of copies or parts below which I/O blocks: min_size, or Ceph's default.

        OSDMonitor.cc: size - size / 2 of copies, and k + min(1, m - 1) of parts.
        """
        if self.min_size is not None:
            return self.min_size
        if self.k is None or self.m is None:
            return self.replicas - self.replicas // 2
        return self.k + min(1, self.m - 1)


class Secrets(Model):
    """`secrets: {servers: /etc/seatrial/ceph, clients: /etc/seatrial/ceph-client}`.

    Files with one line each, accessible by root alone.
    """

    servers: FilePath = Field(
        description="a file on every server; the keys of all daemons are derived from it",
    )
    clients: FilePath = Field(
        description="a file on every server and client; the clients' key is derived from it",
    )


class Memory(Model):
    """Memory of daemons; by default a share of a lab node's memory, and Ceph's values on hosts."""

    osd: Size | None = Field(None, ge=64 * 2**20, description="osd_memory_target of each OSD")
    mds: Size | None = Field(None, ge=32 * 2**20, description="mds_cache_memory_limit")


class Timers(Model):
    """Times after which a daemon or client is considered lost; ceph.conf states each of them."""

    preset: Literal["fast", "ceph"] = Field(
        "fast", description="fast: for a quiet local network; ceph: Ceph's defaults"
    )
    heartbeat_s: int | None = Field(None, ge=1, le=60, description="osd_heartbeat_interval: fast 1, ceph 6")
    heartbeat_grace_s: int | None = Field(None, ge=2, le=3600, description="osd_heartbeat_grace: fast 7, ceph 20")
    beacon_s: int | None = Field(None, ge=1, le=60, description="mds_beacon_interval: fast 1, ceph 4")
    beacon_grace_s: int | None = Field(None, ge=2, le=3600, description="mds_beacon_grace: fast 6, ceph 15")
    monitor_down_grace_s: int | None = Field(
        None,
        ge=2,
        le=3600,
        description="mds_beacon_mon_down_grace, while a monitor is also lost: fast 10, ceph 60",
    )
    ping_s: int | None = Field(
        None,
        ge=1,
        le=60,
        description="mon_client_ping_interval; the timeout is 3 times this: fast 2, ceph 10",
    )
    lease_s: int | None = Field(None, ge=1, le=60, description="mon_lease, mon_election_timeout: fast 2, ceph 5")
    propose_ms: int | None = Field(
        None,
        ge=50,
        le=5000,
        description="paxos_propose_interval, between two changes of a map: fast 250, ceph 1000",
    )
    reconnect_s: int = Field(
        45,
        ge=5,
        le=600,
        description="mds_reconnect_timeout: a lost client delays a takeover",
    )
    out_s: int = Field(
        600,
        ge=10,
        le=86400,
        description="mon_osd_down_out_interval: then lost copies are recreated",
    )

    def value(self, name: str) -> int:
        """A time in the unit of its name: the study's, or that of the preset."""
        value = getattr(self, name)
        return int(value if value is not None else _PRESETS[name][self.preset])

    def settings(self) -> dict[str, str]:
        """The section [global] of ceph.conf, as monitors use timers of other daemons too."""
        return {
            "osd_heartbeat_interval": str(self.value("heartbeat_s")),
            "osd_heartbeat_grace": str(self.value("heartbeat_grace_s")),
            # The default grace grows at each return of an OSD: the tenth fault would take minutes.
            "mon_osd_adjust_heartbeat_grace": "false",
            "mon_osd_adjust_down_out_interval": "false",
            "mon_osd_min_down_reporters": "2",
            "mon_osd_reporter_subtree_level": "host",
            "mon_osd_down_out_interval": str(self.out_s),
            # By default an OSD that was marked down more than 5 times in 600 s stops.
            "osd_max_markdown_count": "100",
            "mds_beacon_interval": str(self.value("beacon_s")),
            "mds_beacon_grace": str(self.value("beacon_grace_s")),
            "mds_reconnect_timeout": str(self.reconnect_s),
            "mon_lease": str(self.value("lease_s")),
            "mon_election_timeout": str(self.value("lease_s")),
            # Monitors collect all changes in this time after the last one (PaxosService.cc), and a
            # takeover is four consecutive changes of the metadata servers' map.
            "paxos_propose_interval": f"{self.value('propose_ms') / 1000:g}",
            # A metadata server is often lost with a monitor: Ceph then waits a minute by default.
            "mds_beacon_mon_down_grace": str(self.value("monitor_down_grace_s")),
            # How soon a daemon uses another monitor; until then even a healthy standby is unheard.
            "mon_client_ping_interval": str(self.value("ping_s")),
            "mon_client_ping_timeout": str(3 * self.value("ping_s")),
            # A monitor that ticks less often than grace less interval mistakes each tick for a
            # delay of its own, and no metadata server's grace ever ends (MDSMonitor::tick).
            "mon_tick_interval": str(self._tick_s()),
        }

    def _tick_s(self) -> int:
        return max(1, min(5, (self.value("beacon_grace_s") - self.value("beacon_s")) // 2))

    def by_name(self) -> dict[str, Timer]:
        """The timers by the names that a study's limits use."""
        beat, grace = self.value("heartbeat_s"), self.value("heartbeat_grace_s")
        lost, lease = self.value("beacon_grace_s"), self.value("lease_s")
        propose = self.value("propose_ms")
        return {
            "detection": Timer(
                grace + 2 * beat,
                f"osd_heartbeat_grace {grace} s after the last answer, and 2 osd_heartbeat_interval {beat} s",
            ),
            "read-lease": Timer(
                READ_LEASE_RATIO * grace,
                f"osd_pool_default_read_lease_ratio {READ_LEASE_RATIO} of osd_heartbeat_grace "
                f"{grace} s: an OSD that reaches other OSDs, but no monitor, may still answer",
            ),
            "quorum": Timer(
                3 * lease, f"mon_lease {lease} s: a leader is missed after 2 of them, an election takes as long as one"
            ),
            "beacon": Timer(
                lost + self._tick_s(),
                f"mds_beacon_grace {lost} s after the last beacon, seen each mon_tick_interval {self._tick_s()} s",
            ),
            "takeover": Timer(
                TAKEOVER_CHANGES * propose / 1000,
                f"{TAKEOVER_CHANGES} paxos_propose_interval of {propose} ms: replay, reconnect, rejoin, active",
            ),
            "monitor-down": Timer(
                self.value("monitor_down_grace_s") + self._tick_s(),
                f"mds_beacon_mon_down_grace {self.value('monitor_down_grace_s')} s, monitor lost",
            ),
            "session": Timer(
                CLIENT_SESSION_S,
                "a kernel client leaves a silent monitor after 30 s, seen each 10 s (mon_client.c)",
            ),
            "reconnect": Timer(self.reconnect_s, f"mds_reconnect_timeout {self.reconnect_s} s for lost clients"),
        }


_PRESETS = {
    "heartbeat_s": {"fast": 1, "ceph": 6},
    "heartbeat_grace_s": {"fast": 7, "ceph": 20},
    "beacon_s": {"fast": 1, "ceph": 4},
    "beacon_grace_s": {"fast": 6, "ceph": 15},
    "lease_s": {"fast": 2, "ceph": 5},
    "monitor_down_grace_s": {"fast": 10, "ceph": 60},
    "ping_s": {"fast": 2, "ceph": 10},
    "propose_ms": {"fast": 250, "ceph": 1000},
}


class Options(Model):
    """The keys of `solution` when its kind is cephfs."""

    kind: Literal["cephfs"]
    servers: Nodes | None = Field(
        None, description="the storage servers, with an OSD on each disk; by default all with disks"
    )
    monitors: Nodes | None = Field(None, description="1, 3 or 5; by default the first three storage servers")
    managers: Nodes | None = Field(None, description="by default the first two monitors")
    metadata: Nodes | None = Field(None, description="metadata servers; by default the last two monitors")
    clients: Nodes | None = Field(None, description="by default all other nodes without disks")
    server_clients: Nodes | None = Field(
        None,
        description="storage servers that also mount by ceph-fuse; experiments use them first",
    )
    nfs: Nfs | None = Field(
        None,
        description="storage servers that also serve NFS, and their clients",
    )
    network: Name | None = Field(
        None,
        description="the storage network; by default the nodes' data network",
    )
    cluster_network: Name | None = Field(
        None,
        description="network between storage servers: for copies, parity parts and recovery",
    )
    data: Data = Data(replicas=3)
    recovery_at_once: int | None = Field(
        None,
        ge=1,
        le=100,
        description="osd_recovery_max_active, objects that an OSD recovers at once: fewer delay "
        "clients for less time; by default Ceph's value, and in a lab 1, where links have a scaled "
        "rate and objects their full size",
    )
    standby_replay: bool = Field(True, description="a second metadata server follows the journal of the first")
    messenger: Literal["crc", "secure"] = Field(
        "crc",
        description="secure: all network traffic is encrypted",
    )
    secrets: Secrets | None = Field(None, description="required on hosts; in a lab they are no secrets")
    fsid: Uuid | None = Field(
        None,
        description="the cluster's id; by default derived from the study's id and the monitors",
    )
    memory: Memory = Memory()
    timers: Timers = Timers()
    mount: MountOptions = ("noatime",)


def check_nodes(study: Study, site: Site, options: Options, key: str, names: tuple[str, ...]) -> None:
    """InputError for a node that cannot have the role of this key."""
    where = ("solution", key) if getattr(options, key) else ("solution",)
    checks.check_nodes(study, site, where, names, options.network)
    for name in names if key == "servers" else ():
        if not site.nodes[name].devices:
            raise study.mistake(where, f"{name!r} has no disks in this study")
    if key == "clients" and not names:
        raise study.mistake(where, "no node is left to be a client")


def check_cluster_network(study: Study, site: Site, options: Options, servers: tuple[str, ...]) -> None:
    """InputError unless every storage server is on this network, and clients use another one."""
    network, where = options.cluster_network, ("solution", "cluster_network")
    if network is None:
        return
    if network == (options.network or site.data_network):
        problem = f"{network!r} is the clients' network; leave it out, or name another one"
        raise study.mistake(where, problem)
    for name in servers:
        if network not in site.nodes[name].networks:
            raise study.mistake(where, f"{name!r} is not on a network called {network!r}")


def check_clients(study: Study, site: Site, nodes_of_keys: Mapping[str, tuple[str, ...]]) -> None:
    """InputError for a kernel client on a server, or a client on a node without an OSD."""
    kinds = ("servers", "monitors", "managers", "metadata")
    daemons = {name for key in kinds for name in nodes_of_keys[key]}
    for client in nodes_of_keys["clients"]:
        if client in daemons:
            raise study.mistake(
                ("solution", "clients"),
                f"{client!r} is a server: a kernel client that waits for its own OSD can deadlock; "
                "name it in server_clients instead, which uses ceph-fuse",
            )
        if site.kind == "uml" and site.nodes[client].memory_bytes < CLIENT_LEAST_BYTES:
            least = format_size(CLIENT_LEAST_BYTES)
            raise study.mistake(("nodes",), f"{client!r} is a CephFS client and needs {least} of memory to mount")
    for name in nodes_of_keys["server_clients"]:
        if name not in nodes_of_keys["servers"]:
            raise study.mistake(
                ("solution", "server_clients"), f"{name!r} is no storage server; name it among the clients"
            )


def check_width(study: Study, options: Options, hosts: int) -> None:
    """InputError when copies or parts do not fit the number of storage servers."""
    data, where = options.data, ("solution", "data")
    if hosts < HOSTS_LEAST:
        raise study.mistake(
            ("solution",),
            f"{hosts} storage servers are too few, {HOSTS_LEAST} are needed: metadata have three "
            "copies on different hosts, and an OSD is marked down when two other hosts report it "
            "(with two hosts this takes 900 s)",
        )
    if (data.k is None) != (data.m is None):
        raise study.mistake(where, "give both k and m, or neither")
    if "replicas" in data.model_fields_set and data.k is not None:
        problem = "data are copied or erasure-coded; leave out replicas, or k and m"
        raise study.mistake((*where, "replicas"), problem)
    if data.width > hosts:
        what = f"{data.k}+{data.m} parts" if data.k else f"{data.replicas} copies"
        raise study.mistake(
            where,
            f"{what} need {data.width} storage servers, there are {hosts}: the failure domain is "
            "the host, and each holds at most one part of an object",
        )
    least = data.k or 1
    if data.min_size is not None and not least <= data.min_size <= data.width:
        raise study.mistake((*where, "min_size"), f"{data.min_size} is not from {least} to {data.width}")
    if data.placement_groups & (data.placement_groups - 1):
        raise study.mistake(
            (*where, "placement_groups"),
            f"{data.placement_groups} is no power of 2: some groups would be twice as large",
        )
    if data.object % 2**16 or not 2**16 <= data.object <= 2**26:
        raise study.mistake((*where, "object"), "write a multiple of 64KiB from 64KiB to 64MiB")


def warnings(options: Options, monitors: Sequence[str]) -> list[str]:
    """The warnings of the report about the chosen options."""
    texts: list[str] = []
    data = options.data
    if data.width - (data.k or 1) == 0:
        texts.append(
            "There is one copy of every object: the failure of a disk loses its data.",
        )
    if data.least <= (data.k or 1) < data.width:
        texts.append(
            f"min_size is {data.least}: without any redundancy left clients can still write, "
            "and the failure of one more disk loses these data."
        )
    if options.nfs and options.nfs.export.mode == "async":
        texts.append(
            "The NFS export is async: if its server fails, acknowledged data are lost.",
        )
    if len(monitors) == 1:
        texts.append(
            f"There is one monitor: if {monitors[0]} fails, the storage stops.",
        )
    if options.timers.preset == "fast":
        texts.append(
            "Servers are declared down sooner than by Ceph's defaults: "
            "on a busy network this may happen to healthy servers."
        )
    return texts
