"""`locks`: byte-range locks on one file exclude each other, and are not lost (fcntl(2); RFC 8881,
section 9).
"""

from collections.abc import Sequence

from seatrial.analysis import consistency, locking
from seatrial.analysis.histories import Circumstances, Findings, History

NEEDED = ("holds", "looks")
FILES = None
HOLDS_LOCKS = True
"""each client holds a lock over the whole fault"""


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Judge the histories together."""
    return consistency.judge(locking.judge_locks, histories, circumstances, reads_files=False)
