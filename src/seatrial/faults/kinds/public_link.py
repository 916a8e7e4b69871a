"""`kind: public-link`: a server loses its link to the clients."""

from pydantic import Field

from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, OnNode, Scene

TITLE = "a server's public link is unplugged"
WORD = "public link"
DURATION_S = 20.0


class Options(OnNode):
    """The server and the network."""

    network: Name | None = Field(
        None,
        description="The network. Optional if the study has only one.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """The link down, and up again."""
    node, network = scene.link(options.where(scene), options.network)
    return Actions((Link(node, network, up=False),), (Link(node, network, up=True),))
