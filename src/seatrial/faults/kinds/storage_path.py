"""`kind: storage-path`: a server loses its link to one storage network."""

from pydantic import Field

from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, OnNode, Scene

TITLE = "one storage path of a server is unplugged"
WORD = "storage path"
DURATION_S = 20.0


class Options(OnNode):
    """The server and the path."""

    network: Name = Field(description="Storage network of the link.")


def actions(options: Options, scene: Scene) -> Actions:
    """The link down, and up again."""
    node, network = scene.link(options.where(scene), options.network)
    return Actions((Link(node, network, up=False),), (Link(node, network, up=True),))
