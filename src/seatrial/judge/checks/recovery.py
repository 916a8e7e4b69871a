"""`check: recovery`: no journal is replayed before its node is known to be off, and none without a
quorum.

For a shared file system. A lost node may write until its power is off. Passes when no node replayed
the journal of another before the power log shows every lost node off. A requested fencing must also
be confirmed before the replay. No node may fence or replay without a quorum.

Unknown when a node had to be fenced and no node logged a recovery.
"""

from seatrial.basics.event_kinds import EventKind
from seatrial.basics.schema import Model
from seatrial.judge.answer import Answer, Reason, combine, failed, passed, skipped, unknown
from seatrial.judge.base import answers_of_faults
from seatrial.judge.checks.fencing import power_losses
from seatrial.judge.flaws import Evidence
from seatrial.result.fault_parts import Moment
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result

TITLE = "no journal is replayed before its node is confirmed off, and none without a quorum"
NEEDS_FAULTS = True
MEANS_TWO_WRITERS = True
RESTS_ON = frozenset(
    {Evidence.FAULTS, Evidence.STREAMS, Evidence.ROLES, Evidence.EVENTS, Evidence.POWER}
)
Options = Model


def check(result: Result, _options: Options) -> Answer:
    """Judge every fault."""
    return combine(answers_of_faults(result, "recovery", judge), "no fault was injected")


def judge(fault: FaultResult) -> Answer:
    """The answer on one fault."""
    if fault.skipped is not None:
        return skipped(fault)
    problem = _without_quorum(fault) or _unconfirmed(fault)
    if problem:
        return failed(problem)
    taken = [item for item in fault.moments if item["what"] == EventKind.RECOVERING]
    fenced_nodes = {item["subject"] for item in fault.moments if item["what"] == EventKind.FENCING}
    return _in_time(fault, taken, fenced_nodes) if taken else _none_taken(fault, fenced_nodes)


def _none_taken(fault: FaultResult, fenced_nodes: set[str]) -> Answer:
    """Whether no replay of a journal was necessary."""
    lost = fault.unrecovered
    if lost is not None:
        within = f"within {fault.watched_s(lost):.1f} s"
        stream = f"{lost.client} {lost.stream}"
        words = f"no journal was replayed, but {stream} did not recover {within}"
        return unknown(words, Reason.INCOMPLETE)
    # A client of a cluster of clients that lost its power leaves a journal. A log without a replay
    # does not show that none was necessary.
    clients = {item.client for item in fault.streams}
    lost_nodes = fenced_nodes | {loss.node for loss in power_losses(fault) if loss.node in clients}
    if lost_nodes:
        nodes = " and ".join(sorted(lost_nodes))
        words = f"{nodes} lost power or had to be fenced, but no node logged a recovery"
        return unknown(words, Reason.INCOMPLETE)
    if fault.failed is not None:
        words = f"not completed: {fault.failed}"
        return unknown(words, Reason.NOT_CARRIED_THROUGH)
    return passed("no journal was replayed")


def _in_time(fault: FaultResult, taken: list[Moment], fenced_nodes: set[str]) -> Answer:
    """Whether enough nodes were off at each replay: a journal has a number, and its node is not
    recorded.
    """
    off_s = {loss.node: loss.off_unix_s for loss in reversed(list(power_losses(fault)))}
    alive = sorted(fenced_nodes - set(off_s))
    if alive:
        first = taken[0]
        took = f"{first['node']} replayed {first['subject']}"
        return failed(f"{took} although {alive[0]} was never off")
    lost = sorted(off_s, key=lambda node: off_s[node])
    journals: dict[str, Moment] = {}
    for item in sorted(taken, key=lambda item: float(item["unix_s"])):
        journals.setdefault(item["subject"], item)
    replayed = []
    for number, item in enumerate(journals.values()):
        took = f"{item['node']} replayed {item['subject']}"
        if number >= len(lost):
            if off_s.get(item["node"], float("inf")) < float(item["unix_s"]):
                # It came back, and mounts as the first one: such a mount reads every journal, used
                # or not.
                break
            return failed(f"{took}, but no {'further ' if lost else ''}node was off")
        ahead_s = float(item["unix_s"]) - off_s[lost[number]]
        if ahead_s < -fault.clock_error_s:
            return failed(f"{took} {-ahead_s:.1f} s before {lost[number]} was off")
        words = f"{lost[number]} was off {ahead_s:.1f} s before the replay of its journal"
        replayed.append(words)
    clients = {item.client for item in fault.streams}
    without_replay = [node for node in lost[len(journals) :] if node in fenced_nodes | clients]
    if without_replay:
        words = f"{' and '.join(without_replay)} was off too, but no node logged a recovery"
        return unknown(words, Reason.INCOMPLETE)
    return passed(", ".join(replayed))


def _unconfirmed(fault: FaultResult) -> str | None:
    """The node that replayed a journal while a requested fencing was not confirmed.

    Only the lab knows that a kernel has ended: the nodes have to wait for the confirmation of the
    controller.
    """
    waiting: dict[str, float] = {}
    for item in sorted(fault.moments, key=lambda item: float(item["unix_s"])):
        if item["what"] == EventKind.FENCING:
            waiting.setdefault(item["subject"], float(item["unix_s"]))
        elif item["what"] == EventKind.FENCED:
            waiting.pop(item["subject"], None)
        elif item["what"] == EventKind.RECOVERING:
            for node, asked_s in waiting.items():
                if float(item["unix_s"]) - asked_s > fault.clock_error_s:
                    return (
                        f"{item['node']} replayed {item['subject']} before the fencing of {node} "
                        "was confirmed"
                    )
    return None


def _without_quorum(fault: FaultResult) -> str | None:
    """The nodes that fenced a node, or replayed a journal, without a quorum; each by its own
    clock.
    """
    lost: set[str] = set()
    for item in sorted(fault.moments, key=lambda item: float(item["unix_s"])):
        if item["what"] == EventKind.QUORUM_LOST:
            lost.add(item["node"])
        elif item["what"] == EventKind.QUORUM:
            lost.discard(item["node"])
        elif item["node"] in lost and item["what"] in (EventKind.FENCING, EventKind.RECOVERING):
            did = (
                f"fenced {item['subject']}"
                if item["what"] == EventKind.FENCING
                else f"replayed {item['subject']}"
            )
            return f"{item['node']} {did} without a quorum"
    return None
