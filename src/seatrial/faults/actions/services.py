"""Actions on a running storage system that its solution plans."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from seatrial.basics.errors import RunError
from seatrial.faults.actions.base import Action, Means, Outcome
from seatrial.labs.base import Lab
from seatrial.result.evidence import Sign
from seatrial.service.deploy import apply_plan
from seatrial.solutions.base import Extensible, MovesServices
from seatrial.solutions.look import extension

SWITCHOVER_TIMEOUT_S = 300.0
EXTENSION_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Switchover(Action):
    """A planned move of a service."""

    service: str
    to: str

    def text(self) -> str:
        """A readable description."""
        return f"{self.service or 'the service'} is moved to {self.to}"

    def carry_out(self, means: Means) -> Outcome:
        """Apply the plan of the solution."""
        solution = means.session.solution
        transport = means.session.transport
        if not isinstance(solution, MovesServices):
            raise RunError("the solution has no service that can be moved")
        plan = solution.switchover(self.service, self.to)
        apply_plan(plan, transport, timeout_s=SWITCHOVER_TIMEOUT_S)
        return Outcome()

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """The new server, or the success of the plan."""
        del lab
        return (Sign.SERVICE_MOVED, Sign.COMMAND_SUCCEEDED)

    def signs_of_roles(self, roles_after: Mapping[str, str]) -> Iterable[Sign]:
        """The new server."""
        return (Sign.SERVICE_MOVED,) if roles_after.get(self.service) == self.to else ()


@dataclass(frozen=True)
class Extend(Action):
    """The storage is extended while it is in use: by a `member` or a `journal`."""

    what: str

    def text(self) -> str:
        """A readable description."""
        return f"a {self.what} is added"

    def carry_out(self, means: Means) -> Outcome:
        """Apply the plan of the solution.

        A repeated fault may meet the storage that an earlier attempt extended. Then no step finds
        anything to change, except steps without a check, which always run.
        """
        session = means.session
        if not isinstance(session.solution, Extensible):
            raise RunError("the solution cannot be made larger while it is in use")
        plan = extension(session.solution, session.site, self.what)
        applied = apply_plan(plan, session.transport, timeout_s=EXTENSION_TIMEOUT_S)
        checked_steps = plan.checked_steps()
        has_changed = any(
            item.result == "changed" and item.step in checked_steps for item in applied.results
        )
        return Outcome(had_effect=has_changed or not checked_steps)
