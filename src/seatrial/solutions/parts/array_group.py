"""A group of array members: each a node with disks, whose volumes all initiators find at one address.

Each member divides its RAID set into volumes, and each volume is an iSCSI target of its own, as EqualLogic groups have
it. The group's address belongs to the first member. It names the targets of all members to who asks (SendTargets), and
sends a login for another member's volume on to that member (RFC 7143, 11.13.5, status class 1: redirection), so that
only discovery and logins pass through it. tgt in user space offers this; the kernel's target does not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from seatrial.basics.units import counted
from seatrial.plan.plan import Step
from seatrial.solutions.parts.gfs2_options import Options
from seatrial.solutions.parts.iscsi import initiator_name, iscsi_name, serial_of, wwid_of
from seatrial.solutions.parts.iscsi_target import Lun, Target, TargetNode, volume_group, volume_group_released
from seatrial.solutions.parts.raid import Array
from seatrial.solutions.parts.steps import need_commands, wait_until
from seatrial.study.workload import file_name

GROUP = "seatrial-group"
"""each member's own volume group, which its volumes are taken from"""
SHARED = "shared"
"""the volume that holds the member's part of the file system"""


@dataclass(frozen=True)
class Volume:
    """A volume of one member: an iSCSI target with one LUN."""

    study_id: str
    member: str
    name: str

    @property
    def target(self) -> str:
        """Its iSCSI name."""
        return f"{iscsi_name(self.study_id)}:{self.member}:{self.name}"

    @property
    def serial(self) -> str:
        """Of the LUN."""
        return serial_of(self.study_id, self.member, self.name)

    @property
    def device(self) -> str:
        """Where an initiator sees it."""
        return f"/dev/disk/by-id/scsi-{self.wwid}"

    @property
    def wwid(self) -> str:
        """What multipath knows it by."""
        return wwid_of(self.study_id, self.member, self.name)

    @property
    def physical(self) -> str:
        """What of it LVM is given: the one partition of its label."""
        return f"{self.device}-part1"


@dataclass(frozen=True)
class Member:
    """One node of the group."""

    study_id: str
    node: str
    portal: str
    """its own name or address on the storage network"""
    array: Array
    options: Options

    @property
    def shared(self) -> tuple[Volume, ...]:
        """Its part of the file system."""
        luns = self.options.luns
        names = (SHARED,) if luns == 1 else tuple(f"{SHARED}{number}" for number in range(1, luns + 1))
        return tuple(Volume(self.study_id, self.node, name) for name in names)

    @property
    def raw(self) -> tuple[Volume, ...]:
        """Those beside it."""
        numbers = range(1, self.options.raw_volumes + 1)
        return tuple(Volume(self.study_id, self.node, f"raw{number}") for number in numbers)

    @property
    def volumes(self) -> tuple[Volume, ...]:
        """Its part of the file system first."""
        return (*self.shared, *self.raw)


@dataclass(frozen=True)
class ArrayGroup:
    """The members, and the address under which all of them are found."""

    study_id: str
    members: tuple[Member, ...]
    initiators: tuple[str, ...]
    """the nodes that may use its volumes"""
    options: Options

    @property
    def portals(self) -> tuple[str, ...]:
        """What is asked for targets."""
        if self.options.group is None:
            return tuple(member.portal for member in self.members)
        return (self.options.group.partition("/")[0],)

    @property
    def shared(self) -> tuple[Volume, ...]:
        """All parts of the file system."""
        return tuple(volume for member in self.members for volume in member.shared)

    def member(self, node: str) -> Member:
        """The member that a node is."""
        return next(member for member in self.members if member.node == node)

    def describe(self) -> str:
        """For the report."""
        reached = "one address, from which logins are sent on to the members"
        if not self.options.group:
            reached = "each reached by two block servers" if self.options.pairs else "each by itself"
        return f"{counted(len(self.members), 'member')}, {reached}"

    # ---- what makes a member

    def steps(self, node: str) -> list[Step]:
        """Offer its volumes, now and after every boot; its RAID set is there."""
        member = self.member(node)
        shares, raw = [item.name for item in member.shared], [item.name for item in member.raw]
        return [
            need_commands({"tgtd": "tgt", "mdadm": "mdadm", "vgcreate": "lvm2"}),
            volume_group(GROUP, member.array.device, shares, dict.fromkeys(raw, self.options.raw_volume)),
            *self.offer(node).steps(),
        ]

    def offer(self, node: str) -> TargetNode:
        """A member's own volumes, and on the first member those of all others, whose logins are sent on."""
        member, cached = self.member(node), self.options.write_cache
        own = [
            Target(it.target, (Lun(1, f"/dev/{GROUP}/{it.name}", it.serial, "VOLUME", write_cache=cached),))
            for it in member.volumes
        ]
        address = self.options.group if member == self.members[0] else None
        others = [
            Target(volume.target, sent_on_to=other.portal)
            for other in (self.members[1:] if address else ())
            for volume in other.volumes
        ]
        initiators = tuple(
            initiator_name(self.study_id, name) for name in self.options.pairs.get(node, self.initiators)
        )
        return TargetNode(self.study_id, (*own, *others), initiators, (member.portal,), address)

    # ---- what ends it

    def clearing(self, node: str, *, erase: bool) -> list[Step]:
        """Offer nothing for now; the volumes stay unless the disks below them are to be erased."""
        member = self.member(node)
        return [self.offer(node).stop_step(), *self._let_go(member, erase=erase)]

    def removal(self, node: str, *, erase: bool) -> list[Step]:
        """Offer nothing any more; the volumes stay unless the disks below them are to be erased."""
        member = self.member(node)
        return [*self.offer(node).removal(), *self._let_go(member, erase=erase)]

    @staticmethod
    def _let_go(member: Member, *, erase: bool) -> list[Step]:
        steps = [volume_group_released(GROUP)]
        if erase:
            steps.append(
                Step(
                    "remove the volumes, as --wipe allows",
                    f"! vgs {GROUP} >/dev/null 2>&1",
                    f"vgremove -q -y -f {GROUP}\npvremove -q -y -ff {member.array.device}",
                )
            )
        return steps


def in_turns(members: Sequence[str], nodes: int) -> tuple[Sequence[str], float]:
    """The members that have volumes of so many nodes, which take turns, and how many times the mean the fullest has."""
    used = members[:nodes]
    return used, math.ceil(nodes / len(used)) * len(used) / nodes


@dataclass(frozen=True)
class RawVolume:
    """A volume that its node loads without a file system, with a partition for each of its tasks.

    A directory of links gives each partition the name that a task's file would have: the same load runs on both.
    """

    volume: Volume
    node_index: int
    """of the node among those that are loaded"""
    tasks: int
    directory: str
    """of the links"""

    def steps(self) -> list[Step]:
        """Divide it, and name each part."""
        device = self.volume.device
        parts = [f"{device}-part{number}" for number in range(1, self.tasks + 1)]
        there = " && ".join(f"[ -b {part} ]" for part in parts)
        bounds = [f"{100 * number // self.tasks}%" for number in range(self.tasks + 1)]
        bounds[0] = "1MiB"
        made = " ".join(
            f"mkpart task{number} {start} {end}" for number, (start, end) in enumerate(pairwise(bounds), start=1)
        )
        links = [(part, f"{self.directory}/{file_name(self.node_index, task)}") for task, part in enumerate(parts)]
        named = " && ".join(f'[ "$(readlink {link})" = {part} ]' for part, link in links)
        return [
            Step(
                f"split the local volume into {counted(self.tasks, 'part')}",
                there,
                f"parted -s -a none {device} mklabel gpt {made}\nudevadm settle --timeout=30\n"
                f"{wait_until(there, 20, 'the parts of the volume')}",
                destroys=(device,),
            ),
            Step(
                "link each part as the file of a task",
                named,
                f"mkdir -p {self.directory}\n" + "\n".join(f"ln -sfn {part} {link}" for part, link in links),
            ),
        ]

    def removal(self) -> Step:
        """The links are gone; the volume goes with its member."""
        return Step("detach the local volume", f"[ ! -e {self.directory} ]", f"rm -r {self.directory}")
