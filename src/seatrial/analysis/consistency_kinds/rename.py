"""`rename`: an item has its old name or its new one, never none or both (rename(2))."""

from collections.abc import Sequence

from seatrial.analysis import consistency, naming
from seatrial.analysis.histories import Circumstances, Findings, History

NEEDED = ("items",)
FILES = ()


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Judge the histories together."""
    return consistency.judge(naming.rename, histories, circumstances)
