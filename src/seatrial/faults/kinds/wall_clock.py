"""`kind: wall-clock`: a node's wall clock is set, as an operator or chrony may do; no verdict may hang on it."""

from pydantic import Field

from seatrial.basics.schema import Duration
from seatrial.faults.base import Actions, OnNode, Scene, Shell

TITLE = "a node's wall clock is set"
WORD = "wall clock"
HOLD_S = 10.0
_SET = "/run/seatrial-wall-clock"
"""that it is: making it good twice must not set it back twice"""


class Options(OnNode):
    """Whose, and by how much."""

    ahead: Duration = Field(3600.0, description="how far it is set ahead; afterwards it is set back by as much")


def actions(options: Options, scene: Scene) -> Actions:
    """There and back."""
    node = options.where(scene)
    there = f"date --set '+{options.ahead:.3f} seconds' && touch {_SET}"
    back = f"[ ! -e {_SET} ] || {{ date --set '-{options.ahead:.3f} seconds' && rm {_SET}; }}"
    return Actions((Shell(node, there),), (Shell(node, back),))
