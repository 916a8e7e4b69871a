"""Solution `gfs2-iscsi`: a file system shared by the compute nodes, on a group of iSCSI arrays.

There is no file server. Every node is an initiator of every member (array), and a member of the
cluster. corosync keeps the membership, the distributed lock manager grants access, fence_ipmilan
fences lost nodes, and LVM stripes GFS2 over the arrays. Without fencing the study is refused: a
node that has only hung could still write while the others replay its journal. With `block_servers`
two nodes access each array and export its volumes to the others (GPFS's NSD topology).
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from seatrial.basics.errors import Refused
from seatrial.basics.node_sets import expand
from seatrial.basics.schema import validate
from seatrial.plan.data_path import DataPath, disks
from seatrial.plan.plan import Generated, Plan, Stage, Step
from seatrial.plan.site import Site, SiteBmc
from seatrial.solutions.base import ClusterStatus, DaemonLogs, Moment, Storage, Wipe, options_data
from seatrial.solutions.parts import (
    corosync,
    dlm,
    gfs2_path,
    gfs2_status,
    iscsi,
    iscsi_initiator,
    iscsi_target,
    journal,
)
from seatrial.solutions.parts.array_group import ArrayGroup, Member, RawVolume, Volume, in_turns
from seatrial.solutions.parts.block_servers import BlockServers, PairedVolume
from seatrial.solutions.parts.clocks import OneTime
from seatrial.solutions.parts.gfs2_options import Options, check_nodes, warnings_of
from seatrial.solutions.parts.gfs2_volume import PACKAGES, Gfs2Volume, see_partitions
from seatrial.solutions.parts.iscsi_initiator import Initiator, PathTimers
from seatrial.solutions.parts.raid import Array, create_steps, remove_steps, wipe_steps
from seatrial.solutions.parts.steps import empty_page_cache, need_commands
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study
from seatrial.study.timers import Timer

STARTER = Starter("A cluster file system on a group of iSCSI arrays", "gfs2_iscsi.yaml.j2")


def load(study: Study, site: Site) -> "Gfs2Iscsi":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    members = expand(options.members)
    spare = expand(options.spare_members) if options.spare_members else ()
    taken = {*members, *spare, *options.servers}
    rest = tuple(name for name in site.nodes if name not in taken and not site.nodes[name].devices)
    nodes = expand(options.nodes) if options.nodes else rest
    check_nodes(study, site, options, (*members, *spare), nodes)
    return Gfs2Iscsi(study.id, options, site, nodes, members, spare)


@dataclass(frozen=True)
class Gfs2Iscsi(OneTime):
    """The solution at a site; see `solutions.base.Solution`."""

    options: Options
    members: tuple[str, ...]
    """the arrays that hold the file system"""
    spare: tuple[str, ...]

    # ---- components

    @property
    def servers(self) -> tuple[str, ...]:
        """The targets of the nodes' sessions."""
        return self.options.servers or self.members

    @property
    def block_servers(self) -> BlockServers | None:
        """The block servers between arrays and nodes; None without."""
        options = self.options
        if not options.pairs:
            return None
        networks = {name: node.networks for name, node in self.site.nodes.items()}
        return BlockServers(
            self.study_id,
            options,
            tuple(
                PairedVolume(self.study_id, item.member, item.name) for item in self.group.shared
            ),
            {name: networks[name][options.array_network] for name in self.members}
            | {name: networks[name][options.storage] for name in options.servers},
            self.clients,
            server_card=self._card(options.array_network),
            node_card=self._node_card,
        )

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """All nodes: none only mounts."""
        return tuple(dict.fromkeys((*self.servers, *self.members, *self.spare, *self.clients)))

    @property
    def cluster_nodes(self) -> tuple[str, ...]:
        """The compute nodes."""
        return self.clients

    fenced_nodes = cluster_nodes
    """dlm_controld fences any lost node"""
    rename_again = ("ESTALE",)
    """The kernel did not get the locks of both directories and the file in time.

    fs/gfs2/glock.c, gfs2_glock_async_wait(), since Linux 5.4: nodes that rename across each other's
    directories must not deadlock. A rename therefore waits for its locks at most twice as long as
    each was last held, and then releases all of them. The kernel itself retries once
    (fs/namei.c, retry_estale()); then the caller gets the error.
    """

    @property
    def timers(self) -> dict[str, Timer]:
        """The timers that determine an outage of its nodes, by name."""
        return self.options.timers.by_name()

    @property
    def layout(self) -> Hashable:
        """Members and their RAID sets: a change of either loses the data."""
        options = self.options
        volumes = options.stripe, options.journals, options.journal_size
        raw = options.raw_volumes, options.raw_volume, options.raw_tasks
        return self.members, options.raid, volumes, raw, options.luns_per_array, bool(options.pairs)

    @property
    def data_disks(self) -> dict[str, float]:
        """The data disks of each member's array; the file system is striped over all of them."""
        return {name: self._member(name).array.data_disks for name in self.members}

    @property
    def group(self) -> ArrayGroup:
        """The group of all members."""
        return self._group_of(self.members)

    def _group_of(self, members: Sequence[str]) -> ArrayGroup:
        loaded = tuple(self._member(name) for name in members)
        return ArrayGroup(self.study_id, loaded, self.clients, self.options)

    def _member(self, name: str) -> Member:
        node = self.site.nodes[name]
        options = self.options
        array = Array.of(options.raid, self.study_id, self.site, name)
        portal = node.networks[options.array_network if options.pairs else options.storage]
        return Member(self.study_id, name, portal, array, options)

    def _card(self, network: str) -> str | None:
        """The network card; a lab names its cards after the study's networks."""
        return network if self.site.traits.names_cards else None

    @property
    def _node_card(self) -> str | None:
        return self.options.interface or self._card(self.options.storage)

    def _initiator(self, node: str, group: ArrayGroup) -> Initiator:
        """A node's sessions to the file system's volumes, and to its own raw volume."""
        timers = self.options.timers
        raw = self._own_volume(node)
        volumes = [*group.shared, *([raw.volume] if raw else [])]
        return Initiator(
            self.study_id,
            node,
            tuple(volume.target for volume in volumes),
            group.portals,
            tuple(volume.device for volume in volumes),
            PathTimers(timers.path_probe_s, timers.path_replace_s),
            asks=True,
            interface=self._node_card,
            write_cache=self.options.write_cache,
        )

    @property
    def volume(self) -> Gfs2Volume:
        """The file system."""
        return Gfs2Volume(
            self.study_id, self._shared, self.directory, self.options, len(self.clients)
        )

    @property
    def _shared(self) -> tuple[Volume, ...]:
        """The volumes of the file system as nodes see them."""
        return self.block_servers.volumes if self.block_servers else self.group.shared

    def _controllers(self) -> dict[str, SiteBmc]:
        controllers = {name: self.site.nodes[name].bmc for name in self.clients}
        return {name: bmc for name, bmc in controllers.items() if bmc is not None}

    # ---- plans

    def plan(self, wipe: Wipe) -> Plan:
        """Create members, sessions, cluster and file system; mount on every node."""
        first = self.clients[0]
        erasable = [name for name in self.members if self._is_erasable(name, wipe)]
        members = {
            member.node: (
                *wipe_steps(member.array, wipe.get(member.node, frozenset())),
                *create_steps(member.array),
                *self.group.steps(member.node),
            )
            for member in self.group.members
        }
        try_fencing = dlm.trial_step(
            self.study_id, self._controllers(), self.options.timers.fence_s
        )
        stages = [
            Stage("packages", self.each_client(need_commands(PACKAGES))),
            Stage("network", self._mtu()),
            Stage("members", members),
            *([self.block_servers.stage()] if self.block_servers else []),
            Stage("sessions", {name: tuple(self._session_steps(name)) for name in self.clients}),
            Stage("cluster", self.each_client(*self._cluster_steps())),
            Stage("fencing", {first: (try_fencing,)}),
            Stage("locks", self.each_client(*dlm.start_steps(self.clients))),
            Stage("file system", {first: tuple(self.volume.make_steps(erasable=erasable))}),
            Stage(
                "mount",
                self.each_client(
                    *see_partitions(self._shared),
                    *self.volume.install_steps(),
                    *self.volume.mount_steps(),
                ),
            ),
        ]
        served = f" served by {len(self.servers)} block servers" if self.options.pairs else ""
        arrays = f"{len(self.members)} iSCSI array members{served}"
        title = f"GFS2 on {arrays}, shared by {len(self.clients)} nodes"
        generated = (corosync.key(self.study_id, self.clients), self._account(self.members))
        # In a lab the controllers' password is no secret.
        controllers = () if self.site.traits.holds_secrets else self._controllers().values()
        secrets = tuple({bmc.password for bmc in controllers if bmc.password})
        warned = warnings_of(self.options, len(self.clients))
        return replace(
            self.planned(title, self.with_clocks(stages), warned),
            secrets=secrets,
            generated=generated,
        )

    def _account(self, members: Sequence[str]) -> Generated:
        return iscsi.account(
            self.study_id, tuple(dict.fromkeys((*members, *self.servers, *self.clients)))
        )

    def _one_by_one(self, title: str, *steps: Step) -> list[Stage]:
        """One stage per node.

        Nodes that leave their lock spaces at the same time may wait minutes for each other (dlm of
        Linux 6.1).
        """
        return [Stage(f"{title} on {name}", {name: steps}) for name in self.clients]

    def _mtu(self) -> dict[str, tuple[Step, ...]]:
        """For each storage network, the MTU towards a node at the other end."""
        ends = [(self.options.storage, self.servers, self.clients)]
        if self.block_servers:
            ends.append((self.options.array_network, self.members, self.servers))
        networks = []
        for network, near, far in ends:
            to_near, to_far = (self.site.nodes[names[0]].networks[network] for names in (near, far))
            networks.append((network, dict.fromkeys(far, to_near) | dict.fromkeys(near, to_far)))
        return self.mtu_steps(*networks)

    def _session_steps(self, node: str, group: ArrayGroup | None = None) -> list[Step]:
        if self.block_servers:
            return self.block_servers.node_steps(node)
        raw = self._own_volume(node)
        initiator = self._initiator(node, group or self.group)
        return [
            need_commands({"iscsiadm": "open-iscsi"}),
            *initiator.steps(),
            *(raw.steps() if raw else []),
        ]

    def _own_volume(self, node: str) -> RawVolume | None:
        """The volume that a node uses without a file system, assigned to members in turn."""
        turn, member = divmod(self.clients.index(node), len(self.members))
        if turn >= self.options.raw_volumes:
            return None
        volume = self.group.members[member].raw[turn]
        directory = f"/var/lib/seatrial/{self.study_id}/volumes"
        return RawVolume(volume, self.clients.index(node), self.options.raw_tasks, directory)

    def raw_directory(self) -> str | None:
        """The directory with the devices while the load uses them; None with a file system."""
        raw = self._own_volume(self.clients[0])
        return raw.directory if raw is not None and self.options.access == "raw" else None

    def _cluster_steps(self) -> list[Step]:
        rings = [
            {name: self.site.nodes[name].networks[network] for name in self.clients}
            for network in self.options.cluster
        ]
        text = corosync.configuration(
            self.study_id,
            self.clients,
            rings,
            self.options.timers.token_ms,
            wait_for_all=len(self.clients) == 2,
        )
        return [
            *dlm.steps(self.study_id, self._controllers(), self.options.timers.fence_s),
            *corosync.steps(text, dlm.AFTER_MEMBERSHIP),
        ]

    def removal(self, wipe: Wipe) -> Plan:
        """The deployment in reverse order; data stay on the members except on wiped disks."""
        own_removals = {name: self._own_removal(name) for name in self.clients}
        if self.block_servers:
            ended = self.block_servers.removal()
        else:
            sessions = {
                name: (*own_removals[name], *self._initiator(name, self.group).removal())
                for name in self.clients
            }
            ended = [Stage("sessions", sessions)]
        members = (*self.members, *self.spare)  # the group may have grown
        all_of_it = self._group_of(members)
        leave = (*dlm.removal(self.study_id, self.clients), *corosync.removal(self.study_id))
        stages = (
            *self._one_by_one("unmount", *self.volume.removal()),
            Stage("leave the cluster", self.each_client(*leave)),
            *ended,
            Stage(
                "members",
                {name: self._member_removal(name, wipe, all_of_it.removal) for name in members},
            ),
        )
        return self.retired(f"take {' and '.join(self.members)} out of service", stages)

    def clearing(self, wipe: Wipe) -> Plan:
        """Remove only the storage on the members; the cluster and its boot settings stay."""
        if self.block_servers:
            ended = self.block_servers.clearing()
        else:
            forget = {
                name: self._initiator(name, self.group).forget_steps() for name in self.clients
            }
            ended = [
                Stage(
                    "sessions",
                    {name: (*self._own_removal(name), *forget[name]) for name in self.clients},
                )
            ]
        stages = (
            *self._one_by_one("unmount", *self.volume.clearing()),
            *ended,
            Stage(
                "members",
                {
                    name: self._member_removal(name, wipe, self.group.clearing)
                    for name in self.members
                },
            ),
        )
        return Plan(self.study_id, f"clear {' and '.join(self.members)}", stages)

    def _own_removal(self, node: str) -> tuple[Step, ...]:
        raw = self._own_volume(node)
        return (raw.removal(),) if raw else ()

    def _member_removal(
        self, name: str, wipe: Wipe, ending: Callable[..., list[Step]]
    ) -> tuple[Step, ...]:
        array = self._member(name).array
        return (
            *ending(name, erase=self._is_erasable(name, wipe)),
            *remove_steps(array, wipe.get(name, frozenset())),
        )

    def _is_erasable(self, name: str, wipe: Wipe) -> bool:
        """Whether all disks of a member are in `wipe`; a part of them does not suffice."""
        return set(self._member(name).array.devices) <= wipe.get(name, frozenset())

    def empty_caches(self, clients: Sequence[str]) -> Plan:  # noqa: ARG002 - a lock of any node keeps pages
        """Write back and drop all clean pages, on the nodes first, then on the members."""
        drop = empty_page_cache()
        stages = (
            Stage("nodes", self.each_client(drop)),
            Stage("members", dict.fromkeys(self.members, (drop,))),
        )
        return Plan(self.study_id, "empty all caches", stages)

    drop_caches = empty_caches
    """no service stops for it"""

    # ---- prediction and description

    @property
    def storage(self) -> Storage:
        """The RAID of each member, and the nodes' network."""
        return Storage(raid=self.options.raid, network=self.options.storage)

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """The nodes' links, block servers, the members' front-end ports and disks."""
        options = self.options
        servers = self.block_servers
        members, fullest = (
            in_turns(self.members, clients) if options.access == "raw" else (self.members, 1.0)
        )
        nodes = () if local else self.clients[:clients]
        primaries = servers.primaries if servers else ()
        crossed = gfs2_path.resources(self.site, options, nodes, primaries, members)
        array = self._member(self.members[0]).array
        readers = array.reading_disks(skips_parity=self.site.traits.skips_parity)
        data_disks = array.data_disks * len(members)
        member_disks = disks(self.site, members, readers * len(members), data_disks)
        return DataPath(clients, (*crossed, *member_disks), fullest=fullest)

    # ---- the cluster

    def status_command(self) -> str:
        """The command that prints the state; it exits with 0 when the node uses the file system."""
        return gfs2_status.COMMAND

    def status(self, node: str, answer: str) -> ClusterStatus:
        """The cluster as `node` sees it."""
        return gfs2_status.read(answer, self.clients, node)

    def daemon_logs(self, node: str) -> DaemonLogs:
        """On nodes: cluster, lock and session daemons; on members and block servers: targets."""
        units: tuple[str, ...] = ()
        if node in self.clients:
            units += (*dlm.UNITS, *iscsi_initiator.UNITS)
        if node in (*self.members, *self.spare, *self.servers):
            units += iscsi_target.UNITS
        if self.options.pairs and node in self.servers:
            units += iscsi_initiator.UNITS
        return DaemonLogs(tuple(dict.fromkeys(units)))

    def moments_command(self, since_boot_s: float) -> str:
        """The command that prints the journal of corosync, dlm_controld and the kernel."""
        return journal.command(since_boot_s, gfs2_status.REPORTED)

    def moments(self, node: str, answer: str) -> list[Moment]:
        """The log lines about members that were lost, fenced and recovered."""
        return gfs2_status.moments(node, answer, self.clients)

    def extension(self, what: str) -> Plan:
        """Add a `journal` or all spare members while the file system is in use."""
        if what == "journal":
            add = Stage("journal", {self.clients[0]: (self.volume.journal_step(),)})
            return Plan(self.study_id, "add a journal", (add,))
        if not self.spare:
            raise Refused("there is no spare member; name one with spare_members")
        group = self._group_of((*self.members, *self.spare))
        first, *others = self.clients
        added = [volume for name in self.spare for volume in group.member(name).shared]
        stages = [
            Stage(
                "members",
                {
                    name: (*create_steps(self._member(name).array), *group.steps(name))
                    for name in self.spare
                },
            ),
            Stage("group", {self.members[0]: tuple(group.steps(self.members[0]))}),
            Stage(
                "sessions", {name: tuple(self._session_steps(name, group)) for name in self.clients}
            ),
            Stage("volume", {first: tuple(self.volume.extend_steps(added))}),
            Stage(
                "refresh",
                {name: (*see_partitions(added), self.volume.refresh_step()) for name in others},
            ),
            Stage("grow", {first: (self.volume.grow_step(),)}),
        ]
        title = f"grow to {' and '.join(self.spare)}"
        generated = (self._account((*self.members, *self.spare)),)
        return Plan(self.study_id, title, tuple(stages), generated=generated)

    # ---- description

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report."""
        options = self.options
        timers = self.options.timers
        return [
            ("group", self.group.describe()),
            *([("block servers", self.block_servers.describe())] if self.block_servers else []),
            ("each member", self._member(self.members[0]).array.describe()),
            ("members' write caches", "on, flushed" if options.write_cache else "off"),
            ("file system", self.volume.describe()),
            ("mount", ", ".join(options.mount)),
            (
                "cluster",
                (
                    f"corosync on {' and '.join(options.cluster)}, dlm, lvmlockd,"
                    f" {len(self.clients)} votes"
                ),
            ),
            ("fencing", "fence_ipmilan, by dlm_controld"),
            (
                "timers",
                (
                    f"token {timers.token_ms} ms, sessions probed every {timers.path_probe_s} s, "
                    f"commands wait {timers.path_replace_s} s for a lost session, "
                    f"a controller has {timers.fence_s} s to answer"
                ),
            ),
        ]
