"""`kind: switch`: the switch of a network loses power: the whole network is down."""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Network, Scene

TITLE = "a network's switch fails"
WORD = "switch"
DURATION_S = 20.0


class Options(Model):
    """The network."""

    network: Name | None = Field(
        None,
        description="The network. Optional if the study has only one.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """The network down, and up again."""
    network = scene.network(options.network)
    return Actions((Network(network, up=False),), (Network(network, up=True),))
