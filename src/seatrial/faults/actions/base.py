"""The base class of an action of a fault, and what an action may use when it is carried out.

An action is plain data with methods. A new one is a subclass, in a file here or in the module of
the fault that has it: no other part of the program lists the actions.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from seatrial.basics.errors import RunError
from seatrial.faults.done import Done
from seatrial.labs.base import Lab, Named, RemoteCommand
from seatrial.result.evidence import Sign
from seatrial.service.session import Session


class Means(Protocol):
    """What an action may use."""

    session: Session
    done: list[Done]
    """the actions that have ended, in order"""

    def pause(self, duration_s: float, /) -> None:
        """Wait for some s, while other work continues."""

    def kept_output(self, text: str, /) -> str | None:
        """Write an output to the result; the name of its file, None where no result is written."""

    def answers(self, node: str, /) -> bool:
        """Whether a node accepts commands now."""

    def forget(self, node: str, /) -> None:
        """Close open connections that lead to the node's earlier state."""


@dataclass(frozen=True)
class Ability:
    """An ability that a lab must have."""

    protocol: type
    words: str
    """after `cannot`"""


@dataclass(frozen=True)
class Outcome:
    """How an action ended; `Outcome()` for one that succeeded and has no exit code."""

    error: str | None = None
    exit_code: int | None = None
    """of a command, where it answered"""
    output: str | None = None
    """the result's file with the output"""
    had_effect: bool = True
    """False: the system already had the state that the action produces"""


@dataclass(frozen=True)
class Action:
    """One action of a fault."""

    ability: ClassVar[Ability | None] = None
    """a required ability of the lab; None where every lab has it"""

    def text(self) -> str:
        """A readable description: `power of nas1: off`."""
        raise NotImplementedError

    def carry_out(self, means: Means) -> Outcome:
        """Execute the action; raises RunError or returns an error where it fails."""
        raise NotImplementedError

    def problem(self, lab: Lab) -> str | None:
        """Why a lab with the ability cannot execute it, in words; None where it can."""
        del lab
        return None

    def reach(self, session: Session) -> None:
        """Connect to its machine before anything is done; RunError where that is impossible."""

    # ---- its effects on the system

    @property
    def waits_s(self) -> float:
        """The maximum time in s that it adds to the duration of the fault."""
        return 0.0

    @property
    def lost_nodes(self) -> frozenset[str]:
        """The nodes that lose their memory."""
        return frozenset()

    @property
    def stopped_nodes(self) -> frozenset[str]:
        """Further nodes that do not run while the fault lasts."""
        return frozenset()

    @property
    def overwritten(self) -> frozenset[tuple[str, str]]:
        """Every (node, device) that loses its content."""
        return frozenset()

    # ---- its end

    def has_begun(self, done: Iterable[Done]) -> bool:
        """For an action after the repair: whether to wait for its end although the injection has
        failed; `done` has the actions that have ended.
        """
        del done
        return False

    # ---- its evidence

    @property
    def breaks(self) -> bool:
        """Whether it breaks something; others wait, or repair what an earlier one broke."""
        return True

    @property
    def subject(self) -> str:
        """The node with signs of it, for a bus its PDU; empty for none."""
        return ""

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """The strongest signs that prove it in this lab; one of them is required."""
        del lab
        return (Sign.COMMAND_SUCCEEDED,)

    def signs(self, session: Session, outcome: Outcome) -> Iterator[Sign]:
        """The signs immediately after it succeeded; RunError ends them."""
        del session
        if outcome.had_effect:
            yield Sign.COMMAND_SUCCEEDED

    def signs_of_roles(self, roles_after: Mapping[str, str]) -> Iterable[Sign]:
        """The signs in the roles of the servers after the fault (service -> server)."""
        del roles_after
        return ()

    # ---- consent, and repair without the controller

    def repair_command(self, session: Session) -> RemoteCommand | None:
        """For a repair: the command that a timer runs where the controller is gone."""
        del session
        return None

    @property
    def site_host(self) -> str:
        """The machine of the site with its command, which needs consent; empty for none."""
        return ""

    @property
    def power_cut_text(self) -> str:
        """For consent: the line about a real machine that loses its power; empty for none."""
        return ""

    def consent_text(self, part: str) -> str:
        """The line for the consent of the operator; `part` names the part of the fault."""
        return f"{part} {self.text()}"


def unable(session: Session) -> RunError:
    """The error of an action that a lab cannot execute."""
    return RunError(f"{who(session)} cannot do this")


def who(session: Session) -> str:
    """The subject of a sentence about a missing ability."""
    lab = session.lab
    return lab.subject if isinstance(lab, Named) else f"the lab {lab.kind}"


def lost_by(actions: Sequence[Action]) -> frozenset[str]:
    """The nodes that lose their memory by some actions."""
    return frozenset(node for action in actions for node in action.lost_nodes)
