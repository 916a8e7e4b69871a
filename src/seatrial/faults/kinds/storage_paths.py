"""`kind: storage-paths`: a server loses its links to all storage networks."""

from pydantic import Field

from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, OnNode, Scene

TITLE = "all storage paths of a server are unplugged"
WORD = "all storage paths"
DURATION_S = 60.0


class Options(OnNode):
    """The server and the paths."""

    networks: tuple[Name, ...] = Field(min_length=1, description="All storage networks.")


def actions(options: Options, scene: Scene) -> Actions:
    """The links down one after the other, and up again."""
    cables = [scene.link(options.where(scene), network) for network in options.networks]
    return Actions(
        tuple(Link(node, network, up=False) for node, network in cables),
        tuple(Link(node, network, up=True) for node, network in reversed(cables)),
    )
