"""Commands on nodes, and pauses between actions."""

from collections.abc import Iterator
from dataclasses import dataclass

from seatrial.basics.errors import RunError
from seatrial.faults.actions.base import Action, Means, Outcome
from seatrial.faults.probe import Probe
from seatrial.labs.base import Lab, RemoteCommand
from seatrial.result.evidence import Sign
from seatrial.service.session import Session

SHELL_TIMEOUT_S = 60.0
UNANSWERED_TIMEOUT_S = 3.0
PROBE_TIMEOUT_S = 10.0
"""for a new connection, on a slow machine too, and a command"""
BY_SIGNAL = 128
"""a shell reports from this exit code on that a signal ended the command"""


@dataclass(frozen=True)
class Shell(Action):
    """A command on a node; `expect_answer` is false where the node cannot answer after it."""

    node: str
    command: str
    expect_answer: bool = True
    overwrites: tuple[str, ...] = ()
    """devices of the node, as named in the study, that lose their content"""
    probe: Probe | None = None
    """a check of the command's effect, where its own answer does not show it"""

    def text(self) -> str:
        """A readable description."""
        return f"on {self.node}: {self.command}"

    def carry_out(self, means: Means) -> Outcome:
        """Run the command; without an expected answer, only a refusal is an error."""
        timeout_s = SHELL_TIMEOUT_S if self.expect_answer else UNANSWERED_TIMEOUT_S
        try:
            done = means.session.transport.run(self.node, self.command, timeout_s=timeout_s)
        except RunError:
            if self.expect_answer:
                raise
            return Outcome()  # it is the purpose of the command that the node does not answer
        finally:
            if not self.expect_answer:
                means.forget(self.node)
        # A node that goes down may still answer with 0, or end the command by a signal.
        # A refusal has another code.
        refused = done.exit_code if self.expect_answer else 0 < done.exit_code < BY_SIGNAL
        error = (done.stderr.strip() or f"exit {done.exit_code}") if refused else None
        return Outcome(error, done.exit_code)

    @property
    def lost_nodes(self) -> frozenset[str]:
        """The node, where it cannot answer any more."""
        return frozenset(() if self.expect_answer else {self.node})

    @property
    def overwritten(self) -> frozenset[tuple[str, str]]:
        """The devices that lose their content."""
        return frozenset((self.node, device) for device in self.overwrites)

    @property
    def subject(self) -> str:
        """The node."""
        return self.node

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """That of its probe, its answer, or the end of the node."""
        del lab
        if self.probe is not None:
            return (self.probe.shows,)
        if self.expect_answer:
            return (Sign.COMMAND_SUCCEEDED,)
        return (Sign.POWER_OFF, Sign.PROCESS_GONE)

    def signs(self, session: Session, outcome: Outcome) -> Iterator[Sign]:
        """Its answer, and what its probe shows."""
        if self.expect_answer:
            yield from super().signs(session, outcome)
        if self.probe is not None:
            probe = self.probe
            looked = session.transport.run(self.node, probe.command, timeout_s=PROBE_TIMEOUT_S)
            yield from () if looked.exit_code else (probe.shows,)

    def repair_command(self, session: Session) -> RemoteCommand | None:
        """The command, on its node."""
        return RemoteCommand(self.node, session.transport, self.command)


@dataclass(frozen=True)
class Wait(Action):
    """A pause between two actions."""

    duration_s: float

    def text(self) -> str:
        """A readable description."""
        return f"wait for {self.duration_s:g} s"

    def carry_out(self, means: Means) -> Outcome:
        """Let the time pass."""
        means.pause(self.duration_s)
        return Outcome()

    @property
    def waits_s(self) -> float:
        """Its duration in s."""
        return self.duration_s

    @property
    def breaks(self) -> bool:
        """It waits."""
        return False
