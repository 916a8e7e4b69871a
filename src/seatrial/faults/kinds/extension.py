"""`kind: extension`: the storage is extended while clients work: by a member of its group, or by a
journal. It stays extended.
"""

from typing import Literal

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.faults.base import Actions, Extend, NotHere, Scene
from seatrial.solutions.base import Extensible

TITLE = "the storage is made larger"
WORD = "extension"
DURATION_S = 5.0


class Options(Model):
    """The kind of extension."""

    what: Literal["member", "journal"] = Field(description="What is added.")


def actions(options: Options, scene: Scene) -> Actions:
    """Extend the storage; it keeps its new size."""
    if not isinstance(scene.solution, Extensible):
        raise NotHere("the solution cannot be made larger while it is in use")
    scene.solution.extension(options.what)
    return Actions((Extend(options.what),))
