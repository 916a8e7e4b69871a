"""`kind: local-disk`: a system disk of a server fails, by the commands of the study.

A server survives it only with a second system disk. A lab node has one system disk, so the fault is
skipped without commands.
"""

from typing import Self

from pydantic import Field, model_validator

from seatrial.faults.base import Actions, NotHere, OnNode, Scene, Shell

TITLE = "a local disk of a server fails"
WORD = "local disk"
DURATION_S = 20.0


class Options(OnNode):
    """The server; the commands that break and repair the disk, on servers that have two."""

    fail: str | None = Field(
        None,
        description="Command that fails the disk, such as `mdadm /dev/md0 --fail ...`.",
    )
    repair: str | None = Field(None, description="Command that restores the disk.")

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
