"""The context of a fault without nodes: a frozen server of a pair, in a lab that only reports."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from seatrial.faults.base import load_fault
from seatrial.faults.context import FaultContext, fault_context
from seatrial.labs.base import lab_kind
from seatrial.load.agent import AgentGroup
from seatrial.load.agent_lines import AgentLines
from seatrial.load.clock_offsets import WallClocks
from seatrial.load.run_context import RunContext
from seatrial.result.result import SCHEMA
from seatrial.result.writer import Writer
from seatrial.service.session import Session
from seatrial.transport import Local
from tests.builders.fake_lab import Lab
from tests.builders.fault_studies import Pair, broken
from tests.builders.observers import Silent
from tests.builders.strategies import study

FREEZE = {"kind": "freeze", "duration": "1s", "recovery_timeout": "9s"}
INJECTED = "nas frozen"
"""the report of the lab"""
REPAIRED = "nas thawed"
"""the report of the lab"""


@dataclass
class Saying(Silent):
    """An observer that keeps the messages."""

    said: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Keep it."""
        self.said.append(text)


@dataclass
class Group:
    """Agents that start at once; their conditions hold as given."""

    agents: list[AgentLines] = field(default_factory=list)
    holds: bool = True
    given_up: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def start(self) -> float:
        """The common start."""
        return 100.0

    def follow(self, _until: Callable[[], bool] | None = None, _limit_s: float = 0.0) -> bool:
        """Without a wait."""
        return self.holds

    def give_up(self, client: str, _reason: str) -> None:
        """Keep its name."""
        self.given_up.append(client)

    def cancel(self) -> None:
        """The end."""
        self.calls.append("cancel")

    def keep(self) -> None:
        """The lines."""
        self.calls.append("keep")


def group_of(*agents: AgentLines, holds: bool = True) -> AgentGroup:
    """A group that is followed without a wait."""
    return cast(AgentGroup, Group(list(agents), holds))


def context_of(
    folder: Path, lab: Lab | None = None, fault: dict[str, Any] | None = None
) -> FaultContext:
    """A fault of a pair of servers with two clients; nodes are this machine."""
    whole = study(broken({"it": fault or FREEZE}))
    site = lab_kind(whole).site(whole)
    solution = Pair(folder)
    session = Session(whole, site, solution, lab or Lab(), Local())
    writer = Writer(folder / "result")
    observer = Saying()
    writer.line("run", schema=SCHEMA)
    clocks = WallClocks(observer.say, writer.line)
    run = RunContext(session, "agent", "0123456789", lambda _: 1, writer, observer, clocks)
    planned = load_fault(whole, site, solution, "it", whole.faults["it"])
    return fault_context(run, whole.background_load, planned)


def said(context: FaultContext) -> list[str]:
    """The messages so far."""
    return cast(Saying, context.observer).said


def reported(context: FaultContext) -> list[str]:
    """The actions of the lab so far."""
    return cast(Lab, context.session.lab).reported
