"""`kind: freeze`: the kernel of a node stops, and later continues as if no time had passed."""

from seatrial.faults.base import Actions, OnNode, Power, Scene

TITLE = "a server freezes and resumes"
WORD = "freeze"
DURATION_S = 20.0


class Options(OnNode):
    """The node."""


def actions(options: Options, scene: Scene) -> Actions:
    """Freeze its processors; resume them."""
    node = options.where(scene)
    return Actions(
        (Power(node, "frozen"),), (Power(node, "thawed"),), fenced=scene.lost_by_fencing(node)
    )
