"""`kind: heartbeat`: a server loses its link to the private network."""

from pydantic import Field

from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, OnNode, Scene

TITLE = "a server's heartbeat link is unplugged"
WORD = "heartbeat"
DURATION_S = 20.0


class Options(OnNode):
    """The server and the network."""

    network: Name = Field("private", description="Network that carries the heartbeat.")


def actions(options: Options, scene: Scene) -> Actions:
    """The link down, and up again."""
    node, network = scene.link(options.where(scene), options.network)
    return Actions((Link(node, network, up=False),), (Link(node, network, up=True),))
