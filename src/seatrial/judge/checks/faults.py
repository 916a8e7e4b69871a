"""`check: faults`: every fault had the expected effects, and the system was healthy in the end.

Passes when services failed over where they should and stayed where they should. No server may serve
where the fault has `blocks`. Some data operations must stop where it has `min_stall`. Clients get
no errors except those of the fault. Within `recovery_timeout` every stream gets answers, every node
is back and the solution is healthy. A negative control passes when its checks found damage.

Unknown when a stream was lost or had ended, when the fault could not be completed, or when the lab
machine was short of processors. A skipped fault is reported and does not change the verdict. If
more than half of the faults were skipped, the criterion is unknown.
"""

from seatrial.basics.schema import Model
from seatrial.judge.answer import Answer, combine
from seatrial.judge.effects import judge_fault
from seatrial.judge.flaws import OF_A_FAULT, Evidence
from seatrial.result.result import Result

TITLE = "every fault has its expected effects, and the system recovers"
NEEDS_FAULTS = True
RESTS_ON = frozenset(
    {
        Evidence.FAULTS,
        Evidence.STREAMS,
        Evidence.AGENT_LINES,
        Evidence.ROLES,
        Evidence.EVENTS,
        Evidence.COPIES,
    }
)
RESTS_ON_OF_CONTROLS = OF_A_FAULT
"""the evidence for the checks that must detect it"""
Options = Model


def check(result: Result, _options: Options) -> Answer:
    """Judge every fault."""
    answers = [judge_fault(fault).about(fault.name) for fault in result.faults]
    return combine(answers, "no fault was injected")
