"""`exclusive`: of all who create one name with O_EXCL, one wins (open(2))."""

from collections.abc import Sequence

from seatrial.analysis import consistency
from seatrial.analysis.histories import Circumstances, Findings, History

NEEDED = ("names", "contended")
FILES = ()


def judge(histories: Sequence[History], about: Circumstances) -> Findings:
    """What the histories show, side by side."""
    return consistency.judge("exclusive", histories, about)
