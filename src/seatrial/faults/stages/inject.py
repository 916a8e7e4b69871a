"""The fault itself: its injection, its duration, and its repair.

The caller runs these stages inside an `Undo`, which repairs on every exit path.
"""

from dataclasses import dataclass

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults.context import FaultContext
from seatrial.faults.live import show_course
from seatrial.faults.stages import background
from seatrial.faults.stages.prepare import Decided
from seatrial.load.agent import AgentGroup


@dataclass(frozen=True)
class InjectionStart:
    """The moment before the first action."""

    unix_s: float


@dataclass(frozen=True)
class Injected:
    """The end of the injection and of the duration of the fault."""

    failure: RunError | None = None
    """why an action failed; the system must recover all the same"""


@dataclass(frozen=True)
class Repaired:
    """The moment after the last action that repaired the fault."""

    unix_s: float


def begin(context: FaultContext) -> InjectionStart:
    """Record the moment of the injection: from now on the storage may not answer."""
    injection = InjectionStart(unix_s())
    show_course(context.writer, context.planned, injected_unix_s=injection.unix_s)
    return injection


def inject(context: FaultContext, decided: Decided, group: AgentGroup) -> Injected:
    """Arm the timers, inject the fault and let its duration pass; a failure is returned, so that
    the caller repairs and waits for the recovery.
    """
    planned = context.planned
    actions = decided.actions
    try:
        context.injector.arm(actions.repair, planned.longest_s)
        context.injector.inject(actions.inject)
        for client in actions.nodes_losing_memory() & set(context.session.solution.clients):
            group.give_up(client, "its power was cut")
        background.hold(group, planned.duration_s)
    except RunError as error:
        return Injected(error)
    return Injected()


def record_repair(context: FaultContext, injection: InjectionStart) -> Repaired:
    """Record the moment of the repair."""
    repaired = Repaired(unix_s())
    show_course(
        context.writer,
        context.planned,
        injected_unix_s=injection.unix_s,
        repaired_unix_s=repaired.unix_s,
    )
    return repaired


def await_ends(context: FaultContext, decided: Decided, injected: Injected) -> None:
    """Wait for the actions that last longer than the repair, such as a rebuild."""
    for action in decided.actions.after:
        # Also after a fault that failed half-way: the next one must not overlap with it.
        if injected.failure is None or action.has_begun(context.injector.done):
            context.injector.await_end(action)
