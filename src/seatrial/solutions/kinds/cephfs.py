"""Solution `cephfs`: a file system striped over many servers' disks, like GPFS with NSD servers.

It uses Debian's packages without containers. Monitors, managers, metadata servers and one OSD per
disk run on the same few servers. Other nodes use the kernel's client, and servers that are also
clients use ceph-fuse. The plan states every timer and size that a trial relies on in ceph.conf.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from seatrial.basics.node_sets import expand, fold
from seatrial.basics.schema import validate
from seatrial.basics.units import counted
from seatrial.plan.data_path import DataPath
from seatrial.plan.plan import Plan, Stage, Step, command_step, remove_file
from seatrial.plan.site import Site
from seatrial.solutions.base import (
    ClusterStatus,
    DaemonLogs,
    MemoryNeed,
    Moment,
    Storage,
    Wipe,
    options_data,
)
from seatrial.solutions.parts import (
    ceph_checks,
    ceph_daemons,
    ceph_nfs,
    ceph_path,
    ceph_status,
    nfs_export,
)
from seatrial.solutions.parts.at_site import OneNetwork
from seatrial.solutions.parts.ceph_clients import Clients
from seatrial.solutions.parts.ceph_cluster import ADMIN, Cluster
from seatrial.solutions.parts.ceph_nfs import NfsBeside
from seatrial.solutions.parts.ceph_options import LAB_SECRETS, RESERVED_OPTIONS, Options
from seatrial.solutions.parts.ceph_roles import roles_of
from seatrial.solutions.parts.checks import check_mount_options, check_no_ipv6
from seatrial.solutions.parts.clocks import OneTime
from seatrial.solutions.parts.nfs_export import forget_read_ahead
from seatrial.solutions.parts.steps import need_commands
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study
from seatrial.study.timers import Timer

STARTER = Starter("CephFS on four storage servers", "cephfs.yaml.j2")


def load(study: Study, site: Site) -> "CephFs":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    check_no_ipv6(study, site, "cephfs")
    roles = roles_of(options, site)
    ceph_checks.check_roles(study, site, options, roles)
    check_mount_options(study, ("solution", "mount"), options.mount, RESERVED_OPTIONS)
    return CephFs(
        study_id=study.id,
        options=options,
        site=site,
        clients=roles.every_client,
        osd_hosts=roles.servers,
        monitors=roles.monitors,
        managers=roles.managers,
        metadata=roles.metadata,
        server_clients=roles.server_clients,
    )


@dataclass(frozen=True)
class CephFs(OneTime, OneNetwork):
    """The solution at a site; see `Solution`, `Clustered` and others in `solutions.base`."""

    options: Options
    osd_hosts: tuple[str, ...]
    monitors: tuple[str, ...]
    managers: tuple[str, ...]
    metadata: tuple[str, ...]
    server_clients: tuple[str, ...]
    """storage servers that are also clients"""

    # ---- components

    @property
    def servers(self) -> tuple[str, ...]:
        """Storage servers first, then nodes with other daemons only."""
        return tuple(
            dict.fromkeys((*self.osd_hosts, *self.monitors, *self.managers, *self.metadata))
        )

    @property
    def data_disks(self) -> dict[str, float]:
        """The disks of all OSDs, less the share of further copies or of parity."""
        data = self.options.data
        share = (data.k or 1) / data.width
        return {name: len(self.site.nodes[name].devices) * share for name in self.osd_hosts}

    storage_nodes = servers
    """all servers"""

    services = (ceph_status.METADATA,)
    """only the file system's metadata server fails over; all servers serve data at once"""

    @property
    def service_servers(self) -> tuple[str, ...]:
        """The nodes with a metadata server."""
        return self.metadata

    @property
    def cluster_nodes(self) -> tuple[str, ...]:
        """The monitors, which know the cluster's state."""
        return self.monitors

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages of any study, so that all studies share one image."""
        return (*ceph_daemons.DEBIAN, *super().packages)

    @property
    def client_kinds(self) -> dict[str, str]:
        """`server` for clients on storage servers, `nfs` for NFS clients, else `client`."""
        kinds = dict.fromkeys(self.server_clients, "server")
        kinds |= dict.fromkeys(self._nfs_clients, "nfs")
        return {name: kinds.get(name, "client") for name in self.clients}

    @property
    def client_groups(self) -> list[tuple[str, ...]]:
        """The clients of each NFS server, and the clients of the Ceph file system."""
        return [
            *(self._nfs.served.values() if self._nfs else ()),
            (*self.server_clients, *self._kernel_clients),
        ]

    @property
    def timers(self) -> dict[str, Timer]:
        """The timers that determine an outage, by name."""
        grace = {"grace": self.options.nfs.export.grace} if self.options.nfs else {}
        network = self.options.cluster_network or self.network
        hosts = [self.site.nodes[name] for name in self.osd_hosts]
        rates = [host.bandwidth_bytes_per_s(network) for host in hosts]
        recovery = self.cluster.recovery_timer(rates)
        return {**self.options.timers.by_name(), "recovery": recovery, **grace}

    @property
    def layout(self) -> Hashable:
        """Servers, monitors and data layout: a change of any loses the data.

        A `min_size` can be changed while the data are in use.
        """
        data = self.options.data
        return (
            self.osd_hosts,
            self.monitors,
            data.replicas,
            data.k,
            data.m,
            data.placement_groups,
            data.object_size,
        )

    def osd_disks(self) -> dict[int, tuple[str, str]]:
        """Number of the OSD -> its node and its device."""
        return {osd.number: (osd.server, osd.device) for osd in self.cluster.osds}

    @property
    def cluster(self) -> Cluster:
        """The daemons and the configuration of the cluster."""
        nodes = self.site.nodes
        apart = self.options.cluster_network
        own = {name: nodes[name].networks[apart] for name in self.osd_hosts} if apart else {}
        at_once = 1 if self.site.traits.shares_processors else None
        return Cluster(
            study_id=self.study_id,
            options=self.options,
            addresses={name: self.address(name) for name in self.servers},
            devices={name: nodes[name].devices for name in self.osd_hosts},
            monitors=self.monitors,
            managers=self.managers,
            metadata=self.metadata,
            memory_bytes=(
                min(nodes[name].memory_bytes for name in self.servers)
                if self.site.traits.sets_memory
                else None
            ),
            cluster_addresses=own,
            recovery_max_active=self.options.recovery_max_active or at_once,
        )

    @property
    def _secrets(self) -> ceph_daemons.SecretFiles:
        if secrets := self.options.secrets:
            return ceph_daemons.SecretFiles(secrets.servers, secrets.clients)
        return ceph_daemons.SecretFiles(f"{self._own}.servers", f"{self._own}.clients")

    @property
    def _own(self) -> str:
        return f"/etc/seatrial/{self.study_id}.ceph"

    @property
    def _mounts(self) -> Clients:
        return Clients(self.cluster, self.directory, self._own)

    @cached_property
    def _kernel_clients(self) -> tuple[str, ...]:
        others = {*self.server_clients, *self._nfs_clients}
        return tuple(name for name in self.clients if name not in others)

    @cached_property
    def _nfs(self) -> NfsBeside | None:
        if self.options.nfs is None:
            return None
        names = (*expand(self.options.nfs.servers), *expand(self.options.nfs.clients))
        addresses = {name: self.address(name) for name in names}
        return NfsBeside(self.study_id, self.options.nfs, addresses, self.directory)

    @property
    def _nfs_clients(self) -> tuple[str, ...]:
        return self._nfs.clients if self._nfs else ()

    def memory_needed(self, node: str) -> MemoryNeed | None:
        """The memory for the OSDs and the cache of the metadata server; see `NeedsMemory`."""
        return self.cluster.memory_needed(node)

    # ---- plans

    def plan(self, wipe: Wipe) -> Plan:
        """Inspect, install packages and keys, start all daemons, create pools, mount."""
        cluster = self.cluster
        nfs = self._nfs
        first = self.monitors[0]
        admin = ceph_daemons.keyring_step(
            "store the administrator key, readable by root only",
            ADMIN,
            "root",
            self._secrets.servers,
            "client.admin",
        )
        # Every OSD needs its number before it starts.
        check, register = (ceph_daemons.tool(cluster, what) for what in ("osds-check", "osds"))
        registered = command_step("register every OSD", check, register)
        stages = [
            self._preflight_stage(),
            Stage("packages", self._packages()),
            Stage("network", self._mtu()),
            Stage(
                "secrets",
                {name: self._secret_steps(name) for name in (*self.servers, *self._kernel_clients)},
            ),
            Stage(
                "configuration",
                dict.fromkeys(self.servers, (*ceph_daemons.common_steps(cluster), admin)),
            ),
            Stage(
                "monitors",
                {
                    name: tuple(ceph_daemons.monitor_steps(cluster, name, self._secrets))
                    for name in self.monitors
                },
            ),
            Stage("OSD registration", {first: (registered,)}),
            Stage("managers and metadata servers", self._daemons()),
            Stage("OSDs", {name: tuple(self._osd_steps(name, wipe)) for name in self.osd_hosts}),
            Stage("file system", {first: (self._files_step(),)}),
            Stage("NFS", {name: nfs.server_steps(name) for name in nfs.served} if nfs else {}),
            Stage("mount", self._mount()),
        ]
        count = counted(len(self.osd_hosts), "storage server")
        title = f"CephFS on {count} for {counted(len(self.clients), 'client')}"
        warned = ceph_checks.warnings(self.options, self.monitors)
        plan = self.planned(title, self.with_clocks(stages), warned)
        return plan if self.options.secrets else replace(plan, secrets=LAB_SECRETS)

    def _preflight_stage(self) -> Stage:
        step = ceph_daemons.look_step(self.cluster)
        return Stage("preflight check", dict.fromkeys(self.servers, (step,)), is_preflight=True)

    def _packages(self) -> dict[str, tuple[Step, ...]]:
        daemons = need_commands(ceph_daemons.PACKAGES)
        steps: dict[str, tuple[Step, ...]] = dict.fromkeys(self.servers, (daemons,))
        for name in self.server_clients:
            steps[name] = (*steps[name], need_commands(ceph_daemons.FUSE))
        for name in self._nfs.served if self._nfs else ():
            steps[name] = (*steps[name], need_commands(nfs_export.SERVER_PACKAGES))
        steps |= dict.fromkeys(self._nfs_clients, (need_commands(nfs_export.CLIENT_PACKAGES),))
        return steps | dict.fromkeys(self._kernel_clients, (need_commands(ceph_daemons.KERNEL),))

    def _mtu(self) -> dict[str, tuple[Step, ...]]:
        """Set each requested MTU: every node checks it to the first server, which uses another."""
        public = {
            name: self.address(name)
            for name in (*self.servers, *self._kernel_clients, *self._nfs_clients)
        }
        apart = self.cluster.cluster_addresses
        first = self.servers[0]
        networks = [
            (
                self.network,
                dict.fromkeys(public, public[first]) | {first: public[self._kernel_clients[0]]},
            )
        ]
        if self.options.cluster_network:
            peers = dict.fromkeys(apart, apart[first]) | {first: apart[self.osd_hosts[-1]]}
            networks.append((self.options.cluster_network, peers))
        return self.mtu_steps(*networks)

    def _secret_steps(self, name: str) -> tuple[Step, ...]:
        """Servers have both secrets, to register the clients' key; clients have only theirs."""
        texts = (None, None) if self.options.secrets else LAB_SECRETS
        steps = [
            ceph_daemons.secret_step(path, text)
            for path, text in zip(self._secrets, texts, strict=True)
        ]
        if name in self.servers:
            return tuple(steps)
        key = ceph_daemons.client_key_step(self.cluster, self._secrets.clients, self._mounts.key)
        # Before any server stops its NFS service.
        return (ceph_nfs.no_client_step(self.directory), steps[1], key)

    def _mount(self) -> dict[str, tuple[Step, ...]]:
        """The mounts by kind of client.

        Storage servers that are no clients (any more) have no mount; those without NFS stop it.
        """
        mounts = self._mounts
        serves = self._nfs.served if self._nfs else ()
        by_fuse = tuple(mounts.fuse_steps(self._secrets.clients))
        steps = {
            name: (
                *(by_fuse if name in self.server_clients else (mounts.no_fuse_step(),)),
                *(() if name in serves else ceph_nfs.no_server_steps(self.study_id)),
            )
            for name in self.osd_hosts
        }
        if self._nfs:
            for name in self._nfs.clients:
                steps[name] = (*self._nfs.client_steps(name), remove_file(mounts.key))
        return steps | dict.fromkeys(self._kernel_clients, tuple(mounts.kernel_steps()))

    def _daemons(self) -> dict[str, tuple[Step, ...]]:
        steps: dict[str, tuple[Step, ...]] = {}
        for kind, names in (("mgr", self.managers), ("mds", self.metadata)):
            for name in names:
                daemon = ceph_daemons.daemon_steps(self.cluster, kind, name, self._secrets.servers)
                steps[name] = (*steps.get(name, ()), *daemon)
        return steps

    def _osd_steps(self, name: str, wipe: Wipe) -> list[Step]:
        erasable = wipe.get(name, frozenset())
        own_network = self.cluster.cluster_addresses.get(name)
        steps = [ceph_daemons.disk_owner_step(), ceph_daemons.cluster_network_step(own_network)]
        for osd in self.cluster.osds_of(name):
            steps += ceph_daemons.osd_steps(self.cluster, osd, self._secrets.servers, erasable)
        return steps

    def _files_step(self) -> Step:
        data = self.options.data
        redundancy = f"{data.k}+{data.m}" if data.k else f"{data.replicas} copies"
        return ceph_daemons.file_system_step(self.cluster, redundancy, data.placement_groups)

    def removal(self, wipe: Wipe) -> Plan:
        """The deployment in reverse order; data and OSD keys stay except on wiped devices."""
        cluster = self.cluster
        mounts = self._mounts
        devices = {name: set(self.site.nodes[name].devices) for name in self.osd_hosts}
        all_named = all(disks <= wipe.get(name, frozenset()) for name, disks in devices.items())
        no_keys = () if self.options.secrets else tuple(remove_file(path) for path in self._secrets)
        serves = dict.fromkeys(self.osd_hosts, ceph_nfs.no_server_steps(self.study_id))
        stages = [
            self._preflight_stage(),
            Stage(
                "unmount",
                dict.fromkeys(self._kernel_clients, (*mounts.kernel_removal(), *no_keys[1:]))
                | dict.fromkeys(
                    self._nfs_clients,
                    (*mounts.kernel_removal(), forget_read_ahead(self.study_id), *no_keys[1:]),
                )
                | dict.fromkeys(self.osd_hosts, (mounts.no_fuse_step(),)),
            ),
            Stage(
                "stop",
                {
                    name: (*serves.get(name, ()), ceph_daemons.stop_step(self._units(name)))
                    for name in self.servers
                },
            ),
            Stage(
                "remove the configuration",
                {
                    name: (
                        *ceph_daemons.forget_steps(
                            cluster, name, wipe.get(name, frozenset()), all_named=all_named
                        ),
                        *no_keys,
                    )
                    for name in self.servers
                },
            ),
        ]
        count = counted(len(self.osd_hosts), "server")
        return self.retired(f"take CephFS on {count} out of service", stages)

    def _units(self, name: str) -> list[str]:
        kinds = {"mds": self.metadata, "mgr": self.managers, "mon": self.monitors}
        others = [f"ceph-{kind}@{name}" for kind, names in kinds.items() if name in names]
        return [*others[:-1], *(osd.unit for osd in self.cluster.osds_of(name)), *others[-1:]]

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Drop the page caches of clients and servers, and the caches of OSDs.

        Any remaining cached reads show in the bytes on the wire. Clients stay mounted, because new
        sessions of sixteen clients take half a minute. Only ceph-fuse clients mount again.
        """
        # The first pass leaves pages that a processor has not yet added to its list.
        drop = command_step(
            "empty the page cache", None, "sync\n" + 2 * "echo 3 >/proc/sys/vm/drop_caches\n"
        )
        caches = ceph_daemons.tool(self.cluster, "caches")
        forget = command_step("empty the caches of the OSDs", None, caches)
        steps: dict[str, tuple[Step, ...]] = dict.fromkeys((*clients, *self.servers), (drop,))
        steps[self.monitors[0]] = (forget, drop)
        by_fuse = [name for name in clients if name in self.server_clients]
        again = Stage("mount again", dict.fromkeys(by_fuse, (self._mounts.mounted_again(),)))
        return self.planned("empty all caches", [again, Stage("empty all caches", steps)])

    # ---- prediction and description

    @property
    def storage(self) -> Storage:
        """The network of clients and servers."""
        return Storage(network=self.network)

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """Clients' links; servers' links, which copies and parity also cross; disks."""
        disks = {name: len(self.site.nodes[name].devices) for name in self.osd_hosts}
        by_nfs = [name for name in self.clients[:clients] if name in self._nfs_clients]
        others = [name for name in self.clients[:clients] if name not in by_nfs]
        networks = self.network, self.options.cluster_network
        crossed = ceph_path.resources(self.site, networks, self.options.data, disks, others)
        if self._nfs and by_nfs:
            nfs_path = self._nfs.resources(self.site, self.network, by_nfs)
            crossed = ceph_nfs.both(crossed, nfs_path) if others else nfs_path
        by_kernel = others and not local and set(others) <= set(self._kernel_clients)
        ahead = ceph_path.read_ahead(self.options.mount, self.options.data) if by_kernel else None
        used = tuple(item for item in crossed if not (local and item.hard))
        return DataPath(clients, used, ahead)

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report."""
        kernel = f"kernel client, {', '.join(self.options.mount)}"
        by_kernel = [kernel] if self._kernel_clients else []
        fuse = f"ceph-fuse on the storage servers {fold(self.server_clients)}"
        by_fuse = [fuse] if self.server_clients else []
        nfs = [("NFS", self._nfs.describe())] if self._nfs else []
        return [*self.cluster.describe(), ("mount", "; ".join([*by_kernel, *by_fuse])), *nfs]

    def daemon_logs(self, node: str) -> DaemonLogs:
        """The logs of Ceph daemons, of the NFS service, and of the cluster (on monitors)."""
        if node not in self.servers:
            return DaemonLogs()
        daemon_units = self._units(node)
        units = tuple(f"{unit}.service" for unit in daemon_units)
        files = tuple(f"{ceph_daemons.LOGS}/{unit.replace('@', '.')}.log" for unit in daemon_units)
        files += (ceph_status.LOG,) if node in self.monitors else ()
        serves_nfs = self._nfs is not None and node in self._nfs.served
        return DaemonLogs((*units, *(nfs_export.SERVER_UNITS if serves_nfs else ())), files)

    # ---- status and failover

    def status_command(self) -> str:
        """`ceph status`, which any monitor can answer."""
        return ceph_daemons.tool(self.cluster, "status")

    def status(self, node: str, answer: str) -> ClusterStatus:  # noqa: ARG002 - monitors agree
        """Health, OSDs, placement groups, quorum, metadata servers."""
        return ceph_status.read(answer, len(self.cluster.osds), self.monitors, self.metadata)

    def moments_command(self, since_boot_s: float) -> str:  # noqa: ARG002 - callers filter
        """The command that prints the cluster's log on a monitor."""
        return ceph_status.COMMAND

    def moments(self, node: str, answer: str) -> list[Moment]:
        """The log lines about lost daemons and takeovers."""
        return ceph_status.moments(node, answer)

    def switchover(self, service: str, to: str) -> Plan:
        """The active metadata server gives up its rank, and its standby takes over."""
        step = command_step(
            f"fail {service} over to {to} (ceph mds fail)",
            None,
            ceph_daemons.tool(self.cluster, "fail"),
        )
        return Plan(
            self.study_id, f"move {service} to {to}", (Stage("move", {self.monitors[0]: (step,)}),)
        )
