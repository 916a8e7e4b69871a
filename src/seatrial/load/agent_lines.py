"""The lines of one agent during a phase, as received."""

from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

from seatrial.basics.units import counted
from seatrial.load.merged_seconds import MergedSeconds
from seatrial.load.second_lines import SecondLines

NS = 1e9


@dataclass
class AgentLines:
    """One agent's lines of one phase."""

    client: str
    ahead_s: float
    """how far its clock is ahead of the common one"""
    lines: InitVar[Iterable[dict[str, Any]]] = ()
    done: dict[str, Any] | None = None
    lost: str | None = None
    stream: str = ""
    """identifies one of several jobs of this client"""
    merged: MergedSeconds | None = None
    """takes its lines `latencies`, which are then not kept here; all agents of a phase share it"""
    progress: tuple[int, int] = field(default=(0, 0), init=False)
    """bytes and operations so far"""
    count: int = field(default=0, init=False)
    """all lines so far"""
    _seconds: SecondLines = field(default_factory=SecondLines, init=False, repr=False)
    _by_event: dict[str | None, list[dict[str, Any]]] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self, lines: Iterable[dict[str, Any]]) -> None:
        for line in lines:
            self.add(line)

    def add(self, line: dict[str, Any]) -> None:
        """Record one more line."""
        self.count += 1
        event = line.get("event")
        if event == "second":
            self._seconds.append(line)
        elif event == "latencies" and self.merged is not None:
            self.merged.add(line)
        else:
            self._by_event.setdefault(event, []).append(line)
        if event == "done":
            self.done = line
            self.progress = int(line["bytes"]), int(line["operations"])
        elif event == "second":
            moved, operations = self.progress
            self.progress = moved + int(line["bytes"]), operations + int(line["operations"])

    @property
    def name(self) -> str:
        """Client and stream, for users and file names."""
        return f"{self.client} {self.stream}" if self.stream else self.client

    def of(self, event: str) -> Sequence[dict[str, Any]]:
        """The lines of one kind."""
        return self._seconds if event == "second" else self._by_event.get(event, ())

    def common_s(self, boottime_ns: float) -> float:
        """A time of its clock on the common one."""
        return boottime_ns / NS - self.ahead_s

    def why_no_result(self, exit_code: int, stderr: str) -> str:
        """Why it ended without the line `done`, for the result and the terminal."""
        if abandoned := self.of("abandoned"):
            tasks = counted(len(abandoned[-1]["tasks"]), "task")
            return f"the agent ended without a result: {tasks} did not end after the stop"
        errors = stderr.strip().splitlines()[-1:] or ["no message"]
        return f"the agent ended without a result (exit {exit_code}: {errors[0]})"
