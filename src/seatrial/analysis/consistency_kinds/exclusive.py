"""`exclusive`: one of the clients that create a name with O_EXCL wins (open(2))."""

from collections.abc import Sequence

from seatrial.analysis import consistency, naming
from seatrial.analysis.histories import Circumstances, Findings, History

NEEDED = ("names", "contended")
FILES = ()


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Judge the histories together."""
    return consistency.judge(naming.exclusive, histories, circumstances)
