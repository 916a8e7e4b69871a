"""The load of this machine's processors: the guard of a scale model.

Where the lab machine itself is the bottleneck, a measurement is no evidence about the modelled
hardware.
"""

import contextlib
import getpass
import os
import platform
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class BusyMeter:
    """Load of the busiest processor between two moments, from /proc/stat (see proc(5)).

    A node stays on one processor: a saturated one slows its nodes down, however idle the others
    are. Processors on which this process, and therefore the lab, may not run are left out.
    """

    def __init__(self, stat: Path = Path("/proc/stat"), processors: Set[int] | None = None) -> None:
        self._stat = stat
        self._processors = os.sched_getaffinity(0) if processors is None else processors
        self._before = self._ticks()

    def share(self, requested: float = 0.0) -> float:
        """Busy share in [0, 1] since the meter was created: all time except idle; waiting for disks
        counts as idle.

        `requested`: the share requested by the workload (other work on a server), which is
        subtracted from the busiest processor.
        """
        second, first = sorted([0.0, 0.0, *self._shares()])[-2:]
        return max(first - requested, second if requested else 0.0)

    def busy_processors(self) -> float:
        """The sum of the busy shares of all processors since the meter was created."""
        return sum(self._shares())

    def _shares(self) -> list[float]:
        """The busy share in [0, 1] of each processor since the meter was created."""
        shares = []
        for processor, now in self._ticks().items():
            before = self._before.get(processor, now)
            if now.all > before.all:
                shares.append((now.busy - before.busy) / (now.all - before.all))
        return shares

    def _ticks(self) -> "dict[int, _Ticks]":
        ticks_of = _ticks(self._stat)
        return {number: ticks_of[number] for number in ticks_of if number in self._processors}

    def stolen_share(self) -> float:
        """The highest share in [0, 1] that a hypervisor stole from a processor."""
        shares = [0.0]
        for processor, now in self._ticks().items():
            before = self._before.get(processor, now)
            if now.all > before.all:
                shares.append((now.stolen - before.stolen) / (now.all - before.all))
        return max(shares)


@dataclass(frozen=True)
class _Ticks:
    """Ticks of one processor since the machine's boot."""

    busy: int
    all: int
    stolen: int
    """stolen by a hypervisor; a part of `busy`"""


def _ticks(stat: Path) -> dict[int, _Ticks]:
    """By the number of the processor.

    Columns as in proc(5): user, nice, system, idle, iowait, irq, softirq, steal.
    """
    ticks_of = {}
    for line in stat.read_text().splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu":
            ticks = [int(field) for field in fields[:8]]
            ticks_of[int(name.removeprefix("cpu"))] = _Ticks(
                sum(ticks) - ticks[3] - ticks[4], sum(ticks), ticks[7]
            )
    return ticks_of


def machine() -> dict[str, Any]:
    """The machine's properties and the user that runs Seatrial, for the result."""
    processor = ""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        processor = f"{len(names)} x {names[0]}" if names else ""
    return {
        "kernel": platform.release(),
        "processors": processor,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "python": platform.python_version(),
        "host": platform.node(),
        "user": _user(),
    }


def _user() -> str:
    """The login name of the user; empty where the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
