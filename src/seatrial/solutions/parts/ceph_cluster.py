"""A Ceph cluster of one study: its daemons, its configuration, and the capabilities of its keys."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from seatrial.basics.units import counted, format_rate, format_size, written_size
from seatrial.solutions.base import MemoryNeed
from seatrial.solutions.parts.ceph_options import Options
from seatrial.study.timers import Timer

CONF = "/etc/ceph/ceph.conf"
ADMIN = "/etc/ceph/ceph.client.admin.keyring"
STATE = "/var/lib/ceph"
SMALL_BYTES = 2 * 2**30
"""bytes of a node's memory; below, OSDs get fewer threads and smaller buffers"""
# Ceph refuses a target below osd_memory_base plus osd_memory_cache_min, 768 and 128 MiB. So an OSD
# on a lab's node of 704 MiB has a target above its memory. This does no harm: the target controls
# only autotuning, which is off there. bluestore_cache_size, an eighth of its share, limits it.
LEAST_TARGET_BYTES = 896 * 2**20
"""smallest osd_memory_target that Ceph accepts; below it the cache size is set directly"""
RECOVERY_AT_ONCE = 10
"""Ceph's osd_recovery_max_active_ssd; it is 3 for hard disks"""
OWN_TARGET_BYTES = 4 * 2**30
"""Ceph's default osd_memory_target, on hosts when the study sets none"""
MEMORY_EXTRA = 0.2
"""an OSD may exceed its target for a while; Ceph's hardware recommendations add this share"""
_NAMESPACE = uuid.UUID("0a2c8ef4-6f0e-5a6e-9d59-0f6a6a3c5d10")
# Each of these modules delays every start of a manager by seconds, and no plan uses one.
_NO_MODULES = (
    "alerts cephadm dashboard diskprediction_local influx insights iostat k8sevents localpool"
    " mds_autoscaler mirroring nfs osd_perf_query osd_support prometheus restful rook selftest"
    " snap_schedule stats telegraf test_orchestrator zabbix"
)


@dataclass(frozen=True)
class Osd:
    """An OSD on one disk of a server."""

    number: int
    uuid: str
    server: str
    device: str

    @property
    def unit(self) -> str:
        """The systemd unit."""
        return f"ceph-osd@{self.number}"

    @property
    def folder(self) -> str:
        """The folder of its data outside the disk."""
        return f"{STATE}/osd/ceph-{self.number}"


@dataclass(frozen=True)
class Cluster:
    """The daemons of a cluster and their nodes."""

    study_id: str
    options: Options
    addresses: Mapping[str, str]
    """server -> its address"""
    devices: Mapping[str, tuple[str, ...]]
    """storage server -> its disks"""
    monitors: tuple[str, ...]
    managers: tuple[str, ...]
    metadata: tuple[str, ...]
    memory_bytes: int | None
    """memory of the smallest server; None when unknown"""
    cluster_addresses: Mapping[str, str] = field(default_factory=dict)
    """storage server -> its address on the servers' own network"""
    recovery_max_active: int | None = None
    """objects that an OSD recovers at once; None: Ceph's default"""

    @property
    def fsid(self) -> str:
        """The cluster's id; it is the same for every deployment of a study on the same monitors."""
        places = [self.study_id, *(f"{name}={self.addresses[name]}" for name in self.monitors)]
        return self.options.fsid or str(uuid.uuid5(_NAMESPACE, " ".join(places)))

    @property
    def osds(self) -> tuple[Osd, ...]:
        """All OSDs, numbered by server, then by disk."""
        places = [
            (server, device) for server, devices in self.devices.items() for device in devices
        ]
        head = self.fsid.rpartition("-")[0]
        return tuple(
            Osd(number, f"{head}-{number:012d}", server, device)
            for number, (server, device) in enumerate(places)
        )

    def osds_of(self, server: str) -> tuple[Osd, ...]:
        """The OSDs on a server's disks."""
        return tuple(osd for osd in self.osds if osd.server == server)

    def entities(self) -> dict[str, tuple[str, ...]]:
        """Name of each key -> its capabilities."""
        everything = tuple(f'{who} "allow *"' for who in ("mon", "mgr", "mds", "osd"))
        used = f'osd "allow rw tag cephfs data={self.study_id}"'
        capabilities: dict[str, tuple[str, ...]] = {
            "mon.": everything[:1],
            "client.admin": everything,
            f"client.{self.study_id}": ('mon "allow r"', 'mds "allow rw"', used),
        }
        profiles = {kind: f'"allow profile {kind}"' for kind in ("mgr", "mds", "osd")}
        for name in self.managers:
            # Without a capability for metadata servers: the module `volumes` cannot be disabled and
            # would open sessions. A session closed while no metadata server answers stays in the
            # server's table, and delays the next takeover (mds_reconnect_timeout).
            capabilities[f"mgr.{name}"] = (f"mon {profiles['mgr']}", everything[3])
        for name in self.metadata:
            granted = (
                f"mon {profiles['mds']}",
                f"mgr {profiles['mds']}",
                'osd "allow rwx"',
                'mds "allow"',
            )
            capabilities[f"mds.{name}"] = granted
        for osd in self.osds:
            osd_capabilities = (f"mon {profiles['osd']}", f"mgr {profiles['osd']}", everything[3])
            capabilities[f"osd.{osd.number}"] = osd_capabilities
        return capabilities

    def can_spare(self, kind: str) -> bool:
        """Whether clients do not notice the loss of one such daemon (they never use managers)."""
        data = self.options.data
        spared = {
            "mon": len(self.monitors) >= 3,
            "mds": len(self.metadata) > 1,
            "osd": data.least < data.width,
        }
        return spared.get(kind, False)

    def helper_input(self) -> str:
        """The helper's input for pools and file system, as JSON."""
        data = self.options.data
        name = self.study_id
        groups = max(data.placement_groups // 8, 8)
        copies = min(3, len(self.devices))

        def pool(
            part: str, size: int, least: int, pg_num: int, profile: list[str]
        ) -> dict[str, object]:
            return {
                "name": f"{name}-{part}",
                "size": size,
                "min_size": least,
                "pg_num": pg_num,
                "profile": profile,
            }

        pools = [pool("metadata", copies, 2, groups, [])]
        if data.k is None or data.m is None:
            pools.append(pool("data", data.replicas, data.least, data.placement_groups, []))
        else:
            profile = [f"k={data.k}", f"m={data.m}", "crush-failure-domain=host"]
            # The default data pool holds the backtraces of files: it cannot be erasure-coded.
            pools.append(pool("default", copies, 2, groups, []))
            pools.append(pool("data", data.width, data.least, data.placement_groups, profile))
        size = str(data.object_size)
        layout = {
            "stripe_unit": size,
            "stripe_count": "1",
            "object_size": size,
            "pool": f"{name}-data",
        }
        return json.dumps(
            {
                "fs": name,
                "rule": f"{name}-by-host",
                "osds": [osd.uuid for osd in self.osds],
                "pools": pools,
                "layout": layout,
                "standby_replay": self.options.standby_replay and len(self.metadata) > 1,
            },
            indent=1,
        )

    def recovery_timer(self, links_bytes_per_s: Sequence[float | None]) -> Timer:
        """How long an OSD that returns can block clients: all others push objects over its link.

        A write to an object in recovery waits (PrimaryLogPG::is_degraded_or_backfilling_object) and
        starts a push itself (maybe_kick_recovery), so that osd_max_backfills does not limit these.
        """
        at_once = self.recovery_max_active or RECOVERY_AT_ONCE
        data = self.options.data
        others = len(self.osds) - max(len(devices) for devices in self.devices.values())
        slowest = min(rate or 0.0 for rate in links_bytes_per_s)
        if not slowest:
            return Timer(0.0, "recovery: the links' rates are unknown, and it is not counted")
        part_bytes = data.object_size // (data.k or 1)
        return Timer(
            at_once * others * part_bytes / slowest,
            f"osd_recovery_max_active {at_once} of {others} OSDs, {format_size(part_bytes)} each"
            f" over a link of {format_rate(slowest)}",
        )

    def conf(self) -> str:
        """The text of ceph.conf, which is the same on every server."""
        mode = self.options.messenger
        ways = ("cluster", "service", "client", "mon_cluster", "mon_service", "mon_client")
        settings = {
            "fsid": self.fsid,
            "mon_initial_members": ", ".join(self.monitors),
            "mon_host": ", ".join(self.addresses[name] for name in self.monitors),
            **{f"auth_{way}_required": "cephx" for way in ("cluster", "service", "client")},
            "auth_allow_insecure_global_id_reclaim": "false",
            **{f"ms_{way}_mode": mode if mode == "secure" else "crc secure" for way in ways},
            "ms_bind_ipv6": "false",
            "osd_crush_chooseleaf_type": "1",
            "osd_pool_default_pg_autoscale_mode": "off",
            "mon_allow_pool_size_one": "true" if self.options.data.replicas == 1 else "false",
            "mon_max_pg_per_osd": "1000",
            **self.options.timers.settings(),
        }
        sections = {
            "global": settings,
            "mgr": {"mgr_initial_modules": "", "mgr_disabled_modules": _NO_MODULES},
            "osd": self._osd_settings(),
            "mds": {"mds_cache_memory_limit": str(self._mds_bytes())},
        }
        if self._is_small():
            sections["mon"] = {
                "rocksdb_cache_size": str(16 * 2**20),
                "mon_data_avail_warn": "1",
                "mon_data_avail_crit": "0",
                # crash forks and closes a million descriptors one by one: a minute in a lab's node.
                "mon_osd_crush_smoke_test": "false",
            }
        return "\n".join(
            f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in section.items())
            for name, section in sections.items()
        )

    def memory_needed(self, server: str) -> MemoryNeed | None:
        """The memory that a server should have for its OSDs and metadata cache.

        Monitors, managers, the kernel and its page cache need more, of unknown size.
        """
        osd_bytes = self._osd_bytes() or OWN_TARGET_BYTES
        cache = self._mds_bytes()
        osds = len(self.osds_of(server))
        parts = (
            [(osds * osd_bytes, f"{counted(osds, 'OSD')} of {written_size(osd_bytes)}")]
            if osds
            else []
        )
        parts += (
            [(cache, f"a metadata cache of {written_size(cache)}")]
            if server in self.metadata
            else []
        )
        if not parts:
            return None
        needed = round(sum(size for size, _ in parts) * (1 + MEMORY_EXTRA))
        purposes = ", ".join(purpose for _, purpose in parts)
        return MemoryNeed(needed, f"{purposes}, and {MEMORY_EXTRA:.0%} on top")

    def _osd_bytes(self) -> int | None:
        """The memory of an OSD; by default half of a server's memory."""
        if self.options.memory.osd is not None or self.memory_bytes is None:
            return self.options.memory.osd
        return self.memory_bytes // 2 // max(len(devices) for devices in self.devices.values())

    def _mds_bytes(self) -> int:
        share = self.memory_bytes // 8 if self.memory_bytes is not None else 4 * 2**30
        return self.options.memory.mds or max(min(share, 4 * 2**30), 32 * 2**20)

    def _is_small(self) -> bool:
        memory = self._osd_bytes()
        return memory is not None and memory < SMALL_BYTES

    def _osd_settings(self) -> dict[str, str]:
        memory = self._osd_bytes()
        at_once = self.recovery_max_active
        settings = {} if at_once is None else {"osd_recovery_max_active": str(at_once)}
        if memory is None:
            return settings
        if not self._is_small():
            return {**settings, "osd_memory_target": str(memory)}
        return {
            **settings,
            "osd_memory_target": str(max(memory, LEAST_TARGET_BYTES)),
            "bluestore_cache_autotune": "false",
            "bluestore_cache_size": str(max(memory // 8, 16 * 2**20)),
            "osd_op_num_shards": "2",
            "osd_op_num_threads_per_shard": "1",
            "osd_min_pg_log_entries": "100",
            "osd_max_pg_log_entries": "200",
            "bluestore_rocksdb_options": (
                "compression=kNoCompression,max_write_buffer_number=4,"
                "min_write_buffer_number_to_merge=1,recycle_log_file_num=4,write_buffer_size=8388608,"
                "writable_file_max_buffer_size=0,compaction_readahead_size=2097152,max_background_compactions=1"
            ),
        }

    def describe(self) -> list[tuple[str, str]]:
        """The cluster in words, for the report."""
        data = self.options.data
        what = f"{data.replicas} copies" if data.k is None else f"erasure code {data.k}+{data.m}"
        replay = "on" if self.options.standby_replay else "off"
        apart = ", ".join(f"{name} {at}" for name, at in self.cluster_addresses.items())
        return [
            (
                "storage",
                (
                    f"{len(self.osds)} OSDs (bluestore) on {len(self.devices)} hosts, failure"
                    " domain host"
                ),
            ),
            (
                "data",
                (
                    f"{what}, min_size {data.least}, {data.placement_groups} placement groups,"
                    f" objects of {format_size(data.object_size)}"
                ),
            ),
            ("monitors", ", ".join(self.monitors)),
            ("metadata", f"{', '.join(self.metadata)}; standby-replay {replay}"),
            *([("cluster network", apart)] if apart else []),
            ("security", f"cephx; messenger v2, {self.options.messenger}"),
            (
                "timers",
                ", ".join(
                    f"{key} {value}" for key, value in self.options.timers.settings().items()
                ),
            ),
        ]
