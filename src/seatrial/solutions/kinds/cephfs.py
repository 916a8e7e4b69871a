"""Solution `cephfs`: a file system striped over many servers' disks, in the role of GPFS with its storage servers.

Debian's packages, without containers: monitors, managers, metadata servers and an OSD on each disk, on the same few
servers; the kernel's client on all others, and ceph-fuse on servers that are to be clients, too. The plan says every
time and size that a trial rests on in ceph.conf.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from seatrial.basics.node_sets import expand, fold
from seatrial.basics.schema import validate
from seatrial.basics.units import counted
from seatrial.plan.data_path import DataPath
from seatrial.plan.plan import Plan, Stage, Step, remove_file
from seatrial.plan.site import Site
from seatrial.solutions.base import ClusterStatus, DaemonLogs, Moment, Wipe, options_data
from seatrial.solutions.parts import ceph_daemons, ceph_nfs, ceph_options, ceph_path, ceph_status, nfs_export
from seatrial.solutions.parts.at_site import OneNetwork
from seatrial.solutions.parts.ceph_clients import Clients
from seatrial.solutions.parts.ceph_cluster import ADMIN, Cluster
from seatrial.solutions.parts.ceph_nfs import NfsBeside
from seatrial.solutions.parts.ceph_options import Options
from seatrial.solutions.parts.checks import check_mount_options, check_no_ipv6
from seatrial.solutions.parts.nfs_export import forget_read_ahead
from seatrial.solutions.parts.steps import need_commands
from seatrial.study.study import Study
from seatrial.study.timers import Timer

# The nodes of a lab are reached from inside the lab only: these are no secrets there.
LAB_SECRETS = ("seatrial-lab-servers-seatrial-lab-servers", "seatrial-lab-clients-seatrial-lab-clients")


def load(study: Study, site: Site) -> "CephFs":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    check_no_ipv6(study, site, "cephfs")
    disks = tuple(name for name, node in site.nodes.items() if node.devices)
    servers = expand(options.servers) if options.servers else disks
    monitors = expand(options.monitors) if options.monitors else servers[: ceph_options.HOSTS_LEAST]
    managers = expand(options.managers) if options.managers else monitors[:2]
    metadata = expand(options.metadata) if options.metadata else monitors[-2:]
    taken = {*servers, *monitors, *managers, *metadata, *disks}
    apart = expand(options.nfs.clients) if options.nfs else ()
    rest = tuple(name for name in site.nodes if name not in {*taken, *apart})
    clients = expand(options.clients) if options.clients else rest
    beside = expand(options.server_clients) if options.server_clients else ()
    everyone = {
        "servers": servers,
        "monitors": monitors,
        "managers": managers,
        "metadata": metadata,
        "clients": clients,
        "server_clients": beside,
        "nfs": (*(expand(options.nfs.servers) if options.nfs else ()), *apart),
    }
    for key, names in everyone.items():
        ceph_options.check_nodes(study, site, options, key, names)
    if options.nfs:
        ceph_nfs.check(study, options.nfs, servers, (*taken, *clients))
    ceph_options.check_width(study, options, len(servers))
    ceph_options.check_cluster_network(study, site, options, servers)
    if len(monitors) not in (1, 3, 5):
        raise study.mistake(
            ("solution", "monitors"), f"{len(monitors)} monitors: 1, 3 or 5 have a majority that is worth its nodes"
        )
    ceph_options.check_clients(study, site, everyone)
    if options.secrets is None and site.kind != "uml":
        raise study.mistake(
            ("solution",), "on real hosts say where the keys are made from: secrets: {servers: FILE, clients: FILE}"
        )
    check_mount_options(study, ("solution", "mount"), options.mount, ceph_options.RESERVED_OPTIONS)
    # Those beside come first, by NFS before all: an experiment with as many clients runs on them alone.
    every = (*apart, *beside, *clients)
    return CephFs(study.id, options, site, every, servers, monitors, managers, metadata, beside)


@dataclass(frozen=True)
class CephFs(OneNetwork):
    """The solution at a site; see `solutions.base.Solution` and `Clustered` and its siblings there."""

    options: Options
    osd_hosts: tuple[str, ...]
    monitors: tuple[str, ...]
    managers: tuple[str, ...]
    metadata: tuple[str, ...]
    server_clients: tuple[str, ...]
    """storage servers that are clients, too"""

    # ---- what it consists of

    @property
    def servers(self) -> tuple[str, ...]:
        """Storage servers first, then what only has other daemons."""
        return tuple(dict.fromkeys((*self.osd_hosts, *self.monitors, *self.managers, *self.metadata)))

    @property
    def data_disks(self) -> dict[str, float]:
        """Every OSD, but for the share that further copies or parity parts take."""
        data = self.options.data
        share = (data.k or 1) / data.width
        return {name: len(self.site.nodes[name].devices) * share for name in self.osd_hosts}

    storage_nodes = servers
    """all of them"""

    services = (ceph_status.METADATA,)
    """the file system's metadata server moves; data are on all servers at once"""

    @property
    def service_servers(self) -> tuple[str, ...]:
        """The nodes with a metadata server."""
        return self.metadata

    @property
    def cluster_nodes(self) -> tuple[str, ...]:
        """The monitors know."""
        return self.monitors

    packages = ceph_daemons.DEBIAN
    """all that any node of any study needs, so that there is one image for them"""

    @property
    def client_kinds(self) -> dict[str, str]:
        """Those on storage servers have another client than all others, and some have NFS."""
        beside = dict.fromkeys(self.server_clients, "server") | dict.fromkeys(self._nfs_clients, "nfs")
        return {name: beside.get(name, "client") for name in self.clients}

    @property
    def client_groups(self) -> list[tuple[str, ...]]:
        """Those of each NFS server, and those of the Ceph file system."""
        return [*(self._nfs.served.values() if self._nfs else ()), (*self.server_clients, *self._kernel_clients)]

    @property
    def timers(self) -> dict[str, Timer]:
        """What an outage is made of, by name."""
        beside = {"grace": self.options.nfs.export.grace} if self.options.nfs else {}
        between = self.options.cluster_network or self.network
        rates = [self.site.nodes[name].link_rates_bytes_per_s.get(between) for name in self.osd_hosts]
        return {**self.options.timers.by_name(), "recovery": self.cluster.recovery_timer(rates), **beside}

    @property
    def layout(self) -> Hashable:
        """With other servers or another code, the data are gone; a min_size can be changed while they are used."""
        data = self.options.data
        return self.osd_hosts, self.monitors, data.replicas, data.k, data.m, data.placement_groups, data.object

    def osd_disks(self) -> dict[int, tuple[str, str]]:
        """OSD's number -> its node and its device."""
        return {osd.number: (osd.server, osd.device) for osd in self.cluster.osds}

    @property
    def cluster(self) -> Cluster:
        """Its names and its configuration."""
        nodes, apart = self.site.nodes, self.options.cluster_network
        return Cluster(
            self.study_id,
            self.options,
            {name: self.address(name) for name in self.servers},
            {name: nodes[name].devices for name in self.osd_hosts},
            self.monitors,
            self.managers,
            self.metadata,
            min(nodes[name].memory_bytes for name in self.servers) if self.site.kind == "uml" else None,
            {name: nodes[name].networks[apart] for name in self.osd_hosts} if apart else {},
            self.options.recovery_at_once or (1 if self.site.kind == "uml" else None),
        )

    @property
    def _secrets(self) -> tuple[str, str]:
        """The files of the servers' secret and of the clients'."""
        said = self.options.secrets
        return (said.servers, said.clients) if said else (f"{self._own}.servers", f"{self._own}.clients")

    @property
    def _own(self) -> str:
        return f"/etc/seatrial/{self.study_id}.ceph"

    @property
    def _mounts(self) -> Clients:
        return Clients(self.cluster, self.directory, self._own)

    @property
    def _kernel_clients(self) -> tuple[str, ...]:
        return tuple(name for name in self.clients if name not in (*self.server_clients, *self._nfs_clients))

    @property
    def _nfs(self) -> NfsBeside | None:
        if self.options.nfs is None:
            return None
        names = (*expand(self.options.nfs.servers), *expand(self.options.nfs.clients))
        addresses = {name: self.address(name) for name in names}
        return NfsBeside(self.study_id, self.options.nfs, addresses, self.directory)

    @property
    def _nfs_clients(self) -> tuple[str, ...]:
        return self._nfs.clients if self._nfs else ()

    def memory_needed(self, node: str) -> tuple[int, str] | None:
        """For OSDs and the metadata server's cache."""
        return self.cluster.memory_needed(node)

    # ---- plans

    def plan(self, wipe: Wipe) -> Plan:
        """Look, packages, keys, monitors, managers and metadata servers, OSDs, pools, mounts."""
        cluster, first = self.cluster, self.monitors[0]
        admin = ceph_daemons.keyring_step(
            "store the administrator key, readable by root only",
            ADMIN,
            "root",
            self._secrets[0],
            "client.admin",
        )
        # Every OSD has its number before it starts.
        check, register = (ceph_daemons.tool(cluster, what) for what in ("osds-check", "osds"))
        stages = [
            self._look(),
            Stage("packages", self._packages()),
            Stage("network", self._mtu()),
            Stage("secrets", {name: self._secret_steps(name) for name in (*self.servers, *self._kernel_clients)}),
            Stage("configuration", dict.fromkeys(self.servers, (*ceph_daemons.common_steps(cluster), admin))),
            Stage(
                "monitors",
                {name: tuple(ceph_daemons.monitor_steps(cluster, name, self._secrets)) for name in self.monitors},
            ),
            Stage("OSD registration", {first: (Step("register every OSD", check, register),)}),
            Stage("managers and metadata servers", self._daemons()),
            Stage("OSDs", {name: tuple(self._osd_steps(name, wipe)) for name in self.osd_hosts}),
            Stage("file system", {first: (self._files_step(),)}),
            Stage("NFS", {name: self._nfs.server_steps(name) for name in self._nfs.served} if self._nfs else {}),
            Stage("mount", self._mount()),
        ]
        title = f"CephFS on {counted(len(self.osd_hosts), 'storage server')} for {counted(len(self.clients), 'client')}"
        plan = self.planned(title, stages, self._warnings())
        return plan if self.options.secrets else replace(plan, secrets=LAB_SECRETS)

    def _look(self) -> Stage:
        return Stage("preflight check", dict.fromkeys(self.servers, (ceph_daemons.look_step(self.cluster),)))

    def _packages(self) -> dict[str, tuple[Step, ...]]:
        found: dict[str, tuple[Step, ...]] = dict.fromkeys(self.servers, (need_commands(ceph_daemons.PACKAGES),))
        for name in self.server_clients:
            found[name] = (*found[name], need_commands(ceph_daemons.FUSE))
        for name in self._nfs.served if self._nfs else ():
            found[name] = (*found[name], need_commands(nfs_export.SERVER_PACKAGES))
        found |= dict.fromkeys(self._nfs_clients, (need_commands(nfs_export.CLIENT_PACKAGES),))
        return found | dict.fromkeys(self._kernel_clients, (need_commands(ceph_daemons.KERNEL),))

    def _mtu(self) -> dict[str, tuple[Step, ...]]:
        """Each towards the first server, and that one towards another, on each network whose MTU is asked for."""
        public = {name: self.address(name) for name in (*self.servers, *self._kernel_clients, *self._nfs_clients)}
        apart, first = self.cluster.cluster_addresses, self.servers[0]
        networks = [(self.network, dict.fromkeys(public, public[first]) | {first: public[self._kernel_clients[0]]})]
        if self.options.cluster_network:
            peers = dict.fromkeys(apart, apart[first]) | {first: apart[self.osd_hosts[-1]]}
            networks.append((self.options.cluster_network, peers))
        return self.mtu_steps(*networks)

    def _secret_steps(self, name: str) -> tuple[Step, ...]:
        """Servers have both, as they make the clients' key known; a client never has the servers'."""
        texts = (None, None) if self.options.secrets else LAB_SECRETS
        steps = [ceph_daemons.secret_step(path, text) for path, text in zip(self._secrets, texts, strict=True)]
        if name in self.servers:
            return tuple(steps)
        key = ceph_daemons.client_key_step(self.cluster, self._secrets[1], self._mounts.key)
        # Before any server stops to serve NFS.
        return (ceph_nfs.no_client_step(self.directory), steps[1], key)

    def _mount(self) -> dict[str, tuple[Step, ...]]:
        """By kind of client; a storage server that is none (any more) has no mount, and one without NFS serves none."""
        mounts, serves = self._mounts, self._nfs.served if self._nfs else ()
        by_fuse = tuple(mounts.fuse_steps(self._secrets[1]))
        found = {
            name: (
                *(by_fuse if name in self.server_clients else (mounts.no_fuse_step(),)),
                *(() if name in serves else ceph_nfs.no_server_steps(self.study_id)),
            )
            for name in self.osd_hosts
        }
        if self._nfs:
            found |= {name: (*self._nfs.client_steps(name), remove_file(mounts.key)) for name in self._nfs.clients}
        return found | dict.fromkeys(self._kernel_clients, tuple(mounts.kernel_steps()))

    def _daemons(self) -> dict[str, tuple[Step, ...]]:
        found: dict[str, tuple[Step, ...]] = {}
        for kind, names in (("mgr", self.managers), ("mds", self.metadata)):
            for name in names:
                found[name] = (
                    *found.get(name, ()),
                    *ceph_daemons.daemon_steps(self.cluster, kind, name, self._secrets[0]),
                )
        return found

    def _osd_steps(self, name: str, wipe: Wipe) -> list[Step]:
        named = wipe.get(name, frozenset())
        apart = ceph_daemons.cluster_network_step(self.cluster.cluster_addresses.get(name))
        steps = [ceph_daemons.disk_owner_step(), apart]
        for osd in self.cluster.osds_of(name):
            steps += ceph_daemons.osd_steps(self.cluster, osd, self._secrets[0], named)
        return steps

    def _files_step(self) -> Step:
        data = self.options.data
        code = f"{data.k}+{data.m}" if data.k else f"{data.replicas} copies"
        check = ceph_daemons.tool(self.cluster, "files-check")
        return Step(
            f"create the file system with {code} and {data.placement_groups} active placement groups",
            check,
            ceph_daemons.tool(self.cluster, "files"),
            reason="objects of this size on so many placement groups spread evenly over the servers",
            shows=check,
        )

    def _warnings(self) -> list[str]:
        found = []
        data = self.options.data
        if data.width - (data.k or 1) == 0:
            found.append("There is one copy of every object: what is on a disk that fails is gone.")
        if data.least <= (data.k or 1) < data.width:
            found.append(
                f"min_size is {data.least}: after the loss of all redundancy clients go on to write, and what they "
                "write then is lost with one more disk."
            )
        if self.options.nfs and self.options.nfs.export.mode == "async":
            found.append("The NFS export is async: if its server fails, what it has acknowledged is lost.")
        if len(self.monitors) == 1:
            found.append(f"There is one monitor: without {self.monitors[0]} nothing goes on.")
        if self.options.timers.preset == "fast":
            found.append("Servers are given up sooner than by Ceph's defaults: on a busy network that may be too soon.")
        return found

    def removal(self, wipe: Wipe) -> Plan:
        """The plan backwards; data stay on the disks, and what they need beside them, unless the devices are named."""
        cluster, mounts = self.cluster, self._mounts
        all_named = all(set(self.site.nodes[it].devices) <= wipe.get(it, frozenset()) for it in self.osd_hosts)
        own = () if self.options.secrets else tuple(remove_file(path) for path in self._secrets)
        serves = dict.fromkeys(self.osd_hosts, ceph_nfs.no_server_steps(self.study_id))
        stages = [
            self._look(),
            Stage(
                "unmount",
                dict.fromkeys(self._kernel_clients, (*mounts.kernel_removal(), *own[1:]))
                | dict.fromkeys(
                    self._nfs_clients, (*mounts.kernel_removal(), forget_read_ahead(self.study_id), *own[1:])
                )
                | dict.fromkeys(self.osd_hosts, (mounts.no_fuse_step(),)),
            ),
            Stage(
                "stop",
                {name: (*serves.get(name, ()), ceph_daemons.stop_step(self._units(name))) for name in self.servers},
            ),
            Stage(
                "remove the configuration",
                {
                    name: (
                        *ceph_daemons.forget_steps(cluster, name, wipe.get(name, frozenset()), all_named=all_named),
                        *own,
                    )
                    for name in self.servers
                },
            ),
        ]
        return self.planned(f"take CephFS on {counted(len(self.osd_hosts), 'server')} out of service", stages)

    def _units(self, name: str) -> list[str]:
        kinds = {"mds": self.metadata, "mgr": self.managers, "mon": self.monitors}
        others = [f"ceph-{kind}@{name}" for kind, names in kinds.items() if name in names]
        return [*others[:-1], *(osd.unit for osd in self.cluster.osds_of(name)), *others[-1:]]

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Kernels of clients and servers and OSDs forget; what was read in spite of it, the bytes on the wire tell.

        Nobody leaves the file system: sessions that end and begin again take sixteen clients half a minute.
        """
        # The first pass leaves pages that a processor has not yet put on its list.
        drop = Step("empty the page cache", None, "sync\n" + 2 * "echo 3 >/proc/sys/vm/drop_caches\n")
        forget = Step("empty the caches of the OSDs", None, ceph_daemons.tool(self.cluster, "caches"))
        everyone: dict[str, tuple[Step, ...]] = dict.fromkeys((*clients, *self.servers), (drop,))
        everyone[self.monitors[0]] = (forget, drop)
        by_fuse = [name for name in clients if name in self.server_clients]
        again = Stage("mount again", dict.fromkeys(by_fuse, (self._mounts.mounted_again(),)))
        return self.planned("empty all caches", [again, Stage("empty all caches", everyone)])

    # ---- prediction and description

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """Clients' links; servers' links, which copies and parts cross once more; disks."""
        disks = {name: len(self.site.nodes[name].devices) for name in self.osd_hosts}
        by_nfs = [name for name in self.clients[:clients] if name in self._nfs_clients]
        own = [name for name in self.clients[:clients] if name not in by_nfs]
        networks = self.network, self.options.cluster_network
        crossed = ceph_path.resources(self.site, networks, self.options.data, disks, own) if own else []
        if self._nfs and by_nfs:
            beside = self._nfs.resources(self.site, self.network, by_nfs)
            crossed = ceph_nfs.both(crossed, beside) if own else beside
        by_kernel = own and not local and set(own) <= set(self._kernel_clients)
        ahead = ceph_path.read_ahead(self.options.mount, self.options.data) if by_kernel else None
        return DataPath(clients, tuple(item for item in crossed if not (local and item.hard)), ahead)

    def parts(self) -> list[tuple[str, str]]:
        """What was built."""
        by_kernel = [f"kernel client, {', '.join(self.options.mount)}"] if self._kernel_clients else []
        by_fuse = [f"ceph-fuse on the storage servers {fold(self.server_clients)}"] if self.server_clients else []
        beside = [("NFS beside", self._nfs.describe())] if self._nfs else []
        return [*self.cluster.describe(), ("mount", "; ".join([*by_kernel, *by_fuse])), *beside]

    def daemon_logs(self, node: str) -> DaemonLogs:
        """Of its Ceph daemons, and of NFS where it serves that, too; each monitor has the cluster's own log."""
        if node not in self.servers:
            return DaemonLogs()
        named = self._units(node)
        units = tuple(f"{unit}.service" for unit in named)
        files = tuple(f"{ceph_daemons.LOGS}/{unit.replace('@', '.')}.log" for unit in named)
        files += (ceph_status.LOG,) if node in self.monitors else ()
        serves_nfs = self._nfs is not None and node in self._nfs.served
        return DaemonLogs((*units, *(nfs_export.SERVER_UNITS if serves_nfs else ())), files)

    # ---- what moves

    def status_command(self) -> str:
        """`ceph status`, of any monitor."""
        return ceph_daemons.tool(self.cluster, "status")

    def status(self, node: str, answer: str) -> ClusterStatus:  # noqa: ARG002 - all monitors of a quorum say the same
        """Health, OSDs, placement groups, quorum, metadata servers."""
        return ceph_status.read(answer, len(self.cluster.osds), self.monitors, self.metadata)

    def moments_command(self, since_boot_s: float) -> str:  # noqa: ARG002 - what is older is left out by who asks
        """The cluster's log, of its monitors."""
        return ceph_status.COMMAND

    def moments(self, node: str, answer: str) -> list[Moment]:
        """Who was missed, and who took over."""
        return ceph_status.moments(node, answer)

    def switchover(self, service: str, to: str) -> Plan:
        """The active metadata server gives up its rank; its standby takes it."""
        step = Step(
            f"fail {service} over to {to} (ceph mds fail)",
            None,
            ceph_daemons.tool(self.cluster, "fail"),
        )
        return Plan(self.study_id, f"move {service} to {to}", (Stage("move", {self.monitors[0]: (step,)}),))
