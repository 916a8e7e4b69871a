"""`kind: switchover`: a planned move of a service to another server, as for maintenance."""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, NotHere, Scene, Switchover
from seatrial.solutions.base import MovesServices

TITLE = "a planned switchover"
WORD = "switchover"
DURATION_S = 5.0


class Options(Model):
    """The service, and its target."""

    service: Name | None = Field(None, description="The service. By default the first.")
    to: Name = Field("passive", description="The target: a server, or `passive`.")


def actions(options: Options, scene: Scene) -> Actions:
    """Move it; nothing must be repaired."""
    if not isinstance(scene.solution, MovesServices):
        raise NotHere("the solution has no service that can be moved")
    service = options.service or next(iter(scene.roles.active), "")
    scene.roles.server_of(service)
    return Actions((Switchover(service, scene.node(options.to, service)),))
