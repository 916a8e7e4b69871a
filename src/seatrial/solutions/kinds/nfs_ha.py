"""Solution `nfs-ha`: two servers with a shared array; one serves and the other takes over.

It consists of corosync and pacemaker with fencing, LVM volumes that one server at a time activates,
XFS, the kernel's NFS server with its state on the shared storage, and a floating address. Without
fencing the study is refused: two servers that both consider the other dead would write to one file
system.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from seatrial.basics.known import all_known
from seatrial.basics.units import counted
from seatrial.plan.data_path import (
    DataPath,
    LinkGroup,
    Resource,
    ResourceRole,
    disks,
    link_bytes_per_s,
    links,
    storage_paths,
)
from seatrial.plan.plan import Plan, Stage, Step, command_step, remove_file
from seatrial.plan.site import Site
from seatrial.solutions.base import ClusterStatus, DaemonLogs, Moment, Storage, Wipe, WriteLog
from seatrial.solutions.parts import (
    corosync,
    iscsi,
    iscsi_initiator,
    iscsi_target,
    journal,
    lvm,
    nfs_daemons,
    nfs_export,
    pacemaker,
    pacemaker_status,
    self_fencing,
    write_log,
)
from seatrial.solutions.parts.clocks import OneTime
from seatrial.solutions.parts.fencing import fence_devices, secret_removal, secret_steps
from seatrial.solutions.parts.iscsi_initiator import PathTimers
from seatrial.solutions.parts.nfs_clients import Mounts
from seatrial.solutions.parts.nfs_export import CLIENT_PACKAGES
from seatrial.solutions.parts.nfs_ha_options import Options, describe, read, warnings
from seatrial.solutions.parts.nfs_ha_timers import outage_timers
from seatrial.solutions.parts.nfs_service import (
    AGENT_PATH,
    NfsService,
    agent_step,
    keeps_away,
    prefers,
    reachable,
    volume_steps,
)
from seatrial.solutions.parts.raid import Array, MdSet, create_steps, remove_steps, wipe_steps
from seatrial.solutions.parts.shared_array import SharedArray
from seatrial.solutions.parts.steps import empty_page_cache, need_commands
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study
from seatrial.study.timers import Timer

PACKAGES = {
    "corosync": "corosync",
    "crm_mon": "pacemaker-cli-utils",
    "pacemakerd": "pacemaker",
    "vgchange": "lvm2",
    "mkfs.xfs": "xfsprogs",
    "exportfs": "nfs-kernel-server",
    "fence_ipmilan": "fence-agents",
    "flock": "util-linux",
}
"""command that a server of the pair needs -> its Debian package"""

STARTER = Starter("A highly available pair of NFS servers", "nfs_ha.yaml.j2")


def load(study: Study, site: Site) -> "NfsHa":
    """Read and check the options against the nodes."""
    options, servers, clients = read(study, site)
    return NfsHa(study.id, options, site, clients, servers)


@dataclass(frozen=True)
class NfsHa(OneTime):
    """The solution at a site; see `Solution`, `Clustered` and others in `solutions.base`."""

    options: Options
    servers: tuple[str, ...]

    # ---- components

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """The servers and the array's node."""
        return (*self.servers, self.options.array.node)

    @property
    def cluster_nodes(self) -> tuple[str, ...]:
        """The servers."""
        return self.servers

    fenced_nodes = cluster_nodes
    """each server is fenced by its peer"""

    @property
    def services(self) -> tuple[str, ...]:
        """One service, or two, one per server."""
        return tuple(self.options.services)

    @property
    def directories(self) -> dict[str, str]:
        """The mounts of a client by NFS version; with several services by service and version."""
        return self.mounts.directories

    @property
    def directory(self) -> str:
        """The mount point of the first mount."""
        return next(iter(self.directories.values()))

    @property
    def local_directory(self) -> str:
        """The path of the storage on the active server."""
        return self._services()[0].export_path

    @property
    def layout(self) -> Hashable:
        """The array and its volumes: a change of either loses the data."""
        return self.options.array.raid, self.options.arrays, self.services

    @property
    def raid(self) -> Array:
        """The array's disks."""
        array = self.options.array
        return Array.of(array.raid, self.study_id, self.site, array.node, self.options.arrays)

    @property
    def data_disks(self) -> dict[str, float]:
        """The data disks of the array, for all services together."""
        return {self.array_node: self.raid.data_disks}

    @property
    def array_node(self) -> str:
        """The node that acts as the array."""
        return self.options.array.node

    writes_node = array_node
    """the array counts the writes of each server"""

    def array_sets(self) -> Sequence[MdSet]:
        """One set, or the spans and the set on top of them."""
        return self.raid.sets()

    @property
    def array(self) -> SharedArray:
        """The array as seen by the servers."""
        timers = self.options.timers
        addresses = self.site.nodes[self.options.array.node].networks
        return SharedArray(
            self.study_id,
            self.options.array.node,
            self.raid,
            self.services,
            tuple(addresses[network] for network in self.options.array.networks),
            PathTimers(timers.path_probe_s, timers.path_replace_s),
            self.servers,
            (
                {server: str(number) for number, server in enumerate(self.servers, start=1)}
                if self.storage_fenced
                else {}
            ),
        )

    @property
    def timers(self) -> dict[str, Timer]:
        """The timers that determine an outage of its clients; docs/nfs-ha.md explains each one."""
        return outage_timers(self.options)

    @property
    def mounts(self) -> Mounts:
        """The mounts of each client."""
        sources = {item.name: f"{item.host}:{item.export_path}" for item in self._services()}
        return Mounts(
            self.study_id, sources, self.options.mount.versions, self.options.mount.options
        )

    def _services(self) -> list[NfsService]:
        options = self.options
        references = tuple(
            self.site.nodes[name].networks.get(options.public, name)
            for name in options.references or self.clients[:2]
        )
        return [
            NfsService(
                name=name,
                number=number,
                volume=f"st-{name}",
                directory=f"/srv/{self.study_id}/{name}",
                address=service.address,
                scope=self.study_id,
                options=options,
                servers=self.servers,
                references=references,
            )
            for number, (name, service) in enumerate(options.services.items(), start=1)
        ]

    def configuration(self) -> pacemaker.Configuration:
        """The configuration of pacemaker."""
        options = self.options
        timers = self.options.timers
        services = self._services()
        lightweight = options.agents == "lightweight"
        clones = []
        rules = [
            prefers(name, service.prefer)
            for name, service in options.services.items()
            if service.prefer
        ]
        if not lightweight and services[0].references:
            clones.append(reachable(services[0].references, timers.monitor_s))
            rules += [keeps_away(item.name) for item in services]
        fences = fence_devices(
            self.site, self.servers, options.fencing, timers.fence_limits, self.array
        )
        return pacemaker.Configuration(
            servers=self.servers,
            properties={
                "stonith-enabled": "true",
                "no-quorum-policy": "stop",
                "stonith-action": "reboot",
                "stonith-timeout": "60s",
                "cluster-recheck-interval": "60s",
                # How long a starting server looks for a coordinator before it proposes itself.
                "dc-deadtime": "5s",
                # nfsd threads that wait for disks count as load, and pacemaker would act later.
                "load-threshold": "1000%",
                "priority-fencing-delay": f"{timers.fence_delay_s}s",
            },
            defaults={
                "resource-stickiness": "100",
                "migration-threshold": "1",
                "failure-timeout": "120s",
                "priority": "1",
            },
            groups={
                item.name: item.lightweight() if lightweight else item.distribution()
                for item in services
            },
            clones=tuple(clones),
            fences=fences.devices,
            levels=fences.levels,
            rules=tuple(rules),
        )

    def path_devices(self) -> str:
        """The pattern of the disks of all paths' sessions to the first LUN."""
        return f"/dev/disk/by-path/ip-*-iscsi-{self.array.target}-lun-1"

    def path_networks(self) -> tuple[str, ...]:
        """The networks of the array."""
        return self.options.array.networks

    # ---- plans

    def plan(self, wipe: Wipe) -> Plan:
        """Create array, paths, volumes, cluster and services; mount on every client."""
        first = self.servers[0]
        array = self.options.array.node
        erasable = wipe.get(array, frozenset())
        lun_wipe = wipe.get(first, frozenset())
        devices = [(item, self.array.device(item.name)) for item in self._services()]
        volumes = [
            step
            for item, device in devices
            for step in volume_steps(item, device, device in lun_wipe or bool(erasable))
        ]
        member = (pacemaker.first_step(self.configuration()), *pacemaker.start_steps(self.servers))
        packages = dict.fromkeys(self.servers, (need_commands(PACKAGES),))
        array_steps = (
            *wipe_steps(self.raid, erasable),
            *create_steps(self.raid),
            *self.array.array_steps(),
        )
        stages = [
            Stage("packages", packages | self.each_client(need_commands(CLIENT_PACKAGES))),
            Stage("array", {array: array_steps}),
            Stage(
                "storage paths",
                {server: tuple(self.array.server_steps(server)) for server in self.servers},
            ),
            Stage("servers", dict.fromkeys(self.servers, tuple(self._server_steps()))),
            Stage("volumes", {first: tuple(volumes)}),
            Stage("members", dict.fromkeys(self.servers, member)),
            Stage(
                "services",
                {first: tuple(pacemaker.configuration_steps(self.configuration(), self._folder()))},
            ),
            Stage("mount", self.each_client(*self.mounts.steps())),
        ]
        title = (
            f"highly available NFS on {' and '.join(self.servers)} for"
            f" {counted(len(self.clients), 'client')}"
        )
        generated = (
            corosync.key(self.study_id, self.servers),
            iscsi.account(self.study_id, (array, *self.servers)),
        )
        warned = warnings(self.options, hosts=not self.site.traits.is_emulated)
        return replace(self.planned(title, self.with_clocks(stages), warned), generated=generated)

    def _folder(self) -> str:
        return f"/etc/seatrial/{self.study_id}"

    def _server_steps(self) -> list[Step]:
        options = self.options
        timers = self.options.timers
        rings = [
            {server: self.site.nodes[server].networks[network] for server in self.servers}
            for network in options.heartbeat
        ]
        text = corosync.configuration(
            self.study_id, self.servers, rings, timers.token_ms, timers.wait_for_all
        )
        devices = [self.array.device(name) for name in self.services]
        services = self._services()
        addresses = {item.name: item.host for item in services}
        return [
            *lvm.steps(self.study_id, devices),
            *nfs_daemons.steps(self.study_id, options.export.threads, timers.lease_s, addresses),
            *(
                [agent_step()]
                if options.agents == "lightweight"
                else nfs_daemons.distribution_steps(self.study_id)
            ),
            *(
                command_step(f"create the directory {path}", f"[ -d {path} ]", f"mkdir -p {path}")
                for path in (item.directory for item in services)
            ),
            *self_fencing.steps(
                [item.directory for item in services],
                [item.volume for item in services],
                timers.watchdog_s,
            ),
            *corosync.steps(text),
            *secret_steps(self.site, self.servers),
        ]

    def removal(self, wipe: Wipe) -> Plan:
        """The deployment in reverse order; data stay on the array except on wiped disks."""
        array = self.options.array.node
        leave = (
            pacemaker.stop_step(self._folder()),
            *secret_removal(self.site, self.servers),
            *corosync.removal(self.study_id),
        )
        forget = (
            *self_fencing.removal(),
            *nfs_daemons.removal(self.study_id, self.services),
            remove_file(AGENT_PATH),
            *lvm.removal(self.study_id),
        )
        stages = [
            Stage("unmount", self.each_client(*self.mounts.removal())),
            Stage("leave the cluster", dict.fromkeys(self.servers, leave)),
            Stage("servers", dict.fromkeys(self.servers, forget)),
            Stage(
                "storage paths",
                {server: tuple(self.array.server_removal(server)) for server in self.servers},
            ),
            Stage(
                "array",
                {
                    array: (
                        *self.array.array_removal(),
                        *remove_steps(self.raid, wipe.get(array, frozenset())),
                    )
                },
            ),
        ]
        return self.retired(f"take {' and '.join(self.servers)} out of service", stages)

    def empty_caches(self, clients: Sequence[str]) -> Plan:  # noqa: ARG002 - NFSv4 keeps state of all of them
        """Unmount all clients, restart the services, mount (the 2012 paper, lines 501-510)."""
        names = self.services
        title = f"stop {', '.join(names)}, empty the server caches, start again"
        stopped = command_step(title, None, pacemaker.stop_and_start(names))
        forget = empty_page_cache("empty the server cache")
        stages = (
            Stage("unmount", self.each_client(*self.mounts.unmount_steps())),
            Stage("stop and start the services", {self.servers[0]: (stopped,)}),
            Stage("empty the server cache", dict.fromkeys(self.storage_nodes, (forget,))),
            Stage("mount", self.each_client(*self.mounts.mount_steps())),
        )
        return Plan(self.study_id, "empty all caches", stages)

    def drop_caches(self, clients: Sequence[str]) -> Plan:
        """Write back and drop all clean pages, on the clients first; the services keep running."""
        drop = empty_page_cache()
        stages = (
            Stage("clients", dict.fromkeys(clients, (drop,))),
            Stage("servers", dict.fromkeys(self.servers, (drop,))),
            Stage("array", {self.options.array.node: (drop,)}),
        )
        return Plan(self.study_id, "drop all caches", stages)

    # ---- prediction and description

    @property
    def storage(self) -> Storage:
        """The array's RAID, whether the export is async, and the clients' network."""
        is_async = self.options.export.mode == "async"
        return Storage(self.options.array.raid, is_async, network=self.options.public)

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """Client links, the active server's public link, its storage paths, the array's disks."""
        used_clients = self.clients[:clients]
        crossed = (
            LinkGroup(ResourceRole.CLIENT_LINKS, "client links", used_clients, self.servers),
            LinkGroup(ResourceRole.SERVER_LINKS, "server link", self.servers[:1], used_clients),
        )
        between = [] if local else links(self.site, self.options.public, crossed)
        raid = self.raid.first_part  # that of one service
        readers = raid.reading_disks(skips_parity=self.site.traits.skips_parity)
        array_disks = disks(self.site, [self.array_node], readers, raid.data_disks)
        return DataPath(clients, (*between, *self._storage_paths(), *array_disks))

    def _storage_paths(self) -> list[Resource]:
        """All paths of the active server, used in turns; its memory buffers clients' writes."""
        active = self.servers[0]
        networks = self.options.array.networks
        rates = all_known([link_bytes_per_s(self.site, active, name) for name in networks])
        if rates is None:
            return []
        return [storage_paths(self.site, active, sum(rates), sum(rates))]

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report, with the chosen settings."""
        addresses = {item.name: item.address for item in self._services()}
        return describe(self.options, self.raid, addresses)

    # ---- status and failover

    def status_command(self) -> str:
        """The command that prints the state; it exits with 0 when the cluster answers."""
        return "crm_mon --one-shot --output-as=xml"

    def status(self, node: str, answer: str) -> ClusterStatus:
        """The cluster as `node` sees it."""
        return pacemaker_status.read(answer, self.servers, self.services, node)

    def daemon_logs(self, node: str) -> DaemonLogs:
        """On servers: cluster, agents, NFS and iSCSI sessions; on the array: its target."""
        if node in self.servers:
            server_units = (*pacemaker.UNITS, *nfs_export.SERVER_UNITS, *iscsi_initiator.UNITS)
            return DaemonLogs(server_units, pacemaker.LOGS)
        return DaemonLogs(iscsi_target.UNITS) if node == self.options.array.node else DaemonLogs()

    def moments_command(self, since_boot_s: float) -> str:
        """The command that prints the journal of corosync, pacemaker and the kernel."""
        return journal.command(since_boot_s, pacemaker_status.REPORTED)

    def moments(self, node: str, answer: str) -> list[Moment]:
        """The log lines about a takeover."""
        return pacemaker_status.moments(node, answer, self.services)

    @property
    def storage_fenced(self) -> bool:
        """Whether fencing revokes a server's right to write at the array."""
        return any("reservation" in level for level in self.options.fencing)

    def writes_command(self) -> str:
        """The command that reads the target's counters repeatedly."""
        return write_log.command(self.array.target)

    def writes(self, lines: Sequence[str]) -> WriteLog:
        """The writes by server and service."""
        initiators = {self.array.initiator(server): server for server in self.servers}
        return write_log.read(
            lines, initiators, {str(lun): name for lun, name in enumerate(self.services, start=1)}
        )

    def switchover(self, service: str, to: str) -> Plan:
        """Move the service and leave no rule that would keep it on the new server."""
        other = next(server for server in self.servers if server != to)
        return Plan(
            self.study_id,
            f"move {service} to {to}",
            (Stage("move", {other: (pacemaker.move_step(service, to),)}),),
        )

    def restore(self, node: str) -> Plan:
        """Make the repaired server a member again and clear recorded failures."""
        key = self.array.key_step(node)
        # Recorded failures keep services and fence devices away from the server.
        forget = command_step("clear the recorded failures", None, "crm_resource --cleanup")
        steps = (*pacemaker.start_steps(self.servers), *([key] if key else []), forget)
        return Plan(self.study_id, f"{node} is healthy again", (Stage("restore", {node: steps}),))
