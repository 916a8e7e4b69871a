"""`close-to-open`: a client that opens a file after a close sees the written data (nfs(5),
close-to-open cache consistency).
"""

from collections.abc import Sequence

from seatrial.analysis import consistency, overwritten
from seatrial.analysis.histories import Circumstances, Findings, History

NEEDED = ("generations", "reads")
FILES = ("generation-*",)


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Judge the histories together."""
    return consistency.judge(overwritten.judge_close_to_open, histories, circumstances)
