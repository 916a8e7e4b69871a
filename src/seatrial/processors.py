"""How busy this machine's processors are: the guard of a scale model.

Where the lab machine itself is the bottleneck, a measurement says nothing about the modelled hardware.
"""

from pathlib import Path

BUSY_SHARE_MAX = 0.8
"""above it a point is `lab-limited`, and no claim may use it"""


class BusyMeter:
    """The busy share of all processors between two moments, from /proc/stat (see proc(5))."""

    def __init__(self) -> None:
        self._before = _ticks()

    def share(self) -> float:
        """Busy share in [0, 1] since the meter was made: all time but idle; waiting for disks counts as idle."""
        busy, total = (now - then for now, then in zip(_ticks(), self._before, strict=True))
        return busy / total if total else 0.0


def _ticks() -> tuple[int, int]:
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = fields[3] + fields[4]
    return sum(fields) - idle, sum(fields)
