"""Moves services to the servers that a fault requires, before the load begins."""

import time
from collections.abc import Callable, Mapping

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults import cluster_status
from seatrial.result.faults import PreparedRole
from seatrial.service.deploy import apply_plan
from seatrial.service.session import Session
from seatrial.solutions.base import ClusterStatus, MovesServices, service_servers_of

MOVE_TIMEOUT_S = 300.0
HEALTHY_TIMEOUT_S = 180.0
Say = Callable[[str], None]


def prepare(session: Session, required: Mapping[str, str], say: Say) -> list[PreparedRole]:
    """Move each service to its required server and wait until the solution is healthy; returns the
    moved services.

    Raises RunError where a service does not reach its server or the solution does not become
    healthy.
    """
    moved = []
    for service, server in required.items():
        before = _healthy(session).active.get(service, "")
        if before == server:
            continue
        origin = before or "no server"
        say(f"{service} is moved from {origin} to {server}, as required by the fault")
        started_s = unix_s()
        _move(session, service, server)
        moved.append(PreparedRole(service, before, server, started_s, unix_s()))
    return moved


def _move(session: Session, service: str, server: str) -> None:
    """Let servers give up the service until it runs on the required one.

    Some solutions choose the next server themselves. Each server gives up at most once.
    """
    solution = session.solution
    if not isinstance(solution, MovesServices):
        raise RunError(
            f"{service} cannot be moved to {server}: the solution has no service that moves"
        )
    for _ in service_servers_of(solution):
        apply_plan(
            solution.switchover(service, server), session.transport, timeout_s=MOVE_TIMEOUT_S
        )
        if _healthy(session).active.get(service) == server:
            return
    raise RunError(f"{service} does not run on {server}, although it was moved there")


def _healthy(session: Session) -> ClusterStatus:
    """The status once the solution is healthy and every service runs; raises RunError
    on a timeout.
    """
    limit_s = time.monotonic() + HEALTHY_TIMEOUT_S
    while True:
        now = cluster_status.status(session)
        if now is not None and now.healthy:
            return now
        if time.monotonic() >= limit_s:
            status = now.text if now else "no server answers"
            raise RunError(f"the storage is not healthy before the fault: {status}")
        time.sleep(cluster_status.POLL_S)
