"""Executes the actions of a fault with the means of the lab; every started action is undone on
every exit path.
"""

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from seatrial.basics.clock import unix_s
from seatrial.basics.command_log import doing, recorded
from seatrial.basics.errors import RunError
from seatrial.faults.actions.base import Action, Outcome, who
from seatrial.faults.actions.commands import PROBE_TIMEOUT_S
from seatrial.faults.base import Actions
from seatrial.faults.dead_man_timers import RunningTimer, armed
from seatrial.faults.done import Done
from seatrial.faults.site_commands import Keep
from seatrial.result.evidence import Sign
from seatrial.result.fault_parts import ActionPart
from seatrial.service.session import Session
from seatrial.transport import SharedConnections

Pause = Callable[[float], None]


class Injector:
    """Executes actions in order and records their times; `pause` is called for waits, so that other
    work continues.
    """

    def __init__(self, session: Session, pause: Pause = time.sleep) -> None:
        self.session = session
        self.pause = pause
        self.done: list[Done] = []
        self.keep_output: Keep | None = None
        """writes the output of a command of the site to the result"""
        self._armed: dict[Action, RunningTimer] = {}
        """the dead-man timer of each repair"""

    def arm(self, repair: Iterable[Action], after_s: float) -> None:
        """Arm a dead-man timer on each node that repairs it after `after_s`, if this machine is
        gone or unreachable by then.

        The timer is a process in a separate session, which the end of the connection does not stop.
        Only for nodes that outlive the run, unlike those of a lab. Raises RunError where a node
        does not accept it.
        """
        for action in repair if self.session.outlives_run else ():
            timer = action.repair_command(self.session)
            if timer is not None:
                self._armed[action] = armed(timer, after_s)

    def _disarm(self, action: Action) -> None:
        """Disarm the timer after the repair; a node that cannot be reached repairs once more."""
        running = self._armed.pop(action, None)
        if running is not None:
            running.disarm()

    def missing(self, actions: Actions) -> str | None:
        """The missing ability of this lab as text; None when it can execute every action."""
        for action in actions.everything:
            ability = action.ability
            if ability is not None and not isinstance(self.session.lab, ability.protocol):
                return f"{who(self.session)} cannot {ability.words}"
            problem = action.problem(self.session.lab)
            if problem is not None:
                return problem
        return None

    def reach(self, actions: Actions) -> None:
        """Connect to every machine of the site; raises RunError where one cannot be reached."""
        for action in actions.inject:
            try:
                action.reach(self.session)
            except RunError as error:
                raise RunError(f"before anything was done: {error}", error.hint) from None

    def inject(self, actions: Iterable[Action]) -> None:
        """Execute all actions in order; raises RunError at the first that fails."""
        for action in actions:
            error = self._one(action, ActionPart.INJECT)
            if error:
                raise RunError(f"{action.text()}: {error}")

    def repair(self, action: Action) -> None:
        """Execute one repair action; an error is recorded, so that the remaining ones
        run anyway.
        """
        if self._one(action, ActionPart.REPAIR) is None:
            self._disarm(action)

    def await_end(self, action: Action) -> None:
        """Wait for an action that lasts longer than the repair; a timeout is recorded."""
        self._one(action, ActionPart.AFTER)

    def _one(self, action: Action, part: ActionPart) -> str | None:
        """Execute an action and record it; why it failed."""
        started_s = unix_s()
        outcome = Outcome()
        text = action.text()
        purpose = f"{part}, action {len(self.done) + 1}"
        try:
            with doing(purpose), recorded(getattr(action, "node", ""), text):
                outcome = action.carry_out(self)
                if outcome.error is not None:
                    raise RunError(outcome.error)
        except RunError as reason:
            outcome = replace(outcome, error=str(reason))
        finally:
            ended_s = unix_s()
            executed = Done(
                text,
                part,
                started_s,
                ended_s,
                error=outcome.error,
                exit_code=outcome.exit_code,
                output=outcome.output,
                action=action,
            )
            self.done.append(executed)
        if outcome.error is None and part is ActionPart.INJECT:
            self.done[-1] = replace(self.done[-1], seen=tuple(self._seen(action, outcome)))
        return outcome.error

    def _seen(self, action: Action, outcome: Outcome) -> list[Sign]:
        """Immediate evidence of an action's effect; empty where no check is possible."""
        seen = []
        with contextlib.suppress(RunError):
            for sign in action.signs(self.session, outcome):
                seen.append(sign)  # noqa: PERF402 - a RunError keeps the signs before it
        return seen

    def kept_output(self, text: str) -> str | None:
        """Write an output to the result; the name of its file, None where no result is written."""
        return None if self.keep_output is None else self.keep_output(text)

    def answers(self, node: str) -> bool:
        """Whether a node accepts commands now."""
        try:
            return (
                self.session.transport.run(node, "true", timeout_s=PROBE_TIMEOUT_S).exit_code == 0
            )
        except RunError:
            self.forget(node)
            return False

    def forget(self, node: str) -> None:
        """Close open connections that lead to the node's earlier state."""
        if isinstance(self.session.transport, SharedConnections):
            self.session.transport.forget(node)


class Undo:
    """The pending repairs. Created before anything is broken; leaving the block executes the
    remaining ones.
    """

    def __init__(self, injector: Injector, actions: Iterable[Action]) -> None:
        self._injector = injector
        self._left = list(actions)

    def __enter__(self) -> "Undo":
        return self

    def __exit__(self, *_: object) -> None:
        self.repair()

    def repair(self) -> None:
        """Execute each remaining repair once; an interrupted one is executed again."""
        while self._left:
            self._injector.repair(self._left[0])
            self._left.pop(0)
