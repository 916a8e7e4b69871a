"""Evidence that a fault happened: the signs that an action needs, and those that were seen.

A requested action is no evidence. A lab reports power events and link states; a crashed node has a
new boot id; a command has an exit code, and where that is insufficient a probe checks its effect.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial.basics.event_kinds import PowerState
from seatrial.faults.actions.base import Action
from seatrial.faults.done import Done
from seatrial.labs.base import Lab
from seatrial.result.evidence import Evidence, Sign
from seatrial.result.fault_parts import ActionPart, PowerEvent
from seatrial.result.faults import StreamResult

EARLY_S = 1.0
"""power log and clients' clocks may show an event this long before the action that caused it"""
STALL_LATE_S = 5.0
"""a client that an action stalls has no completion after this time"""
POWER_SIGNS: Mapping[str, Sign] = {
    PowerState.OFF: Sign.POWER_OFF,
    PowerState.ENDED_BY_ITSELF: Sign.POWER_OFF,
    PowerState.FROZEN: Sign.NODE_STOPPED,
}
"""event of the lab's power log -> its sign"""


@dataclass(frozen=True)
class Witnesses:
    """The observations from the injection to the end of the streams."""

    power: Sequence[PowerEvent]
    """the lab's power log"""
    restarted: Iterable[str]
    """nodes with another boot id than before"""
    roles_after: Mapping[str, str]
    streams: Sequence[StreamResult]


def needs(action: Action, lab: Lab) -> tuple[Sign, ...]:
    """The signs that prove an action in this lab, the strongest ones; one of them is required.
    Empty where nothing breaks.
    """
    return action.needed_signs(lab) if action.breaks else ()


def evidence_of(
    inject: Sequence[Action], done: Iterable[Done], lab: Lab, witnesses: Witnesses
) -> tuple[Evidence, ...]:
    """The evidence of every executed action, in order."""
    injected = [item for item in done if item.part is ActionPart.INJECT]
    return tuple(
        Evidence(
            action.text(),
            item.started_unix_s,
            needs(action, lab),
            tuple(sorted(_seen(action, item, witnesses))),
        )
        for action, item in zip(inject, injected, strict=False)
    )


def _seen(action: Action, done: Done, witnesses: Witnesses) -> set[Sign]:
    subject = action.subject
    seen = {Sign(sign) for sign in done.seen}
    seen |= set(_in_power_log(subject, done.started_unix_s, witnesses.power))
    if subject in witnesses.restarted:
        seen.add(Sign.PROCESS_GONE)
    seen |= set(action.signs_of_roles(witnesses.roles_after))
    if any(_is_stalled(done, stream) for stream in witnesses.streams):
        seen.add(Sign.CLIENTS_STALLED)
    return seen


def _in_power_log(subject: str, since_s: float, power: Sequence[PowerEvent]) -> Iterator[Sign]:
    for item in power:
        is_in_time = item["node"] == subject and item["unix_s"] >= since_s - EARLY_S
        sign = POWER_SIGNS.get(item["what"])
        if is_in_time and sign is not None:
            yield sign


def _is_stalled(done: Done, stream: StreamResult) -> bool:
    """Whether an outage of a whole client begins at an action."""
    from_s = done.started_unix_s - EARLY_S
    until_s = done.ended_unix_s + STALL_LATE_S
    return any(
        outage.is_of_whole_client and from_s <= outage.start_unix_s <= until_s
        for outage in stream.outages
    )
