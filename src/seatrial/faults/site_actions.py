"""The actions of `kind: site-command`: commands of the site on a machine of the site.

Unlike `Shell`, they need no node of the study: the machine may be the controller, or any host that
the operator's own ssh reaches.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from seatrial.faults.actions.base import Ability, Action, Means, Outcome
from seatrial.faults.done import Done
from seatrial.faults.site_commands import answer_of, reach, site_hosts
from seatrial.labs.base import Lab, RemoteCommand, SiteHosts
from seatrial.result.evidence import Sign
from seatrial.service.session import Session
from seatrial.transport import HERE

RUNS_SITE_COMMANDS = Ability(SiteHosts, "run commands of the site")


class Purpose(StrEnum):
    """The state that a check of the site looks for."""

    HAPPENED = "happened"
    """the fault is present"""
    RECOVERED = "recovered"
    """the storage is repaired"""


@dataclass(frozen=True)
class SiteCommand(Action):
    """A command on a machine of the site, which must exit with 0 within `limit_s`."""

    host: str
    command: str
    limit_s: float
    ability: ClassVar[Ability | None] = RUNS_SITE_COMMANDS
    is_repeated: ClassVar[bool] = False

    def text(self) -> str:
        """A readable description."""
        return f"on {self.host}: {self.command}"

    def carry_out(self, means: Means) -> Outcome:
        """Run the command once."""
        answer = answer_of(means.session.lab, self, means.pause)
        return Outcome(answer.error, answer.exit_code, means.kept_output(answer.text(self)))

    def reach(self, session: Session) -> None:
        """Connect to the host."""
        reach(session.lab, self.host)

    @property
    def waits_s(self) -> float:
        """Its longest time in s."""
        return self.limit_s

    def repair_command(self, session: Session) -> RemoteCommand | None:
        """The command from this machine: its host may accept no other commands."""
        site = site_hosts(session.lab)
        command = site.site_command_line(self.host, self.command)
        return RemoteCommand(HERE, site.site_transport(HERE), command)

    @property
    def site_host(self) -> str:
        """The host."""
        return self.host

    def consent_text(self, part: str) -> str:
        """The command, with its time limit."""
        return f"{part} {self.text()} (at most {self.limit_s:g} s)"


@dataclass(frozen=True)
class SiteCheck(Action):
    """A command that is repeated until it exits with 0, at most for `limit_s`."""

    host: str
    command: str
    limit_s: float
    purpose: Purpose
    ability: ClassVar[Ability | None] = RUNS_SITE_COMMANDS
    is_repeated: ClassVar[bool] = True

    def text(self) -> str:
        """A readable description."""
        return f"check {self.purpose} on {self.host}: {self.command}"

    def carry_out(self, means: Means) -> Outcome:
        """Repeat the command.

        A fault that is not seen to have happened is no error: its repair and the comparison of the
        data follow, and its missing sign makes its criteria `unknown`.
        """
        answer = answer_of(means.session.lab, self, means.pause)
        output = means.kept_output(answer.text(self))
        error = None
        if self.purpose == Purpose.RECOVERED and answer.exit_code != 0:
            error = f"it did not succeed within {self.limit_s:g} s: {answer.error}"
        return Outcome(error, answer.exit_code, output)

    def has_begun(self, done: Iterable[Done]) -> bool:
        """Yes: the storage must be seen to be repaired."""
        del done
        return True

    @property
    def waits_s(self) -> float:
        """Its longest time in s."""
        return self.limit_s

    @property
    def breaks(self) -> bool:
        """Whether it is the evidence of what an earlier action broke."""
        return self.purpose == Purpose.HAPPENED

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """Its success."""
        del lab
        return (Sign.CHECK_SUCCEEDED,)

    def signs(self, session: Session, outcome: Outcome) -> Iterator[Sign]:
        """Its success, where it looks for the fault."""
        del session
        yield from (Sign.CHECK_SUCCEEDED,) if self.breaks and outcome.exit_code == 0 else ()

    @property
    def site_host(self) -> str:
        """The host."""
        return self.host

    def consent_text(self, part: str) -> str:
        """The command, with its time limit."""
        del part
        return f"{self.text()} (until it succeeds, at most {self.limit_s:g} s)"


SiteAction = SiteCommand | SiteCheck
