"""The lines about the boot of a lab: one for each node of a small lab, a few for a large one."""

import time
from collections.abc import Callable

NAMED_MAX = 12
"""the nodes of a larger lab have no line each"""
PROGRESS_S = 5.0
"""interval of the lines about a larger lab"""


class BootReport:
    """Counts the nodes that answer ssh, and reports them."""

    def __init__(
        self,
        nodes: int,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._nodes = nodes
        self._say = say
        self._clock = clock
        self._after_s: dict[str, float] = {}
        self._said_s = clock()

    def answered(self, node: str, after_s: float) -> None:
        """A node answers ssh, `after_s` seconds after its start."""
        self._after_s[node] = after_s
        if self._nodes <= NAMED_MAX:
            self._say(f"{node} answers ssh after {after_s:.1f} s")
        elif len(self._after_s) == self._nodes:
            slowest = max(self._after_s, key=lambda name: self._after_s[name])
            least_s = min(self._after_s.values())
            most_s = self._after_s[slowest]
            times = f"{least_s:.1f} to {most_s:.1f} s"
            self._say(f"{self._nodes} nodes answer ssh after {times} (slowest: {slowest})")
        elif self._clock() - self._said_s >= PROGRESS_S:
            self._said_s = self._clock()
            self._say(f"{len(self._after_s)} of {self._nodes} nodes answer ssh")
