"""The state of a GFS2 cluster from its nodes: quorum, lock spaces, journals."""

import re
from collections.abc import Mapping, Sequence

from seatrial.basics.event_kinds import EventKind
from seatrial.solutions.base import ClusterStatus, Moment
from seatrial.solutions.parts import journal

COMMAND = "corosync-quorumtool -s; dlm_tool ls data && dlm_tool status"


def read(answer: str, nodes: Sequence[str], asked_node: str) -> ClusterStatus:
    """The state in the output of `COMMAND` on `asked_node`; `nodes` in corosync's order."""
    quorate = re.search(r"^Quorate: *(\w+)", answer, re.MULTILINE)
    names = dict(enumerate(nodes, start=1))
    lock_space = answer.partition("dlm lockspaces")[2].partition("cluster nodeid")[0]
    members = re.search(r"^members +([\d ]+)$", lock_space, re.MULTILINE)
    using = {names.get(int(number), number) for number in (members[1].split() if members else ())}
    troubles = [] if quorate and quorate[1] == "Yes" else [f"{asked_node} sees no quorum"]
    troubles += [f"{node} does not use the file system" for node in nodes if node not in using]
    troubles += ["a change of members is under way"] if "new change" in lock_space else []
    text = "; ".join([f"{len(using)} of {len(nodes)} nodes use the file system", *troubles])
    return ClusterStatus({}, not troubles, text)


_PHRASES = (
    ("A processor failed", EventKind.DETECTED),
    ("A new membership", EventKind.MEMBERSHIP),
    ("within the primary component", EventKind.QUORUM),
    ("within the non-primary component", EventKind.QUORUM_LOST),
    ("withdraw", EventKind.WITHDRAWN),
)
REPORTED = (
    *(phrase for phrase, _ in _PHRASES),
    "fence request",
    "fence result",
    "fence status",
    "jid=",
)
"""patterns of the journal's lines that `moments` evaluates"""


def moments(node: str, answer: str, nodes: Sequence[str]) -> list[Moment]:
    """The failover events that `node` has logged; `nodes` in corosync's order, from 1."""
    names = {str(number): name for number, name in enumerate(nodes, start=1)}
    events = (_moment(at_s, node, text, names) for at_s, text in journal.lines(answer))
    return sorted((event for event in events if event), key=lambda event: event.boottime_s)


_FENCE = re.compile(
    r"fence (?P<event>request|result) (?P<id>\d+) pid \d+(?: result (?P<exit_code>\d+))?"
)
"""a line of dlm_controld; `id` is the node's in the cluster"""


def _moment(at_s: float, node: str, text: str, names: Mapping[str, str]) -> Moment | None:
    for phrase, what in _PHRASES:
        if phrase in text:
            return Moment(at_s, node, what, text)
    if "jid=" in text:
        return _recovery(at_s, node, text)
    fence = _FENCE.search(text)
    if fence is None:
        return None
    fenced_node = names.get(fence["id"], fence["id"])
    is_good = fence["exit_code"] in (None, "0")
    what = EventKind.FENCED if is_good else EventKind.FENCING_FAILED
    if fence["event"] == "request":
        what = EventKind.FENCING
    return Moment(at_s, node, what, text, fenced_node, is_good)


def _recovery(at_s: float, node: str, text: str) -> Moment | None:
    """The recovery of another node's journal; a node also checks its own journal at a mount."""
    match = re.search(r"\.(\d+): jid=(\d+): (.*)$", text)
    if match is None or match[1] == match[2]:
        return None
    subject = f"journal {match[2]}"
    if "Looking at journal" in match[3]:
        return Moment(at_s, node, EventKind.RECOVERING, text, subject)
    if match[3].startswith("Done"):
        return Moment(at_s, node, EventKind.RECOVERED, text, subject)
    return None
