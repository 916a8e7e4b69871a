"""`kind: panic`: the kernel of a node crashes. Its power stays on. The node is restarted afterwards
unless its peer has done so.
"""

from seatrial.faults.base import Actions, OnNode, Revive, Scene, Shell

TITLE = "a server's kernel panics"
WORD = "panic"
DURATION_S = 20.0
PATIENCE_S = 40.0
"""time in s that a server fenced by its peer needs to return"""


class Options(OnNode):
    """The server."""


def actions(options: Options, scene: Scene) -> Actions:
    """Crash it from inside; the repair restarts it, unless it has been restarted."""
    node = options.where(scene)
    revive = Revive(node, PATIENCE_S) if scene.fences(node) else Revive(node)
    return Actions((Shell(node, "echo c >/proc/sysrq-trigger", expect_answer=False),), (revive,))
