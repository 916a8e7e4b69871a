"""What a busy machine may have caused is never the storage's fault: such a `fail` is `unknown`,
with the reason.

Not for lost or wrong data, two writers or a takeover that nobody confirmed: no shortage of
processors excuses those.
"""

from seatrial.judge.base import Verdict

AGAIN = "run it again when the machine is idle"


def unless_limited(words: str, limited: str | None) -> tuple[Verdict, str]:
    """(fail, the words), or unknown where the lab machine's processors were the limit, `limited`
    being the reason.
    """
    return ("unknown", f"{words}, but {limited}; {AGAIN}") if limited else ("fail", words)
