"""After the repair: the nodes return to service, and the whole system becomes healthy.

All waits end at one deadline, a time of the monotonic clock in s.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.basics.clock import unix_s
from seatrial.faults import cluster_status, kernel_messages
from seatrial.faults.aftermath import aftermath_s
from seatrial.faults.context import FaultContext
from seatrial.faults.done import Done
from seatrial.faults.figures import is_answered, is_ended_by_error
from seatrial.faults.stages import background
from seatrial.faults.stages.background import Answers
from seatrial.faults.stages.baseline import Boots
from seatrial.faults.stages.inject import InjectionStart, Repaired
from seatrial.faults.stages.prepare import Decided
from seatrial.load.agent import AgentGroup
from seatrial.load.folder import folder_of
from seatrial.load.installing import push
from seatrial.result.fault_parts import ActionPart
from seatrial.result.faults import WorkCosts
from seatrial.solutions.base import Clustered

SETTLE_PROCESSES = 3000
"""process starts of two booting servers: a slow machine takes longer than `recovery_timeout`"""


@dataclass(frozen=True)
class Returned:
    """The nodes that the fault may have stopped."""

    missing: frozenset[str] = frozenset()
    """nodes that do not answer"""
    restarted: frozenset[str] = frozenset()
    """nodes with another boot id than before"""


@dataclass(frozen=True)
class Restored:
    """The nodes that the run returned to service."""

    changed: frozenset[str]
    """servers that the fault changed, and all restarted nodes"""
    failed: frozenset[str]
    """nodes where the return to service failed"""


@dataclass(frozen=True)
class Health:
    """The last status of the solution after the fault."""

    is_healthy: bool | None = None
    """None where the solution has no notion of it"""
    roles: Mapping[str, str] = field(default_factory=dict)
    """service -> the server that runs it"""
    moved: bool | None = None
    """a service runs on another server than before"""
    status: str | None = None
    """in the solution's words"""


@dataclass(frozen=True)
class Recovery:
    """The end of the recovery."""

    unix_s: float | None = None
    """when all streams got answers and the solution was healthy; None where that did not happen in
    time
    """


def deadline(context: FaultContext, costs: WorkCosts) -> float:
    """The end of all waits for the recovery, from now on: as long as the study allows."""
    planned = context.planned
    allowed_s = planned.fault.recovery_timeout + planned.grace_s + costs.work_s(SETTLE_PROCESSES)
    return time.monotonic() + allowed_s


def await_nodes(context: FaultContext, before: Boots, deadline_s: float) -> Returned:
    """Wait until every node answers, and find the restarted ones."""
    injector = context.injector
    missing = cluster_status.wait_for(before.nodes, injector.answers, injector.pause, deadline_s)
    if missing:
        context.note(f"{', '.join(sorted(missing))} did not come back")
    after = cluster_status.boots(context.session, before.nodes - missing)
    restarted = {node for node, boot in after.items() if before.ids.get(node) != boot}
    return Returned(frozenset(missing), frozenset(restarted))


def restore_service(context: FaultContext, decided: Decided, returned: Returned) -> Restored:
    """Install the agent on restarted nodes, and return them and the touched servers to service."""
    session = context.session
    push(session.transport, sorted(returned.restarted), folder_of(context.agent))
    nodes = {getattr(action, "node", "") for action in decided.actions.inject}
    touched = nodes & set(session.solution.servers)
    failed = _restore(context, returned.restarted | (touched - returned.missing))
    return Restored(returned.restarted | touched, failed)


def _restore(context: FaultContext, nodes: frozenset[str]) -> frozenset[str]:
    """Return nodes to service, servers first; returns the nodes where that failed."""
    servers = context.session.solution.servers
    problems = cluster_status.restore(
        context.session, sorted(nodes, key=lambda node: (node not in servers, node))
    )
    for problem in problems.values():
        context.note(problem)
    return frozenset(problems)


def await_answers(
    group: AgentGroup,
    decided: Decided,
    repaired: Repaired,
    deadline_s: float,
) -> Answers:
    """Wait until every stream that keeps its power gets an answer after the repair."""
    lost = decided.actions.nodes_losing_memory()
    return Answers(
        group.follow(
            lambda: all(
                is_answered(item, repaired.unix_s)
                for item in group.agents
                if item.client not in lost
            ),
            max(deadline_s - time.monotonic(), 1.0),
        )
    )


def await_health(
    context: FaultContext,
    group: AgentGroup,
    decided: Decided,
    restored: Restored,
    deadline_s: float,
) -> Health:
    """Wait until a highly available solution is healthy again; other solutions have no notion
    of it.

    After half of the time, the other servers are also returned to service.
    """
    solution = context.session.solution
    if not isinstance(solution, Clustered):
        return Health(roles=decided.roles, moved=False)
    half = time.monotonic() + (deadline_s - time.monotonic()) / 2
    rest = frozenset(solution.servers) - restored.changed
    health = Health(is_healthy=False)
    while True:
        now = cluster_status.status(context.session)
        if now is not None:
            roles = cluster_status.roles_of(solution, now).active
            moved = any(roles.get(name) != node for name, node in decided.roles.items())
            health = Health(now.healthy, dict(roles), moved, now.text)
        if health.is_healthy or time.monotonic() >= deadline_s:
            return health
        if rest and time.monotonic() >= half:
            _restore(context, rest)
            rest = frozenset()
        background.hold(group, cluster_status.POLL_S)


def conclude(
    context: FaultContext,
    group: AgentGroup,
    decided: Decided,
    injection: InjectionStart,
    *,
    returned: Returned,
    restored: Restored,
    answers: Answers,
    health: Health,
) -> Recovery:
    """Whether and when the system recovered; the reasons against it are noted."""
    unrepaired = [item for item in context.injector.done if _is_unrepaired(item)]
    for item in unrepaired:
        context.note(f"not repaired: {item.what}: {item.error}")
    out = restored.failed
    if health.is_healthy:
        # The cluster's status decides for its servers: it may have restored one automatically.
        out -= set(context.session.solution.servers)
    lost = decided.actions.nodes_losing_memory()
    given_up = [
        item.name for item in group.agents if is_ended_by_error(item) and item.client not in lost
    ]
    if given_up:
        context.note(f"ended by an error, without an answer after it: {', '.join(given_up)}")
    wrong = returned.missing or unrepaired or out or given_up
    if answers.is_complete and health.is_healthy is not False and not wrong:
        return Recovery(unix_s())
    # The kernel messages may explain why the system did not become healthy.
    for reason in kernel_messages.reasons(context.session, injection.unix_s):
        context.note(reason)
    return Recovery()


def _is_unrepaired(item: Done) -> bool:
    return item.part is not ActionPart.INJECT and bool(item.error)


def observe(context: FaultContext, group: AgentGroup, returned: Returned, health: Health) -> None:
    """Let the streams continue until late effects of the fault would show."""
    taken_over = bool(health.moved or returned.restarted)
    wait_s = aftermath_s(context.session.solution, taken_over=taken_over)
    background.hold(group, max(wait_s, context.planned.fault.observe))
