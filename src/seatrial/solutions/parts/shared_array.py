"""A shared array: one node's RAID set as LUNs, which servers access by iSCSI over several networks.

The target is tgt, in user space over md: it passed tests that the kernel's target failed (decision
0009), and it supports SCSI-3 persistent reservations. Each storage network is a path; the servers
join the paths with dm-multipath.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.solutions.parts.iscsi import initiator_name, iscsi_name, serial_of, wwid_of
from seatrial.solutions.parts.iscsi_initiator import Initiator, PathTimers
from seatrial.solutions.parts.iscsi_target import (
    Lun,
    Target,
    TargetNode,
    volume_group,
    volume_group_released,
)
from seatrial.solutions.parts.multipath import Joined
from seatrial.solutions.parts.raid import Array
from seatrial.solutions.parts.steps import need_commands, wait_until

SHARES = "seatrial-array"
"""the array's volume group when it has several LUNs"""
PERSIST = "/usr/local/sbin/seatrial-mpathpersist"
_PERSIST_TEXT = """\
#!/bin/bash
# mpathpersist for fence_mpath and an array that knows PREEMPT, but not PREEMPT AND ABORT.
exec /usr/sbin/mpathpersist "${@/#--preempt-abort/--preempt}"
"""


@dataclass(frozen=True)
class SharedArray:
    """One array node and the servers that use its LUNs."""

    study_id: str
    node: str
    array: Array
    luns: tuple[str, ...]
    """names of the volumes: each is one of the arrays, or an even share of the only one"""
    portals: tuple[str, ...]
    """the array's address on each storage network, in order"""
    timers: PathTimers
    servers: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    """server -> its hexadecimal key for persistent reservations; empty: no reservations"""

    @property
    def target(self) -> str:
        """The iSCSI name of the array."""
        return iscsi_name(self.study_id)

    def initiator(self, server: str) -> str:
        """The iSCSI name of a server."""
        return initiator_name(self.study_id, server)

    def device(self, lun: str) -> str:
        """The multipath device of a LUN on the servers."""
        return f"/dev/mapper/{self.study_id}-{lun}"

    # ---- on the array

    @property
    def _is_divided(self) -> bool:
        """Whether several volumes share one array."""
        return len(self.luns) > 1 and self.array.parts == 1

    @property
    def _offer(self) -> TargetNode:
        behind = (
            [f"/dev/{SHARES}/{lun}" for lun in self.luns]
            if self._is_divided
            else self.array.part_devices
        )
        luns = tuple(
            Lun(number, device, serial_of(self.study_id, lun), "ARRAY")
            for number, (lun, device) in enumerate(zip(self.luns, behind, strict=True), start=1)
        )
        initiators = tuple(self.initiator(server) for server in self.servers)
        return TargetNode(self.study_id, (Target(self.target, luns),), initiators, self.portals)

    def array_steps(self) -> list[Step]:
        """Export the RAID set, now and after every boot."""
        group = volume_group(SHARES, self.array.device, self.luns)
        divided = [group] if self._is_divided else []
        return [
            need_commands(
                {"tgtd": "tgt", "mdadm": "mdadm", **({"vgcreate": "lvm2"} if divided else {})}
            ),
            *divided,
            *self._offer.steps(),
        ]

    def array_removal(self) -> list[Step]:
        """Remove the targets."""
        return [
            *self._offer.removal(),
            *([volume_group_released(SHARES)] if self._is_divided else []),
        ]

    # ---- on the servers

    def _joined(self, server: str) -> Joined:
        sessions = Initiator(
            self.study_id,
            server,
            (self.target,),
            self.portals,
            tuple(self.device(lun) for lun in self.luns),
            self.timers,
            modules=("iscsi_tcp", "sd_mod", "dm_multipath", "dm_round_robin", "scsi_dh_alua"),
            daemons=("iscsid", "multipathd"),
        )
        return Joined(
            sessions,
            self.target,
            {wwid_of(self.study_id, lun): "" for lun in self.luns},
            '    path_grouping_policy multibus\n    path_selector "round-robin 0"\n',
            title="configure multipath for the LUNs",
            reason=(
                "without a path commands wait: with an error, the NFS server would pass it to "
                "programs before the cluster could fence the server"
            ),
            key=f"    reservation_key 0x{self.keys[server]}\n" if server in self.keys else "",
        )

    def server_steps(self, server: str) -> list[Step]:
        """Log in over every storage network and join the paths."""
        persist = write_file(
            PERSIST,
            _PERSIST_TEXT,
            mode="755",
            title="install the PREEMPT wrapper for fence_mpath",
            reason="tgt refuses PREEMPT AND ABORT; it completes begun writes within milliseconds",
        )
        return self._joined(server).steps(*([persist] if self.keys else []))

    def server_removal(self, server: str) -> list[Step]:
        """Log out and delete the node records of the array's targets."""
        return [*self._joined(server).removal(), *([remove_file(PERSIST)] if self.keys else [])]

    def key_step(self, server: str) -> Step | None:
        """Restore the key of a fenced but running member; None without reservations."""
        if server not in self.keys:
            return None
        devices = ",".join(self.device(lun) for lun in self.luns)
        registered = " && ".join(
            f"mpathpersist --in --read-keys {self.device(lun)} | grep -qi"
            f" '0x0*{self.keys[server]}$'"
            for lun in self.luns
        )
        busy = " || ".join(f"[ -e /dev/st-{lun}/{lun} ]" for lun in self.luns)
        return command_step(
            "register the server's key at the array",
            registered,
            # With its volumes still active, it would overwrite data of the other server.
            f"{wait_until(f'! {{ {busy}; }}', 60, 'its volumes to be given up')}\nfence_mpath -o on"
            f" --plug={self.keys[server]} --devices={devices} --mpathpersist-path={PERSIST}",
            reason="a device that falsely reports success leaves a running server without key",
        )
