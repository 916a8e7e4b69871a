"""The lines of one agent during a phase, as received."""

from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any, NamedTuple, cast

from seatrial.basics.units import counted
from seatrial.load.agent_events import (
    DoneLine,
    LatenciesLine,
    SecondLine,
    StalledTasks,
    WaitingLine,
)
from seatrial.load.merged_seconds import MergedSeconds
from seatrial.load.second_lines import SecondLines

NS = 1e9


class WorkSoFar(NamedTuple):
    """The work of an agent since the start."""

    size_bytes: int
    operations: int


@dataclass
class AgentLines:
    """One agent's lines of one phase."""

    client: str
    ahead_s: float
    """how far its clock is ahead of the common one"""
    lines: InitVar[Iterable[dict[str, Any]]] = ()
    done: DoneLine | None = None
    lost: str | None = None
    stream: str = ""
    """identifies one of several jobs of this client"""
    merged: MergedSeconds | None = None
    """takes its lines `latencies`, which are then not kept here; all agents of a phase share it"""
    so_far: WorkSoFar = field(default=WorkSoFar(0, 0), init=False)
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
            self.merged.add(cast(LatenciesLine, line))
        else:
            self._by_event.setdefault(event, []).append(line)
        if event == "done":
            self.done = cast(DoneLine, line)
            self.so_far = WorkSoFar(int(line["bytes"]), int(line["operations"]))
        elif event == "second":
            self.so_far = WorkSoFar(
                self.so_far.size_bytes + int(line["bytes"]),
                self.so_far.operations + int(line["operations"]),
            )

    @property
    def name(self) -> str:
        """Client and stream, for users and file names."""
        return f"{self.client} {self.stream}" if self.stream else self.client

    @property
    def is_ready(self) -> bool:
        """Whether its files are open, and its tasks wait for the common start."""
        return bool(self._of("ready"))

    @property
    def seconds(self) -> Sequence[SecondLine]:
        """Its work, second by second."""
        return cast("Sequence[SecondLine]", self._seconds)

    @property
    def latencies(self) -> Sequence[LatenciesLine]:
        """The latencies of each second, where `merged` does not take them."""
        return cast("Sequence[LatenciesLine]", self._of("latencies"))

    @property
    def preparing(self) -> Sequence[StalledTasks]:
        """The tasks that were not ready, each second before the start."""
        return cast("Sequence[StalledTasks]", self._of("preparing"))

    @property
    def stalls(self) -> Sequence[StalledTasks]:
        """The tasks without an answer, each second of a stall."""
        return cast("Sequence[StalledTasks]", self._of("stall"))

    @property
    def waiting(self) -> Sequence[WaitingLine]:
        """The threads that waited in the kernel, at each check during a long stall."""
        return cast("Sequence[WaitingLine]", self._of("waiting"))

    @property
    def abandoned(self) -> Sequence[StalledTasks]:
        """The tasks that did not end after the stop."""
        return cast("Sequence[StalledTasks]", self._of("abandoned"))

    def _of(self, event: str) -> Sequence[dict[str, Any]]:
        return self._by_event.get(event, ())

    def common_s(self, boottime_ns: float) -> float:
        """A time of its clock on the common one."""
        return boottime_ns / NS - self.ahead_s

    def why_no_result(self, exit_code: int, stderr: str) -> str:
        """Why it ended without the line `done`, for the result and the terminal."""
        if self.abandoned:
            tasks = counted(len(self.abandoned[-1]["tasks"]), "task")
            return f"the agent ended without a result: {tasks} did not end after the stop"
        errors = stderr.strip().splitlines()[-1:] or ["no message"]
        return f"the agent ended without a result (exit {exit_code}: {errors[0]})"
