"""The objection of the busy machine: an effect that it may have caused is never the storage's
fault.

Such a `fail` is `unknown`, with the reason. This is not so for lost or wrong data, two writers or
an unconfirmed takeover: no shortage of processors excuses those. An outage that did not end is
excused only where the shortage covers at least half of the time in which it was monitored.
"""

from dataclasses import dataclass

from seatrial.judge.answer import Answer, Reason, failed
from seatrial.result.faults import FaultResult

AGAIN = "run it again when the machine is idle"


@dataclass(frozen=True)
class BusyMachine:
    """The processors of the lab machine may have caused a failure."""

    shortage: str | None
    """the measured shortage in words; None where the processors were not the limit"""

    def apply(self, _claim: object, answer: Answer, /) -> Answer:
        """A failure becomes unknown."""
        if self.shortage is None or answer.verdict != "fail":
            return answer
        words = f"{answer.evidence}, but {self.shortage}; {AGAIN}"
        return answer.reopened("unknown", words, Reason.BUSY_MACHINE, self.shortage)


def shortage_of_course(fault: FaultResult) -> str | None:
    """Why a failure in a fault may come from the lab machine's processors; None where not.

    A stream that never got an answer again needs more of a shortage than a late answer does.
    """
    return fault.limited() if fault.unrecovered is None else fault.limited_silence()


def fail_unless_busy(evidence: str, shortage: str | None) -> Answer:
    """A failure; unknown where the lab machine's processors were the limit."""
    return BusyMachine(shortage).apply(None, failed(evidence))
