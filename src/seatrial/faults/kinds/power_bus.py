"""`kind: power-bus`: one of the power buses fails; a server with a supply on another one stays up."""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Bus, Scene

TITLE = "a power bus fails"
WORD = "power bus"
DURATION_S = 20.0


class Options(Model):
    """The bus."""

    pdu: Name = Field(description="the power distribution unit that loses its supply")


def actions(options: Options, _scene: Scene) -> Actions:
    """Dead, and live again."""
    return Actions((Bus(options.pdu, live=False),), (Bus(options.pdu, live=True),))
