"""`kind: pair`: a second fault while the first one lasts.

They are repaired in the opposite order.
"""

from pydantic import Field

from seatrial.basics.schema import Duration, Model
from seatrial.faults.base import Actions, Scene
from seatrial.faults.combined import at_once
from seatrial.faults.kinds.several import Part

TITLE = "two faults at once"
WORD = "pair"
DURATION_S = 30.0
COMBINATION = "a pair"


class Options(Model):
    """`{first: {kind: fence-device, ...}, second: {kind: panic}, delay: 5s}`."""

    first: Part = Field(description="The first fault: `{kind: ..., options}`.")
    second: Part = Field(description="The second fault, while the first lasts.")
    delay: Duration = Field(0.0, description="Time from the first to the second.")


def actions(options: Options, scene: Scene) -> Actions:
    """Both, with the roles from before the first."""
    return at_once([options.first.actions(scene), options.second.actions(scene)], options.delay)
