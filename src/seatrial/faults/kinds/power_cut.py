"""`kind: power-cut`: a node loses all power, and its BMC too."""

from seatrial.faults.base import Actions, OnNode, Power, Scene

TITLE = "a server loses its power"
WORD = "power cut"
DURATION_S = 20.0


class Options(OnNode):
    """The node."""


def actions(options: Options, scene: Scene) -> Actions:
    """Disconnect all supplies; the repair connects them again."""
    node = options.where(scene)
    return Actions((Power(node, "off"),), (Power(node, "on"),))
