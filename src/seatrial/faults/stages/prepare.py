"""Before the load: the services move to the required servers, and the actions are decided."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.basics.errors import RunError
from seatrial.faults import cluster_status, consent, roles
from seatrial.faults.base import Actions, NotHere, Scene, needs_root
from seatrial.faults.context import FaultContext
from seatrial.result.faults import PreparedRole


@dataclass(frozen=True)
class Prepared:
    """The services that the run moved before the load."""

    roles: tuple[PreparedRole, ...] = ()


@dataclass(frozen=True)
class Decided:
    """The actions of the fault, which follow from the roles at one moment."""

    actions: Actions = field(default_factory=lambda: Actions(()))
    roles: Mapping[str, str] = field(default_factory=dict)
    """service -> the server that runs it"""


def require_root(context: FaultContext) -> None:
    """Raise NotHere for a fault that needs root on the nodes in a run without root."""
    has_root = context.session.node_state is None
    if not has_root and needs_root(context.planned.kind):
        raise NotHere("this fault needs root on the nodes, and the run has none")


def prepare_roles(context: FaultContext) -> Prepared:
    """Move the services where the fault requires an active server; RunError where one does not
    reach it.
    """
    moved = roles.prepare(context.session, context.planned.roles, context.say)
    return Prepared(tuple(moved))


def decide(context: FaultContext) -> Decided:
    """Determine the current roles and the actions that follow.

    Raises NotHere where the fault is not possible, and RunError where it is not permitted: a
    service runs on another server, a device would be overwritten that the run did not announce, or
    a consent is missing.
    """
    session = context.session
    planned = context.planned
    now = cluster_status.roles(session)
    _require_servers(planned.roles, now.active)
    actions = planned.actions(Scene(session.study, session.site, session.solution, now))
    if unforeseen := actions.overwritten() - planned.overwritten:
        lost = ", ".join(sorted(f"{node}:{device}" for node, device in unforeseen))
        raise RunError(f"it would overwrite {lost} now, which was not known before the run")
    consent.require(planned.name, actions, context.run.consented)
    return Decided(actions, dict(now.active))


def _require_servers(required: Mapping[str, str], active: Mapping[str, str]) -> None:
    elsewhere = {name: node for name, node in required.items() if active.get(name) != node}
    if elsewhere:
        actual = ", ".join(f"{name} on {active.get(name, 'no server')}" for name in elsewhere)
        expected = ", ".join(f"{name} on {node}" for name, node in elsewhere.items())
        raise RunError(f"the fault asks for {expected}, and now runs {actual}")


def require_means(context: FaultContext, decided: Decided) -> None:
    """Raise NotHere where the lab cannot execute an action, and RunError where a machine of the
    site cannot be reached.
    """
    reason = context.injector.missing(decided.actions)
    if reason is not None:
        raise NotHere(reason)
    context.injector.reach(decided.actions)
