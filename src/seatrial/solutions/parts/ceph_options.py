"""The options of `cephfs`: daemons' nodes, data layout, timers; `ceph_checks` has their checks."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from seatrial.basics.schema import Model, Nodes, Size
from seatrial.basics.text import FilePath, MountOptions, Name, plain
from seatrial.solutions.parts.ceph_nfs import Nfs
from seatrial.solutions.parts.clocks import Clock
from seatrial.study.timers import Timer

RESERVED_OPTIONS = {
    **dict.fromkeys(("name", "secret", "secretfile"), "secrets"),
    **dict.fromkeys(("fs", "mds_namespace", "fsid"), "the study's id"),
    "ms_mode": "messenger",
    "mon_addr": "monitors",
    "conf": "the study's id",
}
"""mount option -> the key of a study that sets it"""
# Only nodes of the same lab can reach a lab's nodes: these are no secrets.
LAB_SECRETS = (
    "seatrial-lab-servers-seatrial-lab-servers",
    "seatrial-lab-clients-seatrial-lab-clients",
)
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
        plain(
            "UUID",
            r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            "5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a, as uuidgen",
        )
    ),
]


class Data(Model):
    """`data: {replicas: 3}` or `data: {k: 4, m: 1}`."""

    replicas: Literal[1, 2, 3] = Field(
        3,
        description="Copies of every object, each on another host.",
    )
    k: int | None = Field(
        None,
        ge=2,
        le=16,
        description=(
            "Erasure coding instead of copies: data parts of an object. It needs `k` + `m` hosts."
        ),
    )
    m: int | None = Field(
        None,
        ge=1,
        le=4,
        description=(
            "Erasure coding: parity parts of an object, the number of hosts that can be lost."
        ),
    )
    min_size: int | None = Field(
        None,
        ge=1,
        description=(
            "Fewest copies or parts with which data are accessible. By default Ceph's value."
        ),
    )
    placement_groups: int = Field(
        128,
        ge=8,
        le=4096,
        description=(
            "Placement groups of the data, a power of 2. The metadata have an eighth of it, at"
            " least 8."
        ),
    )
    object_size: Size = Field(
        2**20,
        description="Size of the objects of a file: whole 64 KiB, at most 64 MiB.",
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
        description=(
            "File on every server, for root only, from which the keys of all daemons are derived."
        ),
    )
    clients: FilePath = Field(
        description=(
            "File on every server and client, for root only, from which the clients' key is"
            " derived."
        ),
    )


class Memory(Model):
    """Memory of daemons; by default a share of a lab node's memory, and Ceph's values on hosts."""

    osd: Size | None = Field(
        None,
        ge=64 * 2**20,
        description=(
            "`osd_memory_target` of each OSD. By default Ceph's value, in a lab a share of the"
            " node's memory."
        ),
    )
    mds: Size | None = Field(
        None,
        ge=32 * 2**20,
        description=(
            "`mds_cache_memory_limit`. By default Ceph's value, in a lab a share of the node's"
            " memory."
        ),
    )


class Timers(Model):
    """Times after which a daemon or client is considered lost; ceph.conf states each of them."""

    preset: Literal["fast", "ceph"] = Field(
        "fast",
        description=(
            "`fast`: for a local network without other traffic. `ceph`: the defaults of Ceph."
        ),
    )
    heartbeat_s: int | None = Field(
        None,
        ge=1,
        le=60,
        description="`osd_heartbeat_interval`: `fast` 1, `ceph` 6.",
    )
    heartbeat_grace_s: int | None = Field(
        None,
        ge=2,
        le=3600,
        description="`osd_heartbeat_grace`: `fast` 7, `ceph` 20.",
    )
    beacon_s: int | None = Field(
        None,
        ge=1,
        le=60,
        description="`mds_beacon_interval`: `fast` 1, `ceph` 4.",
    )
    beacon_grace_s: int | None = Field(
        None,
        ge=2,
        le=3600,
        description="`mds_beacon_grace`: `fast` 6, `ceph` 15.",
    )
    monitor_down_grace_s: int | None = Field(
        None,
        ge=2,
        le=3600,
        description=(
            "`mds_beacon_mon_down_grace`, while a monitor is lost too: `fast` 10, `ceph` 60."
        ),
    )
    ping_s: int | None = Field(
        None,
        ge=1,
        le=60,
        description=(
            "`mon_client_ping_interval`, with a timeout of 3 intervals: `fast` 2, `ceph` 10."
        ),
    )
    lease_s: int | None = Field(
        None,
        ge=1,
        le=60,
        description="`mon_lease` and `mon_election_timeout`: `fast` 2, `ceph` 5.",
    )
    propose_ms: int | None = Field(
        None,
        ge=50,
        le=5000,
        description=(
            "`paxos_propose_interval` between two changes of a map: `fast` 250, `ceph` 1000."
        ),
    )
    reconnect_s: int = Field(
        45,
        ge=5,
        le=600,
        description="`mds_reconnect_timeout`: time that a takeover waits for a lost client.",
    )
    out_s: int = Field(
        600,
        ge=10,
        le=86400,
        description=(
            "`mon_osd_down_out_interval`: time until the data of a lost OSD are recreated"
            " elsewhere."
        ),
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
            # Time until a daemon uses another monitor. Until then even a healthy standby sends no
            # beacon.
            "mon_client_ping_interval": str(self.value("ping_s")),
            "mon_client_ping_timeout": str(3 * self.value("ping_s")),
            # A monitor that ticks less often than grace less interval mistakes each tick for a
            # local delay, and no metadata server's grace ever ends (MDSMonitor::tick).
            "mon_tick_interval": str(self._tick_s()),
        }

    def _tick_s(self) -> int:
        return max(1, min(5, (self.value("beacon_grace_s") - self.value("beacon_s")) // 2))

    def by_name(self) -> dict[str, Timer]:
        """The timers by the names that a study's limits use."""
        beat = self.value("heartbeat_s")
        grace = self.value("heartbeat_grace_s")
        lost = self.value("beacon_grace_s")
        lease = self.value("lease_s")
        propose = self.value("propose_ms")
        return {
            "detection": Timer(
                grace + 2 * beat,
                f"osd_heartbeat_grace {grace} s after the last answer, and 2 osd_heartbeat_interval"
                f" {beat} s",
            ),
            "read-lease": Timer(
                READ_LEASE_RATIO * grace,
                f"osd_pool_default_read_lease_ratio {READ_LEASE_RATIO} of osd_heartbeat_grace "
                f"{grace} s: an OSD that reaches other OSDs, but no monitor, may still answer",
            ),
            "quorum": Timer(
                3 * lease,
                f"mon_lease {lease} s: a leader is missed after 2 of them, an election takes as"
                " long as one",
            ),
            "beacon": Timer(
                lost + self._tick_s(),
                f"mds_beacon_grace {lost} s after the last beacon, seen each mon_tick_interval"
                f" {self._tick_s()} s",
            ),
            "takeover": Timer(
                TAKEOVER_CHANGES * propose / 1000,
                f"{TAKEOVER_CHANGES} paxos_propose_interval of {propose} ms: replay, reconnect,"
                " rejoin, active",
            ),
            "monitor-down": Timer(
                self.value("monitor_down_grace_s") + self._tick_s(),
                f"mds_beacon_mon_down_grace {self.value('monitor_down_grace_s')} s, monitor lost",
            ),
            "session": Timer(
                CLIENT_SESSION_S,
                "a kernel client leaves a silent monitor after 30 s, seen each 10 s (mon_client.c)",
            ),
            "reconnect": Timer(
                self.reconnect_s, f"mds_reconnect_timeout {self.reconnect_s} s for lost clients"
            ),
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
        None,
        description=(
            "The storage servers, at least 3, with one OSD per disk. By default all nodes with"
            " disks."
        ),
    )
    clock: Clock = Field(Clock(), description="The time service of nodes that have none.")
    monitors: Nodes | None = Field(
        None,
        description="Storage servers with a monitor: 1, 3 or 5. By default the first 3.",
    )
    managers: Nodes | None = Field(
        None,
        description="Storage servers with a manager. By default the first two monitors.",
    )
    metadata: Nodes | None = Field(
        None,
        description="Storage servers with a metadata server. By default the last two monitors.",
    )
    clients: Nodes | None = Field(
        None,
        description=(
            "Clients, in the order in which experiments take them. By default all other nodes"
            " without disks."
        ),
    )
    server_clients: Nodes | None = Field(
        None,
        description=(
            "Storage servers that are clients, too, by ceph-fuse. Experiments take them before"
            " `clients`."
        ),
    )
    nfs: Nfs | None = Field(
        None,
        description="Storage servers that serve NFS at the same time, and their clients.",
    )
    network: Name | None = Field(
        None,
        description="Network of clients and servers. By default the data network.",
    )
    cluster_network: Name | None = Field(
        None,
        description=(
            "Network for replication and recovery between storage servers. By default `network`."
        ),
    )
    data: Data = Field(Data(replicas=3), description="Redundancy and placement of the data.")
    recovery_max_active: int | None = Field(
        None,
        ge=1,
        le=100,
        description=(
            "`osd_recovery_max_active`: objects that an OSD recovers at a time. By "
            "default Ceph's value, in a lab 1."
        ),
    )
    standby_replay: bool = Field(
        True,
        description="A second metadata server follows the journal of the first.",
    )
    messenger: Literal["crc", "secure"] = Field(
        "crc",
        description="`secure`: all network traffic is encrypted.",
    )
    secrets: Secrets | None = Field(
        None,
        description=(
            "Files from which the keys are derived. Required on hosts. A lab generates them."
        ),
    )
    fsid: Uuid | None = Field(
        None,
        description=(
            "Identifier of the cluster. By default derived from the identifier of the study and the"
            " monitors."
        ),
    )
    memory: Memory = Field(Memory(), description="Memory targets of the daemons.")
    timers: Timers = Field(
        Timers(),
        description="Timeouts of the cluster, all written to ceph.conf.",
    )
    mount: MountOptions = Field(("noatime",), description="Additional mount options.")
