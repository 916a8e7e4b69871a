"""`kind: public-link`: a server's link to its clients is unplugged."""

from pydantic import Field

from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, OnNode, Scene

TITLE = "a server's public link is unplugged"
WORD = "public link"
DURATION_S = 20.0


class Options(OnNode):
    """The server and the network."""

    network: Name | None = Field(None, description="the network; may be left out where the study has only one")


def actions(options: Options, scene: Scene) -> Actions:
    """The link down, and up again."""
    node, network = scene.link(options.where(scene), options.network)
    return Actions((Link(node, network, up=False),), (Link(node, network, up=True),))
