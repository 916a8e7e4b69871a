"""Block servers between arrays and nodes, as GPFS's NSD servers are: each array is reached by two of them alone.

Both offer each of the array's volumes under one name. Nodes join the two paths by dm-multipath: the primary server's is
used while it is there, and the primaries of an array's volumes take turns. A block server remembers nothing that it has
answered: it writes past its page cache, and passes flushes on (decision 0034).
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
"""of the primary and the backup server: what a unit's serial number ends in, and multipath's priority"""


@dataclass(frozen=True)
class PairedVolume(Volume):
    """A volume as nodes see it: over both of its servers."""

    @property
    def device(self) -> str:
        """Both paths as one device."""
        return f"/dev/mapper/{self.study_id}-{self.member}-{self.name}"

    @property
    def physical(self) -> str:
        """The whole of it: a label would be read by three layers, and each names a partition of it in its own way."""
        return self.device

    @property
    def behind(self) -> str:
        """Where a block server sees it."""
        return super().device


@dataclass(frozen=True)
class BlockServers:
    """The servers of all arrays, and what goes over them."""

    study_id: str
    options: Options
    volumes: tuple[PairedVolume, ...]
    portals: Mapping[str, str]
    """array or server -> its own name or address, towards those that use it"""
    nodes: tuple[str, ...]
    server_card: str | None
    """that a server's sessions to arrays are bound to; None: whichever leads there"""
    node_card: str | None
    """that a node's sessions to servers are bound to"""

    def ranked(self, volume: PairedVolume) -> tuple[str, ...]:
        """Its primary and its backup: among the volumes of the same two servers, primaries take turns."""
        pairs = self.options.pairs
        pair = pairs[volume.member]
        alike = [item for item in self.volumes if set(pairs[item.member]) == set(pair)]
        first, second = sorted(pair)
        return (first, second) if alike.index(volume) % 2 == 0 else (second, first)

    @property
    def primaries(self) -> tuple[str, ...]:
        """The servers that data cross while all are well."""
        return tuple(
            server for server in self.options.servers if any(self.ranked(item)[0] == server for item in self.volumes)
        )

    def _behind(self, server: str) -> list[PairedVolume]:
        return [volume for volume in self.volumes if server in self.options.pairs[volume.member]]

    def describe(self) -> str:
        """For the report."""
        first = ", ".join(f"{volume.member}'s {volume.name} by {self.ranked(volume)[0]}" for volume in self.volumes)
        return f"{len(self.options.servers)}, first {first}; each the other's backup; written through"

    # ---- stages

    def stage(self) -> Stage:
        """Each server uses its arrays' volumes and offers them, now and after every boot; the arrays offer theirs."""
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
        """Nodes first, then servers, which offer nothing and use nothing any more."""
        servers = {
            name: (*self._offer(name).removal(), *lost_array.removal(), *self._to_arrays(name).removal())
            for name in self.options.servers
        }
        nodes = {name: tuple(self._joined(name).removal()) for name in self.nodes}
        return [Stage("sessions", nodes), Stage("block servers", servers)]

    def clearing(self) -> list[Stage]:
        """The same for now."""
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
            reason="with both servers of an array gone, commands wait: if they failed, the file system would withdraw",
        )

    def node_steps(self, node: str) -> list[Step]:
        """Log in to both servers of each volume, and join the paths."""
        return self._joined(node).steps()


def _preference(volume: PairedVolume) -> str:
    ranks = " ".join(f"{volume.serial}{ending} {priority}" for ending, priority in _RANKS)
    return f'        prio weightedpath\n        prio_args "serial {ranks}"\n'
