"""`kind: storage-path`: one of a server's links to the storage is unplugged."""

from pydantic import Field

from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, OnNode, Scene

TITLE = "one storage path of a server is unplugged"
WORD = "storage path"
DURATION_S = 20.0


class Options(OnNode):
    """The server and the path."""

    network: Name = Field(description="the storage network that the link belongs to")


def actions(options: Options, scene: Scene) -> Actions:
    """The link down, and up again."""
    node, network = scene.link(options.where(scene), options.network)
    return Actions((Link(node, network, up=False),), (Link(node, network, up=True),))
