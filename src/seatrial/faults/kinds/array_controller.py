"""`kind: array-controller`: one controller of the array fails: its portal on one storage network is
unreachable.
"""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Link, Scene

TITLE = "a controller of the array fails"
WORD = "array controller"
DURATION_S = 20.0


class Options(Model):
    """The array and the controller."""

    node: Name = Field(description="The node that provides the array.")
    network: Name = Field(description="Storage network of the controller's portal.")


def actions(options: Options, scene: Scene) -> Actions:
    """Its link down, and up again."""
    node, network = scene.link(scene.node(options.node), options.network)
    return Actions((Link(node, network, up=False),), (Link(node, network, up=True),))
