"""`kind: slow-disk`: one disk is slow, as disks are before they fail: it has a share of its rate,
or serves few requests. In a lab only.
"""

from typing import Self

from pydantic import Field, model_validator

from seatrial.basics.errors import Refused
from seatrial.basics.schema import Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Disk, Scene
from seatrial.solutions.base import MdArray

TITLE = "a disk is slow"
WORD = "slow disk"
DURATION_S = 20.0


class Options(Model):
    """The disk, and its remaining speed."""

    node: Name | None = Field(
        None,
        description="The node. By default the one with the array of the solution.",
    )
    disk: int = Field(1, ge=1, description="Number of the disk on the node, from 1.")
    share: float | None = Field(None, gt=0, lt=1, description="Share of its rate that remains.")
    requests_per_s: float | None = Field(
        None,
        ge=1,
        description="Requests per second, served one after the other.",
    )

    @model_validator(mode="after")
    def _slower(self) -> Self:
        if self.share is None and self.requests_per_s is None:
            raise ValueError("set share, requests_per_s, or both")
        if self.requests_per_s is not None and self.requests_per_s % 1:
            raise ValueError("requests_per_s is a whole number")
        return self


def actions(options: Options, scene: Scene) -> Actions:
    """Limit the disk; the repair removes the limits."""
    solution = scene.solution
    array_node = solution.array_node if isinstance(solution, MdArray) else "active"
    node = scene.node(options.node or array_node)
    site_node = scene.site.nodes[node]
    if options.disk > len(site_node.devices):
        raise Refused(f"{node} has {len(site_node.devices)} disks, none is number {options.disk}")
    if options.share is not None and not site_node.device_rate_bytes_per_s:
        raise Refused(f"the disks of {node} have no rate for a share; set rate in its disks")
    rate = (
        None
        if options.share is None
        else (site_node.device_rate_bytes_per_s or 0.0) * options.share
    )
    slow = Disk(node, options.disk, rate, options.requests_per_s)
    return Actions((slow,), (Disk(node, options.disk),))
