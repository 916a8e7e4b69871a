"""`append`: records at the end of a file are seen by a client that opens it afterwards,
each once.
"""

from collections.abc import Sequence

from seatrial.analysis import appended, consistency
from seatrial.analysis.histories import Circumstances, Findings, History

NEEDED = ("appended", "reads")
FILES = ("append-*",)


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Judge the histories together."""
    return consistency.judge(appended.judge_append, histories, circumstances)
