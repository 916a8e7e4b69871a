"""`kind: client-crash`: one or several clients lose power during their work. The other clients must
not notice it.
"""

from pydantic import Field

from seatrial.basics.errors import Refused
from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes
from seatrial.faults.base import Actions, Power, Scene

TITLE = "a client crashes"
WORD = "client crash"
DURATION_S = 10.0


class Options(Model):
    """The crashed clients."""

    clients: Nodes = Field(
        description="Clients that lose power. At least one other client must remain.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """Cut their power, and restore it."""
    names = expand(options.clients)
    for name in names:
        if name not in scene.solution.clients:
            raise Refused(f"{name!r} is not a client of the solution")
    if set(names) == set(scene.solution.clients):
        raise Refused("no client would remain to observe the fault")
    return Actions(
        tuple(Power(name, "off") for name in names), tuple(Power(name, "on") for name in names)
    )
