"""A Ceph cluster as one study builds it: its names, its configuration, and who is known to it by which key."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from seatrial.basics.units import counted, format_rate, format_size, written_size
from seatrial.solutions.parts.ceph_options import Options
from seatrial.study.timers import Timer

CONF = "/etc/ceph/ceph.conf"
ADMIN = "/etc/ceph/ceph.client.admin.keyring"
STATE = "/var/lib/ceph"
SMALL_BYTES = 2 * 2**30
"""an OSD with less gets fewer threads and smaller buffers"""
# Ceph refuses less than osd_memory_base and osd_memory_cache_min together, 768 and 128 MiB. So an OSD on a lab's node
# of 704 MiB has a target above all the memory there is. It does no harm: it steers the autotuning alone, which is off
# there, and what bounds such an OSD is bluestore_cache_size, an eighth of what it may take.
LEAST_TARGET_BYTES = 896 * 2**20
"""the least osd_memory_target that Ceph accepts; below it the cache is said directly"""
RECOVERY_AT_ONCE = 10
"""Ceph's own osd_recovery_max_active_ssd; of disks that turn it is 3"""
OWN_TARGET_BYTES = 4 * 2**30
"""Ceph's own osd_memory_target, on hosts where the study says none"""
MEMORY_EXTRA = 0.2
"""an OSD may exceed its target for a while: Ceph's hardware recommendations budget about so much on top"""
_NAMESPACE = uuid.UUID("0a2c8ef4-6f0e-5a6e-9d59-0f6a6a3c5d10")
# Each of these modules costs every start of a manager seconds, and no part of a plan uses one.
_NO_MODULES = (
    "alerts cephadm dashboard diskprediction_local influx insights iostat k8sevents localpool mds_autoscaler mirroring "
    "nfs osd_perf_query osd_support prometheus restful rook selftest snap_schedule stats telegraf test_orchestrator "
    "zabbix"
)


@dataclass(frozen=True)
class Osd:
    """An OSD: a disk of a server."""

    number: int
    uuid: str
    server: str
    device: str

    @property
    def unit(self) -> str:
        """Of systemd."""
        return f"ceph-osd@{self.number}"

    @property
    def folder(self) -> str:
        """What it knows beside its disk."""
        return f"{STATE}/osd/ceph-{self.number}"


@dataclass(frozen=True)
class Cluster:
    """Who does what in it."""

    study_id: str
    options: Options
    addresses: Mapping[str, str]
    """server -> how others reach it"""
    devices: Mapping[str, tuple[str, ...]]
    """storage server -> its disks"""
    monitors: tuple[str, ...]
    managers: tuple[str, ...]
    metadata: tuple[str, ...]
    memory_bytes: int | None
    """of the smallest server; None where it is not known"""
    cluster_addresses: Mapping[str, str] = field(default_factory=dict)
    """storage server -> how the others reach it, where they have a network of their own"""
    recovery_at_once: int | None = None
    """objects that an OSD makes whole at once; None where Ceph's own number holds"""

    @property
    def fsid(self) -> str:
        """Who the cluster is. The same study on the same monitors is the same cluster, whenever it is deployed."""
        places = [self.study_id, *(f"{name}={self.addresses[name]}" for name in self.monitors)]
        return self.options.fsid or str(uuid.uuid5(_NAMESPACE, " ".join(places)))

    @property
    def osds(self) -> tuple[Osd, ...]:
        """Numbered by server, then by disk."""
        places = [(server, device) for server, devices in self.devices.items() for device in devices]
        head = self.fsid.rpartition("-")[0]
        return tuple(
            Osd(number, f"{head}-{number:012d}", server, device) for number, (server, device) in enumerate(places)
        )

    def osds_of(self, server: str) -> tuple[Osd, ...]:
        """Those on a server's disks."""
        return tuple(osd for osd in self.osds if osd.server == server)

    def entities(self) -> dict[str, tuple[str, ...]]:
        """Everyone who logs in -> what they may do."""
        everything = tuple(f'{who} "allow *"' for who in ("mon", "mgr", "mds", "osd"))
        used = f'osd "allow rw tag cephfs data={self.study_id}"'
        found: dict[str, tuple[str, ...]] = {
            "mon.": everything[:1],
            "client.admin": everything,
            f"client.{self.study_id}": ('mon "allow r"', 'mds "allow rw"', used),
        }
        profiles = {kind: f'"allow profile {kind}"' for kind in ("mgr", "mds", "osd")}
        for name in self.managers:
            # Without capabilities for metadata servers: the module `volumes`, which cannot be disabled, would open
            # sessions. One that it closes while no metadata server answers stays in the server's table, and the next
            # takeover waits for it (mds_reconnect_timeout).
            found[f"mgr.{name}"] = (f"mon {profiles['mgr']}", everything[3])
        for name in self.metadata:
            granted = (f"mon {profiles['mds']}", f"mgr {profiles['mds']}", 'osd "allow rwx"', 'mds "allow"')
            found[f"mds.{name}"] = granted
        for osd in self.osds:
            found[f"osd.{osd.number}"] = (f"mon {profiles['osd']}", f"mgr {profiles['osd']}", everything[3])
        return found

    def can_spare(self, kind: str) -> bool:
        """Whether clients need not notice that one of these daemons is away (a manager: they never do)."""
        data = self.options.data
        spared = {"mon": len(self.monitors) >= 3, "mds": len(self.metadata) > 1, "osd": data.least < data.width}
        return spared.get(kind, False)

    def wanted(self) -> str:
        """What the helper makes of pools and file system, as JSON."""
        data, name = self.options.data, self.study_id
        groups = max(data.placement_groups // 8, 8)
        copies = min(3, len(self.devices))

        def pool(part: str, size: int, least: int, pg_num: int, profile: list[str]) -> dict[str, object]:
            return {"name": f"{name}-{part}", "size": size, "min_size": least, "pg_num": pg_num, "profile": profile}

        pools = [pool("metadata", copies, 2, groups, [])]
        if data.k is None or data.m is None:
            pools.append(pool("data", data.replicas, data.least, data.placement_groups, []))
        else:
            profile = [f"k={data.k}", f"m={data.m}", "crush-failure-domain=host"]
            # The default data pool holds what finds a file by its number: it cannot be erasure-coded.
            pools.append(pool("default", copies, 2, groups, []))
            pools.append(pool("data", data.width, data.least, data.placement_groups, profile))
        size = str(data.object)
        layout = {"stripe_unit": size, "stripe_count": "1", "object_size": size, "pool": f"{name}-data"}
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
        """How long an OSD that has come back holds clients up at most: what all others push over its link goes first.

        A write to an object that is being made whole waits (PrimaryLogPG::is_degraded_or_backfilling_object). It begins
        a push of its own (maybe_kick_recovery), so that osd_max_backfills is no limit of what is under way.
        """
        at_once, data = self.recovery_at_once or RECOVERY_AT_ONCE, self.options.data
        others = len(self.osds) - max(len(devices) for devices in self.devices.values())
        slowest = min(rate or 0.0 for rate in links_bytes_per_s)
        if not slowest:
            return Timer(0.0, "recovery: the links' rates are not known, and nothing is counted for it")
        part_bytes = data.object // (data.k or 1)
        return Timer(
            at_once * others * part_bytes / slowest,
            f"osd_recovery_max_active {at_once} of {others} OSDs, {format_size(part_bytes)} each over a link of "
            f"{format_rate(slowest)}",
        )

    def conf(self) -> str:
        """The text of ceph.conf: the same on every server."""
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
                # It forks, and closes a million descriptors one by one: in a lab's node a minute, with all waiting.
                "mon_osd_crush_smoke_test": "false",
            }
        return "\n".join(
            f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in section.items())
            for name, section in sections.items()
        )

    def memory_needed(self, server: str) -> tuple[int, str] | None:
        """Bytes that a server should have for its OSDs and its metadata server's cache, and what they are for.

        Monitors, managers, the kernel and its page cache come on top, of which nobody says how large they are.
        """
        each, cache = self._osd_bytes() or OWN_TARGET_BYTES, self._mds_bytes()
        osds = len(self.osds_of(server))
        parts = [(osds * each, f"{counted(osds, 'OSD')} of {written_size(each)}")] if osds else []
        parts += [(cache, f"a metadata cache of {written_size(cache)}")] if server in self.metadata else []
        if not parts:
            return None
        needed = round(sum(size for size, _ in parts) * (1 + MEMORY_EXTRA))
        return needed, f"{', '.join(words for _, words in parts)}, and {MEMORY_EXTRA:.0%} on top"

    def _osd_bytes(self) -> int | None:
        """The memory of an OSD: half of a server's, where nothing else is said."""
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
        memory, at_once = self._osd_bytes(), self.recovery_at_once
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
            "bluestore_rocksdb_options": "compression=kNoCompression,max_write_buffer_number=4,"
            "min_write_buffer_number_to_merge=1,recycle_log_file_num=4,write_buffer_size=8388608,"
            "writable_file_max_buffer_size=0,compaction_readahead_size=2097152,max_background_compactions=1",
        }

    def describe(self) -> list[tuple[str, str]]:
        """For the report."""
        data = self.options.data
        what = f"{data.replicas} copies" if data.k is None else f"erasure code {data.k}+{data.m}"
        replay = "on" if self.options.standby_replay else "off"
        apart = ", ".join(f"{name} {at}" for name, at in self.cluster_addresses.items())
        return [
            ("storage", f"{len(self.osds)} OSDs (bluestore) on {len(self.devices)} hosts, failure domain host"),
            (
                "data",
                f"{what}, min_size {data.least}, {data.placement_groups} placement groups, objects of "
                f"{format_size(data.object)}",
            ),
            ("monitors", ", ".join(self.monitors)),
            ("metadata", f"{', '.join(self.metadata)}; standby-replay {replay}"),
            *([("cluster network", apart)] if apart else []),
            ("security", f"cephx; messenger v2, {self.options.messenger}"),
            ("timers", ", ".join(f"{key} {value}" for key, value in self.options.timers.settings().items())),
        ]
