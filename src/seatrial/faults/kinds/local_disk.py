"""`kind: local-disk`: a disk with the state of a server's own system fails.

A server survives it only with a second such disk. In a lab, `local_disks` of the node are a RAID 1
with hot spares. A disk that holds data fails, a spare is rebuilt at once, and the repair adds the
failed disk as a new spare. On hosts the study has the commands. Without either the fault is
skipped.
"""

import shlex
from typing import Self

from pydantic import Field, model_validator

from seatrial.basics.schema import Duration
from seatrial.faults.base import Actions, NotHere, OnNode, Rebuild, Scene, Shell
from seatrial.faults.kinds.disk_failure import WHOLE, md_folder, replace_command
from seatrial.faults.probe import Probe
from seatrial.plan.site import SiteMirror
from seatrial.result.evidence import Sign

TITLE = "a local disk of a server fails"
WORD = "local disk"
DURATION_S = 20.0


class Options(OnNode):
    """The server; the commands that break and repair the disk, on servers that have two."""

    fail: str | None = Field(
        None,
        description=(
            "Command that fails the disk, such as `mdadm /dev/md0 --fail ...`. By default one of"
            " `local_disks` fails."
        ),
    )
    repair: str | None = Field(None, description="Command that restores the disk.")
    rebuild: Duration = Field(
        300.0, gt=0, description="Longest time that the rebuild of a spare may take."
    )

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.fail is None) != (self.repair is None):
            raise ValueError("fail and repair belong together")
        return self


def actions(options: Options, scene: Scene) -> Actions:
    """The commands of the study, or those for the node's RAID 1; raises NotHere without both."""
    node = options.where(scene)
    if options.fail is not None and options.repair is not None:
        return Actions((Shell(node, options.fail),), (Shell(node, options.repair),))
    mirror = scene.site.nodes[node].local_mirror
    if mirror is None:
        raise NotHere(
            "the node's own system has no second disk here; give it local_disks, or set fail and"
            " repair"
        )
    return _of_mirror(node, mirror, options.rebuild)


def _of_mirror(node: str, mirror: SiteMirror, limit_s: float) -> Actions:
    """Fail a disk that holds data, whichever it is now; wait for the spare's rebuild, which begins
    at once; add the failed disk again as a new one.
    """
    folder = md_folder(mirror.array)
    fail = Shell(node, f"{folder}; {FAIL_FIRST.format(mirror.array)}", probe=_reported(folder))
    devices = [shlex.quote(device) for device in mirror.members]
    repair = Shell(node, replace_command(mirror.array, devices))
    whole = f"{folder}; {WHOLE}"
    if mirror.spares:
        return Actions((fail, Rebuild(node, mirror.array, fail, whole, limit_s)), (repair,))
    return Actions((fail,), (repair,), (Rebuild(node, mirror.array, repair, whole, limit_s),))


FAIL_FIRST = (
    "for disk in $md/dev-*; do read -r state <$disk/state; case $state in"
    ' *in_sync*) exec mdadm {} --fail "/dev/${{disk##*/dev-}}";; esac; done; exit 1'
)
"""sh: fails the first member that holds data; a disk that was replaced before is a spare now"""


def _reported(folder: str) -> Probe:
    """The check that md reports a failed member."""
    return Probe(f"{folder}; grep -q faulty $md/dev-*/state", Sign.MEDIUM_GONE)
