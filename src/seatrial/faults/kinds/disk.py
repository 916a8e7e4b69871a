"""`kind: disk`: one disk of an md array fails, and is put back: a rebuild under load follows."""

import shlex

from pydantic import Field

from seatrial.basics.text import Device
from seatrial.faults.base import Actions, OnNode, Scene, Shell

TITLE = "a disk of the array fails"
WORD = "disk"
DURATION_S = 10.0


class Options(OnNode):
    """Which disk of which array."""

    array: Device = Field(description="the md device, such as /dev/md/NAME")
    device: Device = Field(description="its member, such as /dev/ubdb")


def actions(options: Options, scene: Scene) -> Actions:
    """Fail it; afterwards remove and add it again, by its bitmap if the array has one."""
    node = options.where(scene)
    array, device = shlex.quote(options.array), shlex.quote(options.device)
    mend = (
        f"mdadm --detail {array} | grep faulty | grep -q ' {device} *$' || exit 0; "
        f"mdadm {array} --remove {device}; "
        f"mdadm {array} --re-add {device} || {{ mdadm --zero-superblock {device}; mdadm {array} --add {device}; }}"
    )
    return Actions((Shell(node, f"mdadm {array} --fail {device}"),), (Shell(node, mend),))
