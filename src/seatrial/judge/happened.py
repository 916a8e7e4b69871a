"""Whether a fault happened at all, while clients were at work: a fault that did not happen proves
nothing.

The result has the evidence of each action (`evidence`). Older results have none: there the power
log, restarted nodes and the clients' own stalls are evaluated. A `pass` without evidence is
`unknown`, with the reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seatrial.basics.event_kinds import WITHOUT_POWER
from seatrial.basics.units import counted
from seatrial.judge.answer import Answer, Reason
from seatrial.result.evidence import Evidence, Sign
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result

ROUNDING_S = 0.5
TOOK_POWER = frozenset({"panic", "power-cut", "client-crash"})
"""kinds of results without evidence after which a node was without power, or has another kernel"""
STOPPED_NODE = frozenset({"freeze"})
"""kinds of results without evidence during which a node stopped"""


def why_not_shown(fault: FaultResult) -> str | None:
    """Why it is unknown whether a fault happened under load; None for one that happened or that
    the run skipped.
    """
    if fault.skipped is not None:
        return None
    return next(
        (reason for reason in (*_not_done(fault), *_not_seen(fault), *_not_loaded(fault))), None
    )


@dataclass(frozen=True)
class NotShown:
    """The objection to a fault without evidence that it happened under load."""

    def apply(self, fault: FaultResult, answer: Answer, /) -> Answer:
        """A pass becomes unknown."""
        why = why_not_shown(fault) if answer.is_passing else None
        return answer if why is None else answer.reopened("unknown", why, Reason.NOT_SHOWN)


def only_if_shown(fault: FaultResult, answer: Answer) -> Answer:
    """The answer on a fault; unknown in place of a pass without evidence that it happened."""
    return NotShown().apply(fault, answer)


def why_untried(result: Result, checker: object) -> str | None:
    """Why too few faults of a result were injected for a check of faults (`NEEDS_FAULTS`) to pass;
    None where enough were.
    """
    if not getattr(checker, "NEEDS_FAULTS", False):
        return None
    faults = [fault for fault in result.faults if not fault.controls]
    skipped = [fault for fault in faults if fault.skipped is not None]
    if 2 * len(skipped) <= len(faults):
        return None
    reasons = "; ".join(f"{fault.name}: {fault.skipped}" for fault in skipped[:3])
    injected = f"{len(faults) - len(skipped)} of {counted(len(faults), 'fault')}"
    return f"only {injected} injected, the others skipped: {reasons}"


def _not_done(fault: FaultResult) -> Iterator[str]:
    """The missing actions and the actions at a wrong time."""
    injected_s = fault.injected_unix_s
    repaired_s = fault.repaired_unix_s
    if injected_s is None or repaired_s is None:
        yield f"the time of the {'repair' if injected_s else 'injection'} is unknown"
        return
    done = fault.injections
    if not done:
        yield "the result has no injection"
        return
    wrong = [item for item in done if item["error"]]
    if wrong:
        yield f"{wrong[0]['what']} failed: {wrong[0]['error']}"
    began_s = min(float(item["started_unix_s"]) for item in done)
    ended_s = max(float(item["ended_unix_s"]) for item in done)
    if not injected_s - ROUNDING_S <= began_s <= ended_s <= repaired_s + ROUNDING_S:
        yield "an action is not between the injection and the repair"
    repairs_s = [float(item["started_unix_s"]) for item in fault.repairs]
    until_s = min(repairs_s, default=repaired_s)
    if until_s - ended_s < fault.duration_s - ROUNDING_S:
        yield (
            f"the repair came {until_s - ended_s:.1f} s after the injection, although the fault "
            f"lasts {fault.duration_s:g} s"
        )


def _not_seen(fault: FaultResult) -> Iterator[str]:
    """The actions without evidence of their intended effect."""
    power = {item["node"] for item in fault.power if item["what"] in WITHOUT_POWER}
    if fault.evidence is not None:
        injected = [item["what"] for item in fault.injections]
        if [item.what for item in fault.evidence] != injected:
            yield "the result does not have the evidence of each action"
        if not any(item.needs for item in fault.evidence):
            yield "no action states the evidence that it needs"
        for item in fault.evidence:
            if not item.is_shown:
                yield _not_seen_words(item)
            if set(item.needs) & set(item.seen) == {Sign.POWER_OFF} and not power:
                yield f"{item.what}: its evidence is the power log, which has no such event"
    elif fault.kind in TOOK_POWER and not (power or fault.restarted):
        yield "no node lost its power, and no node restarted"
    elif fault.kind in STOPPED_NODE and not (fault.power or fault.restarted or _stalls(fault)):
        yield "no node stopped, and no client stalled"
    unpowered = power | set(fault.restarted)
    unfounded = [
        item.client for item in fault.streams if item.lost_power and item.client not in unpowered
    ]
    if unfounded:
        yield f"no evidence shows that {unfounded[0]} lost its power"


def _not_seen_words(item: Evidence) -> str:
    """Why an action without its sign is not known to have happened."""
    if Sign.CHECK_SUCCEEDED in item.needs:
        return f"it was not seen to have happened: no success in time: {item.what}"
    needed = " or ".join(item.needs)
    return f"{item.what}: no evidence of its effect ({needed} was not seen)"


def _stalls(fault: FaultResult) -> bool:
    return any(outage.is_of_whole_client for item in fault.judged for outage in item.outages)


def _not_loaded(fault: FaultResult) -> Iterator[str]:
    """Whether every client that kept its power was at work from before the injection until after
    the repair.
    """
    injected_s = fault.injected_unix_s or 0.0
    repaired_s = fault.repaired_unix_s or 0.0
    if not fault.judged:
        yield "no client that kept its power had a load"
    for item in fault.judged:
        name = f"{item.client} {item.stream}"
        if not item.operations or not any(
            interval.operations for interval in item.seconds if interval.ended_unix_s <= injected_s
        ):
            yield f"{name} completed no operation before the injection"
        elif item.over_unix_s is not None and item.over_unix_s < repaired_s:
            yield f"{name} ended before the repair"
        elif item.seconds[-1].ended_unix_s < injected_s - ROUNDING_S:
            yield f"{name} sent no report after the injection"
