"""On which of the machine's processors each node of a lab runs: all of its processes on one (decision 0012).

A node is one thread of execution that hands itself, with every system call and page fault of its programs, from their
processes to its kernel's and back. Spread over two processors, each hand-over wakes an idle one, which takes longer
than the work. So a node moves as a whole or not at all: twice a second one of them, where that makes the busiest
processor less busy.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PERIOD_S = 0.5
WORTH = 0.1
"""of a processor: a move must spare the busiest so much; the caches of what moves are cold"""


class Placement:
    """Where the nodes are, and how busy each was; `look` is to be called every `PERIOD_S`."""

    def __init__(self, names: Sequence[str], proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._allowed = os.sched_getaffinity(0)
        processors = sorted(self._allowed)
        self.where = {name: processors[number % len(processors)] for number, name in enumerate(names)}
        self._ticks: dict[str, int] = {}

    @contextlib.contextmanager
    def of(self, name: str) -> Iterator[None]:
        """What is started within is where the node is."""
        os.sched_setaffinity(0, {self.where[name]})
        try:
            yield
        finally:
            os.sched_setaffinity(0, self._allowed)

    def look(self, groups: Mapping[str, int], passed_s: float) -> None:
        """Measure the nodes that run, by their process groups, and move one of them if that helps."""
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
        """By process group, the leader first: (pid, its ticks and those of its children that have ended)."""
        found: dict[int, list[tuple[int, int]]] = {}
        for entry in sorted(int(item.name) for item in self._proc.iterdir() if item.name.isdigit()):
            with contextlib.suppress(OSError):  # it has ended
                fields = (self._proc / str(entry) / "stat").read_text().rpartition(")")[2].split()
                group = int(fields[2])
                if group in groups:
                    # proc(5): utime, stime, cutime, cstime are fields 14 to 17.
                    found.setdefault(group, []).append((entry, sum(map(int, fields[11:15]))))
        return found

    def _bring(self, pids: Sequence[int], processor: int) -> None:
        """The kernel's own process comes first: what it starts from then on is where it is."""
        for pid in pids:
            with contextlib.suppress(OSError):
                for thread in (self._proc / str(pid) / "task").iterdir():
                    os.sched_setaffinity(int(thread.name), {processor})


def better(loads: Mapping[str, float], where: Mapping[str, int], processors: Sequence[int]) -> tuple[str, int] | None:
    """The node whose move makes the busiest processor less busy by the most, and where to; None: leave all.

    `loads`: of each node that runs, in processors.
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
