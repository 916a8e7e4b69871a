"""`kind: local-disk`: one of the two disks with a server's own system fails.

A lab's node has its root on a single disk, so the fault would leave no server to survive it.
"""

from typing import Self

from pydantic import Field, model_validator

from seatrial.faults.base import Actions, NotHere, OnNode, Scene, Shell

TITLE = "a local disk of a server fails"
WORD = "local disk"
DURATION_S = 20.0


class Options(OnNode):
    """The server; the commands that break and repair the disk, on servers that have two."""

    fail: str | None = Field(None, description="the command that fails the disk, such as mdadm /dev/md0 --fail ...")
    repair: str | None = Field(None, description="the command that puts it back")

    @model_validator(mode="after")
    def _both(self) -> Self:
        if (self.fail is None) != (self.repair is None):
            raise ValueError("fail and repair belong together")
        return self


def actions(options: Options, scene: Scene) -> Actions:
    """The commands of the study; raises NotHere without them."""
    node = options.where(scene)
    if options.fail is None or options.repair is None:
        raise NotHere("the node's own system has no second disk here; set fail and repair")
    return Actions((Shell(node, options.fail),), (Shell(node, options.repair),))
