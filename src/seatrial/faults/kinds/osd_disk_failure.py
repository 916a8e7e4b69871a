"""`kind: osd-disk-failure`: the disk of a Ceph OSD is lost with its data, and replaced by an empty
disk.

Ceph recovers the data from the other OSDs. With `only_copy` the data had no other copy, and the
placement groups are recreated empty. On hosts the disk must be named in `--wipe`.
"""

import shlex

from pydantic import Field

from seatrial.basics.errors import Refused
from seatrial.basics.schema import Model
from seatrial.faults.base import Actions, NotHere, Scene, Shell
from seatrial.solutions.base import OsdDisks

TITLE = "an OSD's disk is lost, and replaced by an empty one"
WORD = "OSD's disk"
DURATION_S = 20.0
HEAD_MIB = 8
"""MiB to erase: they contain the label and BlueFS' superblock, without which a BlueStore is
unreadable.
"""


class Options(Model):
    """The OSD. The solution determines its node and disk: a study cannot name another."""

    osd: int = Field(ge=0, description="Number of the OSD.")
    only_copy: bool = Field(
        False,
        description="No other OSD has its data: lost placement groups are recreated empty.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """Kill the daemon as with a pulled disk; the new disk gets the OSD's number and key."""
    solution = scene.solution
    number = options.osd
    if not isinstance(solution, OsdDisks):
        raise NotHere("the solution has no OSDs")
    disks = solution.osd_disks()
    if number not in disks:
        raise Refused(f"no OSD has the number {number}; they have 0 to {len(disks) - 1}")
    node, disk = disks[number]
    device = shlex.quote(disk)
    folder = f"/var/lib/ceph/osd/ceph-{number}"
    unit = f"ceph-osd@{number}"
    other = f"echo {device} is not the disk of OSD {number} here >&2; exit 1"
    its = f"[ {folder}/block -ef {device} ] || {{ {other}; }}"
    lose = (
        f"{its}; systemctl kill --signal=KILL {unit}; systemctl stop {unit}; "
        f"dd if=/dev/zero of={device} bs=1M count={HEAD_MIB} conv=fsync status=none"
    )
    remade = f"{_REMAKE}; ceph osd down {number}" if options.only_copy else ":"
    # With an intact label nothing was lost: only the daemon is started again.
    repair = (
        f"{its}; set -e; cd {folder}; uuid=$(cat fsid); "
        f'if [ "$(head -c 60 {device} | sed -n 2p)" = "$uuid" ]; then systemctl start {unit}; exit;'
        " fi; "
        f"systemctl stop {unit}; systemctl reset-failed {unit} || true; "
        "find . -mindepth 1 ! -name block ! -name keyring ! -name type ! -name fsid -delete; "
        f"ceph-osd -i {number} --mkfs --osd-uuid $uuid --no-mon-config --setuser ceph --setgroup"
        " ceph; "
        f"systemctl start {unit}; {remade}"
    )
    return Actions(
        (Shell(node, lose, overwrites=(disk,)),), (Shell(node, repair, overwrites=(disk,)),)
    )


_REMAKE = (
    "for round in $(seq 60); do sleep 2; ceph pg dump pgs_brief 2>/dev/null | awk '$2 ~"
    " /unknown|stale|incomplete|down/ {print $1}' >/run/seatrial-lost; [ -s /run/seatrial-lost ] ||"
    " break; while read -r group; do ceph osd force-create-pg $group --yes-i-really-mean-it; done"
    ' </run/seatrial-lost; done; [ ! -s /run/seatrial-lost ] || { echo "after two minutes'
    ' placement groups are still lost" >&2; exit 1; }'
)
"""sh: wait until every placement group has an OSD that knows it.

An OSD drops requests for a group that it does not have, and clients resend them only when the map
shows that it went down and up.
"""
