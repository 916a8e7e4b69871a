"""Block servers between arrays and nodes, like GPFS's NSD servers: two of them access each array.

Both export every volume of the array under one name, and dm-multipath on the nodes joins the two
paths. The primary server's path is used while it works; primaries alternate between the servers.
A block server acknowledges nothing from its cache: it writes past its page cache and passes flushes
on (decision 0034).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from seatrial.plan.plan import Stage, Step
from seatrial.solutions.parts import lost_array
from seatrial.solutions.parts.array_group import Volume
from seatrial.solutions.parts.gfs2_options import Options
from seatrial.solutions.parts.iscsi import initiator_name, iscsi_name
from seatrial.solutions.parts.iscsi_initiator import Initiator, PathTimers
from seatrial.solutions.parts.iscsi_target import Lun, Target, TargetNode
from seatrial.solutions.parts.multipath import Joined
from seatrial.solutions.parts.steps import need_commands

_RANKS = (("a", 50), ("b", 10))
"""(suffix of the unit's serial number, multipath priority) of primary and backup server"""


@dataclass(frozen=True)
class PairedVolume(Volume):
    """A volume as nodes see it: with one path through each of its servers."""

    @property
    def device(self) -> str:
        """The multipath device."""
        return f"/dev/mapper/{self.study_id}-{self.member}-{self.name}"

    @property
    def physical(self) -> str:
        """The whole device: three layers would each name a partition of it differently."""
        return self.device

    @property
    def behind(self) -> str:
        """The device on a block server."""
        return super().device


@dataclass(frozen=True)
class BlockServers:
    """The block servers of all arrays, and the volumes that they export."""

    study_id: str
    options: Options
    volumes: tuple[PairedVolume, ...]
    portals: Mapping[str, str]
    """array or server -> its name or address towards its users"""
    nodes: tuple[str, ...]
    server_card: str | None
    """card that a server's sessions to arrays are bound to; None: any with a route"""
    node_card: str | None
    """card that a node's sessions to servers are bound to"""

    def ranked(self, volume: PairedVolume) -> tuple[str, ...]:
        """Primary and backup server of a volume.

        Among the volumes of the same two servers the role of the primary alternates.
        """
        pairs = self.options.pairs
        pair = pairs[volume.member]
        alike = [item for item in self.volumes if set(pairs[item.member]) == set(pair)]
        first, second = sorted(pair)
        return (first, second) if alike.index(volume) % 2 == 0 else (second, first)

    @property
    def primaries(self) -> tuple[str, ...]:
        """The servers that data cross while all servers work."""
        return tuple(
            server
            for server in self.options.servers
            if any(self.ranked(item)[0] == server for item in self.volumes)
        )

    def _behind(self, server: str) -> list[PairedVolume]:
        return [volume for volume in self.volumes if server in self.options.pairs[volume.member]]

    def describe(self) -> str:
        """The block servers in words, for the report."""
        first = ", ".join(
            f"{volume.member}'s {volume.name} by {self.ranked(volume)[0]}"
            for volume in self.volumes
        )
        return (
            f"{len(self.options.servers)}, first {first}; each the other's backup; written through"
        )

    # ---- stages

    def stage(self) -> Stage:
        """Arrays export their volumes, and block servers use and re-export them."""
        servers = {
            name: (
                need_commands({"iscsiadm": "open-iscsi", "tgtd": "tgt"}),
                *self._to_arrays(name).steps(),
                *lost_array.steps(f"{iscsi_name(self.study_id)}:*"),
                *self._offer(name).steps(),
            )
            for name in self.options.servers
        }
        return Stage("block servers", servers)

    def removal(self) -> list[Stage]:
        """The removal: first on the nodes, then on the servers."""
        servers = {
            name: (
                *self._offer(name).removal(),
                *lost_array.removal(),
                *self._to_arrays(name).removal(),
            )
            for name in self.options.servers
        }
        nodes = {name: tuple(self._joined(name).removal()) for name in self.nodes}
        return [Stage("sessions", nodes), Stage("block servers", servers)]

    def clearing(self) -> list[Stage]:
        """A temporary removal."""
        servers = {
            name: (self._offer(name).stop_step(), *self._to_arrays(name).forget_steps())
            for name in self.options.servers
        }
        nodes = {name: tuple(self._joined(name).clearing()) for name in self.nodes}
        return [Stage("sessions", nodes), Stage("block servers", servers)]

    # ---- on a block server

    def _to_arrays(self, server: str) -> Initiator:
        volumes = self._behind(server)
        return Initiator(
            self.study_id,
            server,
            tuple(volume.target for volume in volumes),
            tuple(dict.fromkeys(self.portals[volume.member] for volume in volumes)),
            tuple(volume.behind for volume in volumes),
            PathTimers(self.options.timers.path_probe_s, self.options.timers.path_replace_s),
            asks=True,
            interface=self.server_card,
            write_cache=self.options.write_cache,
        )

    def _offer(self, server: str) -> TargetNode:
        targets = []
        for volume in self._behind(server):
            ending, _ = _RANKS[self.ranked(volume).index(server)]
            lun = Lun(1, volume.behind, volume.serial, "VOLUME", f"{volume.serial}{ending}")
            targets.append(Target(volume.target, (lun,)))
        initiators = tuple(initiator_name(self.study_id, node) for node in self.nodes)
        return TargetNode(self.study_id, tuple(targets), initiators, (self.portals[server],))

    # ---- on a node

    def _joined(self, node: str) -> Joined:
        """A node's two sessions to each volume."""
        sessions = Initiator(
            self.study_id,
            node,
            tuple(volume.target for volume in self.volumes),
            tuple(self.portals[server] for server in self.options.servers),
            tuple(volume.device for volume in self.volumes),
            PathTimers(self.options.timers.path_probe_s, self.options.timers.server_replace_s),
            modules=("iscsi_tcp", "sd_mod", "dm_multipath", "dm_round_robin"),
            asks=True,
            paths=2,
            interface=self.node_card,
            daemons=("iscsid", "multipathd"),
        )
        return Joined(
            sessions,
            f"{iscsi_name(self.study_id)}:*",
            {volume.wwid: _preference(volume) for volume in self.volumes},
            "    path_grouping_policy group_by_prio\n    failback immediate\n",
            title="configure multipath, with the primary server first",
            reason="without a path commands wait: an error would make the file system withdraw",
        )

    def node_steps(self, node: str) -> list[Step]:
        """Log in to both servers of each volume and join the paths."""
        return self._joined(node).steps()


def _preference(volume: PairedVolume) -> str:
    ranks = " ".join(f"{volume.serial}{ending} {priority}" for ending, priority in _RANKS)
    return f'        prio weightedpath\n        prio_args "serial {ranks}"\n'
