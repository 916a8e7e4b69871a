"""`kind: switch`: a whole network goes down because its switch loses power."""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Network, Scene

TITLE = "a network's switch fails"
WORD = "switch"
DURATION_S = 20.0


class Options(Model):
    """The network."""

    network: Name | None = Field(None, description="the network; may be left out where the study has only one")


def actions(options: Options, scene: Scene) -> Actions:
    """The network down, and up again."""
    network = scene.network(options.network)
    return Actions((Network(network, up=False),), (Network(network, up=True),))
