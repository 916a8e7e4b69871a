"""`kind: hang`: a node stops in the middle of everything, and goes on later as if nothing had been."""

from seatrial.faults.base import Actions, OnNode, Power, Scene

TITLE = "a server hangs and comes back"
WORD = "hang"
DURATION_S = 20.0


class Options(OnNode):
    """Where."""


def actions(options: Options, scene: Scene) -> Actions:
    """Stop its processor; let it go on."""
    node = options.where(scene)
    return Actions((Power(node, "frozen"),), (Power(node, "thawed"),), fenced=scene.lost_by_fencing(node))
