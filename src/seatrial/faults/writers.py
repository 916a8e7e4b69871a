"""The writers of a shared array during a fault, as reported by the array, on the common clock."""

import contextlib
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from seatrial.basics.errors import RunError
from seatrial.load.agent import push
from seatrial.load.clock_offsets import ClockOffset, measure_clocks
from seatrial.solutions.base import WriteLog, WritesLogged, Written
from seatrial.streams import Stream
from seatrial.transport import Transport, following


@dataclass
class Watching:
    """The array's lines so far, and its clock; both empty where it cannot be monitored."""

    solution: WritesLogged | None = None
    clock: ClockOffset = field(default_factory=lambda: ClockOffset(0.0, 0.0))
    _lines: list[str] = field(default_factory=list)

    def follow(self, stream: Stream) -> None:
        """Collect the lines until the end."""
        for line in stream.lines():
            self._lines.append(line)  # atomic; the other thread copies

    def result_fields(self) -> dict[str, Any]:
        """The fields of the fault's line."""
        return (
            fields(self.solution.writes(list(self._lines)), self.clock)
            if self.solution is not None
            else {}
        )


@contextlib.contextmanager
def watching_writers(transport: Transport, solution: object) -> Iterator[Watching]:
    """Monitor the array until the block ends, where the solution supports it; an error ends
    nothing.
    """
    if not isinstance(solution, WritesLogged):
        yield Watching()
        return
    node = solution.writes_node
    try:
        clock = measure_clocks(transport, (node,), push(transport, (node,)))[node]
    except RunError:
        yield Watching()
        return
    watching = Watching(solution, clock)
    with following([transport.stream(node, solution.writes_command())]) as streams:
        threading.Thread(target=watching.follow, args=(streams[0],), daemon=True).start()
        yield watching


def fields(log: WriteLog, clock: ClockOffset) -> dict[str, Any]:
    """`writers`, `refused`, `writers_watched` and `writers_error_s` of a fault's line.

    Empty with fewer than two samples.
    """
    samples = log.readings_s
    if len(samples) < 2:
        return {}
    longest_s = max(later[1] - earlier[0] for earlier, later in pairwise(samples))
    return {
        "writers": intervals(log.written, clock.ahead_s, "size_bytes"),
        "refused": intervals(log.written, clock.ahead_s, "refused"),
        "writers_watched": (samples[0][0] - clock.ahead_s, samples[-1][1] - clock.ahead_s),
        "writers_error_s": longest_s + clock.error_s,
    }


def intervals(
    written: Iterable[Written], ahead_s: float, amount: str
) -> dict[str, list[dict[str, Any]]]:
    """By server, the times in which consecutive samples all saw it write (or be refused) to a
    volume.
    """
    seen: dict[str, list[dict[str, Any]]] = {}
    last: dict[tuple[str, str], dict[str, Any]] = {}
    name = "requests" if amount == "refused" else "bytes"
    for item in written:
        many = getattr(item, amount)
        if not many:
            continue
        start_s = item.start_s - ahead_s
        end_s = item.end_s - ahead_s
        key = (item.server, item.volume)
        if key in last and start_s <= last[key]["end_unix_s"]:
            last[key]["end_unix_s"] = end_s
            last[key][name] += many
            continue
        last[key] = {
            "volume": item.volume,
            "start_unix_s": start_s,
            "end_unix_s": end_s,
            name: many,
        }
        seen.setdefault(item.server, []).append(last[key])
    return seen
