"""The state of a cluster from crm_mon's XML, and failover events from its servers' journals."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from seatrial.basics.event_kinds import EventKind
from seatrial.solutions.base import ClusterStatus, Moment
from seatrial.solutions.parts import journal


def read(
    answer: str, servers: Sequence[str], services: Sequence[str], asked_node: str
) -> ClusterStatus:
    """The state in the output of `crm_mon --one-shot --output-as=xml`; else ValueError."""
    try:
        root = ElementTree.fromstring(answer)
    except ElementTree.ParseError as error:
        raise ValueError(f"{asked_node}: crm_mon's answer cannot be read: {error}") from None
    troubles = []
    members = {node.get("name", ""): node for node in root.iterfind("./nodes/node")}
    for server in servers:
        node = members.get(server)
        if node is None or node.get("online") != "true" or node.get("pending") == "true":
            troubles.append(f"{server} is not a member")
        elif node.get("unclean") == "true" or node.get("standby") == "true":
            troubles.append(
                f"{server} is {'unclean' if node.get('unclean') == 'true' else 'on standby'}"
            )
    active = {}
    for group in root.iterfind("./resources/group"):
        places = {_place(item) for item in group.iterfind("resource")}
        if len(places) == 1 and None not in places:
            active[group.get("id", "")] = str(next(iter(places)))
    troubles += [f"{service} is not started" for service in services if service not in active]
    for item in root.iter("resource"):
        if item.get("failed") == "true" or item.get("blocked") == "true":
            troubles.append(f"{item.get('id')} has failed")
        elif item.get("resource_agent", "").startswith("stonith:") and _place(item) is None:
            troubles.append(f"{item.get('id')} is not started")
    pending = root.iterfind("./fence_history/fence_event[@status='pending']")
    troubles += [f"a fencing of {event.get('target')} is pending" for event in pending]
    text = "; ".join(
        [*(f"{service} on {node}" for service, node in active.items()), *dict.fromkeys(troubles)]
    )
    return ClusterStatus(active, not troubles, text)


def _place(resource: ElementTree.Element) -> str | None:
    """The server on which a resource is started; None with none, or with several."""
    nodes = [node.get("name") for node in resource.iterfind("node")]
    started = (
        resource.get("role") == "Started"
        and resource.get("active") == "true"
        and resource.get("failed") != "true"
    )
    return nodes[0] if started and len(nodes) == 1 else None


REPORTED = (
    "A processor failed",
    "A new membership",
    "link: host",
    "Requesting fencing",
    "Operation .(reboot|off)",
    "Requesting local execution of (start|stop)",
    "Result of (start|stop)",
    "grace period",
    "remaining active paths",
    "Pacemaker ended",
    "shutting down",
)
"""patterns of the journal's lines that `moments` evaluates"""


def moments(node: str, answer: str, services: Sequence[str]) -> list[Moment]:
    """The failover events that `node` has logged, by time."""
    events = []
    for at_s, text in journal.lines(answer):
        what = _what(text, services)
        if what:
            good = what != EventKind.STOPPED or text.endswith(": ok")
            events.append(Moment(at_s, node, what, text, _subject(what, text), good))
    return sorted(events, key=lambda event: event.boottime_s)


_SUBJECTS = {
    EventKind.FENCED: re.compile(r"\btargeting (\S+)"),
    **dict.fromkeys(
        (EventKind.STARTING, EventKind.STOPPING, EventKind.STARTED, EventKind.STOPPED),
        re.compile(r"\boperation for (\S+)"),
    ),
}


def _subject(what: EventKind, text: str) -> str:
    """The resource, or the server that was fenced."""
    match = _SUBJECTS[what].search(text) if what in _SUBJECTS else None
    return match[1].rstrip(":") if match else ""


def _what(text: str, services: Sequence[str]) -> EventKind | None:
    """The kind of the event in a line; None for other lines."""
    plain = (
        ("A processor failed", EventKind.DETECTED),
        ("A new membership", EventKind.MEMBERSHIP),
        ("Requesting fencing", EventKind.FENCING),
        ("grace period", EventKind.GRACE),
        ("remaining active paths", EventKind.PATHS),
    )
    for phrase, what in plain:
        if phrase in text:
            ended = what == EventKind.GRACE and (
                "ending" in text or "end of" in text or "done reclaiming" in text
            )
            return EventKind.GRACE_ENDED if ended else what
    if "Operation 'reboot'" in text or "Operation 'off'" in text:
        if " using " in text:  # one device's part of it
            return None if text.rstrip().endswith("returned 0") else EventKind.FENCING_FAILED
        return EventKind.FENCED if ": OK" in text else EventKind.FENCING_FAILED
    is_of_service = any(
        re.search(rf"\b(for|of) (start|stop|\w+)?.*\b{re.escape(service)}(-\w+)?\b", text)
        for service in services
    )
    if not is_of_service:
        return None
    for phrase, what in (
        ("execution of start", EventKind.STARTING),
        ("execution of stop", EventKind.STOPPING),
        ("Result of start", EventKind.STARTED),
        ("Result of stop", EventKind.STOPPED),
    ):
        if phrase in text:
            return what
    return None
