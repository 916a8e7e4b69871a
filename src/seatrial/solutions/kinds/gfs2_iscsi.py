"""Solution `gfs2-iscsi`: a file system that the compute nodes share, on the volumes of a group of iSCSI arrays.

There is no server: every node is an initiator of every member, and a member of the cluster that locks. corosync says
who is there, the distributed lock manager who may write, fence_ipmilan makes sure of a node that is lost, and GFS2 is
striped over the members by LVM. Without fencing it is refused: a lost node's journal would be replayed under its hands.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from seatrial.basics.schema import Model, Nodes, Size, expand, validate
from seatrial.basics.text import Address, Interface, MountOption, Name
from seatrial.plan.data_path import DataPath, disks, links
from seatrial.plan.plan import Generated, Plan, Stage, Step
from seatrial.plan.site import Site, SiteBmc
from seatrial.solutions.base import Moment, Standing, Wipe, options_data
from seatrial.solutions.parts import corosync, dlm, gfs2_standing, iscsi, journal
from seatrial.solutions.parts.array_group import ArrayGroup, Member
from seatrial.solutions.parts.gfs2_timers import Timers
from seatrial.solutions.parts.gfs2_volume import Gfs2Volume, packages, see_partitions
from seatrial.solutions.parts.iscsi_initiator import Initiator, PathTimers
from seatrial.solutions.parts.raid import Array, Raid, create_steps, mistake_in, remove_steps, wipe_steps
from seatrial.solutions.parts.raw_volumes import RawVolume
from seatrial.solutions.parts.steps import mtu_towards, need_commands
from seatrial.study.study import Study
from seatrial.study.timers import Timer

JOURNALS_SPARE = 2

__all__ = ["Gfs2Iscsi", "Options", "load"]


class Options(Model):
    """The keys of `solution` when its kind is gfs2-iscsi."""

    kind: Literal["gfs2-iscsi"]
    members: Nodes = Field(description="the arrays that the file system lies on")
    spare_members: Nodes | None = Field(None, description="members of the group that the file system may grow to")
    nodes: Nodes | None = Field(None, description="the compute nodes; by default all others")
    raid: Raid = Raid(level=10)
    storage: Name = Field("storage", description="the network between nodes and members")
    cluster: tuple[Name, ...] = Field(("private",), min_length=1, max_length=2, description="corosync's networks")
    group: Address | None = Field(None, description="the group's one address, 10.11.200.1/16; else all are asked")
    interface: Interface | None = Field(None, description="the card that sessions are bound to; in a lab it is known")
    stripe: Size = Field(64 * 1024, description="bytes on one member before the next")
    journals: int | None = Field(None, ge=1, le=128, description="by default one for each node, and 2 to spare")
    journal: Size = Field(32 * 2**20, description="bytes of each journal, at least 8 MiB")
    readahead: Size | None = Field(None, description="how far each node reads ahead; by default as LVM says")
    mount: tuple[MountOption, ...] = ("noatime",)
    raw_volumes: int = Field(0, ge=0, le=32, description="volumes of each member that are used without a file system")
    raw_volume: Size = Field(64 * 2**20, description="bytes of each")
    raw_tasks: int = Field(1, ge=1, le=100, description="parts of each: as many as a node has tasks")
    access: Literal["filesystem", "raw"] = Field("filesystem", description="what the load works on")
    timers: Timers = Timers()


def load(study: Study, site: Site) -> "Gfs2Iscsi":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    members = tuple(expand(options.members))
    spare = tuple(expand(options.spare_members)) if options.spare_members else ()
    nodes = (
        tuple(expand(options.nodes))
        if options.nodes
        else tuple(name for name in site.nodes if name not in (*members, *spare) and not site.nodes[name].devices)
    )
    _check_nodes(study, site, options, (*members, *spare), nodes)
    for node in nodes:
        if site.nodes[node].bmc is None:
            raise study.mistake(
                ("solution",),
                f"gfs2-iscsi without fencing is refused, and {node} has no bmc: a node that only hangs would write "
                "again to what others have taken over; say where, bmc: {network: private}",
            )
    return Gfs2Iscsi(study.id, options, site, members, spare, nodes)


def _check_nodes(study: Study, site: Site, options: Options, members: tuple[str, ...], nodes: tuple[str, ...]) -> None:
    if len(nodes) < 2:
        raise study.mistake(("nodes",), f"there are {len(nodes)} compute nodes; a shared file system needs 2")
    for name in (*members, *nodes):
        if name not in site.nodes:
            raise study.mistake(("solution",), f"{name!r} is no node of this study")
        wanted = (options.storage,) if name in members else (options.storage, *options.cluster)
        for network in wanted:
            if network not in site.nodes[name].networks:
                raise study.mistake(("solution",), f"{name} is not attached to the network {network!r}")
    for name in members:
        if problem := mistake_in(options.raid, len(site.nodes[name].devices)):
            raise study.mistake(("solution", "raid", problem[0]), problem[1].replace("the server", name))
    if options.journals is not None and options.journals < len(nodes):
        raise study.mistake(
            ("solution", "journals"), f"{options.journals} journals are too few: each of {len(nodes)} nodes needs one"
        )
    if options.access == "raw" and options.raw_volumes * len(expand(options.members)) < len(nodes):
        raise study.mistake(
            ("solution", "raw_volumes"),
            f"{options.raw_volumes} volumes a member are too few: each of {len(nodes)} nodes needs one",
        )


@dataclass(frozen=True)
class Gfs2Iscsi:
    """The solution at a site; see `solutions.base.Solution`."""

    study_id: str
    options: Options
    site: Site
    servers: tuple[str, ...]
    """the members that the file system lies on"""
    spare: tuple[str, ...]
    clients: tuple[str, ...]

    # ---- what it consists of

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """All: there is no node that only mounts."""
        return (*self.servers, *self.spare, *self.clients)

    @property
    def cluster_nodes(self) -> tuple[str, ...]:
        """The compute nodes."""
        return self.clients

    @property
    def fenced_nodes(self) -> tuple[str, ...]:
        """The same: dlm_controld fences whoever is lost."""
        return self.clients

    @property
    def rename_again(self) -> tuple[str, ...]:
        """ESTALE: the locks of both directories and of the file were not granted in time, and were all let go.

        fs/gfs2/glock.c, gfs2_glock_async_wait(), since Linux 5.4: so that nodes that rename across each other's
        directories do not wait for each other for ever, a rename waits for its locks no longer than twice what each
        was last held for. The kernel itself tries once more (fs/namei.c, retry_estale()), then the caller gets it.
        """
        return ("ESTALE",)

    @property
    def timers(self) -> dict[str, Timer]:
        """What an outage of its nodes is made of, by name."""
        return self.options.timers.by_name()

    @property
    def directory(self) -> str:
        """Where every node has it."""
        return f"/mnt/{self.study_id}"

    @property
    def local_directory(self) -> str:
        """No member has the file system: only nodes do."""
        return self.directory

    @property
    def layout(self) -> Hashable:
        """Members and their RAID sets: with others, the data are gone."""
        options = self.options
        volumes = options.stripe, options.journals, options.journal
        return self.servers, options.raid, volumes, options.raw_volumes, options.raw_volume, options.raw_tasks

    @property
    def group(self) -> ArrayGroup:
        """The members."""
        return self._group_of(self.servers)

    def _group_of(self, members: Sequence[str]) -> ArrayGroup:
        return ArrayGroup(
            self.study_id, tuple(self._member(name) for name in members), self.clients, self.options.group
        )

    def _member(self, name: str) -> Member:
        node = self.site.nodes[name]
        array = Array(self.options.raid, self.study_id[:20], node.devices, node.devices_hold_zeros, self.site.scale)
        portal = node.networks[self.options.storage]
        return Member(self.study_id, name, portal, array, self.options.raw_volumes, self.options.raw_volume)

    def _initiator(self, node: str, group: ArrayGroup) -> Initiator:
        """A node's sessions to the file system's volumes, and to its own."""
        timers, own = self.options.timers, self._own_volume(node)
        interface = self.options.interface or (self.options.storage if self.site.kind == "uml" else None)
        volumes = [*(member.volumes[0] for member in group.members), *([own.volume] if own else [])]
        return group.sessions(node, volumes, interface, PathTimers(timers.path_probe_s, timers.path_replace_s))

    @property
    def volume(self) -> Gfs2Volume:
        """The file system."""
        options = self.options
        return Gfs2Volume(
            self.study_id,
            tuple(member.volumes[0] for member in self.group.members),
            self.directory,
            options.stripe,
            options.journals or len(self.clients) + JOURNALS_SPARE,
            options.journal,
            options.mount,
            options.readahead,
        )

    def _controllers(self) -> dict[str, SiteBmc]:
        return {name: bmc for name in self.clients if (bmc := self.site.nodes[name].bmc) is not None}

    # ---- plans

    def plan(self, wipe: Wipe) -> Plan:
        """Members, sessions, cluster, file system, mounts."""
        group, first = self.group, self.clients[0]
        erasable = [name for name in self.servers if self._is_erasable(name, wipe)]
        try_fencing = dlm.trial_step(self.study_id, self._controllers(), self.options.timers.fence_s)
        stages = [
            Stage("packages", self._each_node(packages())),
            Stage("network", self._mtu()),
            Stage("members", {name: self._member_steps(name, wipe) for name in self.servers}),
            Stage("sessions", {name: tuple(self._session_steps(name)) for name in self.clients}),
            Stage("cluster", self._each_node(*self._cluster_steps())),
            Stage("fencing", {first: (try_fencing,)}),
            Stage("locks", self._each_node(*dlm.start_steps(self.clients))),
            Stage("file system", {first: tuple(self.volume.make_steps(erasable=erasable))}),
            Stage(
                "mount",
                self._each_node(
                    see_partitions([member.volumes[0] for member in group.members]),
                    *self.volume.install_steps(),
                    *self.volume.mount_steps(),
                ),
            ),
        ]
        title = f"GFS2 on {len(self.servers)} iSCSI array members, shared by {len(self.clients)} nodes"
        stages = [stage for stage in stages if stage.steps]
        generated = (corosync.key(self.study_id, self.clients), self._account(self.servers))
        return Plan(self.study_id, title, tuple(stages), tuple(self._warnings()), self._secrets(), generated)

    def _account(self, members: Sequence[str]) -> Generated:
        return iscsi.account(self.study_id, (*members, *self.clients))

    def _each_node(self, *steps: Step) -> dict[str, tuple[Step, ...]]:
        return dict.fromkeys(self.clients, steps)

    def _one_by_one(self, title: str, *steps: Step) -> list[Stage]:
        """Nodes that leave their lock spaces at the same moment may wait minutes for one another (dlm of Linux 6.1)."""
        return [Stage(f"{title} on {name}", {name: steps}) for name in self.clients]

    def _mtu(self) -> dict[str, tuple[Step, ...]]:
        if self.options.storage not in self.site.mtus_asked:
            return {}
        nodes, members, mtu = self.site.nodes, self.servers, self.site.mtus[self.options.storage]
        to_members = tuple(
            mtu_towards(self.study_id, nodes[name].networks[self.options.storage], mtu) for name in members
        )
        to_node = mtu_towards(self.study_id, nodes[self.clients[0]].networks[self.options.storage], mtu)
        return {**self._each_node(*to_members[:1]), **dict.fromkeys(members, (to_node,))}

    def _member_steps(self, name: str, wipe: Wipe) -> tuple[Step, ...]:
        array = self._member(name).array
        return (
            *wipe_steps(array, wipe.get(name, frozenset())),
            *create_steps(array),
            *self.group.steps(name),
        )

    def _session_steps(self, node: str, group: ArrayGroup | None = None) -> list[Step]:
        own = self._own_volume(node)
        initiator = self._initiator(node, group or self.group)
        return [need_commands({"iscsiadm": "open-iscsi"}), *initiator.steps(), *(own.steps() if own else [])]

    def _own_volume(self, node: str) -> RawVolume | None:
        """The volume that a node uses without a file system: the nodes take turns among the members."""
        turn, member = divmod(self.clients.index(node), len(self.servers))
        if turn >= self.options.raw_volumes:
            return None
        volume = self.group.members[member].volumes[1 + turn]
        directory = f"/var/lib/seatrial/{self.study_id}/volumes"
        return RawVolume(volume, self.clients.index(node), self.options.raw_tasks, directory)

    def raw_directory(self) -> str | None:
        """Where the devices are, while the load is to use them."""
        own = self._own_volume(self.clients[0])
        return own.directory if own is not None and self.options.access == "raw" else None

    def _cluster_steps(self) -> list[Step]:
        rings = [
            {name: self.site.nodes[name].networks[network] for name in self.clients} for network in self.options.cluster
        ]
        text = corosync.configuration(
            self.study_id, self.clients, rings, self.options.timers.token_ms, wait_for_all=len(self.clients) == 2
        )
        return [
            *dlm.steps(self.study_id, self._controllers(), self.options.timers.fence_s),
            *corosync.steps(text, dlm.AFTER_MEMBERSHIP),
        ]

    def _secrets(self) -> tuple[str, ...]:
        if self.site.kind == "uml":  # where it is no secret
            return ()
        return tuple({bmc.password for bmc in self._controllers().values() if bmc.password})

    def _warnings(self) -> list[str]:
        found = [
            "A member answers a write from its memory and writes to its disks when it is asked to flush: if it alone "
            "loses its power, what no node had flushed is lost, and no node knows. An array product protects its cache."
        ]
        if self.options.group is None:
            found.append("Every member is asked for its volumes by itself: the group has no address of its own.")
        if len(self.options.cluster) == 1:
            found.append(
                f"The nodes hear each other on {self.options.cluster[0]} alone, as in the paper: a node that loses it "
                "is fenced."
            )
        return found

    def removal(self, wipe: Wipe) -> Plan:
        """The plan backwards; data stay on the members unless their disks are named."""
        own = {name: self._own_removal(name) for name in self.clients}
        sessions = {name: (*own[name], *self._initiator(name, self.group).removal()) for name in self.clients}
        members = (*self.servers, *self.spare)  # it may have grown
        all_of_it = self._group_of(members)
        leave = (*dlm.removal(self.study_id, self.clients), *corosync.removal(self.study_id))
        stages = (
            *self._one_by_one("unmount", *self.volume.removal()),
            Stage("leave the cluster", self._each_node(*leave)),
            Stage("sessions", sessions),
            Stage("members", {name: self._member_removal(name, wipe, all_of_it.removal) for name in members}),
        )
        return Plan(self.study_id, f"take {' and '.join(self.servers)} out of service", stages)

    def clearing(self, wipe: Wipe) -> Plan:
        """The cluster stays, and whatever is started at boot: only what lies on the members goes."""
        forget = {name: self._initiator(name, self.group).forget_steps() for name in self.clients}
        sessions = {name: (*self._own_removal(name), *forget[name]) for name in self.clients}
        stages = (
            *self._one_by_one("unmount", *self.volume.clearing()),
            Stage("sessions", sessions),
            Stage("members", {name: self._member_removal(name, wipe, self.group.clearing) for name in self.servers}),
        )
        return Plan(self.study_id, f"clear {' and '.join(self.servers)}", stages)

    def _own_removal(self, node: str) -> tuple[Step, ...]:
        own = self._own_volume(node)
        return tuple(own.removal()) if own else ()

    def _member_removal(self, name: str, wipe: Wipe, ending: Callable[..., list[Step]]) -> tuple[Step, ...]:
        array = self._member(name).array
        return (*ending(name, erase=self._is_erasable(name, wipe)), *remove_steps(array, wipe.get(name, frozenset())))

    def _is_erasable(self, name: str, wipe: Wipe) -> bool:
        """Whether all disks of a member were named: less than all says nothing about what lies on them together."""
        return set(self._member(name).array.devices) <= wipe.get(name, frozenset())

    def empty_caches(self, clients: Sequence[str]) -> Plan:  # noqa: ARG002 - a lock of any node keeps pages
        """Write everything back and let go of every clean page, on the nodes first, then on the members."""
        drop = Step("drop what is cached", None, "sync\necho 3 >/proc/sys/vm/drop_caches")
        stages = (Stage("nodes", self._each_node(drop)), Stage("members", dict.fromkeys(self.servers, (drop,))))
        return Plan(self.study_id, "empty all caches", stages)

    def drop_caches(self, clients: Sequence[str]) -> Plan:
        """The same: nothing is stopped for it."""
        return self.empty_caches(clients)

    # ---- prediction and description

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """The nodes' links to the storage network, the members' front-end ports, the members' disks."""
        crossed = {"node links": () if local else self.clients[:clients], "front-end ports": self.servers}
        array, members = self._member(self.servers[0]).array, len(self.servers)
        readers = array.reading_disks(skips_parity=self.site.kind == "uml")
        behind = disks(self.site, self.servers, readers * members, array.data_disks * members)
        found = links(self.site, self.options.storage, crossed)
        return DataPath(clients, (*found, *behind))

    # ---- the cluster

    def standing_command(self) -> str:
        """Two processes; exits with 0 where the node uses the file system."""
        return gfs2_standing.COMMAND

    def standing(self, node: str, answer: str) -> Standing:
        """The cluster as `node` sees it."""
        return gfs2_standing.read(answer, self.clients, node)

    def moments_command(self, since_boot_s: float) -> str:
        """The journal of corosync, dlm_controld and the kernel since then."""
        return journal.command(since_boot_s, gfs2_standing.SAID)

    def moments(self, node: str, answer: str) -> list[Moment]:
        """What the journal says of members that were lost, fenced and recovered."""
        return gfs2_standing.moments(node, answer, self.clients)

    def extension(self, what: str) -> Plan:
        """A journal, or all members that are to spare, while the file system is in use."""
        if what == "journal":
            add = Stage("journal", {self.clients[0]: (self.volume.journal_step(),)})
            return Plan(self.study_id, "add a journal", (add,))
        if not self.spare:
            raise ValueError("there is no member to spare; name one with spare_members")
        group = self._group_of((*self.servers, *self.spare))
        first, *others = self.clients
        added = [group.member(name).volumes[0] for name in self.spare]
        stages = [
            Stage(
                "members", {name: (*create_steps(self._member(name).array), *group.steps(name)) for name in self.spare}
            ),
            Stage("group", {self.servers[0]: tuple(group.steps(self.servers[0]))}),
            Stage("sessions", {name: tuple(self._session_steps(name, group)) for name in self.clients}),
            Stage("volume", {first: tuple(self.volume.extend_steps(added))}),
            Stage("refresh", {name: (see_partitions(added), self.volume.refresh_step()) for name in others}),
            Stage("grow", {first: (self.volume.grow_step(),)}),
        ]
        title = f"grow to {' and '.join(self.spare)}"
        generated = (self._account((*self.servers, *self.spare)),)
        return Plan(self.study_id, title, tuple(stages), generated=generated)

    # ---- description

    def parts(self) -> list[tuple[str, str]]:
        """What was built."""
        options, timers = self.options, self.options.timers
        found = "one address, from which logins are sent on to the members" if options.group else "each by itself"
        return [
            ("group", f"{len(self.servers)} members, {found}"),
            ("each member", self._member(self.servers[0]).array.describe()),
            ("file system", self.volume.describe()),
            ("mount", ", ".join(options.mount)),
            ("cluster", f"corosync on {' and '.join(options.cluster)}, dlm, lvmlockd, {len(self.clients)} votes"),
            ("fencing", "fence_ipmilan, by dlm_controld"),
            (
                "timers",
                f"token {timers.token_ms} ms, sessions probed every {timers.path_probe_s} s, commands wait "
                f"{timers.path_replace_s} s for a lost one, a controller is given {timers.fence_s} s",
            ),
        ]
