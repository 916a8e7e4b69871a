"""`kind: power-bus`: a power bus fails: the supply of a power distribution unit. A server with a
supply on another bus stays up.
"""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Bus, Scene

TITLE = "a power bus fails"
WORD = "power bus"
DURATION_S = 20.0


class Options(Model):
    """The bus."""

    pdu: Name = Field(description="The PDU that loses its supply.")


def actions(options: Options, _scene: Scene) -> Actions:
    """Dead, and live again."""
    return Actions((Bus(options.pdu, live=False),), (Bus(options.pdu, live=True),))
