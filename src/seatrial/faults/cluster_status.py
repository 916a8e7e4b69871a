"""Queries a solution's servers for status, events and restarts. Every query has a timeout."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import cast

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults.base import Roles
from seatrial.load.clock_offsets import (
    ClockOffset,
    ClockSet,
    WallClocks,
    by_the_clock_then,
    measure_clocks,
)
from seatrial.plan.plan import Plan, Stage
from seatrial.result.fault_parts import Moment as NotedMoment
from seatrial.service.deploy import apply_plan
from seatrial.service.session import Session
from seatrial.solutions.base import (
    Clustered,
    ClusterStatus,
    Moment,
    NotesMoments,
    Restores,
    Solution,
    cluster_nodes_of,
    nodes_of,
    service_servers_of,
    services_of,
)
from seatrial.transport import answer_of, on_every

ASK_TIMEOUT_S = 20.0
POLL_S = 1.0
RESTORE_TIMEOUT_S = 300.0


def status(session: Session) -> ClusterStatus | None:
    """The status of the solution from the first server that reports it; None when none
    does or can.
    """
    solution = session.solution
    if not isinstance(solution, Clustered):
        return None
    answers = _ask(session, solution.cluster_nodes, solution.status_command())
    return next((solution.status(node, answer) for node, answer in answers.items()), None)


def roles(session: Session) -> Roles:
    """The current roles; raises RunError when no server of a highly available solution reports
    them.
    """
    solution = session.solution
    if not isinstance(solution, Clustered):
        return Roles.before(solution)
    now = status(session)
    if now is None:
        raise RunError("no server reports the status of the solution")
    return roles_of(solution, now)


def roles_of(solution: Solution, now: ClusterStatus) -> Roles:
    """The roles in the order of the solution's services."""
    active = {name: now.active[name] for name in services_of(solution) if name in now.active}
    return Roles(service_servers_of(solution), active)


def moments(
    session: Session, since_unix_s: float, agent: str, wall_clocks: WallClocks
) -> list[NotedMoment]:
    """The failover events of the servers since then, in order of time, on the common clock.

    Servers that do not answer are left out.
    """
    solution = session.solution
    if not isinstance(solution, NotesMoments):
        return []
    nodes = cluster_nodes_of(solution) or solution.servers
    clocks = _clocks(session, nodes, agent)
    recent: list[NotedMoment] = []
    for node, clock in clocks.items():
        since_boot_s = since_unix_s + clock.ahead_s
        for answer in _ask(session, (node,), solution.moments_command(since_boot_s)).values():
            sets = wall_clocks.sets_of(node)
            now_s = unix_s()
            moments_of = solution.moments(node, answer)
            events = [_put_right(item, clock, now_s, sets) for item in moments_of]
            since = [item for item in events if item.boottime_s >= since_boot_s]
            for item in since:
                noted = {**asdict(item), "unix_s": clock.unix_s(item.boottime_s)}
                recent.append(cast(NotedMoment, noted))
    return sorted(recent, key=lambda item: item["unix_s"])


def _put_right(
    moment: Moment, clock: ClockOffset, now_s: float, sets: Sequence[ClockSet]
) -> Moment:
    if not moment.by_wall_clock:
        return moment
    at_s = clock.unix_s(moment.boottime_s)
    moved_s = by_the_clock_then(at_s, now_s, sets) - at_s
    return replace(moment, boottime_s=moment.boottime_s + moved_s)


def boots(session: Session, nodes: Iterable[str]) -> dict[str, str]:
    """The boot id of each node; nodes that do not answer are left out."""
    answers = _ask(session, nodes, "cat /proc/sys/kernel/random/boot_id")
    return {node: answer.strip() for node, answer in answers.items()}


def settle_disks(session: Session) -> None:
    """Sync all disks: the deployed files must survive a power cut immediately afterwards."""
    on_every(nodes_of(session.solution), lambda node: session.transport.run(node, "sync"))


def wait_for(
    nodes: Iterable[str],
    answers: Callable[[str], bool],
    pause: Callable[[float], None],
    limit: float,
) -> set[str]:
    """Wait until all nodes answer, at most until `limit` (monotonic); returns the nodes that do
    not.
    """
    missing = set(nodes)
    while missing:
        missing -= {node for node in sorted(missing) if answers(node)}
        if not missing or time.monotonic() >= limit:
            break
        pause(POLL_S)
    return missing


def restoration(session: Session, node: str) -> Plan:
    """The plan that returns a restarted node to service: the solution's own, or its part of the
    whole plan.
    """
    solution = session.solution
    if isinstance(solution, Restores) and node in solution.servers:
        return solution.restore(node)
    plan = solution.plan({})
    stages = [
        Stage(stage.title, {node: stage.steps[node]})
        for stage in plan.stages
        if stage.steps.get(node)
    ]
    return replace(plan, title=f"put {node} back in service", stages=tuple(stages))


def restore(
    session: Session, nodes: Iterable[str], timeout_s: float = RESTORE_TIMEOUT_S
) -> dict[str, str]:
    """Return nodes to service, one after the other; returns the errors by node."""
    wrong = {}
    for node in nodes:
        try:
            apply_plan(restoration(session, node), session.transport, timeout_s=timeout_s)
        except RunError as error:
            wrong[node] = str(error)
    return wrong


def _ask(session: Session, nodes: Iterable[str], command: str) -> dict[str, str]:
    """The output of a command on each node, in parallel; nodes that fail or time out
    are left out.
    """
    answers = on_every(
        nodes, lambda node: answer_of(session.transport, node, command, ASK_TIMEOUT_S)
    )
    return {node: answer for node, answer in answers.items() if answer is not None}


def _clocks(session: Session, nodes: Iterable[str], agent: str) -> Mapping[str, ClockOffset]:
    """The clocks of the nodes that answer."""
    alive = boots(session, nodes)
    offsets: dict[str, ClockOffset] = {}
    for node in alive:
        try:
            offsets |= measure_clocks(session.transport, (node,), agent)
        except RunError:
            continue
    return offsets
