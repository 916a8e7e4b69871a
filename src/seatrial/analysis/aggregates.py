"""The aggregates of a parallel transfer, as the GPFS paper defines them (gpfs-nsd, lines 118-126).

aggregate throughput = total data / time of the slowest task (`natural aggregate`)
harmonic mean        = total data / sum of the task times
harmonic aggregate   = harmonic mean x number of tasks

Each task's timer starts after a barrier (all tasks started, files open) and stops after its last
transfer and its close. Sizes are bytes, times seconds, rates bytes per second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class TaskTime(NamedTuple):
    """The work of one task and its time; the time must be positive for a rate to exist."""

    size_bytes: int
    elapsed_s: float
    operations: int = 0


@dataclass(frozen=True)
class Aggregate:
    """The three aggregates, the first and the last task's time, and fairness."""

    natural_bytes_per_s: float
    harmonic_mean_bytes_per_s: float
    harmonic_aggregate_bytes_per_s: float
    operations_per_s: float
    """all operations over the time of the longest task, as mdtest and IOR count them"""
    first_done_s: float | None
    last_done_s: float | None
    fairness: float
    """Jain fairness index of the tasks' rates: 1 for equal rates, 1/n when one task has the whole
    rate"""


NOTHING = Aggregate(0.0, 0.0, 0.0, 0.0, None, None, 0.0)
"""the aggregates of tasks without any work"""


def aggregate(tasks: Sequence[TaskTime]) -> Aggregate | None:
    """The aggregates of all tasks; None without any work. Where no byte moves, the Jain fairness
    index is of operations.

    A task that had time and no work counts: it is the slowest of all.
    """
    timed = [task for task in tasks if task.elapsed_s > 0]
    total_bytes = sum(task.size_bytes for task in timed)
    if not total_bytes and not any(task.operations for task in timed):
        return None
    times_s = [task.elapsed_s for task in timed]
    mean = total_bytes / sum(times_s)
    done = [task.size_bytes if total_bytes else task.operations for task in timed]
    return Aggregate(
        natural_bytes_per_s=total_bytes / max(times_s),
        harmonic_mean_bytes_per_s=mean,
        harmonic_aggregate_bytes_per_s=mean * len(timed),
        operations_per_s=sum(task.operations for task in timed) / max(times_s),
        first_done_s=min(times_s),
        last_done_s=max(times_s),
        fairness=jain(
            [amount / elapsed_s for amount, elapsed_s in zip(done, times_s, strict=True)]
        ),
    )


def jain(rates: Sequence[float]) -> float:
    """Jain's fairness index (Jain, Chiu and Hawe 1984, DEC-TR-301); 1.0 for no rates at all."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0
