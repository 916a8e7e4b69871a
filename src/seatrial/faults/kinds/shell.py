"""`kind: shell`: a command of the study injects the fault, and another one repairs it: for faults
that no other kind has.
"""

from pydantic import Field

from seatrial.faults.base import Actions, OnNode, Scene, Shell

TITLE = "a command of the study"
WORD = "command"
DURATION_S = 20.0
NEEDS_ROOT = False


class Options(OnNode):
    """The node and the commands."""

    command: str = Field(min_length=1, description="Command that injects the fault.")
    repair: str = Field(
        min_length=1,
        description="Command that repairs it. It must be harmless where nothing is broken.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """The command, and its repair."""
    node = options.where(scene)
    return Actions((Shell(node, options.command),), (Shell(node, options.repair),))
