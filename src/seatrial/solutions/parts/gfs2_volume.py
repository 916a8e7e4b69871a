"""GFS2 on a logical volume that all nodes of a cluster share, striped over the members of a group.

On each node a dedicated unit joins the lock space, activates the volume shared and mounts it, also
at every boot. The cluster's daemons start before it and stop after it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from seatrial.basics.units import counted, format_size
from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.solutions.parts.array_group import Volume
from seatrial.solutions.parts.gfs2_options import Options
from seatrial.solutions.parts.steps import read_ahead, reread, wait_until

# Not blkid, which always finds the partition itself.
_BLANK = (
    'found=$(wipefs --noheadings --output TYPE {0})\n[ -z "$found" ] || {{ echo "refused: {0} holds'
    ' $found"; exit 1; }}'
)
PACKAGES = {
    "corosync": "corosync",
    "dlm_controld": "dlm-controld",
    "lvmlockd": "lvm2-lockd",
    "mkfs.gfs2": "gfs2-utils",
    "iscsiadm": "open-iscsi",
    "parted": "parted",
    "fence_ipmilan": "fence-agents",
}
"""command that nodes need for the file system and for fencing -> its package"""
MADE = "seatrial-made"
GROWN = "seatrial-grown"
"""tag of a volume group with a complete file system"""
GROUPS_MIN = 4
"""resource groups per journal.

Nodes that allocate in the same group wait for each other. A node without a lock there waits as long
as any other node waits: the DLM grants conversions first (fs/dlm/lock.c, _can_be_granted).
"""
GROUP_MIN_MIB = 32
"""the smallest resource group of mkfs.gfs2"""
GROUP_MIB = 256
"""the default resource group of mkfs.gfs2"""
JOURNAL_MIN_MIB = 32
"""smallest journal of gfs2_jadd; mkfs.gfs2 creates smaller ones"""
MAPS_S = 60
"""time limit for a booting node's multipath devices"""
START_TIMEOUT_S = 300
"""a lock space waits for quorum, and for pending fencing"""


@dataclass(frozen=True)
class Gfs2Volume:
    """The file system as every node sees it."""

    study_id: str
    volumes: tuple[Volume, ...]
    """the volumes of each member"""
    path: str
    options: Options
    nodes: int

    @property
    def journals(self) -> int:
        """The number of journals that it is created with."""
        return self.options.journals_of(self.nodes)

    @property
    def group(self) -> str:
        """The shared volume group."""
        return f"st-{self.study_id}"

    @property
    def device(self) -> str:
        """The logical volume."""
        return f"/dev/{self.group}/data"

    # ---- created once, by one node

    def make_steps(self, *, erasable: Collection[str]) -> list[Step]:
        """Label the volumes, join them, and create the file system.

        The volumes of the members in `erasable` may be overwritten: all their disks are in `wipe`.
        """
        steps = []
        made = f"vgs --noheadings -o tags {self.group} 2>/dev/null | grep -q {MADE}"
        whole = tuple(volume.device for volume in self.volumes if volume.physical == volume.device)
        for volume in self.volumes:
            device = volume.device
            partition = volume.physical
            erase = command_step(
                f"erase the volume of {volume.member}, as --wipe allows",
                f"must_be_blank {device} || {made if device in whole else f'[ -b {partition} ]'}",
                f"wipefs --all {device}",
            )
            steps += [erase] if volume.member in erasable else []
            steps += [] if device in whole else [_label(volume)]
        members = len(self.volumes)
        parts = [volume.physical for volume in self.volumes]
        stripes = f"-i {members} -I {self.options.stripe // 1024}k " if members > 1 else ""
        commands = [
            *(f"{_BLANK.format(part)}" for part in parts),
            f"vgcreate -q -y --shared {self.group} {' '.join(parts)}",
            f"lvcreate -q -y -W y -Z y -a sy -n data {stripes}-l 100%FREE {self.group}",
            (
                f"group_mib=$(($(blockdev --getsize64 {self.device}) /"
                f" {2**20 * GROUPS_MIN * self.journals}))"
            ),
            f'[ "$group_mib" -ge {GROUP_MIN_MIB} ] || group_mib={GROUP_MIN_MIB}',
            f'[ "$group_mib" -lt {GROUP_MIB} ] || group_mib=',
            # The lock table is CLUSTER:FILESYSTEM, with at most 32 and 30 characters.
            f"mkfs.gfs2 -O -q -p lock_dlm -t {self.study_id}:data -j {self.journals} "
            f'-J {self.options.journal_size // 2**20} ${{group_mib:+-r "$group_mib"}}'
            f" {self.device}",
            f"vgchange -q --addtag {MADE} {self.group}",
        ]
        make = command_step(
            f"create GFS2 with {self.journals} journals, striped over {counted(members, 'member')}",
            made,
            "\n".join(commands),
            reason=(
                "each node that mounts needs a journal, and spare ones allow more nodes later; "
                f"with {GROUPS_MIN} resource groups per journal, nodes that allocate do not wait"
            ),
            destroys=whole,
        )
        return [*steps, make]

    # ---- growth in service

    def extend_steps(self, added: Sequence[Volume]) -> list[Step]:
        """Label the new members' volumes, and extend the file system's volume by them."""
        parts = " ".join(volume.physical for volume in added)
        stripes = f"-i {len(added)} " if len(self.volumes) > 1 else ""
        members = len(self.volumes) + len(added)
        return [
            *(_label(volume) for volume in added),
            command_step(
                f"extend the volume to {' and '.join(volume.member for volume in added)}",
                f'[ "$(vgs --noheadings -o pv_count {self.group} | tr -d " ")" = {members} ] &&\n'
                f'[ "$(vgs --noheadings -o vg_free_count {self.group} | tr -d " ")" = 0 ]',
                f"vgextend -q -y {self.group} {parts}\nlvextend -q {stripes}-l +100%FREE"
                f" {self.group}/data {parts}",
            ),
        ]

    def refresh_step(self) -> Step:
        """Let another node see the volume's new size."""
        return command_step("refresh the volume", None, f"lvchange -q --refresh {self.group}/data")

    def grow_step(self) -> Step:
        """Grow the file system; every node sees the new size at once.

        gfs2_grow fails where the file system fills its device already. A tag of the volume group
        records the size of the device after a growth, so that a repeated plan skips it.
        """
        size = f"$(blockdev --getsize64 {self.device})"
        tag = f"{GROWN}-{size}"
        return command_step(
            "grow the file system",
            f'vgs --noheadings -o tags {self.group} | grep -qw -- "{tag}"',
            f'gfs2_grow {self.path}\nvgchange -q --addtag "{tag}" {self.group}',
        )

    def journal_step(self) -> Step:
        """Add a journal, so that one more node can mount."""
        size_mib = max(self.options.journal_size // 2**20, JOURNAL_MIN_MIB)
        return command_step("add a journal", None, f"gfs2_jadd -j 1 -J {size_mib} {self.path}")

    # ---- on every node

    @property
    def unit(self) -> str:
        """The node's unit for the file system."""
        return f"seatrial-gfs2-{self.study_id}.service"

    @property
    def _script(self) -> str:
        return f"/usr/local/sbin/seatrial-gfs2-{self.study_id}"

    def _awaited(self) -> str:
        """sh: wait for a multipath device, which appears some time after its sessions."""
        maps = " ".join(
            volume.physical for volume in self.volumes if volume.physical.startswith("/dev/mapper/")
        )
        if not maps:
            return ""
        return f"""\
    for map in {maps}; do
        tries=0
        until [ -b $map ] || [ $tries = {2 * MAPS_S} ]; do sleep 0.5; tries=$((tries + 1)); done
        [ -b $map ] || {{ echo "after {MAPS_S} s there is no $map: look at multipath -ll" >&2; \
exit 1; }}
    done
"""

    @property
    def _mount_options(self) -> str:
        return ",".join(self.options.mount) or "defaults"

    @property
    def _mount_record(self) -> str:
        """The file with the options of the mount since the node's boot."""
        return f"/run/seatrial-{self.study_id}.mounted"

    def install_steps(self) -> list[Step]:
        """Install the unit that mounts at every boot."""
        return [
            write_file(
                self._script,
                f"""\
#!/bin/sh
# Activates the lock space, the volume and the file system, or stops them in the opposite order.
case $1 in
start)
    modprobe gfs2
{self._awaited()}    vgchange -q --lock-start {self.group} || exit 1
    lvchange -q -a sy {self.group}/data || exit 1
    mkdir -p {self.path}
    mountpoint -q {self.path} ||
        mount -t gfs2 -o {self._mount_options} {self.device} {self.path} || exit 1
    echo '{self._mount_options}' >{self._mount_record} ;;
stop)
    ! mountpoint -q {self.path} || umount {self.path} || exit 1
    lvchange -q -a n {self.group}/data
    vgchange -q --lock-stop {self.group} ;;
esac
""",
                mode="755",
                title="install the unit that mounts the file system",
            ),
            write_file(
                f"/etc/systemd/system/{self.unit}",
                f"[Unit]\nDescription=GFS2 at {self.path}\nRequires=corosync.service dlm.service"
                " lvmlockd.service\nAfter=corosync.service dlm.service lvmlockd.service"
                " open-iscsi.service\n[Service]\nType=oneshot\nRemainAfterExit=yes"
                f"\nExecStart={self._script}"
                f" start\nExecStop={self._script}"
                f" stop\nTimeoutStartSec={START_TIMEOUT_S}\n[Install]\nWantedBy=multi-user.target",
                after=reread(self.unit),
            ),
        ]

    def mount_steps(self) -> list[Step]:
        """Mount the file system, now and after every boot."""
        ahead = f"/sys/dev/block/$(mountpoint -x {self.device})/queue/read_ahead_kb"
        return [
            command_step(
                f"mount the file system at {self.path} and enable it at boot",
                f"systemctl -q is-enabled {self.unit} && grep -q ' {self.path} gfs2 ' /proc/mounts"
                f" &&\ngrep -qx '{self._mount_options}' {self._mount_record}",
                f"systemctl -q --no-reload enable {self.unit}\nsystemctl restart {self.unit}",
                takes=(("mount", self.path),),
            ),
            read_ahead(
                "the volume",
                ahead,
                self.options.readahead,
                f"/run/seatrial-{self.study_id}.readahead",
                "the members then answer while the node still processes earlier data",
            ),
        ]

    def clearing(self) -> list[Step]:
        """Unmount temporarily."""
        return [
            command_step(
                f"unmount {self.path} until the next mount",
                f"! systemctl -q is-active {self.unit} && ! grep -q ' {self.path} ' /proc/mounts",
                f"systemctl stop {self.unit}\n! grep -q ' {self.path} ' /proc/mounts ||"
                f" {self._script} stop",
            ),
            remove_file(f"/run/seatrial-{self.study_id}.readahead"),
        ]

    def removal(self) -> list[Step]:
        """Unmount permanently and leave the lock space."""
        return [
            command_step(
                f"unmount {self.path}",
                f"! systemctl -q is-enabled {self.unit} && ! systemctl -q is-active {self.unit}"
                f" &&\n! grep -q ' {self.path} ' /proc/mounts && [ ! -d {self.path} ]",
                f"systemctl -q --no-reload disable {self.unit}\nsystemctl stop {self.unit}\n"
                f"! grep -q ' {self.path} ' /proc/mounts || {self._script} stop\n"
                f"[ ! -d {self.path} ] || rmdir {self.path}",
            ),
            remove_file(f"/etc/systemd/system/{self.unit}", after=reread(self.unit)),
            remove_file(self._script),
            remove_file(f"/run/seatrial-{self.study_id}.readahead"),
        ]

    def describe(self) -> str:
        """The file system in words, for the report."""
        stripe = f", stripes of {format_size(self.options.stripe)}" if len(self.volumes) > 1 else ""
        return (
            f"GFS2, {self.journals} journals of {format_size(self.options.journal_size)}, on "
            f"{counted(len(self.volumes), 'volume')}{stripe}"
        )


def _label(volume: Volume) -> Step:
    device = volume.device
    partition = volume.physical
    return command_step(
        f"create a GPT label and one partition on the volume of {volume.member}",
        f"[ -b {partition} ]",
        f"parted -s {device} mklabel gpt mkpart primary 1MiB 100%\nudevadm settle --timeout=30\n"
        f"{wait_until(f'[ -b {partition} ]', 20, partition)}",
        destroys=(device,),
    )


def see_partitions(volumes: Sequence[Volume]) -> list[Step]:
    """Let this node see the partitions that another node has created."""
    labelled = [volume for volume in volumes if volume.physical != volume.device]
    if not labelled:
        return []
    partitions_exist = " && ".join(f"[ -b {volume.physical} ]" for volume in labelled)
    probing = "\n".join(
        f"[ -b {volume.physical} ] || partprobe {volume.device}" for volume in labelled
    )
    return [
        command_step(
            "wait for the partitions",
            partitions_exist,
            f"{probing}\nudevadm settle --timeout=30\n"
            f"{wait_until(partitions_exist, 20, 'the partitions')}",
        )
    ]
