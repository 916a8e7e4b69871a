"""What the user sees of storage that does not answer: one line for many clients.

When a server fails, each client reports a stall in the same second. The reports of about a second
that have the same kind become one line: `c[01-64]: no answer for 1.0 to 1.2 s to 64 tasks`. The
result keeps the lines of every agent, and `controller.log` keeps each report.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from seatrial.basics.command_log import log_stall
from seatrial.basics.node_sets import fold
from seatrial.basics.units import counted
from seatrial.load.agent_events import StalledTask, StalledTasks
from seatrial.load.agent_lines import AgentLines

REPEATED_S = 5.0
"""interval in s between reports of a lasting stall"""
TOGETHER_S = 1.0
"""reports that come within this time in s after the first one are one line"""
PREPARING_SHOWN_S = 1.0
"""a shorter preparation is no stall: an agent reports it each second, whenever it began"""
FILES_SHOWN = 3
EVENTS = ("stall", "preparing")
"""the events of an agent that list waiting tasks"""


@dataclass(frozen=True)
class Stall:
    """Tasks of one agent that wait for the storage."""

    client: str
    stream: str
    is_preparing: bool
    """the agent is not ready; otherwise it is at work"""
    waited_s: float
    """of the task that waits longest"""
    tasks: int
    files: tuple[str, ...]

    @property
    def kind(self) -> tuple[str, bool]:
        """Stalls of one kind can share a line."""
        return self.stream, self.is_preparing


def stall_text(stalls: Sequence[Stall]) -> str:
    """The line of stalls of one kind: their clients, the shortest to longest wait, their tasks.

    It names up to three files, and the number of files of several clients that wait for more.
    """
    first = stalls[0]
    clients = fold(list(dict.fromkeys(item.client for item in stalls)))
    waits_s = [item.waited_s for item in stalls]
    shortest = f"{min(waits_s):.1f}"
    longest = f"{max(waits_s):.1f}"
    waited = f"{longest} s" if shortest == longest else f"{shortest} to {longest} s"
    tasks = counted(sum(item.tasks for item in stalls), "task")
    files = sorted({file for item in stalls for file in item.files})
    files_text = ", ".join(files[:FILES_SHOWN])
    if len(stalls) > 1 and len(files) > FILES_SHOWN:
        files_text = counted(len(files), "file")
    problem = (
        f"not ready after {waited}: {tasks}"
        if first.is_preparing
        else f"no answer for {waited} to {tasks}"
    )
    return f"{f'{clients} {first.stream}'.strip()}: {problem}: {files_text}"


class StallReporter:
    """Receives the stalls of many agents and passes one line for those that come together.

    A line comes at most `TOGETHER_S` after its first stall, provided that `flush_due` is called.
    """

    def __init__(
        self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._clock = clock
        self._reported_s: dict[tuple[str, int], float] = {}
        self._waiting: list[Stall] = []
        self._first_s = 0.0

    def hear(self, agent: AgentLines, event: StalledTasks) -> None:
        """Take an event of `EVENTS`; a task that was reported within `REPEATED_S` is left out."""
        now_s = self._clock()
        is_preparing = event["event"] == "preparing"
        least_ns = PREPARING_SHOWN_S * 1e9 if is_preparing else 0
        waiting = [task for task in event["tasks"] if task["stalled_ns"] >= least_ns]
        tasks = [task for task in waiting if self._is_due(agent, task, now_s)]
        if not tasks:
            return
        self._reported_s.update({_key(agent, task): now_s for task in tasks})
        if not self._waiting:
            self._first_s = now_s
        stall = Stall(
            agent.client,
            agent.stream,
            is_preparing,
            max(task["stalled_ns"] for task in tasks) / 1e9,
            len(tasks),
            tuple(sorted({str(task["file"]) for task in tasks})),
        )
        log_stall(agent.client, stall_text([stall]))
        self._waiting.append(stall)

    def flush_due(self) -> None:
        """Pass the stalls that have waited for `TOGETHER_S`."""
        if self._waiting and self._clock() - self._first_s >= TOGETHER_S:
            self.flush()

    def flush(self) -> None:
        """Pass everything: one line for each kind, in the order of their first stalls."""
        stalls, self._waiting = self._waiting, []
        for kind in dict.fromkeys(item.kind for item in stalls):
            self._say(stall_text([item for item in stalls if item.kind == kind]))

    def _is_due(self, agent: AgentLines, task: StalledTask, now_s: float) -> bool:
        before_s = self._reported_s.get(_key(agent, task))
        return before_s is None or now_s - before_s >= REPEATED_S


def _key(agent: AgentLines, task: StalledTask) -> tuple[str, int]:
    """Identifies one stall: a task's operation has one start."""
    return agent.name, task["since_boottime_ns"]


def lost_text(lost: Iterable[tuple[str, str]]) -> str:
    """Lost clients with their reasons; clients with the same reason are one node set."""
    clients_of: dict[str, list[str]] = {}
    for client, reason in lost:
        clients_of.setdefault(reason, []).append(client)
    return "; ".join(f"{fold(clients)}: {reason}" for reason, clients in clients_of.items())
