"""`io-completes`: every client got an answer to each request, and no error."""

from seatrial.basics.units import counted
from seatrial.judge.answer import Answer
from seatrial.judge.fault_properties import Limits, founded, untestable
from seatrial.judge.flaws import Evidence
from seatrial.result.faults import FaultResult, outage_words

RESTS_ON = frozenset({Evidence.COPIES})


def judge(fault: FaultResult, _limits: Limits | None) -> Answer:
    """Whether every client got an answer to each request, and no error, by the agents and by dd."""
    if (answer := untestable(fault)) is not None:
        return answer
    if fault.unrecovered is not None:
        return founded(fault, Answer("worse", outage_words(fault)))
    errors = [
        f"{item.client} {item.stream}: {error.get('name')}"
        for item in fault.judged
        for error in item.errors
    ]
    errors += [
        f"{item['client']} {name}: dd: {item['error']}"
        for name, item in fault.copies.items()
        if item["error"]
    ]
    if errors:
        return founded(fault, Answer("worse", ", ".join(errors)))
    return founded(
        fault,
        Answer("agrees", f"{counted(len(fault.judged), 'stream')} got every answer and no error"),
    )
