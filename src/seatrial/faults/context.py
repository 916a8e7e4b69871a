"""The context of one fault: everything that each of its stages needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.faults import expectations
from seatrial.faults.base import Planned
from seatrial.faults.injection import Injector
from seatrial.load.run_context import RunContext
from seatrial.result.fault_parts import Expectations
from seatrial.result.file_names import safe_name
from seatrial.result.writer import Writer
from seatrial.service.session import Observer, Session
from seatrial.study.faults import Stream


@dataclass(frozen=True)
class FaultContext:
    """One fault of a run. Only its lists grow: the notes, and the actions of the injector."""

    run: RunContext
    load: Mapping[str, Stream]
    """by name, the streams of the background load"""
    planned: Planned
    injector: Injector
    expected: Expectations
    """the expectations, before the cost of work is measured"""
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the fault."""
        return self.planned.name

    @property
    def session(self) -> Session:
        """The system into which the fault is injected."""
        return self.run.session

    @property
    def writer(self) -> Writer:
        """The result."""
        return self.run.writer

    @property
    def observer(self) -> Observer:
        """The terminal."""
        return self.run.observer

    @property
    def agent(self) -> str:
        """The path of the load agent on every node."""
        return self.run.agent

    def say(self, text: str) -> None:
        """Print a message with the name of the fault."""
        self.observer.say(f"{self.name}: {text}")

    def note(self, text: str) -> None:
        """Print a message, and keep it in the result of the fault."""
        self.notes.append(text)
        self.say(text)


def fault_context(run: RunContext, load: Mapping[str, Stream], planned: Planned) -> FaultContext:
    """The context of a planned fault; the result keeps the output of the commands of the site."""
    injector = Injector(run.session)

    def keep_output(text: str) -> str:
        number = len(injector.done) + 1
        name = f"commands/{safe_name(f'{planned.name}-{number:02d}')}.txt"
        run.writer.keep(name, text)
        return name

    injector.keep_output = keep_output
    expected = expectations.expected(run.session, planned.fault)
    return FaultContext(run, load, planned, injector, expected)
