"""`kind: link-flaps`: a link goes down and up several times, as with a loose plug. `duration`
begins after the last cycle.
"""

from pydantic import Field

from seatrial.basics.schema import Duration
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, OnNode, Scene, Wait

TITLE = "a link goes down and up repeatedly"
WORD = "link flaps"
DURATION_S = 5.0


class Options(OnNode):
    """The cable, and its flaps."""

    network: Name | None = Field(
        None,
        description="The network. Optional if the study has only one.",
    )
    down: Duration = Field(1.0, gt=0, description="Time that the link is down in each cycle.")
    up: Duration = Field(1.0, gt=0, description="Time that the link is up before the next cycle.")
    times: int = Field(5, ge=2, le=1000, description="Number of cycles.")


def actions(options: Options, scene: Scene) -> Actions:
    """The link down and up, `times` times; it is up at the end, and `duration` passes
    after that.
    """
    node, network = scene.link(options.where(scene), options.network)
    out = Link(node, network, up=False)
    again = Link(node, network, up=True)
    flap = (out, Wait(options.down), again)
    return Actions((*flap, *((Wait(options.up), *flap) * (options.times - 1))), (again,))
