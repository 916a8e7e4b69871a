"""A group of array members: nodes with disks, which initiators reach at one address.

Each member divides its RAID set into volumes, and each volume is a separate iSCSI target, as in
EqualLogic groups. The group's address belongs to the first member. This member lists the targets of
all members (SendTargets) and redirects a login for another member's volume to that member (RFC
7143, 11.13.5, status class 1: redirection). So only discovery and logins pass through it. tgt in
user space supports this; the kernel's target does not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from seatrial.basics.units import counted
from seatrial.plan.plan import Step, command_step
from seatrial.solutions.parts.gfs2_options import Options
from seatrial.solutions.parts.iscsi import initiator_name, iscsi_name, serial_of, wwid_of
from seatrial.solutions.parts.iscsi_target import (
    Lun,
    Target,
    TargetNode,
    volume_group,
    volume_group_released,
)
from seatrial.solutions.parts.raid import Array
from seatrial.solutions.parts.steps import need_commands, wait_until
from seatrial.study.workload import file_name

GROUP = "seatrial-group"
"""volume group on each member for its volumes"""
SHARED = "shared"
"""name of the volume with the member's part of the file system"""


@dataclass(frozen=True)
class Volume:
    """A volume of one member: an iSCSI target with one LUN."""

    study_id: str
    member: str
    name: str

    @property
    def target(self) -> str:
        """The iSCSI name of the target."""
        return f"{iscsi_name(self.study_id)}:{self.member}:{self.name}"

    @property
    def serial(self) -> str:
        """The serial number of the LUN."""
        return serial_of(self.study_id, self.member, self.name)

    @property
    def device(self) -> str:
        """The device on an initiator."""
        return f"/dev/disk/by-id/scsi-{self.wwid}"

    @property
    def wwid(self) -> str:
        """The WWID by which multipath identifies it."""
        return wwid_of(self.study_id, self.member, self.name)

    @property
    def physical(self) -> str:
        """The device for LVM: the one partition of the volume's label."""
        return f"{self.device}-part1"


@dataclass(frozen=True)
class Member:
    """One node of the group."""

    study_id: str
    node: str
    portal: str
    """name or address of the member on the storage network"""
    array: Array
    options: Options

    @property
    def shared(self) -> tuple[Volume, ...]:
        """The volumes with the member's part of the file system."""
        luns = self.options.luns_per_array
        names = (
            (SHARED,) if luns == 1 else tuple(f"{SHARED}{number}" for number in range(1, luns + 1))
        )
        return tuple(Volume(self.study_id, self.node, name) for name in names)

    @property
    def raw(self) -> tuple[Volume, ...]:
        """The raw volumes."""
        numbers = range(1, self.options.raw_volumes + 1)
        return tuple(Volume(self.study_id, self.node, f"raw{number}") for number in numbers)

    @property
    def volumes(self) -> tuple[Volume, ...]:
        """All volumes, those of the file system first."""
        return (*self.shared, *self.raw)


@dataclass(frozen=True)
class ArrayGroup:
    """The members and the group's address."""

    study_id: str
    members: tuple[Member, ...]
    initiators: tuple[str, ...]
    """the nodes that may use its volumes"""
    options: Options

    @property
    def portals(self) -> tuple[str, ...]:
        """The addresses for target discovery."""
        if self.options.group is None:
            return tuple(member.portal for member in self.members)
        return (self.options.group.partition("/")[0],)

    @property
    def shared(self) -> tuple[Volume, ...]:
        """All volumes of the file system."""
        return tuple(volume for member in self.members for volume in member.shared)

    def member(self, node: str) -> Member:
        """The member on the given node."""
        return next(member for member in self.members if member.node == node)

    def describe(self) -> str:
        """The group in words, for the report."""
        reached = "one address, which redirects logins to the members"
        if not self.options.group:
            separate = "each reached separately"
            reached = "each reached by two block servers" if self.options.pairs else separate
        return f"{counted(len(self.members), 'member')}, {reached}"

    # ---- deployment of a member

    def steps(self, node: str) -> list[Step]:
        """Offer the member's volumes, now and after every boot; its RAID set must exist."""
        member = self.member(node)
        shares = [item.name for item in member.shared]
        raw = [item.name for item in member.raw]
        return [
            need_commands({"tgtd": "tgt", "mdadm": "mdadm", "vgcreate": "lvm2"}),
            volume_group(
                GROUP, member.array.device, shares, dict.fromkeys(raw, self.options.raw_volume)
            ),
            *self.offer(node).steps(),
        ]

    def offer(self, node: str) -> TargetNode:
        """The targets of a member; on the first member also redirections for all other members."""
        member = self.member(node)
        cached = self.options.write_cache
        own_targets = [
            Target(
                own_volume.target,
                (
                    Lun(
                        1,
                        f"/dev/{GROUP}/{own_volume.name}",
                        own_volume.serial,
                        "VOLUME",
                        write_cache=cached,
                    ),
                ),
            )
            for own_volume in member.volumes
        ]
        address = self.options.group if member == self.members[0] else None
        others = [
            Target(volume.target, sent_on_to=other.portal)
            for other in (self.members[1:] if address else ())
            for volume in other.volumes
        ]
        initiators = tuple(
            initiator_name(self.study_id, name)
            for name in self.options.pairs.get(node, self.initiators)
        )
        return TargetNode(
            self.study_id, (*own_targets, *others), initiators, (member.portal,), address
        )

    # ---- removal of a member

    def clearing(self, node: str, *, erase: bool) -> list[Step]:
        """Stop the targets temporarily; remove the volumes only when the disks are erased."""
        member = self.member(node)
        return [self.offer(node).stop_step(), *self._let_go(member, erase=erase)]

    def removal(self, node: str, *, erase: bool) -> list[Step]:
        """Remove the targets; remove the volumes only when the disks below are erased."""
        member = self.member(node)
        return [*self.offer(node).removal(), *self._let_go(member, erase=erase)]

    @staticmethod
    def _let_go(member: Member, *, erase: bool) -> list[Step]:
        steps = [volume_group_released(GROUP)]
        if erase:
            steps.append(
                command_step(
                    "remove the volumes, as --wipe allows",
                    f"! vgs {GROUP} >/dev/null 2>&1",
                    f"vgremove -q -y -f {GROUP}\npvremove -q -y -ff {member.array.device}",
                )
            )
        return steps


def in_turns(members: Sequence[str], nodes: int) -> tuple[Sequence[str], float]:
    """The members with raw volumes of this many nodes, and the busiest member's load over the mean.

    The nodes are assigned to the members in turn.
    """
    used = members[:nodes]
    return used, math.ceil(nodes / len(used)) * len(used) / nodes


@dataclass(frozen=True)
class RawVolume:
    """A volume that a node loads without a file system, with one partition per task.

    A directory of links names each partition like a task's file, so that the same load uses both.
    """

    volume: Volume
    node_index: int
    """position of the node among those that are loaded"""
    tasks: int
    directory: str
    """directory of the links"""

    def steps(self) -> list[Step]:
        """Partition the volume and create the links."""
        device = self.volume.device
        parts = [f"{device}-part{number}" for number in range(1, self.tasks + 1)]
        parts_exist = " && ".join(f"[ -b {part} ]" for part in parts)
        bounds = [f"{100 * number // self.tasks}%" for number in range(self.tasks + 1)]
        bounds[0] = "1MiB"
        made = " ".join(
            f"mkpart task{number} {start} {end}"
            for number, (start, end) in enumerate(pairwise(bounds), start=1)
        )
        links = [
            (part, f"{self.directory}/{file_name(self.node_index, task)}")
            for task, part in enumerate(parts)
        ]
        links_exist = " && ".join(f'[ "$(readlink {link})" = {part} ]' for part, link in links)
        return [
            command_step(
                f"split the local volume into {counted(self.tasks, 'part')}",
                parts_exist,
                f"parted -s -a none {device} mklabel gpt {made}\nudevadm settle --timeout=30\n"
                f"{wait_until(parts_exist, 20, 'the parts of the volume')}",
                destroys=(device,),
            ),
            command_step(
                "link each part as the file of a task",
                links_exist,
                f"mkdir -p {self.directory}\n"
                + "\n".join(f"ln -sfn {part} {link}" for part, link in links),
            ),
        ]

    def removal(self) -> Step:
        """Remove the links; the volume is removed with its member."""
        return command_step(
            "detach the local volume", f"[ ! -e {self.directory} ]", f"rm -r {self.directory}"
        )
