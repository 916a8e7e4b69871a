"""The processor of each node of a lab: all of a node's processes run on one (decision 0012).

A node is one thread of execution, which alternates at every system call and page fault between its
programs' processes and its kernel's. On two processors each change would wake an idle one, which
takes longer than the work. So a node moves as a whole: twice per second at most one node moves,
when this reduces the load of the busiest processor.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PERIOD_S = 0.5
WORTH = 0.1
"""processors by which a move must relieve the busiest one, as moved caches are cold"""


class Placement:
    """The processor and load of each node; call `sample` every `PERIOD_S` seconds."""

    def __init__(self, names: Sequence[str], proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._allowed = os.sched_getaffinity(0)
        processors = sorted(self._allowed)
        self.where = {
            name: processors[number % len(processors)] for number, name in enumerate(names)
        }
        self._ticks: dict[str, int] = {}

    @contextlib.contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Start processes in this block on the node's processor."""
        os.sched_setaffinity(0, {self.where[name]})
        try:
            yield
        finally:
            os.sched_setaffinity(0, self._allowed)

    def sample(self, groups: Mapping[str, int], passed_s: float) -> None:
        """Measure the running nodes by their process groups, and move one if that helps."""
        members = self._members(set(groups.values()))
        loads = {}
        for name, group in groups.items():
            ticks = sum(ticks for _, ticks in members.get(group, []))
            before = self._ticks.get(name, ticks)
            self._ticks[name] = ticks
            loads[name] = max(ticks - before, 0) / os.sysconf("SC_CLK_TCK") / passed_s
        move = better(loads, self.where, sorted(self._allowed))
        if move is not None:
            name, processor = move
            self.where[name] = processor
            self._bring([pid for pid, _ in members.get(groups[name], [])], processor)

    def _members(self, groups: set[int]) -> dict[int, list[tuple[int, int]]]:
        """Process group -> (pid, ticks of it and its ended children), the leader first."""
        members: dict[int, list[tuple[int, int]]] = {}
        for entry in sorted(int(item.name) for item in self._proc.iterdir() if item.name.isdigit()):
            with contextlib.suppress(OSError):  # it has ended
                fields = (self._proc / str(entry) / "stat").read_text().rpartition(")")[2].split()
                group = int(fields[2])
                if group in groups:
                    # proc(5): utime, stime, cutime, cstime are fields 14 to 17.
                    members.setdefault(group, []).append((entry, sum(map(int, fields[11:15]))))
        return members

    def _bring(self, pids: Sequence[int], processor: int) -> None:
        """Move the processes, the kernel's first, so that its new processes follow."""
        for pid in pids:
            with contextlib.suppress(OSError):
                for thread in (self._proc / str(pid) / "task").iterdir():
                    os.sched_setaffinity(int(thread.name), {processor})


def better(
    loads: Mapping[str, float], where: Mapping[str, int], processors: Sequence[int]
) -> tuple[str, int] | None:
    """The node to move, and its new processor; None: no move.

    The move relieves the busiest processor by the most. `loads`: running node -> processors.
    """
    busy = dict.fromkeys(processors, 0.0)
    for name, load in loads.items():
        busy[where[name]] = busy.get(where[name], 0.0) + load
    busiest = max(processors, key=lambda processor: busy[processor])
    idlest = min(processors, key=lambda processor: busy[processor])
    gains = {
        name: busy[busiest] - max(busy[busiest] - load, busy[idlest] + load)
        for name, load in loads.items()
        if where[name] == busiest
    }
    gain, name = max(((gain, name) for name, gain in gains.items()), default=(0.0, ""))
    return (name, idlest) if gain >= WORTH else None
