"""The list of the kinds of solutions, for parts below them.

An environment asks here whether a kind needs root on the nodes: it must know that before the
solution is read.
"""

from seatrial.basics.plugins import Plugins

SOLUTION_KINDS = Plugins("seatrial.solutions.kinds", "seatrial.solutions", ("Options", "load"))


def needs_root(name: str) -> bool:
    """Whether a kind is deployed as root (`NEEDS_ROOT`, by default True); True for an unknown
    kind, too.
    """
    if name not in SOLUTION_KINDS.names():
        return True
    return bool(getattr(SOLUTION_KINDS.load(name), "NEEDS_ROOT", True))
